#include "kmd_stub/ddi/entries.h"
#include "kmd_stub/ddi/forward.h"

namespace fenceline::kmd::ddi {

NTSTATUS DxgkDdiCreateNativeFence(HANDLE hAdapter, DXGKARG_CREATENATIVEFENCE* pArgs) {
  return with_adapter(hAdapter, pArgs,
                      [&](Adapter& adapter) { return create_native_fence(adapter, *pArgs); });
}

NTSTATUS DxgkDdiOpenNativeFence(HANDLE hAdapter, DXGKARG_OPENNATIVEFENCE* pArgs) {
  return with_adapter(hAdapter, pArgs,
                      [&](Adapter& adapter) { return open_native_fence(adapter, *pArgs); });
}

NTSTATUS DxgkDdiCloseNativeFence(HANDLE hAdapter, DXGKARG_CLOSENATIVEFENCE* pArgs) {
  return with_adapter(hAdapter, pArgs,
                      [&](Adapter& adapter) { return close_native_fence(adapter, *pArgs); });
}

NTSTATUS DxgkDdiDestroyNativeFence(DXGKARG_DESTROYNATIVEFENCE* pArgs) {
  return with_argument(pArgs, destroy_native_fence);
}

NTSTATUS DxgkDdiUpdateMonitoredValues(DXGKARG_UPDATEMONITOREDVALUES* pArgs) {
  return with_argument(pArgs, update_monitored_values);
}

NTSTATUS DxgkDdiUpdateCurrentValuesFromCpu(DXGKARG_UPDATECURRENTVALUESFROMCPU* pArgs) {
  return with_argument(pArgs, update_current_values_from_cpu);
}

}  // namespace fenceline::kmd::ddi
