#include "kmd_stub/core/patching.h"
#include "kmd_stub/ddi/entries.h"
#include "kmd_stub/ddi/forward.h"

namespace fenceline::kmd::ddi {

NTSTATUS DxgkDdiRender(HANDLE hContext, DXGKARG_RENDER* pArgs) {
  return with_argument(pArgs, [&](DXGKARG_RENDER& args) { return render(hContext, args); });
}

NTSTATUS DxgkDdiPatch(HANDLE hAdapter, const DXGKARG_PATCH* pArgs) {
  return with_adapter(hAdapter, pArgs, [&](Adapter& adapter) { return patch(adapter, *pArgs); });
}

NTSTATUS DxgkDdiSubmitCommand(HANDLE hAdapter, const DXGKARG_SUBMITCOMMAND* pArgs) {
  return with_adapter(hAdapter, pArgs,
                      [&](Adapter& adapter) { return submit_command(adapter, *pArgs); });
}

}  // namespace fenceline::kmd::ddi
