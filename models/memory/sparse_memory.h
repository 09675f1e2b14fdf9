#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <unordered_map>

namespace fenceline::memory {

/// Bytes of a large memory with few written pages. Unwritten bytes read as zero. Plain C++; no
/// time, no access rules.
class SparseMemory {
 public:
  static constexpr std::uint64_t kPageBytes = 4096;

  explicit SparseMemory(std::uint64_t size_bytes) : size_(size_bytes) {}

  std::uint64_t size() const { return size_; }
  /// @pre the range lies inside the memory.
  void read(std::uint64_t address, void* data, std::size_t bytes) const;
  void write(std::uint64_t address, const void* data, std::size_t bytes);
  /// The aligned 64-bit word at `address`.
  std::uint64_t word(std::uint64_t address) const;

 private:
  using Page = std::array<unsigned char, kPageBytes>;
  Page* find(std::uint64_t address) const;
  Page& touch(std::uint64_t address);

  std::uint64_t size_;
  std::unordered_map<std::uint64_t, std::unique_ptr<Page>> pages_;  ///< never iterated
  mutable std::uint64_t last_number_ = ~0ULL;
  mutable Page* last_page_ = nullptr;
};

}  // namespace fenceline::memory
