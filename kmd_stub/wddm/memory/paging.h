#pragma once

// Paging: the memory manager describes an operation, and the driver writes the commands for it.

#include "kmd_stub/wddm/base.h"
#include "kmd_stub/wddm/memory/memory.h"

/// Operation of a paging buffer; the model uses TRANSFER, FILL, MAP_APERTURE_SEGMENT,
/// UNMAP_APERTURE_SEGMENT, UPDATE_PAGE_TABLE and FLUSH_TLB.
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

/// Source: WDDM, DXGK_UPDATEPAGETABLEFLAGS.
struct DXGK_UPDATEPAGETABLEFLAGS {
  UINT Value;
  static constexpr UINT kRepeat = 1u << 0;  ///< a single entry, to be stored at all indices
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

/// Start and end 0: the whole address space. Source: WDDM, DXGK_BUILDPAGINGBUFFER_FLUSHTLB.
struct DXGK_BUILDPAGINGBUFFER_FLUSHTLB {
  D3DGPU_PHYSICAL_ADDRESS RootPageTableAddress;
  HANDLE hProcess;  ///< the driver's handle
  D3DGPU_VIRTUAL_ADDRESS StartVirtualAddress;
  D3DGPU_VIRTUAL_ADDRESS EndVirtualAddress;
};

/// Pages of system memory, in order. Replaces the kernel's structure, of which a driver uses only
/// the page numbers (MmGetMdlPfnArray).
struct MDL {
  SIZE_T ByteCount;
  const UINT64* PageFrameNumbers;
};

/// Source: WDDM, DXGK_TRANSFERFLAGS.
struct DXGK_TRANSFERFLAGS {
  UINT Value;
  static constexpr UINT kSwizzle = 1u << 0;
  static constexpr UINT kUnswizzle = 1u << 1;
  static constexpr UINT kAllocationIsIdle = 1u << 2;
  static constexpr UINT kTransferStart = 1u << 3;
  static constexpr UINT kTransferEnd = 1u << 4;
};

/// Source or destination of a transfer. Source: WDDM, DXGKARG_BUILDPAGINGBUFFER.Transfer.
struct DXGK_TRANSFEREND {
  UINT SegmentId;  ///< 0: system memory, described by pMdl
  union {
    PHYSICAL_ADDRESS SegmentAddress;  ///< offset in the segment of the allocation's first byte
    const MDL* pMdl;
  };
};

/// Source: WDDM, DXGKARG_BUILDPAGINGBUFFER.Transfer.
struct DXGK_BUILDPAGINGBUFFER_TRANSFER {
  HANDLE hAllocation;
  UINT TransferOffset;  ///< [bytes] from the start of the allocation, in source and destination
  SIZE_T TransferSize;  ///< [bytes]; 0: notice of an eviction
  DXGK_TRANSFEREND Source;
  DXGK_TRANSFEREND Destination;
  DXGK_TRANSFERFLAGS Flags;
  UINT MdlOffset;  ///< first page of the list [pages]
};

/// Source: WDDM, DXGKARG_BUILDPAGINGBUFFER.Fill.
struct DXGK_BUILDPAGINGBUFFER_FILL {
  HANDLE hAllocation;
  SIZE_T FillSize;  ///< [bytes]
  UINT FillPattern;
  struct {
    UINT SegmentId;  ///< a memory segment
    PHYSICAL_ADDRESS SegmentAddress;
  } Destination;
};

/// Source: WDDM, DXGKARG_BUILDPAGINGBUFFER.InitContextResource.
struct DXGK_BUILDPAGINGBUFFER_INITCONTEXTRESOURCE {
  HANDLE hAllocation;  ///< hDriverAllocation of DxgkCbCreateContextAllocation
  struct {
    UINT SegmentId;  ///< a memory segment
    PHYSICAL_ADDRESS SegmentAddress;
    PVOID VirtualAddress;  ///< null: not CPU visible
    D3DGPU_VIRTUAL_ADDRESS GpuVirtualAddress;
  } Destination;
};

/// Source: WDDM, DXGK_MAPAPERTUREFLAGS.
struct DXGK_MAPAPERTUREFLAGS {
  UINT Value;
  static constexpr UINT kCacheCoherent = 1u << 0;
};

/// Source: WDDM, DXGKARG_BUILDPAGINGBUFFER.MapApertureSegment.
struct DXGK_BUILDPAGINGBUFFER_MAPAPERTURE {
  HANDLE hDevice;
  HANDLE hAllocation;
  UINT SegmentId;
  SIZE_T OffsetInPages;  ///< in the segment
  SIZE_T NumberOfPages;
  const MDL* pMdl;
  DXGK_MAPAPERTUREFLAGS Flags;
  ULONG MdlOffset;  ///< [pages]
};

/// Source: WDDM, DXGKARG_BUILDPAGINGBUFFER.UnmapApertureSegment.
struct DXGK_BUILDPAGINGBUFFER_UNMAPAPERTURE {
  HANDLE hDevice;
  HANDLE hAllocation;
  UINT SegmentId;
  SIZE_T OffsetInPages;
  SIZE_T NumberOfPages;
  PHYSICAL_ADDRESS DummyPage;  ///< the range is mapped to this page from now on
};

/// Argument of DxgkDdiBuildPagingBuffer. Only union members of modelled operations are declared.
/// Source: WDDM, DXGKARG_BUILDPAGINGBUFFER.
struct DXGKARG_BUILDPAGINGBUFFER {
  PVOID pDmaBuffer;  ///< in: start of the free space; out: after the last written byte
  UINT DmaSize;      ///< free space [bytes]
  PVOID pDmaBufferPrivateData;
  UINT DmaBufferPrivateDataSize;  ///< [bytes]
  DXGK_BUILDPAGINGBUFFER_OPERATION Operation;
  UINT MultipassOffset;  ///< cursor of the driver; 0 at the first call per operation
  union {
    DXGK_BUILDPAGINGBUFFER_TRANSFER Transfer;
    DXGK_BUILDPAGINGBUFFER_FILL Fill;
    DXGK_BUILDPAGINGBUFFER_MAPAPERTURE MapApertureSegment;
    DXGK_BUILDPAGINGBUFFER_UNMAPAPERTURE UnmapApertureSegment;
    DXGK_BUILDPAGINGBUFFER_UPDATEPAGETABLE UpdatePageTable;
    DXGK_BUILDPAGINGBUFFER_FLUSHTLB FlushTlb;
    DXGK_BUILDPAGINGBUFFER_INITCONTEXTRESOURCE InitContextResource;
  };
  HANDLE hSystemContext;
  D3DGPU_VIRTUAL_ADDRESS DmaBufferGpuVirtualAddress;
  UINT DmaBufferWriteOffset;  ///< [bytes]
};

/// PASSIVE_LEVEL. After STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER the OS submits the written commands
/// and calls again with MultipassOffset. Source: WDDM, DxgkDdiBuildPagingBuffer.
using PDXGKDDI_BUILDPAGINGBUFFER = NTSTATUS (*)(HANDLE hAdapter, DXGKARG_BUILDPAGINGBUFFER* pArgs);
