#pragma once

// Memory segments, GPU address translation and the storage of native fences.

#include "kmd_stub/wddm/base.h"
#include "kmd_stub/wddm/fences/native_fence.h"

/// Address in a segment; segment 0 is system memory. Source: WDDM, D3DGPU_PHYSICAL_ADDRESS.
struct D3DGPU_PHYSICAL_ADDRESS {
  UINT SegmentId;
  UINT Padding;
  UINT64 SegmentOffset;  ///< [bytes]
};

/// Excerpt. Source: WDDM, DXGK_SEGMENTFLAGS.
struct DXGK_SEGMENTFLAGS {
  UINT Value;
  static constexpr UINT kAperture = 1u << 0;
  static constexpr UINT kCpuVisible = 1u << 2;
  static constexpr UINT kCacheCoherent = 1u << 4;  ///< aperture segments only
  static constexpr UINT kPopulatedFromSystemMemory = 1u << 6;
  static constexpr UINT kUse64KBPages = 1u << 11;
  static constexpr UINT kReservedSysMem = 1u << 12;
  static constexpr UINT kSupportsCpuHostAperture = 1u << 13;  ///< not with CpuVisible
  static constexpr UINT kSupportsCachedCpuHostAperture = 1u << 14;
  static constexpr UINT kLocalBudgetGroup = 1u << 19;
  static constexpr UINT kNonLocalBudgetGroup = 1u << 20;
};

/// BAR window for CPU access to a segment. Source: WDDM, DXGK_CPUHOSTAPERTURE.
struct DXGK_CPUHOSTAPERTURE {
  UINT64 PhysicalAddress;  ///< host physical
  UINT32 SizeInPages;
};

/// Source: WDDM, DXGK_SEGMENTDESCRIPTOR4.
struct DXGK_SEGMENTDESCRIPTOR4 {
  DXGK_SEGMENTFLAGS Flags;
  PHYSICAL_ADDRESS BaseAddress;  ///< from the GPU's view
  SIZE_T Size;                   ///< [bytes]
  SIZE_T CommitLimit;            ///< [bytes]
  SIZE_T SystemMemoryEndAddress;
  union {
    DXGK_CPUHOSTAPERTURE CpuHostAperture;   ///< with kSupportsCpuHostAperture
    PHYSICAL_ADDRESS CpuTranslatedAddress;  ///< host physical, with kCpuVisible
  };
  UINT NumInvalidMemoryRanges;
  SIZE_T VprRangeStartOffset;
  SIZE_T VprRangeSize;
  UINT VprAlignment;
  UINT NumVprSupported;
  UINT VprReserveSize;
  UINT NumUEFIFrameBufferRanges;
};

/// Answer to DXGKQAITYPE_QUERYSEGMENT4. The first query asks for the count (pSegmentDescriptor
/// null), the second for the descriptors. Source: WDDM, DXGK_QUERYSEGMENTOUT4.
struct DXGK_QUERYSEGMENTOUT4 {
  UINT NbSegment;
  BYTE* pSegmentDescriptor;
  UINT PagingBufferSegmentId;
  UINT PagingBufferSize;             ///< [bytes]
  UINT PagingBufferPrivateDataSize;  ///< [bytes]
  SIZE_T SegmentDescriptorStride;    ///< [bytes]
};

/// Writer and addressing of page-table updates. Source: WDDM, DXGK_PAGETABLEUPDATEMODE.
enum DXGK_PAGETABLEUPDATEMODE : UINT {
  DXGK_PAGETABLEUPDATE_CPU_VIRTUAL = 0,
  DXGK_PAGETABLEUPDATE_GPU_VIRTUAL = 1,
  DXGK_PAGETABLEUPDATE_GPU_PHYSICAL = 2,
};

/// Source: WDDM, DXGK_GPUMMUCAPS.LegacyBehaviors.
struct DXGK_GPUMMUCAPS_LEGACYBEHAVIORS {
  UINT Value;
  static constexpr UINT kSourcePageTableVaInTransfer = 1u << 0;
};

