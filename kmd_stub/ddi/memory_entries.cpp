#include "kmd_stub/core/adapter_caps.h"
#include "kmd_stub/core/allocation.h"
#include "kmd_stub/core/host_aperture.h"
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

NTSTATUS DxgkDdiCreateAllocation(HANDLE hAdapter, DXGKARG_CREATEALLOCATION* pArgs) {
  return with_adapter(hAdapter, pArgs,
                      [&](Adapter& adapter) { return create_allocation(adapter, *pArgs); });
}

NTSTATUS DxgkDdiDestroyAllocation(HANDLE hAdapter, const DXGKARG_DESTROYALLOCATION* pArgs) {
  return with_adapter(hAdapter, pArgs,
                      [&](Adapter& adapter) { return destroy_allocation(adapter, *pArgs); });
}

NTSTATUS DxgkDdiOpenAllocation(HANDLE hDevice, const DXGKARG_OPENALLOCATION* pArgs) {
  return with_argument(
      pArgs, [&](const DXGKARG_OPENALLOCATION& args) { return open_allocation(hDevice, args); });
}

NTSTATUS DxgkDdiCloseAllocation(HANDLE hDevice, const DXGKARG_CLOSEALLOCATION* pArgs) {
  return with_argument(
      pArgs, [&](const DXGKARG_CLOSEALLOCATION& args) { return close_allocation(hDevice, args); });
}

NTSTATUS DxgkDdiMapCpuHostAperture(HANDLE hAdapter, const DXGKARG_MAPCPUHOSTAPERTURE* pArgs) {
  return with_adapter(hAdapter, pArgs,
                      [&](Adapter& adapter) { return map_cpu_host_aperture(adapter, *pArgs); });
}

NTSTATUS DxgkDdiUnmapCpuHostAperture(HANDLE hAdapter, const DXGKARG_UNMAPCPUHOSTAPERTURE* pArgs) {
  return with_adapter(hAdapter, pArgs,
                      [&](Adapter& adapter) { return unmap_cpu_host_aperture(adapter, *pArgs); });
}

NTSTATUS DxgkDdiGetStandardAllocationDriverData(HANDLE hAdapter,
                                                DXGKARG_GETSTANDARDALLOCATIONDRIVERDATA* pArgs) {
  return with_adapter(hAdapter, pArgs,
                      [&](Adapter& adapter) { return standard_allocation_data(adapter, *pArgs); });
}

}  // namespace fenceline::kmd::ddi
