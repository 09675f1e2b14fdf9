// Native fences: the D3DKMT calls that create, open, destroy, wait for and signal them.
#include <algorithm>
#include <cstring>

#include "tb/os/kernel.h"

namespace fenceline::os {

using common::Home;

LocalFence* Kernel::fence(Process& process, D3DKMT_HANDLE handle) {
  objects_.read();
  const auto found = process.fences.find(handle);
  return found != process.fences.end() ? &found->second : nullptr;
}

HANDLE Kernel::nt_handle(Process& process, D3DKMT_HANDLE handle) {
  LocalFence* local = fence(process, handle);
  if (local != nullptr) return local->fence->shared ? local->fence->os_handle() : nullptr;
  const SyncObject* object = sync_object(process, handle);
  const bool shared = object != nullptr && object->fence != nullptr && object->fence->shared;
  return shared ? object->fence->os_handle() : nullptr;
}

std::shared_ptr<Fence> Kernel::shared_fence(HANDLE handle) const {
  objects_.read();
  const auto is = [handle](const Fence& fence) {
    return fence.os_handle() == handle && fence.shared && fence.usable;
  };
  for (const auto& fence : monitored_.all())
    if (is(*fence)) return fence;
  for (const auto& fence : fences_)
    if (is(*fence) && fence->origin == nullptr) return fence;
  return nullptr;
}

NTSTATUS Kernel::D3DKMTCreateNativeFence(Process& process, D3DKMT_CREATENATIVEFENCE& args,
                                         const std::string& name, Home current_home,
                                         Home monitored_home) {
  AdapterState& state = adapters_[process.adapter];
  if (!state.adapter->native_fences()) return STATUS_NOT_SUPPORTED;
  if (args.Info.Type != D3DDDI_NATIVEFENCE_TYPE_DEFAULT || args.Flags.Value != 0)
    return STATUS_INVALID_PARAMETER;
  enter_call();
  if (process.in_error) return STATUS_DEVICE_REMOVED;
  LocalFence local;
  if ((args.Info.Flags.Value & D3DDDI_SYNCHRONIZATIONOBJECT_FLAGS::kCrossAdapter) != 0) {
    const NTSTATUS shared = create_cross_adapter(process, args, name, monitored_home, local);
    return NT_SUCCESS(shared) ? hand_out(process, local, args) : shared;
  }
  objects_.change();  // the number of the fence
  auto fence = std::make_shared<NativeFence>();
  fence->name = name;
  fence->object = simulation_.events.add_object(common::ObjectKind::kFence, name);
  fence->adapter = state.adapter.get();
  fence->shared = (args.Info.Flags.Value & D3DDDI_SYNCHRONIZATIONOBJECT_FLAGS::kShared) != 0;
  fence->take_flags(args.Info.Flags.Value);
  fence->initial_value = args.Info.InitialFenceValue;
  store_values(state, process, *fence, current_home, monitored_home);
  const NTSTATUS created = create_at_driver(state, *fence, args.PrivateDriverData);
  if (!NT_SUCCESS(created)) {
    retire(process, fence, true, {});
    return created;
  }
  const NTSTATUS opened = open_at_driver(state, process, fence, local);
  if (!NT_SUCCESS(opened)) {
    destroy_at_driver(*fence);
    retire(process, fence, true, {});
    return opened;
  }
  objects_.alter();
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
  objects_.alter();
  const D3DKMT_HANDLE handle = ++process.last_fence;
  process.fences[handle] = local;
  const MonitoredFence* origin = local.fence->origin.get();
  if (origin != nullptr && origin->rings) connect_doorbells(*origin);
  objects_.look();
  if (process.in_error) give_up_fences(process);  // meanwhile
  return handle;
}

NTSTATUS Kernel::create_at_driver(AdapterState& state, NativeFence& fence, BYTE* private_data) {
  DXGKARG_CREATENATIVEFENCE args{};
  args.hGlobalNativeFence = fence.os_handle();
  args.Type = D3DDDI_NATIVEFENCE_TYPE_DEFAULT;
  if (state.adapter->fence_caps().MapToGpuSystemProcess != FALSE) {
    args.CurrentValueSystemProcessGpuVa =
        map_values(*state.system, *state.adapter, fence.current, true) + fence.current_offset;
    args.MonitoredValueSystemProcessGpuVa =
        map_values(*state.system, *state.adapter, fence.monitored, true) + fence.monitored_offset;
    if (state.adapter->system().maps_for_the_cmp)
      fence.system_mappings = {{state.system.get(), args.CurrentValueSystemProcessGpuVa},
                               {state.system.get(), args.MonitoredValueSystemProcessGpuVa}};
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

/// Counts as open from its begin on, so that no other close destroys the fence meanwhile.
NTSTATUS Kernel::open_at_driver(AdapterState& state, Process& process,
                                const std::shared_ptr<NativeFence>& opened, LocalFence& local) {
  NativeFence& fence = *opened;
  objects_.change();
  ++fence.opens;
  fence.note_user(process);
  local.fence = opened;
  local.object = std::make_shared<LocalObject>();
  local.object->process = process.object;
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
  objects_.alter();
  if (!NT_SUCCESS(status)) {
    --fence.opens;
    if (fence.origin != nullptr) --fence.origin->opens;
    retire(process, opened, false, mappings(process, local));
    return status;
  }
  fence.devices.push_back(&process);
  simulation_.emit(event::FenceOpen{fence.object, process.object, state.adapter->object()});
  return status;
}

NTSTATUS Kernel::D3DKMTOpenNativeFenceFromNtHandle(Process& process,
                                                   D3DKMT_OPENNATIVEFENCEFROMNTHANDLE& args) {
  enter_call();
  if (process.in_error) return STATUS_DEVICE_REMOVED;
  const std::shared_ptr<Fence> handle = shared_fence(args.hNtHandle);
  if (handle == nullptr) return STATUS_INVALID_HANDLE;
  AdapterState& state = adapters_[process.adapter];
  LocalFence local;
  const bool monitored = handle->kind == Fence::Kind::kMonitored;
  const bool elsewhere = handle->adapter != state.adapter.get();
  const bool native = monitored && static_cast<const MonitoredFence&>(*handle).native;
  if (!state.adapter->native_fences() || (!native && elsewhere != monitored))
    return STATUS_NOT_SUPPORTED;
  const NTSTATUS status =
      monitored
          ? open_in_place(process, static_cast<MonitoredFence&>(*handle), local)
          : open_at_driver(state, process, std::static_pointer_cast<NativeFence>(handle), local);
  if (!NT_SUCCESS(status)) return status;
  args.hSyncObject = add_fence(process, local);
  args.NativeFenceMapping = local.mapping;
  std::memcpy(args.PrivateDriverData, local.fence->private_data, sizeof args.PrivateDriverData);
  return STATUS_SUCCESS;
}

NTSTATUS Kernel::D3DKMTDestroySynchronizationObject(Process& process, D3DKMT_HANDLE handle) {
  enter_call();
  if (const SyncObject* object = sync_object(process, handle)) {
    if (object->of_queue) return STATUS_INVALID_PARAMETER;
    return close(process, process.sync_objects,
                 process.sync_objects.find(handle & ~kSyncObjectHandle));
  }
  const LocalFence* local = fence(process, handle);
  if (local == nullptr) return STATUS_INVALID_HANDLE;
  if (local->of_queue) return STATUS_INVALID_PARAMETER;
  close(process, process.fences, process.fences.find(handle));
  return STATUS_SUCCESS;
}

/// In this order: the handle is bad, waiters leave and the OS names the fence no more, the driver
/// closes it, and after the last close destroys it.
void Kernel::close(Process& process, LocalFences& of, LocalFences::iterator at) {
  const LocalFence local = at->second;
  of.erase(at);
  objects_.change();
  NativeFence& global = *local.fence;
  MonitoredFence* const origin = global.origin.get();
  Adapter& adapter = *global.adapter;
  const bool last = --global.opens == 0 || !options_.ordering.os.refcount;
  const bool last_of_all = origin != nullptr && --origin->opens == 0;
  // At once: the device may fail while the fence is being closed.
  if (origin != nullptr && !last_of_all)
    Process::keep_closed(process.closed_fences, global.origin, marks_of(process));
  if (origin == nullptr && !last)
    Process::keep_closed(process.closed_natives, local.fence, marks_of(process));
  if (origin == nullptr) {
    adapters_[process.adapter].scheduler->close(global, *local.object, last);
  } else {
    monitored_.close(*origin, *local.object, last_of_all);
    if (last) monitored_.detach(*origin, global);
  }
  DXGKARG_CLOSENATIVEFENCE close{};
  close.hLocalNativeFence = local.driver_handle;
  adapter.call(Ddi::kCloseNativeFence,
               [&](auto& ddi) { return ddi.DxgkDdiCloseNativeFence(adapter.handle(), &close); });
  const common::AgentId agent = simulation_.steps.current();
  objects_.alter();
  global.devices.erase(std::find(global.devices.begin(), global.devices.end(), &process));
  simulation_.events.emit(agent, event::FenceClose{global.object, process.object, adapter.object(),
                                                   !process.queues.empty()});
  if (!last) return retire(process, local.fence, false, mappings(process, local));
  adapters_[process.adapter].logs->forget(global);
  destroy_at_driver(global);
  objects_.alter();
  global.alive = false;
  remove(fences_, global);
  if (last_of_all) report_end(*origin, process);
  if (origin == nullptr)
    simulation_.events.emit(agent,
                            event::FenceDestroy{global.object, process.object, adapter.object()});
  retire(process, local.fence, true, mappings(process, local));
  if (last_of_all) retire(process, global.origin, true, {});
}

void remove(FenceList& list, const NativeFence& fence) {
  list.erase(std::remove_if(list.begin(), list.end(),
                            [&fence](const auto& one) { return one.get() == &fence; }),
             list.end());
}

/// What a process has mapped for its GPU.
GpuMappings Kernel::mappings(const Process& process, const LocalFence& local) {
  return {{process.space.get(), local.mapping.CurrentValueGpuVa},
          {process.space.get(), local.mapping.MonitoredValueGpuVa}};
}

void Kernel::destroy_at_driver(NativeFence& fence) {
  DXGKARG_DESTROYNATIVEFENCE destroy{};
  destroy.hGlobalNativeFence = fence.driver_handle;
  fence.adapter->call(Ddi::kDestroyNativeFence,
                      [&](auto& ddi) { return ddi.DxgkDdiDestroyNativeFence(&destroy); });
}

std::vector<FenceScheduler::Point> Kernel::points(Process& process, UINT count,
                                                  const D3DKMT_HANDLE* handles,
                                                  const UINT64* values) {
  std::vector<FenceScheduler::Point> result;
  for (UINT i = 0; i < count; ++i) {
    LocalFence* local = fence(process, handles[i]);
    if (local == nullptr) return {};
    result.push_back({local->fence, values[i], local->object});
  }
  return result;
}

NTSTATUS Kernel::D3DKMTWaitForSynchronizationObjectFromCpu(
    Process& process, const D3DKMT_WAITFORSYNCHRONIZATIONOBJECTFROMCPU& args, std::uint32_t thread,
    KernelEvent& own_event, const common::Time* limit) {
  enter_call();
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
    Waiter& waiter = waits_.open(thread, *static_cast<KernelEvent*>(args.hAsyncEvent), any);
    return waits_.leave_open(waiter, scheduler.wait(waiter, fences));
  }
  Waiter& waiter = waits_.open(thread, own_event, any);
  const Waits::Scope scope(waits_, waiter.number);
  const EventClear clear = options_.ordering.os.event_clear;
  if (clear == EventClear::kFirst) own_event.clear();
  const Watchdog::Watch watch(adapters_[process.adapter].watchdog.get(), waiter, fences);
  if (const NTSTATUS status = scheduler.wait(waiter, fences); !NT_SUCCESS(status)) return status;
  simulation_.steps.forget();  // from here on only the event counts
  simulation_.steps.observe(own_event.is_set() ? 1 : 0);
  bool in_time = waiter.satisfied;
  if (!in_time && clear == EventClear::kLate) {
    host::Core& here = cpu_.core();
    const common::AgentId me = simulation_.steps.current();
    simulation_.steps.step_when(
        here.changed(), [&] { return here.may_run(me); }, common::Operation::kWrite,
        common::Footprint().writes(common::Place::kEvent, own_event.id));
    own_event.clear();
  }
  in_time = in_time || cpu_.block(own_event, limit) || waiter.satisfied;
  // Without os.event_clear the event may have been set by an earlier wait.
  if (!waiter.satisfied && !scheduler.cancel(waiter, fences)) in_time = true;
  for (const auto& point : fences)
    report_wait_end(simulation_, waiter, point.fence->object, point.value, in_time);
  return in_time ? STATUS_SUCCESS : STATUS_TIMEOUT;
}

NTSTATUS Kernel::D3DKMTSignalSynchronizationObjectFromCpu(
    Process& process, const D3DKMT_SIGNALSYNCHRONIZATIONOBJECTFROMCPU& args,
    std::optional<std::size_t> bad) {
  enter_call();
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
