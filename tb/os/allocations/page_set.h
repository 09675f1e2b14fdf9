#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <vector>

#include "tb/os/vidmm/memory_pool.h"

namespace fenceline::os {

/// A limited set of pages of one memory. Returned pages are reused, lowest first, with their old
/// content; new ones come from a pool.
class PageSet {
 public:
  /// @param limit largest number of pages in use
  void set_up(PagePool& pool, std::uint64_t limit) {
    pool_ = &pool;
    limit_ = limit;
  }

  /// Addresses of `count` pages; none if that exceeds the limit. @param contiguous pages must be
  /// consecutive and in order
  std::optional<std::vector<std::uint64_t>> take(std::uint64_t count, bool contiguous) {
    if (count > free()) return std::nullopt;
    std::vector<std::uint64_t> pages;
    if (contiguous && count > 1) {
      const auto run = find_run(count);
      const std::uint64_t first = run ? *run : pool_->allocate(count * kPage);
      for (std::uint64_t i = 0; i < count; ++i) pages.push_back(first + i * kPage);
      for (const std::uint64_t page : pages) returned_.erase(page);
    } else {
      while (pages.size() < count && !returned_.empty()) {
        pages.push_back(*returned_.begin());
        returned_.erase(returned_.begin());
      }
      while (pages.size() < count) pages.push_back(pool_->allocate(kPage));
    }
    out_ += count;
    return pages;
  }
  void give(const std::vector<std::uint64_t>& pages) {
    returned_.insert(pages.begin(), pages.end());
    out_ -= pages.size();
  }
  std::uint64_t free() const { return limit_ - out_; }
  /// True if `take` would succeed.
  bool has_room(std::uint64_t count, bool contiguous) const {
    if (count > free()) return false;
    const std::uint64_t fresh = pool_->left() / kPage;
    if (contiguous && count > 1) return fresh >= count || find_run(count).has_value();
    return fresh + returned_.size() >= count;
  }
  std::uint64_t limit() const { return limit_; }

 private:
  /// Start of a run of returned pages.
  std::optional<std::uint64_t> find_run(std::uint64_t count) const {
    std::uint64_t first = 0;
    std::uint64_t length = 0;
    for (const std::uint64_t page : returned_) {
      if (length == 0 || page != first + length * kPage) {
        first = page;
        length = 0;
      }
      if (++length == count) return first;
    }
    return std::nullopt;
  }

  PagePool* pool_ = nullptr;
  std::uint64_t limit_ = 0;
  std::uint64_t out_ = 0;
  std::set<std::uint64_t> returned_;
};

}  // namespace fenceline::os
