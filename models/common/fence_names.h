#pragma once

#include <cstdint>
#include <vector>

#include "models/abi/registers.h"

namespace fenceline::common {

/// Which fence object stands behind a fence slot of one GPU. Written by the CMP, read by whoever
/// emits events about a slot. It instruments the model and is not part of the hardware.
class FenceNames {
 public:
  explicit FenceNames(std::size_t slots) : objects_(slots) {}
  void set(std::uint32_t slot, std::uint32_t object) { objects_[slot] = object; }
  /// @param slot or what packets name the fence by
  std::uint32_t of(std::uint32_t slot) const {
    slot = abi::fence_slot_of(slot);
    return slot < objects_.size() ? objects_[slot] : 0;
  }

 private:
  std::vector<std::uint32_t> objects_;
};

}  // namespace fenceline::common
