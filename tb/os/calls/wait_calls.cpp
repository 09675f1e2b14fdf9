#include "tb/os/calls/wait_calls.h"

namespace fenceline::os {

namespace {

bool is_for_any(const D3DKMT_WAITFORSYNCHRONIZATIONOBJECTFROMCPU& args) {
  return (args.Flags.Value & D3DDDI_WAITFORSYNCHRONIZATIONOBJECTFROMCPU_FLAGS::kWaitAny) != 0;
}

}  // namespace

NTSTATUS WaitCalls::D3DKMTWaitForSynchronizationObjectFromCpu(
    Process& process, const D3DKMT_WAITFORSYNCHRONIZATIONOBJECTFROMCPU& args) {
  system_.enter_call();
  const FencePoints fences =
      fence_points(process, args.ObjectCount, args.ObjectHandleArray, args.FenceValueArray,
                   D3DDDI_SYNCHRONIZATIONOBJECT_FLAGS::kNoWait);
  if (!NT_SUCCESS(fences.status)) return fences.status;
  if (!fences.monitored.empty()) return wait_for_monitored(fences.monitored, args);
  return wait_for_native(system_.of(process), fences.native, args);
}

NTSTATUS WaitCalls::wait_for_native(AdapterState& state,
                                    const std::vector<FenceScheduler::Point>& fences,
                                    const D3DKMT_WAITFORSYNCHRONIZATIONOBJECTFROMCPU& args) {
  FenceScheduler& scheduler = *state.scheduler;
  Thread& thread = system_.threads.current();
  const bool any = is_for_any(args);
  if (args.hAsyncEvent != nullptr) {
    Waiter& waiter = waits_.open(thread.object, *static_cast<KernelEvent*>(args.hAsyncEvent), any);
    return waits_.leave_open(waiter, scheduler.wait(waiter, fences));
  }
  Waiter& waiter = waits_.open(thread.object, thread.event, any);
  const Waits::Scope scope(waits_, waiter.number);
  const EventClear clear = system_.options.ordering.os.event_clear;
  if (clear == EventClear::kFirst) thread.event.clear();
  const LostWaitCheck::Watch watch(state.lost_wait_check.get(), waiter, fences);
  if (const NTSTATUS status = scheduler.wait(waiter, fences); !NT_SUCCESS(status)) return status;
  system_.simulation.steps.forget();  // from here on only the event counts
  system_.simulation.steps.observe(thread.event.is_set() ? 1 : 0);
  bool in_time = waiter.satisfied;
  if (!in_time && clear == EventClear::kLate) clear_late(thread.event);
  in_time = in_time || system_.cpu.block(thread.event, thread.limit()) || waiter.satisfied;
  // Without os.event_clear the event may have been set by an earlier wait.
  if (!waiter.satisfied && !scheduler.cancel(waiter, fences)) in_time = true;
  for (const auto& point : fences)
    report_wait_end(system_.simulation, waiter, point.fence->object, point.value, in_time);
  return in_time ? STATUS_SUCCESS : STATUS_TIMEOUT;
}

/// Others may set the event between the look at it and this.
void WaitCalls::clear_late(KernelEvent& event) {
  system_.cpu.take_step(common::Operation::kWrite,
                        common::Footprint().writes(common::Place::kEvent, event.id));
  event.clear();
}

NTSTATUS WaitCalls::wait_for_monitored(const std::vector<MonitoredFences::Point>& points,
                                       const D3DKMT_WAITFORSYNCHRONIZATIONOBJECTFROMCPU& args) {
  Thread& thread = system_.threads.current();
  const bool any = is_for_any(args);
  if (args.hAsyncEvent != nullptr) {
    Waiter& waiter = waits_.open(thread.object, *static_cast<KernelEvent*>(args.hAsyncEvent), any);
    return waits_.leave_open(waiter, system_.monitored.wait(waiter, points));
  }
  Waiter& waiter = waits_.open(thread.object, thread.event, any);
  const Waits::Scope scope(waits_, waiter.number);
  thread.event.clear();
  if (const NTSTATUS status = system_.monitored.wait(waiter, points); !NT_SUCCESS(status))
    return status;
  system_.simulation.steps.forget();  // from here on only the event counts
  system_.simulation.steps.observe(thread.event.is_set() ? 1 : 0);
  bool in_time =
      waiter.satisfied || system_.cpu.block(thread.event, thread.limit()) || waiter.satisfied;
  if (!waiter.satisfied && !system_.monitored.cancel(waiter)) in_time = true;
  for (const auto& point : points)
    report_wait_end(system_.simulation, waiter, point.fence->object, point.value, in_time);
  return in_time ? STATUS_SUCCESS : STATUS_TIMEOUT;
}

NTSTATUS WaitCalls::D3DKMTSignalSynchronizationObjectFromCpu(
    Process& process, const D3DKMT_SIGNALSYNCHRONIZATIONOBJECTFROMCPU& args) {
  system_.enter_call();
  const FencePoints fences =
      fence_points(process, args.ObjectCount, args.ObjectHandleArray, args.FenceValueArray,
                   D3DDDI_SYNCHRONIZATIONOBJECT_FLAGS::kNoSignal);
  if (!NT_SUCCESS(fences.status)) return fences.status;
  if (!fences.monitored.empty())
    return system_.monitored.signal(fences.monitored, system_.of(process).adapter.get());
  return system_.of(process).scheduler->signal(fences.native, 0,
                                               system_.threads.current().options.bad_handle);
}

NTSTATUS WaitCalls::signal_from_elsewhere(Process& process,
                                          const std::vector<D3DKMT_HANDLE>& handles,
                                          const std::vector<UINT64>& values, bool notify) {
  const auto fences =
      native_points(process, static_cast<UINT>(handles.size()), handles.data(), values.data());
  if (fences.empty()) return STATUS_INVALID_HANDLE;
  return system_.of(process).scheduler->signaled_elsewhere(fences, notify);
}

}  // namespace fenceline::os
