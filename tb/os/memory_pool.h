#pragma once

#include <cstdint>
#include <stdexcept>

namespace fenceline::os {

constexpr std::uint64_t kPage = 4096;  ///< [bytes] of host and GPU

/// Hands out page-aligned ranges of one memory, from its start upwards, each once: fresh pages
/// read as zero. Throws std::bad_alloc-like std::runtime_error when the memory is used up.
class PagePool {
 public:
  PagePool(std::uint64_t first, std::uint64_t end) : next_(first), end_(end) {}

  /// @return the first address of a range of at least `bytes`.
  std::uint64_t allocate(std::uint64_t bytes) {
    const std::uint64_t rounded = (bytes + kPage - 1) / kPage * kPage;
    if (rounded > end_ - next_) throw std::runtime_error("the modelled memory is used up");
    const std::uint64_t address = next_;
    next_ += rounded;
    return address;
  }

 private:
  std::uint64_t next_;
  std::uint64_t end_;
};

}  // namespace fenceline::os
