#pragma once

#include "tb/os/allocations/page_set.h"
#include "tb/os/vidmm/video_memory_state.h"

namespace fenceline::os {

/// Pages of one adapter's allocations.
class AllocationPages {
 public:
  explicit AllocationPages(VideoMemoryState& state) : state_(state) {}

  /// The adapter has started.
  void start(PagePool& vram_pages, PagePool& system_pages);
  /// Gives it pages of system memory, unless it has some. Reused pages are zeroed by the CPU,
  /// unless they are overwritten at once.
  void give_system(Allocation& allocation);
  /// @pre there is room
  void give_vram(Allocation& allocation);
  void take_system(Allocation& allocation);
  void take_vram(Allocation& allocation);
  const PageSet& vram() const { return vram_; }

 private:
  void zero(std::uint64_t page);

  VideoMemoryState& state_;
  PageSet vram_;
  PageSet system_;
};

}  // namespace fenceline::os
