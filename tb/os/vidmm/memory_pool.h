#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace fenceline::os {

constexpr std::uint64_t kPage = 4096;  ///< [bytes] page size of host and GPU

/// Hands out page-aligned ranges of one memory in ascending order: new pages read as zero. Returned
/// single pages are reused where old content does not matter. Throws std::invalid_argument when the
/// memory is used up: the scenario asks for too much.
class PagePool {
 public:
  /// @param name for messages
  PagePool(std::uint64_t first, std::uint64_t end, std::string name = "a memory")
      : next_(first), end_(end), name_(std::move(name)) {}

  /// @return the first address of a range of at least `bytes`
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

  /// @return a page that may hold old content of another owner
  std::uint64_t take_page() {
    if (returned_.empty()) return allocate(kPage);
    const std::uint64_t page = returned_.back();
    returned_.pop_back();
    return page;
  }
  /// Takes back a page. @pre it has no user any more
  void give_back(std::uint64_t page) { returned_.push_back(page); }

  std::uint64_t left() const { return end_ - next_; }  ///< [bytes]

 private:
  std::uint64_t next_;
  std::uint64_t end_;
  std::vector<std::uint64_t> returned_;
  std::string name_;
};

}  // namespace fenceline::os