/// Answer to DXGKQAITYPE_GPUMMUCAPS. Source: WDDM, DXGK_GPUMMUCAPS.
struct DXGK_GPUMMUCAPS {
  UINT Value;
  DXGK_PAGETABLEUPDATEMODE PageTableUpdateMode;
  UINT VirtualAddressBitCount;
  UINT LeafPageTableSizeFor64KPagesInBytes;
  UINT PageTableLevelCount;  ///< at least 2
  DXGK_GPUMMUCAPS_LEGACYBEHAVIORS LegacyBehaviors;
  static constexpr UINT kReadOnlyMemorySupported = 1u << 0;
  static constexpr UINT kNoExecuteMemorySupported = 1u << 1;
  static constexpr UINT kZeroInPteSupported = 1u << 2;
  static constexpr UINT kExplicitPageTableInvalidation = 1u << 3;
  static constexpr UINT kCacheCoherentMemorySupported = 1u << 4;
  static constexpr UINT kPageTableUpdateRequireAddressSpaceIdle = 1u << 5;
  static constexpr UINT kLargePageSupported = 1u << 6;
  static constexpr UINT kDualPteSupported = 1u << 7;
  static constexpr UINT kAllowNonAlignedLargePageAddress = 1u << 8;
  static constexpr UINT kSysMem64KBPageSupported = 1u << 9;
  static constexpr UINT kInvalidTlbEntriesNotCached = 1u << 10;
  static constexpr UINT kSysMemLargePageSupported = 1u << 11;
  static constexpr UINT kCachedPageTables = 1u << 12;
};

/// Answer to DXGKQAITYPE_PAGETABLELEVELDESC for one level; 0 is the leaf.
/// Source: WDDM, DXGK_PAGE_TABLE_LEVEL_DESC.
struct DXGK_PAGE_TABLE_LEVEL_DESC {
  UINT PageTableIndexBitCount;
  UINT PageTableSegmentId;
  UINT PagingProcessPageTableSegmentId;
  UINT PageTableSizeInBytes;
  UINT PageTableAlignmentInBytes;
};

/// Page-table entry in the format of the OS; the driver converts it for its hardware. Source: WDDM,
/// DXGK_PTE.
struct DXGK_PTE {
  UINT64 Flags;
  union {
    UINT64 PageAddress;       ///< leaf: offset in the segment [4 KB pages]
    UINT64 PageTableAddress;  ///< other levels: of the next table [4 KB pages]
  };
  static constexpr UINT64 kValid = 1u << 0;
  static constexpr UINT64 kZero = 1u << 1;
  static constexpr UINT64 kCacheCoherent = 1u << 2;
  static constexpr UINT64 kReadOnly = 1u << 3;
  static constexpr UINT64 kNoExecute = 1u << 4;
  static constexpr UINT kSegmentShift = 5;  ///< bits [9:5]
  static constexpr UINT64 kSegmentMask = 0x1Fu << 5;
  static constexpr UINT64 kLargePage = 1u << 10;
  static constexpr UINT kPhysicalAdapterIndexShift = 11;  ///< bits [16:11]
  static constexpr UINT64 kPhysicalAdapterIndexMask = 0x3Fu << 11;
  static constexpr UINT kPageTablePageSizeShift = 17;  ///< bits [18:17]: 4 KB 0, 64 KB 1
  static constexpr UINT64 kPageTablePageSizeMask = 0x3u << 17;
  static constexpr UINT64 kSystemReserved0 = 1u << 19;
};

/// Source: WDDM, DXGKARG_GETROOTPAGETABLESIZE.
struct DXGKARG_GETROOTPAGETABLESIZE {
  UINT NumberOfPte;  ///< in: wanted; out: possible
  UINT PhysicalAdapterIndex;
};

/// Source: WDDM, DXGKARG_SETROOTPAGETABLE.
struct DXGKARG_SETROOTPAGETABLE {
  HANDLE hContext;  ///< the driver's handle
  D3DGPU_PHYSICAL_ADDRESS Address;
  UINT NumEntries;
};

/// PASSIVE_LEVEL. @return size of the root table [bytes]. Source: WDDM,
/// DxgkDdiGetRootPageTableSize.
using PDXGKDDI_GETROOTPAGETABLESIZE = SIZE_T (*)(HANDLE hAdapter,
                                                 DXGKARG_GETROOTPAGETABLESIZE* pArgs);
/// PASSIVE_LEVEL, while the context is idle. Source: WDDM, DxgkDdiSetRootPageTable.
using PDXGKDDI_SETROOTPAGETABLE = void (*)(HANDLE hAdapter, const DXGKARG_SETROOTPAGETABLE* pArgs);

/// Excerpt. Source: WDDM, DXGK_ALLOCATIONINFOFLAGS_WDDM2_0.
struct DXGK_ALLOCATIONINFOFLAGS_WDDM2_0 {
  UINT Value;
  static constexpr UINT kCpuVisible = 1u << 0;
  static constexpr UINT kCached = 1u << 2;
  static constexpr UINT kAccessedPhysically = 1u << 17;
  static constexpr UINT kExplicitResidencyNotification = 1u << 18;
  static constexpr UINT kCpuVisibleOnDemand = 1u << 20;
};

