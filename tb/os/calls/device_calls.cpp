#include "tb/os/calls/device_calls.h"

#include <algorithm>

namespace fenceline::os {

Process& DeviceCalls::create_process(const std::string& name, std::size_t adapter,
                                     std::size_t number) {
  system_.processes.push_back(std::make_unique<Process>(system_.objects, number));
  Process& process = *system_.processes.back();
  process.name = name;
  process.object = system_.simulation.events.add_object(common::ObjectKind::kProcess, name);
  process.adapter = adapter;
  AdapterState& state = system_.adapters[adapter];
  process.space = std::make_unique<AddressSpace>(*state.adapter, *state.vram_pages);
  try {
    process.space->create(false);
  } catch (const StartFailure& failure) {
    state.failure = failure;
    system_.processes.pop_back();
    throw;
  }
  process.space->signal_handle = [&process](HANDLE handle) -> NTSTATUS {
    // A handle of a guest means nothing on the host.
    const auto found = std::find(process.events.begin(), process.events.end(), handle);
    if (process.kind != ProcessKind::kHost || found == process.events.end())
      return STATUS_INVALID_HANDLE;
    (*found)->set();
    return STATUS_SUCCESS;
  };
  return process;
}

NTSTATUS DeviceCalls::D3DKMTDestroyDevice(Process& process, const D3DKMT_DESTROYDEVICE& args) {
  system_.enter_call();
  if (args.hDevice != process.device() || !process.has_device) return STATUS_INVALID_HANDLE;
  if (!process.queues.empty() || !process.contexts.empty()) return STATUS_INVALID_PARAMETER;
  system_.objects.change();
  process.has_device = false;
  return system_.of(process).adapter->call<Ddi::DxgkDdiDestroyDevice>(process.space->device());
}

NTSTATUS DeviceCalls::D3DKMTCreateDevice(Process& process, D3DKMT_CREATEDEVICE& args) {
  system_.enter_call();
  const NTSTATUS status = create(process);
  args.hDevice = process.device();
  system_.simulation.emit(event::DeviceCreated{process.object, static_cast<std::uint32_t>(status)});
  return status;
}

/// The address space is that of the process and stays. The device before is in error.
NTSTATUS DeviceCalls::create(Process& process) {
  if (process.blocked) return STATUS_DEVICE_REMOVED;
  if (process.has_device && !process.in_error) return STATUS_INVALID_PARAMETER;
  Adapter& adapter = *system_.of(process).adapter;
  DXGKARG_CREATEDEVICE device{};
  device.hDevice = process.space.get();
  device.hKmdProcess = process.space->process();
  const NTSTATUS status = adapter.call<Ddi::DxgkDdiCreateDevice>(adapter.handle(), &device);
  if (!NT_SUCCESS(status)) return status;
  system_.objects.alter();
  process.space->set_device(device.hDevice);
  process.has_device = true;
  process.in_error = false;
  return STATUS_SUCCESS;
}

}  // namespace fenceline::os
