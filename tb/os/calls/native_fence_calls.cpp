#include "tb/os/calls/native_fence_calls.h"

#include <algorithm>
#include <cstring>

namespace fenceline::os {

NTSTATUS NativeFenceCalls::D3DKMTCreateNativeFence(Process& process,
                                                   D3DKMT_CREATENATIVEFENCE& args) {
  AdapterState& state = system_.of(process);
  if (!state.adapter->native_fences()) return STATUS_NOT_SUPPORTED;
  if (args.hDevice != process.device() || !process.has_device ||
      args.Info.Type != D3DDDI_NATIVEFENCE_TYPE_DEFAULT || args.Flags.Value != 0)
    return STATUS_INVALID_PARAMETER;
  system_.enter_call();
  if (process.in_error) return STATUS_DEVICE_REMOVED;
  const common::MemoryOrdering& homes = system_.options.ordering.mem;
  const CallOptions& wanted = system_.threads.current().options;
  const common::Home monitored_home = wanted.monitored_value_home.value_or(homes.mv_home);
  const std::string name = system_.name_for(process, "fence");
  LocalFence local;
  if ((args.Info.Flags.Value & D3DDDI_SYNCHRONIZATIONOBJECT_FLAGS::kCrossAdapter) != 0) {
    const NTSTATUS shared = shared_.create(process, args, name, monitored_home, local);
    return NT_SUCCESS(shared) ? hand_out(process, local, args) : shared;
  }
  system_.objects.change();  // the number of the fence
  auto fence = std::make_shared<NativeFence>();
  fence->name = name;
  fence->object = system_.simulation.events.add_object(common::ObjectKind::kFence, name);
  fence->adapter = state.adapter.get();
  fence->shared = (args.Info.Flags.Value & D3DDDI_SYNCHRONIZATIONOBJECT_FLAGS::kShared) != 0;
  fence->take_flags(args.Info.Flags.Value);
  fence->initial_value = args.Info.InitialFenceValue;
  storage_.store(state, process, *fence, wanted.current_value_home.value_or(homes.cv_home),
                 monitored_home);
  const NTSTATUS created = driver_.create(state, *fence, args.PrivateDriverData);
  if (!NT_SUCCESS(created)) {
    reclaimer_.add(process, fence, true, {});
    return created;
  }
  const NTSTATUS opened = driver_.open(state, process, fence, local);
  if (!NT_SUCCESS(opened)) {
    FenceDriver::destroy(*fence);
    reclaimer_.add(process, fence, true, {});
    return opened;
  }
  system_.objects.alter();
  state.scheduler->add(*fence);
  system_.fences.push_back(std::move(fence));
  return hand_out(process, local, args);
}

/// The fence is one of the process's.
NTSTATUS NativeFenceCalls::hand_out(Process& process, const LocalFence& local,
                                    D3DKMT_CREATENATIVEFENCE& args) {
  args.hSyncObject = add(process, local);
  args.Info.NativeFenceMapping = local.mapping;
  return STATUS_SUCCESS;
}

D3DKMT_HANDLE NativeFenceCalls::add(Process& process, const LocalFence& local) {
  system_.objects.alter();
  const D3DKMT_HANDLE handle = process.own(0, ++process.last_fence);
  process.fences[handle] = local;
  const MonitoredFence* origin = local.fence->origin.get();
  if (origin != nullptr && origin->rings) peers_.connect(*origin);
  system_.objects.look();
  if (process.in_error) errors_.give_up_fences(process);  // meanwhile
  return handle;
}

NTSTATUS NativeFenceCalls::D3DKMTOpenNativeFenceFromNtHandle(
    Process& process, D3DKMT_OPENNATIVEFENCEFROMNTHANDLE& args) {
  system_.enter_call();
  if (args.hDevice != process.device() || !process.has_device) return STATUS_INVALID_PARAMETER;
  if (process.in_error) return STATUS_DEVICE_REMOVED;
  const std::shared_ptr<Fence> handle = system_.shared_fence(args.hNtHandle);
  if (handle == nullptr) return STATUS_INVALID_HANDLE;
  AdapterState& state = system_.of(process);
  LocalFence local;
  const bool monitored = handle->kind == Fence::Kind::kMonitored;
  const bool elsewhere = handle->adapter != state.adapter.get();
  const bool native = monitored && static_cast<const MonitoredFence&>(*handle).native;
  if (!state.adapter->native_fences() || (!native && elsewhere != monitored))
    return STATUS_NOT_SUPPORTED;
  const NTSTATUS status =
      monitored
          ? shared_.open(process, static_cast<MonitoredFence&>(*handle), local)
          : driver_.open(state, process, std::static_pointer_cast<NativeFence>(handle), local);
  if (!NT_SUCCESS(status)) return status;
  args.hSyncObject = add(process, local);
  args.NativeFenceMapping = local.mapping;
  std::memcpy(args.PrivateDriverData, local.fence->private_data, sizeof args.PrivateDriverData);
  return STATUS_SUCCESS;
}

/// In this order: the handle is bad, waiters leave and the OS names the fence no more, the driver
/// closes it, and when all closes are over destroys it.
void NativeFenceCalls::close(Process& process, LocalFences::iterator at) {
  const LocalFence local = at->second;
  const D3DKMT_HANDLE handle = at->first;
  process.fences.erase(at);
  system_.objects.change();
  NativeFence& global = *local.fence;
  MonitoredFence* const origin = global.origin.get();
  const bool last = --global.opens == 0 || !system_.options.ordering.os.refcount;
  const bool last_of_all = origin != nullptr && --origin->opens == 0;
  ++global.closing;
  if (origin != nullptr) ++origin->closing;
  if (origin == nullptr) process.closed_handles[handle] = local.fence;
  leave_waiters(process, local, last, last_of_all);
  FenceDriver::close(local);
  system_.objects.alter();
  global.devices.erase(std::find(global.devices.begin(), global.devices.end(), &process));
  system_.simulation.emit(event::FenceClose{global.object, process.object, global.adapter->object(),
                                            !process.queues.empty()});
  if (global.end_close() || !system_.options.ordering.os.refcount) return destroy(process, local);
  if (origin != nullptr) origin->end_close();  // never the last: the other close counts there, too
  reclaimer_.add(process, local.fence, false, FenceDriver::mappings(process, local));
}

void NativeFenceCalls::leave_waiters(Process& process, const LocalFence& local, bool last,
                                     bool last_of_all) {
  NativeFence& global = *local.fence;
  MonitoredFence* const origin = global.origin.get();
  // At once: the device may fail while the fence is being closed.
  if (origin != nullptr && !last_of_all)
    Process::keep_closed(process.closed_fences, global.origin, system_.marks_of(process));
  // Also the last one: a DPC that looks at all fences must find those whose waits have not ended
  // yet.
  if (origin == nullptr)
    Process::keep_closed(process.closed_natives, local.fence, system_.marks_of(process));
  if (origin == nullptr) return system_.of(process).scheduler->close(global, *local.object, last);
  system_.monitored.close(*origin, *local.object, last_of_all);
  if (last) system_.monitored.detach(*origin, global);
}

/// The device may have executed signals while the fence was being closed: no interrupt names them.
void NativeFenceCalls::pass_on_last(MonitoredFence& origin) {
  MonitoredScan what;
  what.written.push_back(&origin);
  const KIRQL old = system_.cpu.raise(DISPATCH_LEVEL);
  system_.monitored.scan(what);
  system_.cpu.lower(old);
}

/// All closes on its adapter are over.
void NativeFenceCalls::destroy(Process& process, const LocalFence& local) {
  NativeFence& global = *local.fence;
  MonitoredFence* const origin = global.origin.get();
  system_.of(process).logs->forget(global);
  FenceDriver::destroy(global);
  system_.objects.alter();
  global.alive = false;
  process.closed_natives.erase(global.object);
  remove(system_.fences, global);
  if (origin != nullptr && origin->opens != 0) pass_on_last(*origin);
  const bool last_of_all = origin != nullptr && origin->end_close();
  if (last_of_all) report_end(system_, *origin, process);
  if (origin == nullptr)
    system_.simulation.emit(
        event::FenceDestroy{global.object, process.object, global.adapter->object()});
  reclaimer_.add(process, local.fence, true, FenceDriver::mappings(process, local));
  if (last_of_all) reclaimer_.add(process, global.origin, true, {});
}

void remove(FenceList& list, const NativeFence& fence) {
  list.erase(std::remove_if(list.begin(), list.end(),
                            [&fence](const auto& one) { return one.get() == &fence; }),
             list.end());
}

}  // namespace fenceline::os
