// Monitored fences: the D3DKMT calls that create, open, destroy, wait for and signal them.
#include <algorithm>

#include "tb/os/kernel.h"

namespace fenceline::os {

using common::WatchKind;

namespace {

bool has(UINT flags, UINT bit) { return (flags & bit) != 0; }

NTSTATUS check_flags(UINT flags) {
  constexpr UINT kKnown =
      SynchronizationFlags::kShared | SynchronizationFlags::kNtSecuritySharing |
      SynchronizationFlags::kCrossAdapter | SynchronizationFlags::kTopOfPipeline |
      SynchronizationFlags::kNoSignal | SynchronizationFlags::kNoWait |
      SynchronizationFlags::kNoSignalMaxValueOnTdr | SynchronizationFlags::kNoGPUAccess |
      SynchronizationFlags::kUnwaitCpuWaitersOnlyOnDestroy;
  if ((flags & ~kKnown) != 0) return STATUS_INVALID_PARAMETER;
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

SyncObject* Kernel::sync_object(Process& process, D3DKMT_HANDLE handle) {
  objects_.read();
  if ((handle & kSyncObjectHandle) == 0) return nullptr;
  const auto found = process.sync_objects.find(handle ^ kSyncObjectHandle);
  return found != process.sync_objects.end() ? &found->second : nullptr;
}

D3DKMT_HANDLE Kernel::add_sync_object(Process& process, const SyncObject& object) {
  objects_.alter();
  const D3DKMT_HANDLE handle = ++process.last_sync_object;
  SyncObject& added = process.sync_objects[handle] = object;
  added.object = std::make_shared<LocalObject>();
  added.object->process = process.object;
  objects_.look();
  if (process.in_error && object.fence != nullptr) give_up_fences(process);  // meanwhile
  return kSyncObjectHandle | handle;
}

NTSTATUS Kernel::D3DKMTCreateSynchronizationObject2(Process& process,
                                                    D3DKMT_CREATESYNCHRONIZATIONOBJECT2& args,
                                                    const std::string& name) {
  enter_call();
  if (args.hDevice != kDeviceHandle || !process.has_device) return STATUS_INVALID_PARAMETER;
  if (process.in_error) return STATUS_DEVICE_REMOVED;
  const UINT flags = args.Info.Flags.Value;
  if (args.Info.Type == D3DDDI_CPU_NOTIFICATION) return create_cpu_event(process, args);
  if (has(flags, SynchronizationFlags::kSignalByKmd)) return STATUS_INVALID_PARAMETER;
  if (args.Info.Type != D3DDDI_MONITORED_FENCE) return STATUS_NOT_SUPPORTED;
  if (const NTSTATUS status = check_flags(flags); !NT_SUCCESS(status)) return status;
  const std::shared_ptr<MonitoredFence> fence =
      create_monitored(process, args.Info.MonitoredFence.InitialFenceValue, flags, name);
  SyncObject object;
  object.fence = fence;
  object.flags = flags;
  map_monitored(process, object);
  args.hSyncObject = add_sync_object(process, object);
  args.Info.MonitoredFence.FenceValueCPUVirtualAddress = object.cpu_address;
  args.Info.MonitoredFence.FenceValueGPUVirtualAddress = object.gpu_address;
  return STATUS_SUCCESS;
}

/// A value of its own page in system memory, where CPU and GPU reach it.
std::shared_ptr<MonitoredFence> Kernel::create_monitored(Process& process, std::uint64_t initial,
                                                         UINT flags, const std::string& name) {
  AdapterState& state = adapters_[process.adapter];
  if (state.adapter->host_aperture() != nullptr) wake(process.adapter, 0);  // to be mapped
  objects_.change();  // the number of the fence
  auto made = std::make_shared<MonitoredFence>();
  made->name = name;
  made->object = simulation_.events.add_object(common::ObjectKind::kFence, name);
  made->adapter = state.adapter.get();
  made->shared = has(flags, SynchronizationFlags::kShared);
  made->initial_value = made->last = initial;
  made->flags = flags;
  made->take_flags(flags);
  const UINT caps = state.adapter->caps().SchedulingCaps.Value;
  made->narrow = has(caps, DXGK_VIDSCHCAPS::kNo64BitAtomics) &&
                 !has(flags, SynchronizationFlags::kNoGPUAccess);
  made->current = {false, system_pages_.take_page(), kPage};
  const std::uint64_t word = made->narrow ? initial & UINT32_MAX : initial;
  state.adapter->port().write_memory(to_kernel_address(made->current_bus()), word);
  cpu_.drain_stores();
  watch(made->current, 0, 8, WatchKind::kCurrentValue, made->object, state);
  const common::AgentId agent = simulation_.steps.current();
  simulation_.events.emit(agent, event::FenceCreate{made->object, initial, state.adapter->object(),
                                                    1 | made->flags_told()});
  simulation_.events.emit(agent, event::FenceKind{made->object, 1, made->narrow ? 32U : 64U});
  return monitored_.add(std::move(made));
}

/// Gives a process its addresses. A GPU with an IOMMU uses those of the CPU, and then the CPU's
/// mapping can be written.
void Kernel::map_monitored(Process& process, SyncObject& object) {
  MonitoredFence& fence = *object.fence;
  const bool coherent = snoops(process);
  const bool iommu = process.space->uses_iommu();
  const bool gpu = !has(object.flags, SynchronizationFlags::kNoGPUAccess);
  const bool cached = coherent || options_.ordering.os.fence_cache == FenceCache::kWriteBack;
  D3DGPU_VIRTUAL_ADDRESS mapped = 0;
  if (gpu)
    mapped = process.space->map(fence.current, !has(object.flags, SynchronizationFlags::kNoSignal));
  object.cpu_address = to_kernel_address(fence.current_bus());
  object.gpu_address = iommu ? 0 : mapped;
  object.mapped = mapped;
  // Pages of such a process are at the same address for both.
  if (iommu && gpu) object.cpu_address = process.add_shared_address(mapped, fence.current_bus());
  objects_.change();
  if (cached) process.cached_pages.insert(fence.current_bus() / kPage);
  ++fence.opens;
  fence.note_user(process);
  std::uint64_t bits = 0;
  if (cached) bits |= common::kMapCpuCached;
  if (iommu && gpu) bits |= common::kMapCpuWritable;
  if (object.gpu_address != 0) bits |= common::kMapGpu;
  if (coherent) bits |= common::kMapHostCoherent;
  if (iommu) bits |= common::kMapIommu;
  if (!gpu) bits |= common::kMapNoGpuAccess;
  const common::AgentId agent = simulation_.steps.current();
  simulation_.events.emit(
      agent,
      event::FenceOpen{fence.object, process.object, adapters_[process.adapter].adapter->object(),
                       has(object.flags, SynchronizationFlags::kNoSignal)});
  simulation_.events.emit(
      agent, event::FenceMapped{fence.object, bits, object.gpu_address, process.object});
}

NTSTATUS Kernel::D3DKMTOpenSyncObjectFromNtHandle2(Process& process,
                                                   D3DKMT_OPENSYNCOBJECTFROMNTHANDLE2& args) {
  enter_call();
  if (args.hDevice != kDeviceHandle || !process.has_device) return STATUS_INVALID_PARAMETER;
  if (process.in_error) return STATUS_DEVICE_REMOVED;
  const std::shared_ptr<Fence> shared = shared_fence(args.hNtHandle);
  if (shared == nullptr) return STATUS_INVALID_HANDLE;
  if (shared->kind != Fence::Kind::kMonitored) return STATUS_OBJECT_TYPE_MISMATCH;
  Adapter& adapter = *adapters_[process.adapter].adapter;
  const auto origin = std::static_pointer_cast<MonitoredFence>(shared);
  if (adapter.native_fences() && (origin->native || shared->adapter != &adapter)) {
    LocalFence local;
    const NTSTATUS status = open_in_place(process, *origin, local);
    if (!NT_SUCCESS(status)) return status;
    args.hSyncObject = add_fence(process, local);
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
  args.hSyncObject = add_sync_object(process, object);
  args.MonitoredFence.FenceValueCPUVirtualAddress = object.cpu_address;
  args.MonitoredFence.FenceValueGPUVirtualAddress = object.gpu_address;
  return STATUS_SUCCESS;
}

NTSTATUS Kernel::close(Process& process, SyncObjects& of, SyncObjects::iterator at) {
  const SyncObject object = at->second;
  of.erase(at);
  objects_.change();
  if (object.cpu_event != nullptr) return destroy_cpu_event(*object.cpu_event);
  MonitoredFence& fence = *object.fence;
  const bool last = --fence.opens == 0;
  if (!last && !has(object.flags, SynchronizationFlags::kNoSignal))
    Process::keep_closed(process.closed_fences, object.fence, marks_of(process));
  monitored_.close(fence, *object.object, last);
  simulation_.emit(event::FenceClose{fence.object, process.object,
                                     adapters_[process.adapter].adapter->object(),
                                     !process.queues.empty()});
  if (last) report_end(fence, process);
  GpuMappings mappings;
  if (object.mapped != 0) mappings.push_back({process.space.get(), object.mapped});
  if (process.space->uses_iommu()) process.shared_addresses.erase(object.mapped);
  retire(process, object.fence, last, std::move(mappings));
  return STATUS_SUCCESS;
}

MonitoredPoints Kernel::monitored_points(Process& process, UINT count, const D3DKMT_HANDLE* handles,
                                         const UINT64* values, UINT refused) {
  MonitoredPoints result;
  for (UINT i = 0; i < count; ++i) {
    std::shared_ptr<MonitoredFence> fence;
    LocalPointer through;
    if (const SyncObject* object = sync_object(process, handles[i])) {
      if (object->fence == nullptr || has(object->flags, refused))
        result.status = object->fence == nullptr ? STATUS_INVALID_PARAMETER : STATUS_ACCESS_DENIED;
      fence = object->fence;
      through = object->object;
    } else if (const LocalFence* local = this->fence(process, handles[i])) {
      fence = local->fence->origin;
      through = local->object;
    }
    if (fence != nullptr) result.points.push_back({fence, values[i], through});
  }
  result.any = !result.points.empty() || !NT_SUCCESS(result.status);
  // One call is for fences of one kind.
  if (NT_SUCCESS(result.status) && result.any && result.points.size() != count)
    result.status = STATUS_INVALID_PARAMETER;
  return result;
}

NTSTATUS Kernel::wait_for_monitored(const std::vector<MonitoredFences::Point>& points,
                                    const D3DKMT_WAITFORSYNCHRONIZATIONOBJECTFROMCPU& args,
                                    std::uint32_t thread, KernelEvent& own_event,
                                    const common::Time* limit) {
  const bool any =
      has(args.Flags.Value, D3DDDI_WAITFORSYNCHRONIZATIONOBJECTFROMCPU_FLAGS::kWaitAny);
  if (args.hAsyncEvent != nullptr) {
    Waiter& waiter = waits_.open(thread, *static_cast<KernelEvent*>(args.hAsyncEvent), any);
    return waits_.leave_open(waiter, monitored_.wait(waiter, points));
  }
  Waiter& waiter = waits_.open(thread, own_event, any);
  const Waits::Scope scope(waits_, waiter.number);
  own_event.clear();
  if (const NTSTATUS status = monitored_.wait(waiter, points); !NT_SUCCESS(status)) return status;
  simulation_.steps.forget();  // from here on only the event counts
  simulation_.steps.observe(own_event.is_set() ? 1 : 0);
  bool in_time = waiter.satisfied || cpu_.block(own_event, limit) || waiter.satisfied;
  if (!waiter.satisfied && !monitored_.cancel(waiter)) in_time = true;
  for (const auto& point : points)
    report_wait_end(simulation_, waiter, point.fence->object, point.value, in_time);
  return in_time ? STATUS_SUCCESS : STATUS_TIMEOUT;
}

}  // namespace fenceline::os
