#include "tb/os/calls/sync_object_calls.h"

#include <algorithm>

namespace fenceline::os {

namespace {

bool has(UINT flags, UINT bit) { return (flags & bit) != 0; }

NTSTATUS check_flags(UINT flags) {
  constexpr UINT kKnownFlags =
      SynchronizationFlags::kShared | SynchronizationFlags::kNtSecuritySharing |
      SynchronizationFlags::kCrossAdapter | SynchronizationFlags::kTopOfPipeline |
      SynchronizationFlags::kNoSignal | SynchronizationFlags::kNoWait |
      SynchronizationFlags::kNoSignalMaxValueOnTdr | SynchronizationFlags::kNoGPUAccess |
      SynchronizationFlags::kUnwaitCpuWaitersOnlyOnDestroy;
  if ((flags & ~kKnownFlags) != 0) return STATUS_INVALID_PARAMETER;
  if (has(flags, SynchronizationFlags::kShared) !=
      has(flags, SynchronizationFlags::kNtSecuritySharing))
    return STATUS_INVALID_PARAMETER;
  if (has(flags, SynchronizationFlags::kCrossAdapter) && !has(flags, SynchronizationFlags::kShared))
    return STATUS_INVALID_PARAMETER;
  if (has(flags, SynchronizationFlags::kNoSignal) && has(flags, SynchronizationFlags::kNoWait))
    return STATUS_INVALID_PARAMETER;
  return has(flags, SynchronizationFlags::kTopOfPipeline) ? STATUS_NOT_SUPPORTED : STATUS_SUCCESS;
}

}  // namespace

NTSTATUS SyncObjectCalls::D3DKMTCreateSynchronizationObject2(
    Process& process, D3DKMT_CREATESYNCHRONIZATIONOBJECT2& args) {
  system_.enter_call();
  if (args.hDevice != process.device() || !process.has_device) return STATUS_INVALID_PARAMETER;
  if (process.in_error) return STATUS_DEVICE_REMOVED;
  const UINT flags = args.Info.Flags.Value;
  SyncObject object;
  if (args.Info.Type == D3DDDI_CPU_NOTIFICATION) {
    const NTSTATUS status = cpu_events_.create(process, args, object);
    if (NT_SUCCESS(status)) args.hSyncObject = add(process, object);
    return status;
  }
  if (args.Info.Type != D3DDDI_MONITORED_FENCE) return STATUS_NOT_SUPPORTED;
  if (const NTSTATUS status = check_flags(flags); !NT_SUCCESS(status)) return status;
  object.fence = create_monitored(process, args.Info.MonitoredFence.InitialFenceValue, flags,
                                  system_.name_for(process, "fence"));
  object.flags = flags;
  map_monitored(process, object);
  args.hSyncObject = add(process, object);
  args.Info.MonitoredFence.FenceValueCPUVirtualAddress = object.cpu_address;
  args.Info.MonitoredFence.FenceValueGPUVirtualAddress = object.gpu_address;
  return STATUS_SUCCESS;
}

D3DKMT_HANDLE SyncObjectCalls::add(Process& process, const SyncObject& object) {
  system_.objects.alter();
  const D3DKMT_HANDLE handle = process.own(kSyncObjectHandle, ++process.last_sync_object);
  SyncObject& added = process.sync_objects[handle] = object;
  added.object = std::make_shared<LocalObject>();
  added.object->process = process.object;
  system_.objects.look();
  if (process.in_error) errors_.give_up_fences(process);  // meanwhile
  return handle;
}

std::shared_ptr<MonitoredFence> SyncObjectCalls::create_monitored(Process& process,
                                                                  std::uint64_t initial, UINT flags,
                                                                  const std::string& name) {
  AdapterState& state = system_.of(process);
  system_.objects.change();  // the number of the fence
  const bool narrow = state.adapter->has_cap(DXGK_VIDSCHCAPS::kNo64BitAtomics) &&
                      !has(flags, SynchronizationFlags::kNoGPUAccess);
  auto made = shared_.make(state, name, initial, flags, narrow);
  system_.simulation.emit(event::FenceCreate{made->object, initial, state.adapter->object(),
                                             event::kFenceMonitored | made->creation_flags()});
  system_.simulation.emit(event::FenceKind{made->object, 1, made->narrow ? 32U : 64U});
  return system_.monitored.add(std::move(made));
}

/// Gives a process its addresses. A GPU with an IOMMU uses those of the CPU, and then the CPU's
/// mapping can be written.
void SyncObjectCalls::map_monitored(Process& process, SyncObject& object) {
  MonitoredFence& fence = *object.fence;
  const bool iommu = process.space->uses_iommu();
  const bool gpu = !has(object.flags, SynchronizationFlags::kNoGPUAccess);
  const bool cached =
      system_.snoops(process) || system_.options.ordering.os.fence_cache == FenceCache::kWriteBack;
  D3DGPU_VIRTUAL_ADDRESS mapped = 0;
  if (gpu)
    mapped = process.space->map(fence.current, !has(object.flags, SynchronizationFlags::kNoSignal));
  object.cpu_address = to_kernel_address(fence.current_bus());
  object.gpu_address = iommu ? 0 : mapped;
  object.mapped = mapped;
  // Pages of such a process are at the same address for both.
  if (iommu && gpu) object.cpu_address = process.add_shared_address(mapped, fence.current_bus());
  system_.objects.change();
  if (cached) process.cached_pages.insert(fence.current_bus() / kPage);
  ++fence.opens;
  fence.note_user(process);
  report_mapping(process, object, cached);
}

void SyncObjectCalls::report_mapping(const Process& process, const SyncObject& object,
                                     bool cached) {
  const bool coherent = system_.snoops(process);
  const bool iommu = process.space->uses_iommu();
  const bool gpu = !has(object.flags, SynchronizationFlags::kNoGPUAccess);
  std::uint64_t bits = 0;
  if (cached) bits |= event::kMapCpuCached;
  if (iommu && gpu) bits |= event::kMapCpuWritable;
  if (object.gpu_address != 0) bits |= event::kMapGpu;
  if (coherent) bits |= event::kMapHostCoherent;
  if (iommu) bits |= event::kMapIommu;
  if (!gpu) bits |= event::kMapNoGpuAccess;
  system_.simulation.emit(event::FenceOpen{object.fence->object, process.object,
                                           system_.of(process).adapter->object(),
                                           has(object.flags, SynchronizationFlags::kNoSignal)});
  system_.simulation.emit(
      event::FenceMapped{object.fence->object, bits, object.gpu_address, process.object});
}

NTSTATUS SyncObjectCalls::D3DKMTOpenSyncObjectFromNtHandle2(
    Process& process, D3DKMT_OPENSYNCOBJECTFROMNTHANDLE2& args) {
  system_.enter_call();
  if (args.hDevice != process.device() || !process.has_device) return STATUS_INVALID_PARAMETER;
  if (process.in_error) return STATUS_DEVICE_REMOVED;
  const std::shared_ptr<Fence> shared = system_.shared_fence(args.hNtHandle);
  if (shared == nullptr) return STATUS_INVALID_HANDLE;
  if (shared->kind != Fence::Kind::kMonitored) return STATUS_OBJECT_TYPE_MISMATCH;
  Adapter& adapter = *system_.of(process).adapter;
  const auto origin = std::static_pointer_cast<MonitoredFence>(shared);
  if (adapter.native_fences() && (origin->native || shared->adapter != &adapter)) {
    LocalFence local;
    const NTSTATUS status = shared_.open(process, *origin, local);
    if (!NT_SUCCESS(status)) return status;
    args.hSyncObject = natives_.add(process, local);
    args.MonitoredFence.FenceValueCPUVirtualAddress = local.mapping.CurrentValueCpuVa;
    args.MonitoredFence.FenceValueGPUVirtualAddress = local.mapping.CurrentValueGpuVa;
    return status;
  }
  SyncObject object;
  object.fence = origin;
  object.flags = args.Flags.Value | (object.fence->flags & SynchronizationFlags::kNoGPUAccess);
  // Engines that split stores of 64 bits would let others read halves.
  const bool splits = has(adapter.caps().SchedulingCaps.Value, DXGK_VIDSCHCAPS::kNo64BitAtomics);
  if (splits && !object.fence->narrow && !has(object.flags, SynchronizationFlags::kNoGPUAccess))
    return STATUS_NOT_SUPPORTED;
  map_monitored(process, object);
  args.hSyncObject = add(process, object);
  args.MonitoredFence.FenceValueCPUVirtualAddress = object.cpu_address;
  args.MonitoredFence.FenceValueGPUVirtualAddress = object.gpu_address;
  return STATUS_SUCCESS;
}

NTSTATUS SyncObjectCalls::D3DKMTDestroySynchronizationObject(
    Process& process, const D3DKMT_DESTROYSYNCHRONIZATIONOBJECT& args) {
  const D3DKMT_HANDLE handle = args.hSyncObject;
  system_.enter_call();
  if (const SyncObject* object = process.sync_object(handle)) {
    if (object->of_queue) return STATUS_INVALID_PARAMETER;
    return close(process, process.sync_objects.find(handle));
  }
  const LocalFence* local = process.fence(handle);
  if (local == nullptr) return STATUS_INVALID_HANDLE;
  if (local->of_queue) return STATUS_INVALID_PARAMETER;
  natives_.close(process, process.fences.find(handle));
  return STATUS_SUCCESS;
}

NTSTATUS SyncObjectCalls::close(Process& process, SyncObjects::iterator at) {
  const SyncObject object = at->second;
  process.sync_objects.erase(at);
  system_.objects.change();
  if (object.cpu_event != nullptr) return cpu_events_.destroy(*object.cpu_event);
  MonitoredFence& fence = *object.fence;
  const bool last = --fence.opens == 0;
  ++fence.closing;
  if (!last && !has(object.flags, SynchronizationFlags::kNoSignal))
    Process::keep_closed(process.closed_fences, object.fence, system_.marks_of(process));
  system_.monitored.close(fence, *object.object, last);
  system_.simulation.emit(event::FenceClose{fence.object, process.object,
                                            system_.of(process).adapter->object(),
                                            !process.queues.empty()});
  system_.objects.alter();
  const bool gone = fence.end_close();
  if (gone) report_end(system_, fence, process);
  GpuMappings mappings;
  if (object.mapped != 0) mappings.push_back({process.space.get(), object.mapped});
  process.shared_addresses.erase(object.mapped);
  reclaimer_.add(process, object.fence, gone, std::move(mappings));
  return STATUS_SUCCESS;
}

}  // namespace fenceline::os
