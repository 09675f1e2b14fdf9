#pragma once

#include <functional>
#include <vector>

#include "tb/os/allocations/allocation_caches.h"
#include "tb/os/allocations/allocation_claims.h"
#include "tb/os/allocations/allocation_pages.h"
#include "tb/os/allocations/allocation_reports.h"
#include "tb/os/vidmm/memory_requests.h"
#include "tb/os/vidmm/paging_operations.h"

namespace fenceline::os {

/// Moves allocations between VRAM and system memory, and chooses allocations to evict.
///
/// During a move, the contexts of its process are held and its user address faults. All calls in
/// the thread of VidMm.
class AllocationMoves {
 public:
  struct Parts {
    AllocationClaims& claims;
    AllocationWindows& windows;
    AllocationCaches& caches;
    AllocationReports& reports;
    AllocationPages& pages;
    PagingOperations& paging;
    MemoryRequests& requests;
  };
  AllocationMoves(VideoMemoryState& state, const Parts& parts) : state_(state), parts_(parts) {}

  /// Moves it to a place that the GPU can reach; false if there is none now.
  /// @param named allocations that must not be evicted for it
  bool bring_in(Allocation& allocation, const std::vector<Allocation*>& named);
  void move(Allocation& allocation, event::Placement to);
  /// Removes it from all places for good. @pre it is claimed
  void take_away(Allocation& allocation);
  /// Blocks until no CPU access is in progress.
  void wait_for_accessors(const Allocation& allocation);

  /// Called at PASSIVE_LEVEL: holds or releases the hardware queues of the process. Unset: there
  /// are none.
  std::function<void(const Process&, bool stand_still)> on_hold;

 private:
  bool may_be_in_vram(const Allocation& allocation) const;
  bool make_room(const Allocation& wanted, const std::vector<Allocation*>& named);
  std::vector<Allocation*> victims(const Allocation& wanted,
                                   const std::vector<Allocation*>& named) const;
  bool in_use(const Allocation& allocation) const;
  void begin(Allocation& allocation);
  void end(Allocation& allocation);
  void place(Allocation& allocation, event::Placement to);
  void leave_vram(Allocation& allocation);
  void enter_vram(Allocation& allocation);
  void set_reached(Allocation& allocation, bool reached) const;

  VideoMemoryState& state_;
  const Parts parts_;
  std::uint64_t stamp_ = 0;
};

}  // namespace fenceline::os
