#pragma once

#include <cstdint>

#include "kmd_stub/core/handle.h"
#include "kmd_stub/wddm/memory/paging.h"

namespace fenceline::kmd {

/// Size of the root page table [bytes]; it cannot be resized. IRQL: PASSIVE_LEVEL.
SIZE_T DxgkDdiGetRootPageTableSize(AnyAdapter adapter, DXGKARG_GETROOTPAGETABLESIZE& args);

/// Sets the root of the context's address space. A bad context or address changes nothing. IRQL:
/// PASSIVE_LEVEL.
void DxgkDdiSetRootPageTable(Adapter& adapter, const DXGKARG_SETROOTPAGETABLE& args);

/// UPDATE_PAGE_TABLE by the CPU and FLUSH_TLB by a register are done on return and write nothing
/// into the DMA buffer. For the other operations see paging_buffer.h. STATUS_NOT_SUPPORTED for
/// operations that are not modelled and for other update modes. STATUS_INVALID_HANDLE,
/// STATUS_INVALID_PARAMETER. An error writes no entry. IRQL: PASSIVE_LEVEL.
NTSTATUS DxgkDdiBuildPagingBuffer(Adapter& adapter, DXGKARG_BUILDPAGINGBUFFER& args);

}  // namespace fenceline::kmd
