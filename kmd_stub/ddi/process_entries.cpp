#include "kmd_stub/ddi/entries.h"
#include "kmd_stub/ddi/forward.h"

namespace fenceline::kmd::ddi {

NTSTATUS DxgkDdiCreateProcess(HANDLE hAdapter, DXGKARG_CREATEPROCESS* pArgs) {
  return with_adapter(hAdapter, pArgs,
                      [&](Adapter& adapter) { return create_process(adapter, *pArgs); });
}

NTSTATUS DxgkDdiDestroyProcess(HANDLE hAdapter, HANDLE hKmdProcess) {
  auto* adapter = from_handle<Adapter>(hAdapter);
  return adapter == nullptr ? STATUS_INVALID_HANDLE : destroy_process(*adapter, hKmdProcess);
}

NTSTATUS DxgkDdiCreateDevice(HANDLE hAdapter, DXGKARG_CREATEDEVICE* pArgs) {
  return with_adapter(hAdapter, pArgs,
                      [&](Adapter& adapter) { return create_device(adapter, *pArgs); });
}

NTSTATUS DxgkDdiDestroyDevice(HANDLE hDevice) { return destroy_device(hDevice); }

NTSTATUS DxgkDdiCreateContext(HANDLE hDevice, DXGKARG_CREATECONTEXT* pArgs) {
  return with_argument(pArgs,
                       [&](DXGKARG_CREATECONTEXT& args) { return create_context(hDevice, args); });
}

NTSTATUS DxgkDdiDestroyContext(HANDLE hContext) { return destroy_context(hContext); }

NTSTATUS DxgkDdiCreateHwContext(HANDLE hDevice, DXGKARG_CREATEHWCONTEXT* pArgs) {
  return with_argument(
      pArgs, [&](DXGKARG_CREATEHWCONTEXT& args) { return create_hw_context(hDevice, args); });
}

NTSTATUS DxgkDdiDestroyHwContext(HANDLE hHwContext) { return destroy_hw_context(hHwContext); }

}  // namespace fenceline::kmd::ddi
