#pragma once

// Devices, processes, contexts and hardware queues.

#include "kmd_stub/wddm/base.h"

/// Assumption: the bit positions. Source: WDDM, DXGK_CREATEDEVICEFLAGS.
struct DXGK_CREATEDEVICEFLAGS {
  UINT Value;
  static constexpr UINT kSystemDevice = 1u << 0;
  static constexpr UINT kGdiDevice = 1u << 1;
};

/// Argument of DxgkDdiCreateDevice. Source: WDDM, DXGKARG_CREATEDEVICE.
struct DXGKARG_CREATEDEVICE {
  HANDLE hDevice;  ///< in: handle of the OS; out: of the driver
  union {
    PVOID pInfo;  ///< out: DXGK_DEVICEINFO of the first device model, not used
    DXGK_CREATEDEVICEFLAGS Flags;
  };
  ULONG Pasid;
  HANDLE hKmdProcess;  ///< the driver's handle, from DxgkDdiCreateProcess
};

/// Assumption: the bit positions. Source: WDDM, DXGK_CREATEPROCESSFLAGS.
struct DXGK_CREATEPROCESSFLAGS {
  UINT Value;
  static constexpr UINT kSystemProcess = 1u << 0;  ///< owner of the paging address space
  static constexpr UINT kGdiProcess = 1u << 1;
  static constexpr UINT kVirtualMachineProcess = 1u << 2;
};

/// Argument of DxgkDdiCreateProcess. Source: WDDM, DXGKARG_CREATEPROCESS.
struct DXGKARG_CREATEPROCESS {
  HANDLE hDxgkProcess;  ///< in: handle of the OS
  HANDLE hKmdProcess;   ///< out: handle of the driver
  DXGK_CREATEPROCESSFLAGS Flags;
  UINT NumPasid;
  ULONG* pPasid;
  HANDLE hKmdVmWorkerProcess;
  UINT ProcessNameLength;  ///< [characters]
  const WCHAR* pProcessName;
};

/// Source: WDDM, DXGK_CREATECONTEXTFLAGS.
struct DXGK_CREATECONTEXTFLAGS {
  UINT Value;
  static constexpr UINT kSystemContext = 1u << 0;
  static constexpr UINT kGdiContext = 1u << 1;
  static constexpr UINT kVirtualAddressing = 1u << 2;
  static constexpr UINT kSystemProtectedContext = 1u << 3;
  static constexpr UINT kHwQueueSupported = 1u << 4;
  static constexpr UINT kTestContext = 1u << 5;
};

/// Source: WDDM, DXGK_CONTEXTINFO_CAPS.
struct DXGK_CONTEXTINFO_CAPS {
  UINT Value;
  static constexpr UINT kNoPatchingRequired = 1u << 0;
  static constexpr UINT kDriverManagesResidency = 1u << 1;
  static constexpr UINT kUseIoMmu = 1u << 2;
};

/// Requirements of a context on the OS. Source: WDDM, DXGK_CONTEXTINFO.
struct DXGK_CONTEXTINFO {
  UINT DmaBufferSize;  ///< [bytes]
  UINT DmaBufferSegmentSet;
  UINT DmaBufferPrivateDataSize;  ///< [bytes]
  UINT AllocationListSize;
  UINT PatchLocationListSize;
  UINT Reserved;
  DXGK_CONTEXTINFO_CAPS Caps;
  UINT PagingCompanionNodeId;
};

/// Argument of DxgkDdiCreateContext. Source: WDDM, DXGKARG_CREATECONTEXT.
struct DXGKARG_CREATECONTEXT {
  HANDLE hContext;  ///< in: handle of the OS; out: of the driver
  UINT NodeOrdinal;
  UINT EngineAffinity;
  DXGK_CREATECONTEXTFLAGS Flags;
  PVOID pPrivateDriverData;
  UINT PrivateDriverDataSize;    ///< [bytes]
  DXGK_CONTEXTINFO ContextInfo;  ///< out
};

/// Source: WDDM, DXGK_HWCONTEXT_CAPS.
struct DXGK_HWCONTEXT_CAPS {
  UINT Value;
  static constexpr UINT kUseIoMmu = 1u << 0;
};

/// No flag is defined. Source: WDDM, D3DDDI_CREATEHWCONTEXTFLAGS.
struct D3DDDI_CREATEHWCONTEXTFLAGS {
  UINT Value;
};

/// Argument of DxgkDdiCreateHwContext. Source: WDDM, DXGKARG_CREATEHWCONTEXT.
struct DXGKARG_CREATEHWCONTEXT {
  HANDLE hHwContext;  ///< in: handle of the OS; out: of the driver
  UINT NodeOrdinal;
  UINT EngineAffinity;
  D3DDDI_CREATEHWCONTEXTFLAGS Flags;
  UINT PrivateDriverDataSize;  ///< [bytes]
  PVOID pPrivateDriverData;
  DXGK_HWCONTEXT_CAPS ContextCaps;  ///< out
};

