#pragma once

#include "tb/os/vidmm/video_memory_state.h"

namespace fenceline::os {

/// What allocations have of the CpuHostAperture: pages that show them, and room that is kept for
/// those that are locked and will come to VRAM.
class AllocationWindows {
 public:
  explicit AllocationWindows(VideoMemoryState& state) : state_(state) {}

  bool has_room(const Allocation& allocation) const;
  /// What is locked can be reached in VRAM as well. The room that this takes is kept for it.
  bool keep_room(const std::vector<Allocation*>& list);
  /// False: there is no window, or no room.
  bool open(Allocation& allocation);
  void close(Allocation& allocation);
  /// To D3 and back: the window is left and entered again. Allocations keep their pages of it.
  void hide_all();
  void show_all();
  /// Where the CPU finds a page of the allocation on the bus.
  std::uint64_t bus_address(const Allocation& allocation, std::uint64_t page) const;

 private:
  bool is_needed(const Allocation& allocation) const;
  void expect(Allocation& allocation, bool expected);

  VideoMemoryState& state_;
  std::uint64_t expected_ = 0;  ///< pages that locked allocations will need
};

}  // namespace fenceline::os
