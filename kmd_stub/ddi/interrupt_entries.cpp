#include "kmd_stub/core/adapter_caps.h"
#include "kmd_stub/ddi/entries.h"
#include "kmd_stub/ddi/forward.h"

namespace fenceline::kmd::ddi {

BOOLEAN DxgkDdiInterruptRoutine(PVOID MiniportDeviceContext, ULONG MessageNumber) {
  auto* adapter = from_handle<Adapter>(MiniportDeviceContext);
  if (adapter == nullptr || MessageNumber != OperatingSystem::kMessageNumber) return FALSE;
  return adapter->interrupts().service() ? TRUE : FALSE;
}

void DxgkDdiDpcRoutine(PVOID MiniportDeviceContext) {
  auto* adapter = from_handle<Adapter>(MiniportDeviceContext);
  if (adapter == nullptr) return;
  adapter->os().notify_dpc();
  adapter->cpu_events().signal_due();
}

NTSTATUS DxgkDdiCalibrateGpuClock(HANDLE hAdapter, UINT32 NodeOrdinal, UINT32 EngineOrdinal,
                                  DXGKARG_CALIBRATEGPUCLOCK* pArgs) {
  return with_adapter(hAdapter, pArgs, [&](Adapter& adapter) {
    return calibrate_gpu_clock(adapter, NodeOrdinal, EngineOrdinal, *pArgs);
  });
}

}  // namespace fenceline::kmd::ddi
