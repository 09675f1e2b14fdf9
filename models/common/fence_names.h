#pragma once

#include <cstdint>
#include <vector>

#include "models/abi/registers.h"

namespace fenceline::common {

/// Fence object in each fence slot of one GPU. The CMP writes it. Blocks that emit events about a
/// slot read it. It instruments the model and is not part of the hardware.
class FenceNames {
 public:
  explicit FenceNames(std::size_t slots) : objects_(slots) {}
  void set(std::uint32_t slot, std::uint32_t object) { objects_[slot] = object; }
  /// @param slot slot, or the fence name used in packets
  std::uint32_t of(std::uint32_t slot) const {
    slot = abi::fence_slot_of(slot);
    return slot < objects_.size() ? objects_[slot] : 0;
  }

 private:
  std::vector<std::uint32_t> objects_;
};

}  // namespace fenceline::common
