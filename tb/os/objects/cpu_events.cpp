#include "tb/os/objects/cpu_events.h"

#include <algorithm>

namespace fenceline::os {

namespace {

NTSTATUS signal_local(const DXGKARGCB_SIGNALEVENT& args) {
  const auto& space = *static_cast<const AddressSpace*>(args.hDxgkProcess);
  return space.signal_handle ? space.signal_handle(args.hEvent) : STATUS_INVALID_HANDLE;
}

}  // namespace

NTSTATUS CpuEvents::create(Process& process, const D3DKMT_CREATESYNCHRONIZATIONOBJECT2& args,
                           SyncObject& object) {
  // Without SignalByKmd it is a CPU notification of older Windows versions.
  if (args.Info.Flags.Value != SynchronizationFlags::kSignalByKmd)
    return args.Info.Flags.Value == 0 ? STATUS_NOT_SUPPORTED : STATUS_INVALID_PARAMETER;
  const HANDLE handle = args.Info.CPUNotification.Event;
  const auto found = std::find(process.events.begin(), process.events.end(), handle);
  if (found == process.events.end()) return STATUS_INVALID_HANDLE;
  Adapter& adapter = *system_.of(process).adapter;
  if (!adapter.has_cpu_events()) return STATUS_NOT_SUPPORTED;
  system_.objects.change();
  events_.push_back(std::make_unique<CpuEvent>());
  CpuEvent& event = *events_.back();
  event.number = static_cast<std::uint32_t>(events_.size());
  event.adapter = &adapter;
  event.event = *found;
  event.driver_device = process.space->device();
  event.alive = true;
  DXGKARG_CREATECPUEVENT create{};
  create.hKmdDevice = event.driver_device;
  create.hDxgCpuEvent = &event;
  const NTSTATUS status = adapter.call<Ddi::DxgkDdiCreateCpuEvent>(adapter.handle(), &create);
  event.alive = NT_SUCCESS(status);
  if (!event.alive) return status;
  event.driver_handle = create.hKmdCpuEvent;
  system_.simulation.emit(event::CpuEventCreate{adapter.object(), event.number});
  object.cpu_event = &event;
  object.flags = args.Info.Flags.Value;
  return STATUS_SUCCESS;
}

NTSTATUS CpuEvents::destroy(CpuEvent& event) {
  Adapter& adapter = *event.adapter;
  const NTSTATUS status =
      adapter.call<Ddi::DxgkDdiDestroyCpuEvent>(adapter.handle(), event.driver_handle);
  system_.objects.alter();
  system_.simulation.steps.touch(common::Place::kEvent, event.event->id, true);
  event.alive = false;
  system_.simulation.emit(event::CpuEventDestroy{adapter.object(), event.number});
  return status;
}

bool CpuEvents::knows(HANDLE handle) const {
  return std::any_of(events_.begin(), events_.end(),
                     [handle](const auto& event) { return event.get() == handle; });
}

NTSTATUS signal_cpu_event(const DXGKARGCB_SIGNALEVENT& args) {
  const UINT flags = args.Flags.Value;
  constexpr UINT kObject = DXGKARGCB_SIGNALEVENT_FLAGS::kCpuEventObject;
  if (args.hEvent == nullptr) return STATUS_INVALID_PARAMETER;
  if (args.hDxgkProcess != nullptr && (flags & kObject) == 0)
    return flags == 0 ? signal_local(args) : STATUS_INVALID_PARAMETER;
  auto& event = *static_cast<CpuEvent*>(args.hEvent);
  Adapter& adapter = *event.adapter;
  common::Simulation& simulation = adapter.cpu().simulation();
  adapter.check_irql(Ddi::DxgkCbSignalEvent);
  // The event may be destroyed between the driver's call and this step.
  simulation.steps.step(common::Operation::kWrite,
                        common::Footprint().writes(common::Place::kEvent, event.event->id));
  simulation.steps.touch(common::Place::kEvent, event.event->id, true);
  adapter.cpu().compute(adapter.cpu().core().config().lock);
  const KIRQL irql = adapter.cpu().irql();
  std::uint64_t faults = 0;
  if (args.hDxgkProcess != nullptr || flags != kObject) faults |= event::kEventWrongFields;
  if (!event.alive) faults |= event::kEventNotAlive;
  if (irql > DISPATCH_LEVEL) faults |= event::kEventWrongIrql;
  simulation.emit(event::CpuEventSignal{adapter.object(), event.number, irql, faults});
  if ((faults & event::kEventWrongFields) != 0) return STATUS_INVALID_PARAMETER;
  if (!event.alive) return STATUS_INVALID_HANDLE;
  adapter.cpu().drain_stores();
  event.event->set();
  return STATUS_SUCCESS;
}

}  // namespace fenceline::os
