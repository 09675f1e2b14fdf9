#pragma once

#include <vector>

#include "kmd_stub/wddm/d3dkmt/d3dkmt_memory.h"
#include "tb/os/calls/sync_object_calls.h"

namespace fenceline::os {

/// The calls of user mode about memory that VidMm manages: allocations, residency, locks.
///
/// All: STATUS_INVALID_PARAMETER for a bad device, an empty list, an allocation named twice or
/// flags that are not known; STATUS_INVALID_HANDLE for a bad allocation; STATUS_NOT_SUPPORTED
/// without managed memory. Nothing has changed then.
class MemoryCalls {
 public:
  MemoryCalls(System& system, SyncObjectCalls& sync_objects)
      : system_(system), sync_objects_(sync_objects) {}

  /// One allocation; private data is abi::AllocationPrivateData. It is not resident. What the
  /// driver returns. Source: WDDM, D3DKMTCreateAllocation2.
  NTSTATUS D3DKMTCreateAllocation2(Process& process, const D3DKMT_CREATEALLOCATION& args);
  /// Never waits for the GPU, but with SynchronousDestroy. Handles are bad on return; the memory is
  /// free when what was queued before is done, or at once with AssumeNotInUse.
  /// Source: WDDM, D3DKMTDestroyAllocation2.
  NTSTATUS D3DKMTDestroyAllocation2(Process& process, const D3DKMT_DESTROYALLOCATION2& args);
  /// A process has one; a second call gives it again. Source: WDDM, D3DKMTCreatePagingQueue.
  NTSTATUS D3DKMTCreatePagingQueue(Process& process, D3DKMT_CREATEPAGINGQUEUE& args);
  /// STATUS_PENDING: the paging queue's fence gets the value. STATUS_NO_MEMORY with NumBytesToTrim:
  /// they cannot all be there at a time. STATUS_GRAPHICS_CANT_RENDER_LOCKED_ALLOCATION: one is
  /// locked and has to stay outside. Source: WDDM, D3DKMTMakeResident.
  NTSTATUS D3DKMTMakeResident(Process& process, D3DDDI_MAKERESIDENT& args);
  /// STATUS_INVALID_PARAMETER for one that is not resident. Source: WDDM, D3DKMTEvict.
  NTSTATUS D3DKMTEvict(Process& process, D3DKMT_EVICT& args);
  /// docs/background/memory.md has the rules. STATUS_INVALID_PARAMETER: it can never be locked
  /// where it is; STATUS_NO_MEMORY: not now; STATUS_GRAPHICS_TOO_MANY_REFERENCES. Source: WDDM,
  /// D3DKMTLock2.
  NTSTATUS D3DKMTLock2(Process& process, D3DKMT_LOCK2& args);
  /// STATUS_INVALID_PARAMETER for one that is not locked. Source: WDDM, D3DKMTUnlock2.
  NTSTATUS D3DKMTUnlock2(Process& process, const D3DKMT_UNLOCK2& args);
  /// STATUS_GRAPHICS_CANT_EVICT_PINNED_ALLOCATION with DonotEvict where it would have to move.
  /// Source: WDDM, D3DKMTLock.
  NTSTATUS D3DKMTLock(Process& process, D3DKMT_LOCK& args);
  NTSTATUS D3DKMTUnlock(Process& process, const D3DKMT_UNLOCK& args);
  /// Caches write back and drop the range. Nothing is left to do where they see what the device
  /// does. Source: WDDM, D3DKMTInvalidateCache.
  NTSTATUS D3DKMTInvalidateCache(Process& process, const D3DKMT_INVALIDATECACHE& args);

  /// The adapter has started: its memory manager does, with a fence for its paging buffers.
  void start(std::size_t number);
  void report_content();  ///< says what all allocations hold, for the checkers

 private:
  NTSTATUS find(Process& process, D3DKMT_HANDLE device, UINT count, const D3DKMT_HANDLE* list,
                std::vector<Allocation*>& found);
  NTSTATUS create_paging_fence(Process& process);

  System& system_;
  SyncObjectCalls& sync_objects_;
};

}  // namespace fenceline::os
