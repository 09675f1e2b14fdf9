#include "kmd_stub/core/adapter_caps.h"
#include "kmd_stub/core/page_tables.h"
#include "kmd_stub/ddi/entries.h"
#include "kmd_stub/ddi/forward.h"

namespace fenceline::kmd::ddi {

SIZE_T DxgkDdiGetRootPageTableSize(HANDLE hAdapter, DXGKARG_GETROOTPAGETABLESIZE* pArgs) {
  if (from_handle<Adapter>(hAdapter) == nullptr || pArgs == nullptr) return 0;
  return root_page_table_size(*pArgs);
}

void DxgkDdiSetRootPageTable(HANDLE hAdapter, const DXGKARG_SETROOTPAGETABLE* pArgs) {
  with_adapter(hAdapter, pArgs, [&](Adapter& adapter) {
    set_root_page_table(adapter, *pArgs);
    return STATUS_SUCCESS;
  });
}

NTSTATUS DxgkDdiBuildPagingBuffer(HANDLE hAdapter, DXGKARG_BUILDPAGINGBUFFER* pArgs) {
  return with_adapter(hAdapter, pArgs,
                      [&](Adapter& adapter) { return build_paging_buffer(adapter, *pArgs); });
}

NTSTATUS DxgkDdiGetStandardAllocationDriverData(HANDLE hAdapter,
                                                DXGKARG_GETSTANDARDALLOCATIONDRIVERDATA* pArgs) {
  return with_adapter(hAdapter, pArgs,
                      [&](Adapter& adapter) { return standard_allocation_data(adapter, *pArgs); });
}

}  // namespace fenceline::kmd::ddi