/// Source: WDDM, D3DDDI_CREATEHWQUEUEFLAGS.
struct D3DDDI_CREATEHWQUEUEFLAGS {
  UINT Value;
  static constexpr UINT kDisableGpuTimeout = 1u << 0;
  static constexpr UINT kNoBroadcastSignal = 1u << 1;
  static constexpr UINT kNoBroadcastWait = 1u << 2;
  static constexpr UINT kNoKmdAccess = 1u << 3;
  static constexpr UINT kUserModeSubmission = 1u << 4;
  static constexpr UINT kNativeProgressFence = 1u << 5;
  static constexpr UINT kTestQueue = 1u << 6;
};

/// Argument of DxgkDdiCreateHwQueue. Assumption: the interface has no 64-bit member for the native
/// progress fence, so it shares the place of the monitored one. Source: WDDM,
/// DXGKARG_CREATEHWQUEUE.
struct DXGKARG_CREATEHWQUEUE {
  HANDLE hHwQueue;  ///< in: handle of the OS; out: of the driver
  D3DDDI_CREATEHWQUEUEFLAGS Flags;
  UINT PrivateDriverDataSize;  ///< [bytes]
  PVOID pPrivateDriverData;    ///< in and out
  union {
    HANDLE hHwQueueNativeProgressFence;   ///< with kNativeProgressFence: the driver's global handle
    D3DKMT_HANDLE hHwQueueProgressFence;  ///< otherwise: a monitored fence
  };
  PVOID HwQueueProgressFenceCPUVirtualAddress;  ///< kernel address
  D3DGPU_VIRTUAL_ADDRESS HwQueueProgressFenceGPUVirtualAddress;
};

/// Argument of DxgkDdiSuspendContext; the fence increases with every call.
/// Source: WDDM, DXGKARG_SUSPENDCONTEXT.
struct DXGKARG_SUSPENDCONTEXT {
  HANDLE hContext;
  UINT64 ContextSuspendFence;
};

/// Source: WDDM, DXGKARG_RESUMECONTEXT.
struct DXGKARG_RESUMECONTEXT {
  HANDLE hContext;
};

// All at PASSIVE_LEVEL.

/// Source: WDDM, DxgkDdiCreateDevice.
using PDXGKDDI_CREATEDEVICE = NTSTATUS (*)(HANDLE hAdapter, DXGKARG_CREATEDEVICE* pCreateDevice);
/// Source: WDDM, DxgkDdiDestroyDevice.
using PDXGKDDI_DESTROYDEVICE = NTSTATUS (*)(HANDLE hDevice);
/// Source: WDDM, DxgkDdiCreateProcess.
using PDXGKDDI_CREATEPROCESS = NTSTATUS (*)(HANDLE hAdapter, DXGKARG_CREATEPROCESS* pArgs);
/// Source: WDDM, DxgkDdiDestroyProcess.
using PDXGKDDI_DESTROYPROCESS = NTSTATUS (*)(HANDLE hAdapter, HANDLE hKmdProcess);
/// Source: WDDM, DxgkDdiCreateContext.
using PDXGKDDI_CREATECONTEXT = NTSTATUS (*)(HANDLE hDevice, DXGKARG_CREATECONTEXT* pCreateContext);
/// Source: WDDM, DxgkDdiDestroyContext.
using PDXGKDDI_DESTROYCONTEXT = NTSTATUS (*)(HANDLE hContext);
/// Source: WDDM, DxgkDdiCreateHwContext.
using PDXGKDDI_CREATEHWCONTEXT = NTSTATUS (*)(HANDLE hDevice, DXGKARG_CREATEHWCONTEXT* pArgs);
/// Source: WDDM, DxgkDdiDestroyHwContext.
using PDXGKDDI_DESTROYHWCONTEXT = NTSTATUS (*)(HANDLE hHwContext);
/// Source: WDDM, DxgkDdiCreateHwQueue.
using PDXGKDDI_CREATEHWQUEUE = NTSTATUS (*)(HANDLE hHwContext, DXGKARG_CREATEHWQUEUE* pArgs);
/// Source: WDDM, DxgkDdiDestroyHwQueue.
using PDXGKDDI_DESTROYHWQUEUE = NTSTATUS (*)(HANDLE hHwQueue);
/// STATUS_SUCCESS if it was already suspended. Otherwise STATUS_PENDING, and later an interrupt of
/// type SUSPEND_CONTEXT_COMPLETED with the same fence. Source: WDDM, DxgkDdiSuspendContext.
using PDXGKDDI_SUSPENDCONTEXT = NTSTATUS (*)(HANDLE hAdapter, DXGKARG_SUSPENDCONTEXT* pArgs);
/// Source: WDDM, DxgkDdiResumeContext.
using PDXGKDDI_RESUMECONTEXT = NTSTATUS (*)(HANDLE hAdapter, DXGKARG_RESUMECONTEXT* pArgs);