/// Placement of an allocation. Segment sets have bit n-1 for segment n. Source: WDDM,
/// DXGK_ALLOCATIONINFO.
struct DXGK_ALLOCATIONINFO {
  PVOID pPrivateDriverData;
  UINT PrivateDriverDataSize;  ///< [bytes]
  UINT Alignment;              ///< [bytes]
  SIZE_T Size;                 ///< [bytes]
  SIZE_T PitchAlignedSize;     ///< [bytes]
  UINT HintedBank;
  UINT PreferredSegment;  ///< segment ids in order of preference, 6 bits each
  UINT SupportedReadSegmentSet;
  UINT SupportedWriteSegmentSet;
  UINT EvictionSegmentSet;
  UINT PhysicalAdapterIndex;
  HANDLE hAllocation;
  DXGK_ALLOCATIONINFOFLAGS_WDDM2_0 FlagsWddm2;
  PVOID pAllocationUsageHint;
  UINT AllocationPriority;
  UINT Flags2;  ///< no flag is modelled
};

/// Source: WDDM, D3DKMDT_STANDARDALLOCATION_TYPE.
enum D3DKMDT_STANDARDALLOCATION_TYPE : UINT {
  D3DKMDT_STANDARDALLOCATION_SHAREDPRIMARYSURFACE = 1,
  D3DKMDT_STANDARDALLOCATION_SHADOWSURFACE = 2,
  D3DKMDT_STANDARDALLOCATION_STAGINGSURFACE = 3,
  D3DKMDT_STANDARDALLOCATION_GDISURFACE = 4,
  D3DKMDT_STANDARDALLOCATION_VGPU = 5,
  D3DKMDT_STANDARDALLOCATION_FENCESTORAGE = 6,
};

/// One of a fence's two values. Source: WDDM, D3DKMDT_FENCESTORAGESURFACEDATA.
enum D3DKMDT_FENCESTORAGE_VALUE_TYPE : UINT {
  D3DKMDT_FENCESTORAGE_VALUE_TYPE_CURRENTVALUE = 0,
  D3DKMDT_FENCESTORAGE_VALUE_TYPE_MONITOREDVALUE = 1,
};

/// No flag is defined. Source: WDDM, D3DKMDT_FENCESTORAGESURFACEDATA.Flags.
struct D3DKMDT_FENCESTORAGESURFACEDATA_FLAGS {
  UINT Value;
};

/// Query of the OS for the placement of a fence value. The driver fills the segment sets and the
/// preferred segment of AllocationInfo. Source: WDDM, D3DKMDT_FENCESTORAGESURFACEDATA.
struct D3DKMDT_FENCESTORAGESURFACEDATA {
  UINT PhysicalAdapterIndex;
  D3DKMDT_FENCESTORAGE_VALUE_TYPE FenceStorageValueType;
  D3DDDI_NATIVEFENCE_TYPE FenceStorageType;
  UINT PrivateDriverDataSize;  ///< [bytes]
  BYTE* pPrivateDriverData;
  D3DKMDT_FENCESTORAGESURFACEDATA_FLAGS Flags;
  UINT Reserved;
  DXGK_ALLOCATIONINFO AllocationInfo;
};

/// Argument of DxgkDdiGetStandardAllocationDriverData. Union members for display surfaces are left
/// out. Source: WDDM, DXGKARG_GETSTANDARDALLOCATIONDRIVERDATA.
struct DXGKARG_GETSTANDARDALLOCATIONDRIVERDATA {
  D3DKMDT_STANDARDALLOCATION_TYPE StandardAllocationType;
  D3DKMDT_FENCESTORAGESURFACEDATA* pCreateFenceStorageData;
  PVOID pAllocationPrivateDriverData;
  UINT AllocationPrivateDriverDataSize;  ///< [bytes]
  PVOID pResourcePrivateDriverData;
  UINT ResourcePrivateDriverDataSize;  ///< [bytes]
  UINT PhysicalAdapterIndex;
};

/// PASSIVE_LEVEL. Source: WDDM, DxgkDdiGetStandardAllocationDriverData.
using PDXGKDDI_GETSTANDARDALLOCATIONDRIVERDATA =
    NTSTATUS (*)(HANDLE hAdapter, DXGKARG_GETSTANDARDALLOCATIONDRIVERDATA* pArgs);
