#include "tb/os/calls/memory_calls.h"

#include <algorithm>

#include "models/top/gpu.h"

namespace fenceline::os {

namespace {

/// Flags of the older lock that mean something without swizzled ranges and renaming by the kernel.
constexpr UINT kLockFlags = D3DDDICB_LOCKFLAGS::kReadOnly | D3DDDICB_LOCKFLAGS::kWriteOnly |
                            D3DDDICB_LOCKFLAGS::kDonotWait | D3DDDICB_LOCKFLAGS::kIgnoreSync |
                            D3DDDICB_LOCKFLAGS::kLockEntire | D3DDDICB_LOCKFLAGS::kDonotEvict |
                            D3DDDICB_LOCKFLAGS::kIgnoreReadSync;

PVOID user_pointer(std::uint64_t address) {
  return reinterpret_cast<PVOID>(address);  // NOLINT(performance-no-int-to-ptr)
}

}  // namespace

/// Checks of device and list that all these calls share.
NTSTATUS MemoryCalls::find(Process& process, D3DKMT_HANDLE device, UINT count,
                           const D3DKMT_HANDLE* list, std::vector<Allocation*>& found) {
  system_.enter_call();
  if (device != process.device() || !process.has_device || count == 0 || list == nullptr)
    return STATUS_INVALID_PARAMETER;
  if (system_.of(process).memory == nullptr) return STATUS_NOT_SUPPORTED;
  for (UINT i = 0; i < count; ++i) {
    Allocation* const one = process.allocation(list[i]);
    if (one == nullptr) return STATUS_INVALID_HANDLE;
    if (std::find(found.begin(), found.end(), one) != found.end()) return STATUS_INVALID_PARAMETER;
    found.push_back(one);
  }
  return STATUS_SUCCESS;
}

NTSTATUS MemoryCalls::D3DKMTCreateAllocation2(Process& process,
                                              const D3DKMT_CREATEALLOCATION& args) {
  system_.enter_call();
  if (args.hDevice != process.device() || !process.has_device || args.hResource != 0 ||
      args.NumAllocations != 1 || args.pAllocationInfo2 == nullptr ||
      args.pAllocationInfo2->pSystemMem != nullptr || args.pAllocationInfo2->Flags != 0)
    return STATUS_INVALID_PARAMETER;
  AdapterState& state = system_.of(process);
  if (state.memory == nullptr) return STATUS_NOT_SUPPORTED;
  if (process.in_error) return STATUS_DEVICE_REMOVED;
  system_.of(process).power->wake();
  system_.objects.alter();
  const std::size_t index = process.managed.size();
  process.managed.emplace_back();
  std::unique_ptr<Allocation> made;
  const NTSTATUS status =
      state.memory->create(process, *args.pAllocationInfo2, system_.name_for(process, "allocation"),
                           process.own(kAllocationHandle, index + 1), made);
  system_.objects.alter();
  process.managed[index] = std::move(made);
  return status;
}

NTSTATUS MemoryCalls::D3DKMTDestroyAllocation2(Process& process,
                                               const D3DKMT_DESTROYALLOCATION2& args) {
  using Flags = D3DDDICB_DESTROYALLOCATION2FLAGS;
  std::vector<Allocation*> list;
  const NTSTATUS status =
      find(process, args.hDevice, args.AllocationCount, args.phAllocationList, list);
  if (!NT_SUCCESS(status)) return status;
  if (args.hResource != 0 ||
      (args.Flags.Value & ~(Flags::kAssumeNotInUse | Flags::kSynchronousDestroy)) != 0)
    return STATUS_INVALID_PARAMETER;
  system_.objects.change();
  system_.of(process).memory->destroy(process, list,
                                      (args.Flags.Value & Flags::kAssumeNotInUse) != 0,
                                      (args.Flags.Value & Flags::kSynchronousDestroy) != 0);
  return STATUS_SUCCESS;
}

/// The fence of the process's paging queue, unless it is there. The caller holds the mutex of
/// paging queues.
NTSTATUS MemoryCalls::create_paging_fence(Process& process) {
  if (process.paging_fence != 0) return STATUS_SUCCESS;
  D3DKMT_CREATESYNCHRONIZATIONOBJECT2 create{};
  create.hDevice = process.device();
  create.Info.Type = D3DDDI_MONITORED_FENCE;
  create.Info.Flags.Value = D3DDDI_SYNCHRONIZATIONOBJECT_FLAGS::kNoGPUAccess;
  const WithOptions named(system_.threads, {process.name + ".paging"});
  const NTSTATUS status = sync_objects_.D3DKMTCreateSynchronizationObject2(process, create);
  if (!NT_SUCCESS(status)) return status;
  system_.objects.alter();
  process.paging_fence = create.hSyncObject;
  process.sync_objects.at(process.paging_fence).of_queue = true;
  return status;
}

NTSTATUS MemoryCalls::D3DKMTCreatePagingQueue(Process& process, D3DKMT_CREATEPAGINGQUEUE& args) {
  if (args.hDevice != process.device() || !process.has_device || args.PhysicalAdapterIndex != 0 ||
      args.Priority != 0)
    return STATUS_INVALID_PARAMETER;
  if (system_.of(process).memory == nullptr) return STATUS_NOT_SUPPORTED;
  system_.objects.look();
  if (process.paging_fence == 0) {
    // Another thread of the process may be about to create it.
    MutexScope scope(*system_.of(process).paging_queues);
    const NTSTATUS status = create_paging_fence(process);
    if (!NT_SUCCESS(status)) return status;
  }
  args.hPagingQueue = process.own(kPagingQueueHandle, 0);
  args.hSyncObject = process.paging_fence;
  args.FenceValueCPUVirtualAddress = process.sync_objects.at(process.paging_fence).cpu_address;
  return STATUS_SUCCESS;
}

NTSTATUS MemoryCalls::D3DKMTMakeResident(Process& process, D3DDDI_MAKERESIDENT& args) {
  std::vector<Allocation*> list;
  const NTSTATUS status =
      find(process, process.device(), args.NumAllocations, args.AllocationList, list);
  if (!NT_SUCCESS(status)) return status;
  using Flags = D3DDDI_MAKERESIDENT_FLAGS;
  if (args.hPagingQueue != process.own(kPagingQueueHandle, 0) || process.paging_fence == 0)
    return STATUS_INVALID_HANDLE;
  if ((args.Flags.Value & ~(Flags::kCantTrimFurther | Flags::kMustSucceed)) != 0)
    return STATUS_INVALID_PARAMETER;
  if (process.in_error) return STATUS_DEVICE_REMOVED;
  system_.objects.change();
  return system_.of(process).memory->make_resident(process, list, args.PagingFenceValue,
                                                   args.NumBytesToTrim);
}

NTSTATUS MemoryCalls::D3DKMTEvict(Process& process, D3DKMT_EVICT& args) {
  using Flags = D3DDDI_EVICT_FLAGS;
  std::vector<Allocation*> list;
  const NTSTATUS status =
      find(process, args.hDevice, args.NumAllocations, args.AllocationList, list);
  if (!NT_SUCCESS(status)) return status;
  if ((args.Flags.Value & ~(Flags::kEvictOnlyIfNecessary | Flags::kNotWrittenTo)) != 0 ||
      std::any_of(list.begin(), list.end(), [](const auto* one) { return one->residency == 0; }))
    return STATUS_INVALID_PARAMETER;
  args.NumBytesToTrim = 0;
  system_.of(process).memory->evict(process, list,
                                    (args.Flags.Value & Flags::kEvictOnlyIfNecessary) != 0);
  return STATUS_SUCCESS;
}

NTSTATUS MemoryCalls::D3DKMTLock2(Process& process, D3DKMT_LOCK2& args) {
  std::vector<Allocation*> list;
  NTSTATUS status = find(process, args.hDevice, 1, &args.hAllocation, list);
  if (!NT_SUCCESS(status)) return status;
  if (args.Flags.Value != 0) return STATUS_INVALID_PARAMETER;
  if (process.in_error) return STATUS_DEVICE_REMOVED;
  status = system_.of(process).memory->locks().lock(*list.front(), {});
  if (NT_SUCCESS(status)) args.pData = user_pointer(list.front()->user_address);
  return status;
}

NTSTATUS MemoryCalls::D3DKMTUnlock2(Process& process, const D3DKMT_UNLOCK2& args) {
  std::vector<Allocation*> list;
  const NTSTATUS status = find(process, args.hDevice, 1, &args.hAllocation, list);
  if (!NT_SUCCESS(status)) return status;
  return system_.of(process).memory->locks().unlock(*list.front());
}

NTSTATUS MemoryCalls::D3DKMTLock(Process& process, D3DKMT_LOCK& args) {
  using Flags = D3DDDICB_LOCKFLAGS;
  std::vector<Allocation*> list;
  NTSTATUS status = find(process, args.hDevice, 1, &args.hAllocation, list);
  if (!NT_SUCCESS(status)) return status;
  const bool contradiction =
      (args.Flags.Value & Flags::kReadOnly) != 0 && (args.Flags.Value & Flags::kWriteOnly) != 0;
  if ((args.Flags.Value & ~kLockFlags) != 0 || contradiction || args.NumPages != 0 ||
      args.pPages != nullptr)
    return STATUS_INVALID_PARAMETER;
  if (process.in_error) return STATUS_DEVICE_REMOVED;
  AllocationLocks::Rules rules;
  rules.may_move = (args.Flags.Value & Flags::kDonotEvict) == 0;
  rules.may_wait = (args.Flags.Value & Flags::kDonotWait) == 0;
  rules.synchronizes = (args.Flags.Value & Flags::kIgnoreSync) == 0;
  status = system_.of(process).memory->locks().lock(*list.front(), rules);
  if (!NT_SUCCESS(status)) return status;
  args.pData = user_pointer(list.front()->user_address);
  args.GpuVirtualAddress = list.front()->gpu_address;
  return status;
}

/// All or none.
NTSTATUS MemoryCalls::D3DKMTUnlock(Process& process, const D3DKMT_UNLOCK& args) {
  std::vector<Allocation*> list;
  const NTSTATUS status =
      find(process, args.hDevice, args.NumAllocations, args.phAllocations, list);
  if (!NT_SUCCESS(status)) return status;
  if (std::any_of(list.begin(), list.end(), [](const auto* one) { return one->locks == 0; }))
    return STATUS_INVALID_PARAMETER;
  for (Allocation* one : list) system_.of(process).memory->locks().unlock(*one);
  return STATUS_SUCCESS;
}

/// Where the device sees the CPU's caches there is nothing to write back or to throw away: what is
/// left to do is to have the core's own stores done.
NTSTATUS MemoryCalls::D3DKMTInvalidateCache(Process& process, const D3DKMT_INVALIDATECACHE& args) {
  std::vector<Allocation*> list;
  const NTSTATUS status = find(process, args.hDevice, 1, &args.hAllocation, list);
  if (!NT_SUCCESS(status)) return status;
  const std::uint64_t bytes = list.front()->pages * kPage;
  if (args.Length == 0 || args.Offset > bytes || args.Length > bytes - args.Offset)
    return STATUS_INVALID_PARAMETER;
  system_.cpu.drain_stores();
  if (!system_.snoops(process))
    system_.of(process).memory->caches().invalidate(*list.front(), args.Offset, args.Length);
  return STATUS_SUCCESS;
}

void MemoryCalls::report_content() {
  for (AdapterState& state : system_.adapters)
    if (state.memory != nullptr) state.memory->reports().report_content();
}

void MemoryCalls::start(std::size_t number) {
  AdapterState& state = system_.adapters[number];
  if (state.memory == nullptr) return;
  Process system(system_.objects);
  system.adapter = number;
  // No process has the fence of its paging buffers.
  const std::shared_ptr<MonitoredFence> fence =
      sync_objects_.create_monitored(system, 0, D3DDDI_SYNCHRONIZATIONOBJECT_FLAGS::kNoGPUAccess,
                                     state.adapter->gpu().config().name + ".paging");
  state.memory->start(*state.system, *state.vram_pages, system_.pages, fence,
                      [&power = *state.power] { power.wake(); });
}

}  // namespace fenceline::os
