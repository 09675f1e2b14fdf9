#pragma once

#include <cstdint>

#include "kmd_stub/wddm/paging.h"

namespace fenceline::kmd {

class Adapter;

/// Size of the root page table [bytes]; it cannot be resized.
/// IRQL: PASSIVE_LEVEL. Source: WDDM, DxgkDdiGetRootPageTableSize.
SIZE_T root_page_table_size(DXGKARG_GETROOTPAGETABLESIZE& args);

/// Gives the context's address space its root; a bad context or address leaves it as it is.
/// IRQL: PASSIVE_LEVEL. Source: WDDM, DxgkDdiSetRootPageTable.
void set_root_page_table(Adapter& adapter, const DXGKARG_SETROOTPAGETABLE& args);

/// UPDATE_PAGE_TABLE by the CPU and FLUSH_TLB by a register are done on return and put nothing in
/// the DMA buffer; for the others see paging_buffer.h. STATUS_NOT_SUPPORTED for operations that are
/// not modelled and for other update modes.
/// STATUS_INVALID_HANDLE, STATUS_INVALID_PARAMETER; no entry has been written then.
/// IRQL: PASSIVE_LEVEL. Source: WDDM, DxgkDdiBuildPagingBuffer.
NTSTATUS build_paging_buffer(Adapter& adapter, DXGKARG_BUILDPAGINGBUFFER& args);

}  // namespace fenceline::kmd
