#include "kmd_stub/core/display.h"
#include "kmd_stub/ddi/entries.h"
#include "kmd_stub/ddi/forward.h"

namespace fenceline::kmd::ddi {

NTSTATUS DxgkDdiSetVidPnSourceAddress(HANDLE hAdapter, const DXGKARG_SETVIDPNSOURCEADDRESS* pArgs) {
  return with_adapter(hAdapter, pArgs,
                      [&](Adapter& adapter) { return set_vidpn_source_address(adapter, *pArgs); });
}

NTSTATUS DxgkDdiPresent(HANDLE hAdapter, DXGKARG_PRESENT* pArgs) {
  return with_adapter(hAdapter, pArgs, [&](Adapter& adapter) { return present(adapter, *pArgs); });
}

NTSTATUS DxgkDdiControlInterrupt(HANDLE hAdapter, DXGK_INTERRUPT_TYPE InterruptType,
                                 BOOLEAN Enable) {
  return with_adapter(hAdapter, &InterruptType, [&](Adapter& adapter) {
    return control_interrupt(adapter, InterruptType, Enable != FALSE);
  });
}

}  // namespace fenceline::kmd::ddi
