#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>

namespace fenceline::os {

constexpr std::uint64_t kPage = 4096;  ///< [bytes] of host and GPU

/// Hands out page-aligned ranges of one memory, from its start upwards, each once: fresh pages
/// read as zero. Throws std::invalid_argument when the memory is used up: the scenario asks for
/// more than there is.
class PagePool {
 public:
  /// @param name for messages.
  PagePool(std::uint64_t first, std::uint64_t end, std::string name = "a memory")
      : next_(first), end_(end), name_(std::move(name)) {}

  /// @return the first address of a range of at least `bytes`.
  std::uint64_t allocate(std::uint64_t bytes) {
    const std::uint64_t rounded = (bytes + kPage - 1) / kPage * kPage;
    if (rounded > end_ - next_)
      throw std::invalid_argument(name_ + " is used up: " + std::to_string(bytes) +
                                  " bytes are asked for, " + std::to_string(end_ - next_) +
                                  " are left; make it larger, or what is in it smaller");
    const std::uint64_t address = next_;
    next_ += rounded;
    return address;
  }

  std::uint64_t left() const { return end_ - next_; }  ///< [bytes]

 private:
  std::uint64_t next_;
  std::uint64_t end_;
  std::string name_;
};

}  // namespace fenceline::os
