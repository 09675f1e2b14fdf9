#pragma once

// D3DKMT calls of user mode, as on Windows: call them in a thread of a user::Machine. Each takes
// simulated time and returns the status that its page documents. The bodies are in tb/os/calls,
// where each is described: a scenario's threads make the same calls. Handles are per process;
// D3DKMT_HANDLE 0 is none.
//
// Not modelled: history buffers. A device belongs to one process on one adapter. All fences of a
// call must be of one device and one kind.

#include "kmd_stub/wddm/d3dkmt/d3dkmt.h"
#include "kmd_stub/wddm/d3dkmt/d3dkmt_adapter.h"
#include "kmd_stub/wddm/d3dkmt/d3dkmt_memory.h"
#include "kmd_stub/wddm/d3dkmt/d3dkmt_sync.h"
#include "tb/user/machine.h"

/// Excerpt. Source: WDDM, D3DKMT_ADAPTERINFO.
struct D3DKMT_ADAPTERINFO {
  D3DKMT_HANDLE hAdapter;
  LUID AdapterLuid;
  ULONG NumOfSources;
};

/// With pAdapters null only NumAdapters is returned. Source: WDDM, D3DKMT_ENUMADAPTERS2.
struct D3DKMT_ENUMADAPTERS2 {
  ULONG NumAdapters;  ///< in and out
  D3DKMT_ADAPTERINFO* pAdapters;
};

/// The handles are valid as long as the process lives. Source: WDDM, D3DKMTEnumAdapters2.
NTSTATUS D3DKMTEnumAdapters2(D3DKMT_ENUMADAPTERS2* args);
NTSTATUS D3DKMTQueryAdapterInfo(const D3DKMT_QUERYADAPTERINFO* args);
NTSTATUS D3DKMTIsFeatureEnabled(D3DKMT_ISFEATUREENABLED* args);
/// STATUS_NO_MEMORY: a process can have 16 devices.
NTSTATUS D3DKMTCreateDevice(D3DKMT_CREATEDEVICE* args);
NTSTATUS D3DKMTDestroyDevice(const D3DKMT_DESTROYDEVICE* args);

/// Values of a shared fence are in system memory. Others are where mem.cv_home and mem.mv_home of
/// the platform place them.
NTSTATUS D3DKMTCreateNativeFence(D3DKMT_CREATENATIVEFENCE* args);
NTSTATUS D3DKMTOpenNativeFenceFromNtHandle(D3DKMT_OPENNATIVEFENCEFROMNTHANDLE* args);
NTSTATUS D3DKMTCreateSynchronizationObject2(D3DKMT_CREATESYNCHRONIZATIONOBJECT2* args);
NTSTATUS D3DKMTOpenSyncObjectFromNtHandle2(D3DKMT_OPENSYNCOBJECTFROMNTHANDLE2* args);
NTSTATUS D3DKMTDestroySynchronizationObject(const D3DKMT_DESTROYSYNCHRONIZATIONOBJECT* args);
/// NT handle of one shared fence. The attributes and rights are not modelled: null and 0.
/// Source: WDDM, D3DKMTShareObjects.
NTSTATUS D3DKMTShareObjects(UINT count, const D3DKMT_HANDLE* objects, const void* attributes,
                            UINT desired_access, HANDLE* handle);

NTSTATUS D3DKMTWaitForSynchronizationObjectFromCpu(
    const D3DKMT_WAITFORSYNCHRONIZATIONOBJECTFROMCPU* args);
NTSTATUS D3DKMTSignalSynchronizationObjectFromCpu(
    const D3DKMT_SIGNALSYNCHRONIZATIONOBJECTFROMCPU* args);
NTSTATUS D3DKMTWaitForSynchronizationObjectFromGpu(
    const D3DKMT_WAITFORSYNCHRONIZATIONOBJECTFROMGPU* args);
NTSTATUS D3DKMTSignalSynchronizationObjectFromGpu(
    const D3DKMT_SIGNALSYNCHRONIZATIONOBJECTFROMGPU* args);

NTSTATUS D3DKMTCreateContextVirtual(D3DKMT_CREATECONTEXTVIRTUAL* args);
NTSTATUS D3DKMTSetContextSchedulingPriority(const D3DKMT_SETCONTEXTSCHEDULINGPRIORITY* args);
NTSTATUS D3DKMTSubmitCommand(const D3DKMT_SUBMITCOMMAND* args);
NTSTATUS D3DKMTPresent(const D3DKMT_PRESENT* args);

