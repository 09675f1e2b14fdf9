#pragma once

#include "tb/os/vidmm/video_memory_state.h"

namespace fenceline::os {

/// Claims on allocations: only one thread at a time may move or remap an allocation.
class AllocationClaims {
 public:
  explicit AllocationClaims(VideoMemoryState& state) : state_(state) {}

  /// Claims the allocation until let_go(); other threads cannot move or remap it. Blocks.
  void claim(Allocation& allocation);
  void let_go(Allocation& allocation);
  /// Footprint of a check or a change of residency, locks or claims. Accesses do not conflict with
  /// each other.
  void touch_use(const Allocation& allocation, bool write) const;

 private:
  VideoMemoryState& state_;
};

}  // namespace fenceline::os
