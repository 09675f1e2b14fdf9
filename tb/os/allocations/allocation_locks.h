#pragma once

#include "tb/os/allocations/allocation_caches.h"
#include "tb/os/allocations/allocation_claims.h"
#include "tb/os/allocations/allocation_pages.h"
#include "tb/os/allocations/allocation_reports.h"
#include "tb/os/vidmm/memory_requests.h"

namespace fenceline::os {

/// CPU access to allocations: locks, by segment, cacheability and residency, and accesses through
/// the addresses that they return. Source: WDDM, Lock2.
class AllocationLocks {
 public:
  static constexpr std::uint32_t kMost = 1024;  ///< locks per allocation; A-307

  struct Parts {
    AllocationClaims& claims;
    AllocationWindows& windows;
    const AllocationCaches& caches;
    AllocationReports& reports;
    AllocationPages& pages;
    MemoryRequests& requests;
  };
  AllocationLocks(VideoMemoryState& state, const Parts& parts) : state_(state), parts_(parts) {}

  /// Limits of a lock.
  struct Rules {
    /// False: STATUS_GRAPHICS_CANT_EVICT_PINNED_ALLOCATION instead of a move to system memory.
    bool may_move = true;
    /// False: STATUS_GRAPHICS_ALLOCATION_BUSY instead of a wait for work that lists it.
    bool may_wait = true;
    bool synchronizes = true;  ///< false: such work is ignored
  };
  NTSTATUS lock(Allocation& allocation, const Rules& rules);
  NTSTATUS unlock(Allocation& allocation);
  /// User mode loads or stores 64 bits. STATUS_ACCESS_VIOLATION if nothing is mapped. While the
  /// allocation is moved or its adapter sleeps, the access faults and is repeated afterwards.
  NTSTATUS touch(Allocation& allocation, std::uint64_t offset, bool write, std::uint64_t& value);

 private:
  /// Access path of a lock.
  enum class Way : std::uint8_t { kDirect, kWindow, kMoveOut, kRefused };

  bool is_listed(const Allocation& allocation) const;
  void wait_for_listed(Allocation& allocation);
  Way way_to(const Allocation& allocation, NTSTATUS& status) const;
  Way way_by(const Rules& rules, const Allocation& allocation, NTSTATUS& status) const;
  void move_out(Allocation& allocation);
  NTSTATUS lock_claimed(Allocation& allocation, const Rules& rules);
  bool open_window(Allocation& allocation);
  NTSTATUS lock_here(Allocation& allocation, Way way);
  bool wait_for_mapping(Allocation& allocation);
  void access(Allocation& allocation, std::uint64_t offset, bool write, std::uint64_t& value);

  VideoMemoryState& state_;
  const Parts parts_;
};

}  // namespace fenceline::os
