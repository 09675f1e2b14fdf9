#pragma once

// Preemption, context allocations, timeout detection and recovery.

#include "kmd_stub/wddm/base.h"

/// No flag is defined. Source: WDDM, DXGK_PREEMPTCOMMANDFLAGS.
struct DXGK_PREEMPTCOMMANDFLAGS {
  UINT Value;
};

/// Argument of DxgkDdiPreemptCommand. Source: WDDM, DXGKARG_PREEMPTCOMMAND.
struct DXGKARG_PREEMPTCOMMAND {
  UINT PreemptionFenceId;  ///< reported with DXGK_INTERRUPT_DMA_PREEMPTED
  UINT NodeOrdinal;
  UINT EngineOrdinal;
  DXGK_PREEMPTCOMMANDFLAGS Flags;
};
static_assert(sizeof(DXGKARG_PREEMPTCOMMAND) == 16);

/// Source: WDDM, DXGKARGCB_CREATECONTEXTALLOCATION.ContextAllocationFlags.
struct DXGK_CREATECONTEXTALLOCATIONFLAGS {
  UINT Value;
  static constexpr UINT kSharedAcrossContexts = 1u << 0;
  static constexpr UINT kMapGpuVirtualAddress = 1u << 1;
};

/// Argument of DxgkCbCreateContextAllocation. Excerpt: members in the interface's order, hints left
/// out. GpuVirtualAddress stands in for what DxgkCbMapContextAllocation returns.
/// Source: WDDM, DXGKARGCB_CREATECONTEXTALLOCATION.
struct DXGKARGCB_CREATECONTEXTALLOCATION {
  DXGK_CREATECONTEXTALLOCATIONFLAGS ContextAllocationFlags;
  HANDLE hAdapter;           ///< DeviceHandle of DXGKRNL_INTERFACE
  HANDLE hDevice;            ///< of the OS; null for the system device
  HANDLE hContext;           ///< of the OS; null if it is shared or of the system
  HANDLE hDriverAllocation;  ///< comes back in paging operations
  SIZE_T Size;               ///< [bytes]
  UINT Alignment;            ///< [bytes] 0: a page
  UINT SupportedSegmentSet;  ///< a bit a segment
  UINT EvictionSegmentSet;
  UINT PreferredSegment;
  HANDLE hAllocation;                        ///< out: of the OS
  D3DGPU_VIRTUAL_ADDRESS GpuVirtualAddress;  ///< out, with kMapGpuVirtualAddress
};

/// Argument of DxgkCbDestroyContextAllocation. Source: WDDM,
/// DXGKARGCB_DESTROYCONTEXTALLOCATION.
struct DXGKARGCB_DESTROYCONTEXTALLOCATION {
  HANDLE hAdapter;
  HANDLE hAllocation;
};

/// Argument of DxgkDdiQueryDependentEngineGroup. Source: WDDM, DXGKARG_QUERYDEPENDENTENGINEGROUP.
struct DXGKARG_QUERYDEPENDENTENGINEGROUP {
  UINT NodeOrdinal;
  UINT EngineOrdinal;
  ULONGLONG DependentNodeOrdinalMask;  ///< out: a bit a node, the one asked about too
};
static_assert(sizeof(DXGKARG_QUERYDEPENDENTENGINEGROUP) == 16);

/// Source: WDDM, DXGK_ENGINESTATUS.
struct DXGK_ENGINESTATUS {
  UINT Value;
  static constexpr UINT kResponsive = 1u << 0;
};

/// Argument of DxgkDdiQueryEngineStatus. Source: WDDM, DXGKARG_QUERYENGINESTATUS.
struct DXGKARG_QUERYENGINESTATUS {
  UINT NodeOrdinal;
  UINT EngineOrdinal;
  DXGK_ENGINESTATUS EngineStatus;  ///< out
};

/// Argument of DxgkDdiResetEngine. Source: WDDM, DXGKARG_RESETENGINE.
struct DXGKARG_RESETENGINE {
  UINT NodeOrdinal;
  UINT EngineOrdinal;
  UINT LastAbortedFenceId;  ///< out: of a packet that was in the node's queue
};
static_assert(sizeof(DXGKARG_RESETENGINE) == 12);

/// Argument of DxgkDdiQueryCurrentFence. Source: WDDM, DXGKARG_QUERYCURRENTFENCE.
struct DXGKARG_QUERYCURRENTFENCE {
  UINT CurrentFence;  ///< out: last submission that the hardware has completed
  UINT NodeOrdinal;
  UINT EngineOrdinal;
};

/// At DISPATCH_LEVEL, one request at a time a node; must not block. Any error stops the machine.
/// Source: WDDM, DxgkDdiPreemptCommand.
using PDXGKDDI_PREEMPTCOMMAND = NTSTATUS (*)(HANDLE hAdapter, const DXGKARG_PREEMPTCOMMAND* pArgs);
// At PASSIVE_LEVEL, of the GPU-scheduler class.
using PDXGKDDI_QUERYDEPENDENTENGINEGROUP = NTSTATUS (*)(HANDLE hAdapter,
                                                        DXGKARG_QUERYDEPENDENTENGINEGROUP* pArgs);
using PDXGKDDI_QUERYENGINESTATUS = NTSTATUS (*)(HANDLE hAdapter, DXGKARG_QUERYENGINESTATUS* pArgs);
/// Returns when the node's queue is empty and takes packets again; an error has the whole adapter
/// reset. Source: WDDM, DxgkDdiResetEngine.
using PDXGKDDI_RESETENGINE = NTSTATUS (*)(HANDLE hAdapter, DXGKARG_RESETENGINE* pArgs);
/// At PASSIVE_LEVEL. Source: WDDM, DxgkDdiQueryCurrentFence.
using PDXGKDDI_QUERYCURRENTFENCE = NTSTATUS (*)(HANDLE hAdapter, DXGKARG_QUERYCURRENTFENCE* pArgs);
/// On return the device reads and writes no memory. At PASSIVE_LEVEL, no other thread in the
/// driver. Source: WDDM, DxgkDdiResetFromTimeout.
using PDXGKDDI_RESETFROMTIMEOUT = NTSTATUS (*)(HANDLE hAdapter);
/// The device may be used again. At PASSIVE_LEVEL. Source: WDDM, DxgkDdiRestartFromTimeout.
using PDXGKDDI_RESTARTFROMTIMEOUT = NTSTATUS (*)(HANDLE hAdapter);

/// PASSIVE_LEVEL. Source: WDDM, DXGKCB_CREATECONTEXTALLOCATION.
using DXGKCB_CREATECONTEXTALLOCATION = NTSTATUS (*)(DXGKARGCB_CREATECONTEXTALLOCATION* pArgs);
/// PASSIVE_LEVEL. Source: WDDM, DXGKCB_DESTROYCONTEXTALLOCATION.
using DXGKCB_DESTROYCONTEXTALLOCATION =
    NTSTATUS (*)(const DXGKARGCB_DESTROYCONTEXTALLOCATION* pArgs);
