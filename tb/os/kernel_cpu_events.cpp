// CPU events that the driver signals: life, escapes, DxgkCbSignalEvent; and the adapter's power.
#include <algorithm>
#include <cstring>

#include "tb/os/kernel.h"

namespace fenceline::os {

namespace {
/// From D3hot to D0. Source: PCI Bus Power Management Interface, section 5.6.1; A-232.
constexpr common::Time kWakeTime = 10 * common::kMillisecond;

NTSTATUS signal_local(const DXGKARGCB_SIGNALEVENT& args) {
  const auto& space = *static_cast<const AddressSpace*>(args.hDxgkProcess);
  return space.signal_handle ? space.signal_handle(args.hEvent) : STATUS_INVALID_HANDLE;
}
}  // namespace

NTSTATUS Kernel::create_cpu_event(Process& process, D3DKMT_CREATESYNCHRONIZATIONOBJECT2& args) {
  // Without SignalByKmd it is an object of another age.
  if (args.Info.Flags.Value != SynchronizationFlags::kSignalByKmd)
    return args.Info.Flags.Value == 0 ? STATUS_NOT_SUPPORTED : STATUS_INVALID_PARAMETER;
  const HANDLE handle = args.Info.CPUNotification.Event;
  const auto found = std::find(process.events.begin(), process.events.end(), handle);
  if (found == process.events.end()) return STATUS_INVALID_HANDLE;
  Adapter& adapter = *adapters_[process.adapter].adapter;
  objects_.change();
  cpu_events_.push_back(std::make_unique<CpuEvent>());
  CpuEvent& event = *cpu_events_.back();
  event.number = static_cast<std::uint32_t>(cpu_events_.size());
  event.adapter = &adapter;
  event.event = *found;
  event.driver_device = process.space->device();
  event.alive = true;
  DXGKARG_CREATECPUEVENT create{};
  create.hKmdDevice = event.driver_device;
  create.hDxgCpuEvent = &event;
  const NTSTATUS status = adapter.call(Ddi::kCreateCpuEvent, [&](auto& ddi) {
    return ddi.DxgkDdiCreateCpuEvent(adapter.handle(), &create);
  });
  event.alive = NT_SUCCESS(status);
  if (!event.alive) return status;
  event.driver_handle = create.hKmdCpuEvent;
  simulation_.emit(event::CpuEventCreate{adapter.object(), event.number});
  SyncObject object;
  object.cpu_event = &event;
  object.flags = args.Info.Flags.Value;
  args.hSyncObject = add_sync_object(process, object);
  return STATUS_SUCCESS;
}

NTSTATUS Kernel::destroy_cpu_event(CpuEvent& event) {
  Adapter& adapter = *event.adapter;
  const NTSTATUS status = adapter.call(Ddi::kDestroyCpuEvent, [&](auto& ddi) {
    return ddi.DxgkDdiDestroyCpuEvent(adapter.handle(), event.driver_handle);
  });
  objects_.alter();
  simulation_.steps.touch(common::Place::kEvent, event.event->id, true);
  event.alive = false;
  simulation_.emit(event::CpuEventDestroy{adapter.object(), event.number});
  return status;
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
  adapter.check_irql(Ddi::kSignalEvent);
  // Who destroys the event may come between the driver's call and this.
  simulation.steps.step(common::Operation::kWrite,
                        common::Footprint().writes(common::Place::kEvent, event.event->id));
  simulation.steps.touch(common::Place::kEvent, event.event->id, true);
  adapter.cpu().compute(adapter.cpu().core().config().lock);
  const KIRQL irql = adapter.cpu().irql();
  std::uint64_t faults = 0;
  if (args.hDxgkProcess != nullptr || flags != kObject) faults |= common::kEventWrongFields;
  if (!event.alive) faults |= common::kEventNotAlive;
  if (irql > DISPATCH_LEVEL) faults |= common::kEventWrongIrql;
  simulation.emit(event::CpuEventSignal{adapter.object(), event.number, irql, faults});
  if ((faults & common::kEventWrongFields) != 0) return STATUS_INVALID_PARAMETER;
  if (!event.alive) return STATUS_INVALID_HANDLE;
  adapter.cpu().drain_stores();
  event.event->set();
  return STATUS_SUCCESS;
}

HANDLE Kernel::add_event(Process& process, KernelEvent& event) {
  process.events.push_back(&event);
  return &event;
}

NTSTATUS Kernel::D3DKMTEscape(Process& process, const D3DKMT_ESCAPE& args) {
  enter_call();
  constexpr UINT kKnown = D3DDDI_ESCAPEFLAGS::kHardwareAccess |
                          D3DDDI_ESCAPEFLAGS::kNoAdapterSynchronization |
                          D3DDDI_ESCAPEFLAGS::kDriverKnownEscape;
  if (args.Type != D3DKMT_ESCAPE_DRIVERPRIVATE || (args.Flags.Value & ~kKnown) != 0 ||
      args.pPrivateDriverData == nullptr)
    return STATUS_INVALID_PARAMETER;
  const bool known = (args.Flags.Value & D3DDDI_ESCAPEFLAGS::kDriverKnownEscape) != 0;
  if (!known && process.kind == ProcessKind::kSecuredGuest) return STATUS_ACCESS_DENIED;
  if ((args.Flags.Value & D3DDDI_ESCAPEFLAGS::kNoAdapterSynchronization) == 0)
    wake(process.adapter, args.Flags.Value);
  Adapter& adapter = *adapters_[process.adapter].adapter;
  DXGKARG_ESCAPE escape{};
  escape.hDevice = process.has_device ? process.space->device() : nullptr;
  escape.Flags = args.Flags;
  escape.pPrivateDriverData = args.pPrivateDriverData;
  escape.PrivateDriverDataSize = args.PrivateDriverDataSize;
  escape.hKmdProcessHandle = process.space->process();
  if (known) {
    const NTSTATUS status = fill_known_escape(process, escape);
    if (!NT_SUCCESS(status)) return status;
  }
  return adapter.call(Ddi::kEscape,
                      [&](auto& ddi) { return ddi.DxgkDdiEscape(adapter.handle(), &escape); });
}

/// The driver is to see its own handles in place of those of user mode.
NTSTATUS Kernel::fill_known_escape(Process& process, DXGKARG_ESCAPE& escape) {
  D3DDDI_DRIVERESCAPE_CPUEVENTUSAGE usage{};
  if (escape.PrivateDriverDataSize != sizeof usage) return STATUS_INVALID_PARAMETER;
  std::memcpy(&usage, escape.pPrivateDriverData, sizeof usage);
  if (usage.EscapeType != D3DDDI_DRIVERESCAPETYPE_CPUEVENTUSAGE) return STATUS_NOT_SUPPORTED;
  const SyncObject* object = sync_object(process, usage.hSyncObject);
  if (object == nullptr) return STATUS_INVALID_HANDLE;
  if (object->cpu_event == nullptr) return STATUS_INVALID_PARAMETER;
  static_assert(sizeof usage.hKmdCpuEvent == sizeof object->cpu_event->driver_handle);
  std::memcpy(&usage.hKmdCpuEvent, &object->cpu_event->driver_handle, sizeof usage.hKmdCpuEvent);
  std::memcpy(escape.pPrivateDriverData, &usage, sizeof usage);
  // The driver may signal the event in the escape.
  simulation_.emit(event::CpuEventUse{object->cpu_event->adapter->object(),
                                      object->cpu_event->number, usage.Usage[0],
                                      usage.Usage[1] + 1});
  escape.hDevice = object->cpu_event->driver_device;
  return STATUS_SUCCESS;
}

NTSTATUS Kernel::D3DKMTDestroyDevice(Process& process) {
  enter_call();
  if (!process.has_device) return STATUS_INVALID_HANDLE;
  if (!process.queues.empty() || !process.contexts.empty()) return STATUS_INVALID_PARAMETER;
  objects_.change();
  process.has_device = false;
  return adapters_[process.adapter].adapter->call(Ddi::kDestroyDevice, [&](auto& ddi) {
    return ddi.DxgkDdiDestroyDevice(process.space->device());
  });
}

NTSTATUS Kernel::D3DKMTCreateDevice(Process& process) {
  enter_call();
  const NTSTATUS status = create_device(process);
  simulation_.emit(event::DeviceCreated{process.object, static_cast<std::uint32_t>(status)});
  return status;
}

/// The address space is that of the process and stays. The device before is in error.
NTSTATUS Kernel::create_device(Process& process) {
  if (process.blocked) return STATUS_DEVICE_REMOVED;
  if (process.has_device && !process.in_error) return STATUS_INVALID_PARAMETER;
  Adapter& adapter = *adapters_[process.adapter].adapter;
  DXGKARG_CREATEDEVICE device{};
  device.hDevice = process.space.get();
  device.hKmdProcess = process.space->process();
  const NTSTATUS status = adapter.call(Ddi::kCreateDevice, [&](auto& ddi) {
    return ddi.DxgkDdiCreateDevice(adapter.handle(), &device);
  });
  if (!NT_SUCCESS(status)) return status;
  objects_.alter();
  process.space->set_device(device.hDevice);
  process.has_device = true;
  process.in_error = false;
  return STATUS_SUCCESS;
}

void Kernel::end_process(Process& process) {
  if (process.has_device) D3DKMTDestroyDevice(process);
  const auto close_all = [&](auto& objects) {
    while (!objects.empty()) close(process, objects, objects.begin());
  };
  close_all(process.fences);
  close_all(process.sync_objects);
}

NTSTATUS Kernel::set_power(std::size_t number, bool on, std::uint64_t escape_flags) {
  AdapterState& state = adapters_[number];
  for (;;) {
    state.power->look();
    if (!state.changing_power) break;
    state.power_changed->clear();
    cpu_.block(*state.power_changed, nullptr);
  }
  if (state.powered == on) return STATUS_SUCCESS;
  Adapter& adapter = *state.adapter;
  if (!on && contexts_ != nullptr && contexts_->busy(adapter)) return STATUS_INVALID_DEVICE_STATE;
  if (!on && state.memory != nullptr && state.memory->serving()) return STATUS_INVALID_DEVICE_STATE;
  HostAperture* const window = adapter.host_aperture();
  state.power->change();
  state.changing_power = true;
  if (!on && state.doorbells != nullptr && !state.doorbells->sleep()) {
    state.power->alter();
    state.changing_power = false;
    state.power_changed->set();
    return STATUS_INVALID_DEVICE_STATE;
  }
  if (!on) {
    if (state.memory != nullptr) state.memory->sleep();
    if (window != nullptr) window->sleep();
  }
  if (on) {
    cpu_.stop_thread();
    simulation_.steps.elapse(kWakeTime);
    cpu_.run_thread(common::Operation::kResume, cpu_.core().config().thread_wake);
  }
  state.power->alter();
  state.powered = on;
  simulation_.emit(event::AdapterPower{adapter.object(), on ? 0U : 3U, escape_flags & UINT32_MAX,
                                       escape_flags >> 32 != 0});
  if (!on && window != nullptr) window->check_empty();
  if (on) adapter.set_device_power(true);
  const NTSTATUS status = adapter.call(Ddi::kSetPowerState, [&](auto& ddi) {
    return ddi.DxgkDdiSetPowerState(adapter.handle(), DISPLAY_ADAPTER_HW_ID,
                                    on ? PowerDeviceD0 : PowerDeviceD3, PowerActionNone);
  });
  if (!on) adapter.set_device_power(false);
  if (on && window != nullptr) window->wake();
  if (on && state.memory != nullptr) state.memory->wake_up();
  if (on && state.doorbells != nullptr) state.doorbells->wake();
  state.power->alter();
  state.changing_power = false;
  state.power_changed->set();
  return status;
}

void Kernel::wake(std::size_t adapter, std::uint64_t escape_flags) {
  adapters_[adapter].power->begin();
  adapters_[adapter].power->read();
  if (!adapters_[adapter].powered || adapters_[adapter].changing_power)
    set_power(adapter, true, escape_flags | 1ULL << 32);
}

}  // namespace fenceline::os
