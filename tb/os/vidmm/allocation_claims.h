#pragma once

#include "tb/os/vidmm/video_memory_state.h"

namespace fenceline::os {

/// Who may move an allocation or change how it is mapped: one thread at a time.
class AllocationClaims {
 public:
  explicit AllocationClaims(VideoMemoryState& state) : state_(state) {}

  /// From now on nobody else moves it or changes how it is mapped, until let_go. Blocks.
  void claim(Allocation& allocation);
  void let_go(Allocation& allocation);
  /// Footprint of a look at whether it is there, locked, or claimed, or of a change. Those who
  /// access it do not disturb each other.
  void touch_use(const Allocation& allocation, bool write) const;

 private:
  VideoMemoryState& state_;
};

}  // namespace fenceline::os
