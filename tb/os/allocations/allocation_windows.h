#pragma once

#include "tb/os/vidmm/video_memory_state.h"

namespace fenceline::os {

/// Pages of the CpuHostAperture: pages that show allocations, and pages reserved for locked
/// allocations that will come to VRAM.
class AllocationWindows {
 public:
  explicit AllocationWindows(VideoMemoryState& state) : state_(state) {}

  bool has_room(const Allocation& allocation) const;
  /// Reserves pages, so that locked allocations of the list can be reached in VRAM as well.
  bool keep_room(const std::vector<Allocation*>& list);
  /// False: no window or no room.
  bool open(Allocation& allocation);
  void close(Allocation& allocation);
  /// Leaves the window before D3 and enters it again afterwards. Allocations keep their pages of
  /// it.
  void hide_all();
  void show_all();
  /// Bus address of a page of the allocation.
  std::uint64_t bus_address(const Allocation& allocation, std::uint64_t page) const;

 private:
  bool is_needed(const Allocation& allocation) const;
  void expect(Allocation& allocation, bool expected);

  VideoMemoryState& state_;
  std::uint64_t expected_ = 0;  ///< pages that locked allocations will need
};

}  // namespace fenceline::os