NTSTATUS D3DKMTCreateHwContext(D3DKMT_CREATEHWCONTEXT* args);
/// pPrivateDriverData: abi::QueuePrivateData. Its ring comes from allocate_memory.
NTSTATUS D3DKMTCreateHwQueue(D3DKMT_CREATEHWQUEUE* args);
NTSTATUS D3DKMTCreateDoorbell(D3DKMT_CREATEDOORBELL* args);
NTSTATUS D3DKMTConnectDoorbell(const D3DKMT_CONNECTDOORBELL* args);
NTSTATUS D3DKMTNotifyWorkSubmission(const D3DKMT_NOTIFY_WORK_SUBMISSION* args);
NTSTATUS D3DKMTSubmitCommandToHwQueue(const D3DKMT_SUBMITCOMMANDTOHWQUEUE* args);
NTSTATUS D3DKMTSubmitWaitForSyncObjectsToHwQueue(
    const D3DKMT_SUBMITWAITFORSYNCOBJECTSTOHWQUEUE* args);
NTSTATUS D3DKMTSubmitSignalSyncObjectsToHwQueue(
    const D3DKMT_SUBMITSIGNALSYNCOBJECTSTOHWQUEUE* args);

/// Memory that the operating system places and moves; only on a machine with managed memory.
/// pPrivateDriverData of its only element: abi::AllocationPrivateData. The returned
/// GpuVirtualAddress never changes; nothing is resident yet. Source: WDDM, D3DKMTCreateAllocation2.
NTSTATUS D3DKMTCreateAllocation2(D3DKMT_CREATEALLOCATION* args);
/// The handles become invalid at once. The memory is freed when all work queued before is done.
NTSTATUS D3DKMTDestroyAllocation2(const D3DKMT_DESTROYALLOCATION2* args);
/// One per device; threads can wait for its monitored fence.
NTSTATUS D3DKMTCreatePagingQueue(D3DKMT_CREATEPAGINGQUEUE* args);
/// STATUS_PENDING: the allocations are resident when the queue's fence reaches PagingFenceValue.
NTSTATUS D3DKMTMakeResident(D3DDDI_MAKERESIDENT* args);
NTSTATUS D3DKMTEvict(D3DKMT_EVICT* args);
/// pData is valid for fenceline::user::load and store until the unlock.
NTSTATUS D3DKMTLock2(D3DKMT_LOCK2* args);
NTSTATUS D3DKMTUnlock2(const D3DKMT_UNLOCK2* args);
NTSTATUS D3DKMTLock(D3DKMT_LOCK* args);
NTSTATUS D3DKMTUnlock(const D3DKMT_UNLOCK* args);
NTSTATUS D3DKMTInvalidateCache(const D3DKMT_INVALIDATECACHE* args);

NTSTATUS D3DKMTEscape(const D3DKMT_ESCAPE* args);

namespace fenceline::user {

/// System memory that the calling process and the device's GPU share; zeroed, never moved. Use it
/// for rings: the memory manager does not know which memory hardware queues use. Throws
/// std::invalid_argument for a bad device.
Memory allocate_memory(D3DKMT_HANDLE device, std::uint64_t bytes);
/// Copies to memory of allocate_memory, to a locked allocation (in whole 64-bit words), or stores 8
/// bytes to a doorbell. Throws std::runtime_error for an access violation, std::invalid_argument
/// for a partial word of an allocation.
void store(void* address, const void* data, std::size_t bytes);
/// Reads 64 bits from memory of allocate_memory or a locked allocation.
std::uint64_t load(const void* address);
/// Reads the value of a fence through its user mapping. On a GPU with 32-bit atomics only the low
/// half.
std::uint64_t read_fence(D3DKMT_HANDLE device, const void* address);
/// A full barrier of the CPU.
void memory_barrier();
/// Sends all write-combining buffers before any later store. Stores to uncached locked allocations
/// gather in these buffers. Call it before a submission.
void store_fence();

/// CreateEvent, WaitForSingleObject (false on time-out), ResetEvent.
HANDLE create_event();
bool wait_for_event(HANDLE event, std::optional<common::Time> limit = std::nullopt);
void reset_event(HANDLE event);
/// The thread sleeps; or computes.
void sleep(common::Time duration);
void compute(common::Time duration);

}  // namespace fenceline::user
