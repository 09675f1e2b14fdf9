#include "kmd_stub/core/hw_scheduling.h"
#include "kmd_stub/ddi/entries.h"
#include "kmd_stub/ddi/forward.h"

namespace fenceline::kmd::ddi {

NTSTATUS DxgkDdiSuspendContext(HANDLE hAdapter, DXGKARG_SUSPENDCONTEXT* pArgs) {
  return with_adapter(hAdapter, pArgs,
                      [&](Adapter& adapter) { return suspend_context(adapter, *pArgs); });
}

NTSTATUS DxgkDdiResumeContext(HANDLE hAdapter, DXGKARG_RESUMECONTEXT* pArgs) {
  return with_adapter(hAdapter, pArgs,
                      [&](Adapter& adapter) { return resume_context(adapter, *pArgs); });
}

NTSTATUS DxgkDdiSetContextSchedulingProperties(
    HANDLE hAdapter, const DXGKARG_SETCONTEXTSCHEDULINGPROPERTIES* pArgs) {
  return with_adapter(hAdapter, pArgs,
                      [&](Adapter& adapter) { return set_scheduling_properties(adapter, *pArgs); });
}

NTSTATUS DxgkDdiSetupPriorityBands(HANDLE hAdapter, const DXGKARG_SETUPPRIORITYBANDS* pArgs) {
  return with_adapter(hAdapter, pArgs,
                      [&](Adapter& adapter) { return setup_priority_bands(adapter, *pArgs); });
}

NTSTATUS DxgkDdiResetHwEngine(HANDLE hAdapter, const DXGKARG_RESETHWENGINE* pArgs) {
  return with_adapter(hAdapter, pArgs,
                      [&](Adapter& adapter) { return reset_hw_engine(adapter, *pArgs); });
}

NTSTATUS DxgkDdiResumeHwEngine(HANDLE hAdapter, const DXGKARG_RESUMEHWENGINE* pArgs) {
  return with_adapter(hAdapter, pArgs,
                      [&](Adapter& adapter) { return resume_hw_engine(adapter, *pArgs); });
}

}  // namespace fenceline::kmd::ddi
