#include "tb/os/objects/fence_driver.h"

#include <cstring>

namespace fenceline::os {

NTSTATUS FenceDriver::create(AdapterState& state, NativeFence& fence, BYTE* private_data) {
  DXGKARG_CREATENATIVEFENCE args{};
  args.hGlobalNativeFence = fence.os_handle();
  args.Type = D3DDDI_NATIVEFENCE_TYPE_DEFAULT;
  if (state.adapter->fence_caps().MapToGpuSystemProcess != FALSE) {
    args.CurrentValueSystemProcessGpuVa =
        storage_.map(*state.system, *state.adapter, fence.current, true) + fence.current_offset;
    args.MonitoredValueSystemProcessGpuVa =
        storage_.map(*state.system, *state.adapter, fence.monitored, true) + fence.monitored_offset;
    if (state.adapter->system().maps_for_the_cmp)
      fence.system_mappings = {{state.system.get(), args.CurrentValueSystemProcessGpuVa},
                               {state.system.get(), args.MonitoredValueSystemProcessGpuVa}};
  }
  std::memcpy(args.pPrivateDriverData, private_data, sizeof args.pPrivateDriverData);
  const NTSTATUS status =
      state.adapter->call<Ddi::DxgkDdiCreateNativeFence>(state.adapter->handle(), &args);
  fence.driver_handle = args.hGlobalNativeFence;
  std::memcpy(private_data, args.pPrivateDriverData, sizeof args.pPrivateDriverData);
  std::memcpy(fence.private_data, args.pPrivateDriverData, sizeof fence.private_data);
  return status;
}

/// The opening counts from its begin, so that another close cannot destroy the fence meanwhile.
NTSTATUS FenceDriver::open(AdapterState& state, Process& process,
                           const std::shared_ptr<NativeFence>& opened, LocalFence& local) {
  NativeFence& fence = *opened;
  system_.objects.change();
  ++fence.opens;
  fence.note_user(process);
  local.fence = opened;
  local.object = std::make_shared<LocalObject>();
  local.object->process = process.object;
  local.mapping.CurrentValueCpuVa = to_kernel_address(fence.current_bus());
  process.user_pages.map(fence.current_bus(), !state.adapter->system().protects_values);
  local.mapping.CurrentValueGpuVa =
      storage_.map(*process.space, *state.adapter, fence.current, true) + fence.current_offset;
  // Engines never write MonitoredValue: their mapping is read-only.
  local.mapping.MonitoredValueGpuVa =
      storage_.map(*process.space, *state.adapter, fence.monitored, false) + fence.monitored_offset;
  DXGKARG_OPENNATIVEFENCE args{};
  args.hGlobalNativeFence = fence.driver_handle;
  args.hLocalNativeFence = &process;
  args.hDevice = process.space->device();
  args.CurrentValueGpuVa = local.mapping.CurrentValueGpuVa;
  args.MonitoredValueGpuVa = local.mapping.MonitoredValueGpuVa;
  const NTSTATUS status =
      state.adapter->call<Ddi::DxgkDdiOpenNativeFence>(state.adapter->handle(), &args);
  local.driver_handle = args.hLocalNativeFence;
  system_.objects.alter();
  if (!NT_SUCCESS(status)) {
    --fence.opens;
    if (fence.origin != nullptr) --fence.origin->opens;
    reclaimer_.add(process, opened, false, mappings(process, local));
    return status;
  }
  fence.devices.push_back(&process);
  system_.simulation.emit(event::FenceOpen{fence.object, process.object, state.adapter->object()});
  return status;
}

void FenceDriver::close(const LocalFence& local) {
  Adapter& adapter = *local.fence->adapter;
  DXGKARG_CLOSENATIVEFENCE close{};
  close.hLocalNativeFence = local.driver_handle;
  adapter.call<Ddi::DxgkDdiCloseNativeFence>(adapter.handle(), &close);
}

void FenceDriver::destroy(NativeFence& fence) {
  DXGKARG_DESTROYNATIVEFENCE destroy{};
  destroy.hGlobalNativeFence = fence.driver_handle;
  fence.adapter->call<Ddi::DxgkDdiDestroyNativeFence>(&destroy);
}

GpuMappings FenceDriver::mappings(const Process& process, const LocalFence& local) {
  return {{process.space.get(), local.mapping.CurrentValueGpuVa},
          {process.space.get(), local.mapping.MonitoredValueGpuVa}};
}

}  // namespace fenceline::os
