#pragma once

// Allocations, and the CPU's window to memory segments that are not CPU visible.

#include "kmd_stub/wddm/base.h"
#include "kmd_stub/wddm/memory/memory.h"

/// Source: WDDM, DXGK_CREATEALLOCATIONFLAGS.
struct DXGK_CREATEALLOCATIONFLAGS {
  UINT Value;
  static constexpr UINT kResource = 1u << 0;
};

/// Argument of DxgkDdiCreateAllocation. For each element the driver sets segment sets, size, flags
/// and hAllocation. Source: WDDM, DXGKARG_CREATEALLOCATION.
struct DXGKARG_CREATEALLOCATION {
  const void* pPrivateDriverData;
  UINT PrivateDriverDataSize;  ///< [bytes]
  UINT NumAllocations;
  DXGK_ALLOCATIONINFO* pAllocationInfo;
  HANDLE hResource;
  DXGK_CREATEALLOCATIONFLAGS Flags;
};

/// Source: WDDM, DXGK_DESTROYALLOCATIONFLAGS.
struct DXGK_DESTROYALLOCATIONFLAGS {
  UINT Value;
  static constexpr UINT kDestroyResource = 1u << 0;
};

/// Source: WDDM, DXGKARG_DESTROYALLOCATION.
struct DXGKARG_DESTROYALLOCATION {
  UINT NumAllocations;
  const HANDLE* pAllocationList;  ///< the driver's handles
  HANDLE hResource;
  DXGK_DESTROYALLOCATIONFLAGS Flags;
};

/// Source: WDDM, DXGK_OPENALLOCATIONINFO.
struct DXGK_OPENALLOCATIONINFO {
  D3DKMT_HANDLE hAllocation;
  const void* pPrivateDriverData;
  UINT PrivateDriverDataSize;        ///< [bytes]
  HANDLE hDeviceSpecificAllocation;  ///< out: the driver's handle on this device
};

/// Source: WDDM, DXGK_OPENALLOCATIONFLAGS.
struct DXGK_OPENALLOCATIONFLAGS {
  UINT Value;
  static constexpr UINT kCreate = 1u << 0;
  static constexpr UINT kReadOnly = 1u << 1;
};

/// Excerpt. Source: WDDM, DXGKARG_OPENALLOCATION.
struct DXGKARG_OPENALLOCATION {
  UINT NumAllocations;
  DXGK_OPENALLOCATIONINFO* pOpenAllocation;
  const void* pPrivateDriverData;
  UINT PrivateDriverSize;  ///< [bytes]
  DXGK_OPENALLOCATIONFLAGS Flags;
};

/// Source: WDDM, DXGKARG_CLOSEALLOCATION.
struct DXGKARG_CLOSEALLOCATION {
  UINT NumAllocations;
  const HANDLE* pOpenHandleList;
};

/// PASSIVE_LEVEL. Creates all elements or none. Source: WDDM, DxgkDdiCreateAllocation.
using PDXGKDDI_CREATEALLOCATION = NTSTATUS (*)(HANDLE hAdapter, DXGKARG_CREATEALLOCATION* pArgs);
/// PASSIVE_LEVEL. Source: WDDM, DxgkDdiDestroyAllocation.
using PDXGKDDI_DESTROYALLOCATION = NTSTATUS (*)(HANDLE hAdapter,
                                                const DXGKARG_DESTROYALLOCATION* pArgs);
/// PASSIVE_LEVEL. Source: WDDM, DxgkDdiOpenAllocation.
using PDXGKDDI_OPENALLOCATIONINFO = NTSTATUS (*)(HANDLE hDevice,
                                                 const DXGKARG_OPENALLOCATION* pArgs);
/// PASSIVE_LEVEL. Source: WDDM, DxgkDdiCloseAllocation.
using PDXGKDDI_CLOSEALLOCATION = NTSTATUS (*)(HANDLE hDevice, const DXGKARG_CLOSEALLOCATION* pArgs);

/// Maps window pages to segment pages. Source: WDDM, DXGKARG_MAPCPUHOSTAPERTURE. Assumption A-301:
/// pMemorySegmentPages counts from the segment's start.
struct DXGKARG_MAPCPUHOSTAPERTURE {
  HANDLE hAllocation;  ///< the driver's handle; null for memory that is no allocation, e.g. page
                       ///< tables
  WORD SegmentId;
  WORD PhysicalAdapterIndex;
  UINT64 NumberOfPages;
  UINT32* pCpuHostAperturePages;  ///< from the start of the window; in any order
  UINT64* pMemorySegmentPages;
};

/// Source: WDDM, DXGKARG_UNMAPCPUHOSTAPERTURE.
struct DXGKARG_UNMAPCPUHOSTAPERTURE {
  UINT64 NumberOfPages;
  UINT32* pCpuHostAperturePages;
  WORD SegmentId;
  WORD PhysicalAdapterIndex;
};

/// PASSIVE_LEVEL. A failure without an error of the OS stops the machine. Source: WDDM,
/// DxgkDdiMapCpuHostAperture.
using PDXGKDDI_MAPCPUHOSTAPERTURE = NTSTATUS (*)(HANDLE hAdapter,
                                                 const DXGKARG_MAPCPUHOSTAPERTURE* pArgs);
/// The same. Source: WDDM, DxgkDdiUnmapCpuHostAperture.
using PDXGKDDI_UNMAPCPUHOSTAPERTURE = NTSTATUS (*)(HANDLE hAdapter,
                                                   const DXGKARG_UNMAPCPUHOSTAPERTURE* pArgs);
