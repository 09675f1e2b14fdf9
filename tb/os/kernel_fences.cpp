// Native fences: the D3DKMT calls that create, open, destroy, wait for and signal them.
#include <algorithm>
#include <cstring>

#include "tb/os/kernel.h"

namespace fenceline::os {

using common::EventKind;
using common::Home;

LocalFence* Kernel::fence(Process& process, D3DKMT_HANDLE handle) {
  simulation_.steps.touch(common::Place::kEvent, handles_, false);
  if (handle == 0 || handle > process.fences.size()) return nullptr;
  LocalFence& local = process.fences[handle - 1];
  return local.open ? &local : nullptr;
}

HANDLE Kernel::nt_handle(Process& process, D3DKMT_HANDLE handle) {
  LocalFence* local = fence(process, handle);
  if (local != nullptr && local->fence->origin != nullptr)
    return static_cast<Fence*>(local->fence->origin);
  if (local != nullptr) return local->fence->shared ? static_cast<Fence*>(local->fence) : nullptr;
  const SyncObject* object = sync_object(process, handle);
  const bool shared = object != nullptr && object->fence != nullptr && object->fence->shared;
  return shared ? static_cast<Fence*>(object->fence) : nullptr;
}

NTSTATUS Kernel::D3DKMTCreateNativeFence(Process& process, D3DKMT_CREATENATIVEFENCE& args,
                                         const std::string& name, Home current_home,
                                         Home monitored_home) {
  AdapterState& state = adapters_[process.adapter];
  if (!state.adapter->native_fences()) return STATUS_NOT_SUPPORTED;
  if (args.Info.Type != D3DDDI_NATIVEFENCE_TYPE_DEFAULT || args.Flags.Value != 0)
    return STATUS_INVALID_PARAMETER;
  cpu_.compute(cpu_.core().config().system_call);
  LocalFence local;
  if ((args.Info.Flags.Value & D3DDDI_SYNCHRONIZATIONOBJECT_FLAGS::kCrossAdapter) != 0) {
    const NTSTATUS shared = create_cross_adapter(process, args, name, monitored_home, local);
    return NT_SUCCESS(shared) ? hand_out(process, local, args) : shared;
  }
  auto fence = std::make_unique<NativeFence>();
  fence->name = name;
  fence->object = simulation_.events.add_object(common::ObjectKind::kFence, name);
  fence->adapter = state.adapter.get();
  fence->shared = (args.Info.Flags.Value & D3DDDI_SYNCHRONIZATIONOBJECT_FLAGS::kShared) != 0;
  fence->initial_value = args.Info.InitialFenceValue;
  store_values(state, process, *fence, current_home, monitored_home);
  const NTSTATUS created = create_at_driver(state, *fence, args.PrivateDriverData);
  if (!NT_SUCCESS(created)) return created;
  const NTSTATUS opened = open_at_driver(state, process, *fence, local);
  if (!NT_SUCCESS(opened)) return opened;
  simulation_.steps.touch(common::Place::kEvent, handles_, true);
  state.scheduler->add(*fence);
  fences_.push_back(std::move(fence));
  return hand_out(process, local, args);
}

/// The fence is one of the process's.
NTSTATUS Kernel::hand_out(Process& process, const LocalFence& local,
                          D3DKMT_CREATENATIVEFENCE& args) {
  args.hSyncObject = add_fence(process, local);
  args.Info.NativeFenceMapping = local.mapping;
  return STATUS_SUCCESS;
}

/// Its queues may wait for the fence from now on.
D3DKMT_HANDLE Kernel::add_fence(Process& process, const LocalFence& local) {
  process.fences.push_back(local);
  const MonitoredFence* origin = local.fence->origin;
  if (origin != nullptr && origin->rings) connect_doorbells(*origin);
  return static_cast<D3DKMT_HANDLE>(process.fences.size());
}

NTSTATUS Kernel::create_at_driver(AdapterState& state, NativeFence& fence, BYTE* private_data) {
  DXGKARG_CREATENATIVEFENCE args{};
  args.hGlobalNativeFence = &fence;
  args.Type = D3DDDI_NATIVEFENCE_TYPE_DEFAULT;
  if (state.adapter->fence_caps().MapToGpuSystemProcess != FALSE) {
    args.CurrentValueSystemProcessGpuVa =
        map_values(*state.system, *state.adapter, fence.current, true) + fence.current_offset;
    args.MonitoredValueSystemProcessGpuVa =
        map_values(*state.system, *state.adapter, fence.monitored, true) + fence.monitored_offset;
  }
  std::memcpy(args.pPrivateDriverData, private_data, sizeof args.pPrivateDriverData);
  const NTSTATUS status = state.adapter->call(Ddi::kCreateNativeFence, [&](auto& ddi) {
    return ddi.DxgkDdiCreateNativeFence(state.adapter->handle(), &args);
  });
  fence.driver_handle = args.hGlobalNativeFence;
  std::memcpy(private_data, args.pPrivateDriverData, sizeof args.pPrivateDriverData);
  std::memcpy(fence.private_data, args.pPrivateDriverData, sizeof fence.private_data);
  return status;
}

NTSTATUS Kernel::open_at_driver(AdapterState& state, Process& process, NativeFence& fence,
                                LocalFence& local) {
  local.fence = &fence;
  local.open = true;
  local.mapping.CurrentValueCpuVa = to_kernel_address(fence.current_bus());
  process.user_pages.map(fence.current_bus(), !state.adapter->system().protects_values);
  local.mapping.CurrentValueGpuVa =
      map_values(*process.space, *state.adapter, fence.current, true) + fence.current_offset;
  // Engines never write MonitoredValue: their mapping is read-only.
  local.mapping.MonitoredValueGpuVa =
      map_values(*process.space, *state.adapter, fence.monitored, false) + fence.monitored_offset;
  DXGKARG_OPENNATIVEFENCE args{};
  args.hGlobalNativeFence = fence.driver_handle;
  args.hLocalNativeFence = &process;
  args.hDevice = process.space->device();
  args.CurrentValueGpuVa = local.mapping.CurrentValueGpuVa;
  args.MonitoredValueGpuVa = local.mapping.MonitoredValueGpuVa;
  const NTSTATUS status = state.adapter->call(Ddi::kOpenNativeFence, [&](auto& ddi) {
    return ddi.DxgkDdiOpenNativeFence(state.adapter->handle(), &args);
  });
  local.driver_handle = args.hLocalNativeFence;
  if (!NT_SUCCESS(status)) return status;
  ++fence.opens;
  fence.devices.push_back(&process);
  simulation_.events.emit(EventKind::kFenceOpen, simulation_.steps.current(), fence.object,
                          process.object, state.adapter->object());
  return status;
}

NTSTATUS Kernel::D3DKMTOpenNativeFenceFromNtHandle(Process& process,
                                                   D3DKMT_OPENNATIVEFENCEFROMNTHANDLE& args) {
  cpu_.compute(cpu_.core().config().system_call);
  auto* handle = static_cast<Fence*>(args.hNtHandle);
  if (handle == nullptr || !handle->alive) return STATUS_INVALID_HANDLE;
  AdapterState& state = adapters_[process.adapter];
  LocalFence local;
  const bool monitored = handle->kind == Fence::Kind::kMonitored;
  const bool elsewhere = handle->adapter != state.adapter.get();
  const bool native = monitored && static_cast<const MonitoredFence*>(handle)->native;
  if (!state.adapter->native_fences() || (!native && elsewhere != monitored))
    return STATUS_NOT_SUPPORTED;
  const NTSTATUS status =
      monitored ? open_in_place(process, *static_cast<MonitoredFence*>(handle), local)
                : open_at_driver(state, process, *static_cast<NativeFence*>(handle), local);
  if (!NT_SUCCESS(status)) return status;
  simulation_.steps.touch(common::Place::kEvent, handles_, true);
  args.hSyncObject = add_fence(process, local);
  args.NativeFenceMapping = local.mapping;
  std::memcpy(args.PrivateDriverData, local.fence->private_data, sizeof args.PrivateDriverData);
  return STATUS_SUCCESS;
}

NTSTATUS Kernel::D3DKMTDestroySynchronizationObject(Process& process, D3DKMT_HANDLE handle) {
  cpu_.compute(cpu_.core().config().system_call);
  if (SyncObject* object = sync_object(process, handle))
    return destroy_sync_object(process, *object);
  LocalFence* local = fence(process, handle);
  if (local == nullptr) return STATUS_INVALID_HANDLE;
  NativeFence& global = *local->fence;
  Adapter& adapter = *global.adapter;
  DXGKARG_CLOSENATIVEFENCE close{};
  close.hLocalNativeFence = local->driver_handle;
  adapter.call(Ddi::kCloseNativeFence,
               [&](auto& ddi) { return ddi.DxgkDdiCloseNativeFence(adapter.handle(), &close); });
  simulation_.steps.touch(common::Place::kEvent, handles_, true);
  local->open = false;
  --global.opens;
  global.devices.erase(std::find(global.devices.begin(), global.devices.end(), &process));
  const common::AgentId agent = simulation_.steps.current();
  simulation_.events.emit(EventKind::kFenceClose, agent, global.object, process.object,
                          adapter.object());
  if (global.opens != 0 && options_.ordering.os.refcount) {
    if (global.origin != nullptr) --global.origin->opens;
    return STATUS_SUCCESS;
  }
  if (global.origin != nullptr)
    monitored_.detach(*global.origin, global);
  else
    adapters_[process.adapter].scheduler->remove(global);
  adapters_[process.adapter].logs->forget(global);
  DXGKARG_DESTROYNATIVEFENCE destroy{};
  destroy.hGlobalNativeFence = global.driver_handle;
  adapter.call(Ddi::kDestroyNativeFence,
               [&](auto& ddi) { return ddi.DxgkDdiDestroyNativeFence(&destroy); });
  simulation_.steps.touch(common::Place::kEvent, handles_, true);
  global.alive = false;
  if (global.origin != nullptr) {
    let_go(*global.origin, process);
    return STATUS_SUCCESS;
  }
  simulation_.events.emit(EventKind::kFenceDestroy, agent, global.object, process.object,
                          adapter.object());
  return STATUS_SUCCESS;
}

std::vector<FenceScheduler::Point> Kernel::points(Process& process, UINT count,
                                                  const D3DKMT_HANDLE* handles,
                                                  const UINT64* values) {
  std::vector<FenceScheduler::Point> result;
  for (UINT i = 0; i < count; ++i) {
    LocalFence* local = fence(process, handles[i]);
    if (local == nullptr) return {};
    result.push_back({local->fence, values[i]});
  }
  return result;
}

NTSTATUS Kernel::D3DKMTWaitForSynchronizationObjectFromCpu(
    Process& process, const D3DKMT_WAITFORSYNCHRONIZATIONOBJECTFROMCPU& args, std::uint32_t thread,
    KernelEvent& own_event, const common::Time* limit) {
  cpu_.compute(cpu_.core().config().system_call);
  const MonitoredPoints found =
      monitored_points(process, args.ObjectCount, args.ObjectHandleArray, args.FenceValueArray,
                       D3DDDI_SYNCHRONIZATIONOBJECT_FLAGS::kNoWait);
  if (!NT_SUCCESS(found.status)) return found.status;
  if (found.any) return wait_for_monitored(found.points, args, thread, own_event, limit);
  const auto fences =
      points(process, args.ObjectCount, args.ObjectHandleArray, args.FenceValueArray);
  if (fences.empty()) return STATUS_INVALID_HANDLE;
  FenceScheduler& scheduler = *adapters_[process.adapter].scheduler;
  const bool any =
      (args.Flags.Value & D3DDDI_WAITFORSYNCHRONIZATIONOBJECTFROMCPU_FLAGS::kWaitAny) != 0;
  if (args.hAsyncEvent != nullptr) {
    asynchronous_.push_back(std::make_unique<Waiter>());
    Waiter& waiter = *asynchronous_.back();
    waiter.number = ++waiters_;
    waiter.thread = thread;
    waiter.event = static_cast<KernelEvent*>(args.hAsyncEvent);
    waiter.any = any;
    scheduler.wait(waiter, fences);
    return STATUS_SUCCESS;
  }
  Waiter waiter;
  waiter.number = ++waiters_;
  waiter.thread = thread;
  waiter.event = &own_event;
  waiter.any = any;
  if (options_.ordering.os.event_clear) own_event.clear();
  Watchdog* const watchdog = adapters_[process.adapter].watchdog.get();
  if (watchdog != nullptr) watchdog->begin(waiter, fences);
  scheduler.wait(waiter, fences);
  simulation_.steps.forget();  // from here on only the event counts
  simulation_.steps.observe(own_event.is_set() ? 1 : 0);
  const bool in_time = waiter.satisfied || cpu_.block(own_event, limit) || waiter.satisfied;
  // Without os.event_clear the event may have been set by an earlier wait.
  if (!waiter.satisfied) scheduler.cancel(waiter, fences);
  if (watchdog != nullptr) watchdog->end(waiter);
  const common::AgentId agent = simulation_.steps.current();
  for (const auto& point : fences)
    simulation_.events.emit(in_time ? EventKind::kWaitDone : EventKind::kWaitTimeout, agent,
                            point.fence->object, point.value, waiter.number, thread);
  return in_time ? STATUS_SUCCESS : STATUS_TIMEOUT;
}

NTSTATUS Kernel::D3DKMTSignalSynchronizationObjectFromCpu(
    Process& process, const D3DKMT_SIGNALSYNCHRONIZATIONOBJECTFROMCPU& args,
    std::optional<std::size_t> bad) {
  cpu_.compute(cpu_.core().config().system_call);
  const MonitoredPoints found =
      monitored_points(process, args.ObjectCount, args.ObjectHandleArray, args.FenceValueArray,
                       D3DDDI_SYNCHRONIZATIONOBJECT_FLAGS::kNoSignal);
  if (!NT_SUCCESS(found.status)) return found.status;
  if (found.any) return monitored_.signal(found.points, adapters_[process.adapter].adapter.get());
  const auto fences =
      points(process, args.ObjectCount, args.ObjectHandleArray, args.FenceValueArray);
  if (fences.empty()) return STATUS_INVALID_HANDLE;
  return adapters_[process.adapter].scheduler->signal(fences, 0, bad);
}

}  // namespace fenceline::os
