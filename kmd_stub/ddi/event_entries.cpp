#include "kmd_stub/core/cpu_event.h"
#include "kmd_stub/core/host_aperture.h"
#include "kmd_stub/ddi/entries.h"
#include "kmd_stub/ddi/forward.h"

namespace fenceline::kmd::ddi {

NTSTATUS DxgkDdiCreateCpuEvent(HANDLE hAdapter, DXGKARG_CREATECPUEVENT* pArgs) {
  return with_adapter(hAdapter, pArgs, [&](Adapter& adapter) {
    return adapter.cpu_events().create(adapter, *pArgs);
  });
}

NTSTATUS DxgkDdiDestroyCpuEvent(HANDLE hAdapter, HANDLE hKmdCpuEvent) {
  auto* adapter = from_handle<Adapter>(hAdapter);
  if (adapter == nullptr) return STATUS_INVALID_HANDLE;
  return adapter->cpu_events().destroy(hKmdCpuEvent);
}

NTSTATUS DxgkDdiEscape(HANDLE hAdapter, const DXGKARG_ESCAPE* pEscape) {
  return with_adapter(hAdapter, pEscape,
                      [&](Adapter& adapter) { return escape(adapter, *pEscape); });
}

NTSTATUS DxgkDdiSubmitCommandVirtual(HANDLE hAdapter, const DXGKARG_SUBMITCOMMANDVIRTUAL* pArgs) {
  return with_adapter(hAdapter, pArgs,
                      [&](Adapter& adapter) { return submit_command_virtual(adapter, *pArgs); });
}

/// In D3 the device keeps all its state except the page table of its host aperture. The OS sets
/// that up again.
NTSTATUS DxgkDdiSetPowerState(PVOID MiniportDeviceContext, ULONG DeviceUid,
                              DEVICE_POWER_STATE DevicePowerState, POWER_ACTION /*ActionType*/) {
  auto* adapter = from_handle<Adapter>(MiniportDeviceContext);
  if (adapter == nullptr) return STATUS_INVALID_HANDLE;
  if (DeviceUid != DISPLAY_ADAPTER_HW_ID || DevicePowerState == PowerDeviceUnspecified)
    return STATUS_INVALID_PARAMETER;
  if (DevicePowerState == PowerDeviceD0 && adapter->started()) enable_host_aperture(*adapter);
  return STATUS_SUCCESS;
}

}  // namespace fenceline::kmd::ddi
