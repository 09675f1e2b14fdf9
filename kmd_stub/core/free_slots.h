#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "kmd_stub/core/state_hasher.h"

namespace fenceline::kmd {

/// Slots of a table that are free. The one released last is taken first. The caller has the lock.
class FreeSlots {
 public:
  FreeSlots(std::uint32_t first, std::uint32_t end) {
    free_.reserve(end - first);
    for (std::uint32_t slot = end; slot != first; --slot) free_.push_back(slot - 1);
  }

  std::optional<std::uint32_t> take() {
    if (free_.empty()) return std::nullopt;
    const std::uint32_t slot = free_.back();
    free_.pop_back();
    return slot;
  }
  void release(std::uint32_t slot) { free_.push_back(slot); }
  void add_to(StateHasher& hasher) const {
    hasher.add(free_.size()).add(free_.empty() ? 0 : free_.back());
  }

 private:
  std::vector<std::uint32_t> free_;
};

}  // namespace fenceline::kmd
