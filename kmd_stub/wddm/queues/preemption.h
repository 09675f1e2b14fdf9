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

/// Source: WDDM, DXGKARGCB_CREATECONTEXTALLOCATION.ContextAllocationFlags.
struct DXGK_CREATECONTEXTALLOCATIONFLAGS {
  UINT Value;
  static constexpr UINT kSharedAcrossContexts = 1u << 0;
  static constexpr UINT kMapGpuVirtualAddress = 1u << 1;
};

/// Argument of DxgkCbCreateContextAllocation. Excerpt: members keep the interface's order, hints
/// are left out. GpuVirtualAddress replaces the result of DxgkCbMapContextAllocation. Source: WDDM,
/// DXGKARGCB_CREATECONTEXTALLOCATION.
struct DXGKARGCB_CREATECONTEXTALLOCATION {
  DXGK_CREATECONTEXTALLOCATIONFLAGS ContextAllocationFlags;
  HANDLE hAdapter;           ///< DeviceHandle of DXGKRNL_INTERFACE
  HANDLE hDevice;            ///< handle of the OS; null for the system device
  HANDLE hContext;           ///< handle of the OS; null for a shared allocation or for the system
  HANDLE hDriverAllocation;  ///< paging operations use this handle
  SIZE_T Size;               ///< [bytes]
  UINT Alignment;            ///< [bytes] 0: a page
  UINT SupportedSegmentSet;  ///< one bit per segment
  UINT EvictionSegmentSet;
  UINT PreferredSegment;
  HANDLE hAllocation;                        ///< out: handle of the OS
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
  ULONGLONG DependentNodeOrdinalMask;  ///< out: one bit per node, including NodeOrdinal
};

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
  UINT LastAbortedFenceId;  ///< out: id of a packet in the node's queue
};

/// Argument of DxgkDdiQueryCurrentFence. Source: WDDM, DXGKARG_QUERYCURRENTFENCE.
struct DXGKARG_QUERYCURRENTFENCE {
  UINT CurrentFence;  ///< out: last completed submission of the hardware
  UINT NodeOrdinal;
  UINT EngineOrdinal;
};

/// At DISPATCH_LEVEL; one request at a time per node; must not block. Any error stops the machine.
/// Source: WDDM, DxgkDdiPreemptCommand.
using PDXGKDDI_PREEMPTCOMMAND = NTSTATUS (*)(HANDLE hAdapter, const DXGKARG_PREEMPTCOMMAND* pArgs);
// At PASSIVE_LEVEL, of the GPU-scheduler class.
using PDXGKDDI_QUERYDEPENDENTENGINEGROUP = NTSTATUS (*)(HANDLE hAdapter,
                                                        DXGKARG_QUERYDEPENDENTENGINEGROUP* pArgs);
using PDXGKDDI_QUERYENGINESTATUS = NTSTATUS (*)(HANDLE hAdapter, DXGKARG_QUERYENGINESTATUS* pArgs);
/// Returns when the node's queue is empty and accepts packets again. An error leads to a reset of
/// the whole adapter. Source: WDDM, DxgkDdiResetEngine.
using PDXGKDDI_RESETENGINE = NTSTATUS (*)(HANDLE hAdapter, DXGKARG_RESETENGINE* pArgs);
/// At PASSIVE_LEVEL. Source: WDDM, DxgkDdiQueryCurrentFence.
using PDXGKDDI_QUERYCURRENTFENCE = NTSTATUS (*)(HANDLE hAdapter, DXGKARG_QUERYCURRENTFENCE* pArgs);
/// On return the device accesses no memory. At PASSIVE_LEVEL, with no other thread in the driver.
/// Source: WDDM, DxgkDdiResetFromTimeout.
using PDXGKDDI_RESETFROMTIMEOUT = NTSTATUS (*)(HANDLE hAdapter);
/// The device can be used again. At PASSIVE_LEVEL. Source: WDDM, DxgkDdiRestartFromTimeout.
using PDXGKDDI_RESTARTFROMTIMEOUT = NTSTATUS (*)(HANDLE hAdapter);

/// PASSIVE_LEVEL. Source: WDDM, DXGKCB_CREATECONTEXTALLOCATION.
using DXGKCB_CREATECONTEXTALLOCATION = NTSTATUS (*)(DXGKARGCB_CREATECONTEXTALLOCATION* pArgs);
/// PASSIVE_LEVEL. Source: WDDM, DXGKCB_DESTROYCONTEXTALLOCATION.
using DXGKCB_DESTROYCONTEXTALLOCATION =
    NTSTATUS (*)(const DXGKARGCB_DESTROYCONTEXTALLOCATION* pArgs);
