#pragma once

// Paging work: the memory manager describes an operation, the driver turns it into commands.

#include "kmd_stub/wddm/base.h"
#include "kmd_stub/wddm/memory.h"

/// Operation of a paging buffer; the model uses UPDATE_PAGE_TABLE and FLUSH_TLB.
/// Source: WDDM, DXGK_BUILDPAGINGBUFFER_OPERATION.
enum DXGK_BUILDPAGINGBUFFER_OPERATION : UINT {
  DXGK_OPERATION_TRANSFER = 0,
  DXGK_OPERATION_FILL = 1,
  DXGK_OPERATION_DISCARD_CONTENT = 2,
  DXGK_OPERATION_READ_PHYSICAL = 3,
  DXGK_OPERATION_WRITE_PHYSICAL = 4,
  DXGK_OPERATION_MAP_APERTURE_SEGMENT = 5,
  DXGK_OPERATION_UNMAP_APERTURE_SEGMENT = 6,
  DXGK_OPERATION_SPECIAL_LOCK_TRANSFER = 7,
  DXGK_OPERATION_VIRTUAL_TRANSFER = 8,
  DXGK_OPERATION_VIRTUAL_FILL = 9,
  DXGK_OPERATION_INIT_CONTEXT_RESOURCE = 10,
  DXGK_OPERATION_UPDATE_PAGE_TABLE = 11,
  DXGK_OPERATION_FLUSH_TLB = 12,
  DXGK_OPERATION_UPDATE_CONTEXT_ALLOCATION = 13,
  DXGK_OPERATION_COPY_PAGE_TABLE_ENTRIES = 14,
  DXGK_OPERATION_NOTIFY_RESIDENCY = 15,
  DXGK_OPERATION_SIGNAL_MONITORED_FENCE = 16,
  DXGK_OPERATION_MAP_APERTURE_SEGMENT2 = 17,
  DXGK_OPERATION_NOTIFY_FENCE_RESIDENCY = 18,
  DXGK_OPERATION_MAP_MMU = 19,
  DXGK_OPERATION_UNMAP_MMU = 20,
  DXGK_OPERATION_NOTIFY_RESIDENCY2 = 21,
  DXGK_OPERATION_NOTIFY_ALLOC = 22,
};

/// Address of a page table; the update mode selects the member.
/// Source: WDDM, DXGK_PAGETABLEUPDATEADDRESS.
union DXGK_PAGETABLEUPDATEADDRESS {
  D3DGPU_PHYSICAL_ADDRESS GpuPhysical;
  D3DGPU_VIRTUAL_ADDRESS GpuVirtual;
  PVOID CpuVirtual;
};
static_assert(sizeof(DXGK_PAGETABLEUPDATEADDRESS) == 16);

/// Source: WDDM, DXGK_UPDATEPAGETABLEFLAGS.
struct DXGK_UPDATEPAGETABLEFLAGS {
  UINT Value;
  static constexpr UINT kRepeat = 1u << 0;  ///< one entry given, to be stored in all places
  static constexpr UINT kInitialUpdate = 1u << 1;
  static constexpr UINT kNotifyEviction = 1u << 2;
  static constexpr UINT kUse64KBPages = 1u << 3;
  static constexpr UINT kNativeFence = 1u << 4;  ///< entries of fence storage
};

/// Source: WDDM, DXGK_BUILDPAGINGBUFFER_UPDATEPAGETABLE.
struct DXGK_BUILDPAGINGBUFFER_UPDATEPAGETABLE {
  UINT PageTableLevel;  ///< 0 is the leaf
  HANDLE hAllocation;
  DXGK_PAGETABLEUPDATEADDRESS PageTableAddress;
  DXGK_PTE* pPageTableEntries;
  UINT StartIndex;
  UINT NumPageTableEntries;
  UINT Reserved0;
  DXGK_UPDATEPAGETABLEFLAGS Flags;
  UINT64 DriverProtection;
  UINT64 AllocationOffsetInBytes;
  HANDLE hProcess;  ///< the driver's handle
  DXGK_PAGETABLEUPDATEMODE UpdateMode;
  DXGK_PTE* pPageTableEntries64KB;
  D3DGPU_VIRTUAL_ADDRESS FirstPteVirtualAddress;
};
static_assert(sizeof(DXGK_BUILDPAGINGBUFFER_UPDATEPAGETABLE) == 104);
static_assert(offsetof(DXGK_BUILDPAGINGBUFFER_UPDATEPAGETABLE, PageTableAddress) == 16);
static_assert(offsetof(DXGK_BUILDPAGINGBUFFER_UPDATEPAGETABLE, pPageTableEntries) == 32);
static_assert(offsetof(DXGK_BUILDPAGINGBUFFER_UPDATEPAGETABLE, Flags) == 52);
static_assert(offsetof(DXGK_BUILDPAGINGBUFFER_UPDATEPAGETABLE, DriverProtection) == 56);
static_assert(offsetof(DXGK_BUILDPAGINGBUFFER_UPDATEPAGETABLE, AllocationOffsetInBytes) == 64);
static_assert(offsetof(DXGK_BUILDPAGINGBUFFER_UPDATEPAGETABLE, hProcess) == 72);
static_assert(offsetof(DXGK_BUILDPAGINGBUFFER_UPDATEPAGETABLE, UpdateMode) == 80);
static_assert(offsetof(DXGK_BUILDPAGINGBUFFER_UPDATEPAGETABLE, pPageTableEntries64KB) == 88);
static_assert(offsetof(DXGK_BUILDPAGINGBUFFER_UPDATEPAGETABLE, FirstPteVirtualAddress) == 96);

/// Both ends 0: the whole address space. Source: WDDM, DXGK_BUILDPAGINGBUFFER_FLUSHTLB.
struct DXGK_BUILDPAGINGBUFFER_FLUSHTLB {
  D3DGPU_PHYSICAL_ADDRESS RootPageTableAddress;
  HANDLE hProcess;  ///< the driver's handle
  D3DGPU_VIRTUAL_ADDRESS StartVirtualAddress;
  D3DGPU_VIRTUAL_ADDRESS EndVirtualAddress;
};

/// Argument of DxgkDdiBuildPagingBuffer. Only the union's members of the modelled operations are
/// declared. Source: WDDM, DXGKARG_BUILDPAGINGBUFFER.
struct DXGKARG_BUILDPAGINGBUFFER {
  PVOID pDmaBuffer;  ///< in: where to write; out: behind the last byte written
  UINT DmaSize;      ///< room [bytes]
  PVOID pDmaBufferPrivateData;
  UINT DmaBufferPrivateDataSize;  ///< [bytes]
  DXGK_BUILDPAGINGBUFFER_OPERATION Operation;
  UINT MultipassOffset;  ///< the driver's cursor, 0 at the first call for an operation
  union {
    DXGK_BUILDPAGINGBUFFER_UPDATEPAGETABLE UpdatePageTable;
    DXGK_BUILDPAGINGBUFFER_FLUSHTLB FlushTlb;
  };
  HANDLE hSystemContext;
  D3DGPU_VIRTUAL_ADDRESS DmaBufferGpuVirtualAddress;
  UINT DmaBufferWriteOffset;  ///< [bytes]
};

/// PASSIVE_LEVEL. STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER: what was written is submitted, then the
/// call comes again with MultipassOffset. Source: WDDM, DxgkDdiBuildPagingBuffer.
using PDXGKDDI_BUILDPAGINGBUFFER = NTSTATUS (*)(HANDLE hAdapter, DXGKARG_BUILDPAGINGBUFFER* pArgs);
