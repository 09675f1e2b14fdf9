#include "kmd_stub/core/preemption.h"
#include "kmd_stub/ddi/entries.h"
#include "kmd_stub/ddi/forward.h"

namespace fenceline::kmd::ddi {

NTSTATUS DxgkDdiPreemptCommand(HANDLE hAdapter, const DXGKARG_PREEMPTCOMMAND* pArgs) {
  return with_adapter(hAdapter, pArgs,
                      [&](Adapter& adapter) { return preempt_command(adapter, *pArgs); });
}

NTSTATUS DxgkDdiQueryDependentEngineGroup(HANDLE hAdapter,
                                          DXGKARG_QUERYDEPENDENTENGINEGROUP* pArgs) {
  return with_adapter(hAdapter, pArgs, [&](Adapter& adapter) {
    return query_dependent_engine_group(adapter, *pArgs);
  });
}

NTSTATUS DxgkDdiQueryEngineStatus(HANDLE hAdapter, DXGKARG_QUERYENGINESTATUS* pArgs) {
  return with_adapter(hAdapter, pArgs,
                      [&](Adapter& adapter) { return query_engine_status(adapter, *pArgs); });
}

NTSTATUS DxgkDdiQueryCurrentFence(HANDLE hAdapter, DXGKARG_QUERYCURRENTFENCE* pArgs) {
  return with_adapter(hAdapter, pArgs,
                      [&](Adapter& adapter) { return query_current_fence(adapter, *pArgs); });
}

NTSTATUS DxgkDdiResetEngine(HANDLE hAdapter, DXGKARG_RESETENGINE* pArgs) {
  return with_adapter(hAdapter, pArgs,
                      [&](Adapter& adapter) { return reset_engine(adapter, *pArgs); });
}

NTSTATUS DxgkDdiResetFromTimeout(HANDLE hAdapter) {
  auto* adapter = from_handle<Adapter>(hAdapter);
  return adapter == nullptr ? STATUS_INVALID_HANDLE : reset_from_timeout(*adapter);
}

NTSTATUS DxgkDdiRestartFromTimeout(HANDLE hAdapter) {
  auto* adapter = from_handle<Adapter>(hAdapter);
  return adapter == nullptr ? STATUS_INVALID_HANDLE : restart_from_timeout(*adapter);
}

}  // namespace fenceline::kmd::ddi
