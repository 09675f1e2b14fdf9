#pragma once

// Arguments of the D3DKMT calls for monitored fences, CPU events, contexts and escapes.

#include "kmd_stub/wddm/base.h"
#include "kmd_stub/wddm/d3dkmt/d3dkmt.h"
#include "kmd_stub/wddm/fences/cpu_event.h"

/// Type of the new object and, for a monitored fence, its addresses. Source: WDDM,
/// D3DDDI_SYNCHRONIZATIONOBJECTINFO2.
struct D3DDDI_SYNCHRONIZATIONOBJECTINFO2 {
  struct CpuNotificationMember {
    HANDLE Event;
  };
  struct MonitoredFenceMember {
    UINT64 InitialFenceValue;
    PVOID FenceValueCPUVirtualAddress;  ///< out, user address, read only unless the GPU uses it
    D3DGPU_VIRTUAL_ADDRESS FenceValueGPUVirtualAddress;  ///< out
    UINT EngineAffinity;                                 ///< one bit per physical adapter; 0: all
    UINT Padding;
  };
  D3DDDI_SYNCHRONIZATIONOBJECT_TYPE Type;
  D3DDDI_SYNCHRONIZATIONOBJECT_FLAGS Flags;
  union {
    UINT64 Reserved[8];  // first, because {} zero-initialises the first member of a union
    CpuNotificationMember CPUNotification;
    MonitoredFenceMember MonitoredFence;
  };
  D3DKMT_HANDLE SharedHandle;
};

/// Source: WDDM, D3DKMT_CREATESYNCHRONIZATIONOBJECT2.
struct D3DKMT_CREATESYNCHRONIZATIONOBJECT2 {
  D3DKMT_HANDLE hDevice;
  D3DDDI_SYNCHRONIZATIONOBJECTINFO2 Info;
  D3DKMT_HANDLE hSyncObject;  ///< out
};

/// Source: WDDM, D3DKMT_OPENSYNCOBJECTFROMNTHANDLE2.
struct D3DKMT_OPENSYNCOBJECTFROMNTHANDLE2 {
  struct MonitoredFenceMember {
    PVOID FenceValueCPUVirtualAddress;                   ///< out
    D3DGPU_VIRTUAL_ADDRESS FenceValueGPUVirtualAddress;  ///< out
    UINT EngineAffinity;
  };
  HANDLE hNtHandle;
  D3DKMT_HANDLE hDevice;
  D3DDDI_SYNCHRONIZATIONOBJECT_FLAGS Flags;
  D3DKMT_HANDLE hSyncObject;  ///< out
  union {
    UINT64 Reserved[8];
    MonitoredFenceMember MonitoredFence;
  };
};

/// Source: WDDM, D3DKMT_WAITFORSYNCHRONIZATIONOBJECTFROMGPU.
struct D3DKMT_WAITFORSYNCHRONIZATIONOBJECTFROMGPU {
  D3DKMT_HANDLE hContext;
  UINT ObjectCount;
  const D3DKMT_HANDLE* ObjectHandleArray;
  union {
    UINT64 Reserved[8];
    const UINT64* MonitoredFenceValueArray;
    UINT64 FenceValue;  ///< for fences of the older type
  };
};

/// Source: WDDM, D3DKMT_SIGNALSYNCHRONIZATIONOBJECTFROMGPU.
struct D3DKMT_SIGNALSYNCHRONIZATIONOBJECTFROMGPU {
  D3DKMT_HANDLE hContext;
  UINT ObjectCount;
  const D3DKMT_HANDLE* ObjectHandleArray;
  union {
    UINT64 Reserved[8];
    const UINT64* MonitoredFenceValueArray;
  };
};

/// A software wait in a hardware queue. Source: WDDM, D3DKMT_SUBMITWAITFORSYNCOBJECTSTOHWQUEUE.
struct D3DKMT_SUBMITWAITFORSYNCOBJECTSTOHWQUEUE {
  D3DKMT_HANDLE hHwQueue;
  UINT ObjectCount;
  const D3DKMT_HANDLE* ObjectHandleArray;
  const UINT64* FenceValueArray;
};

/// Source: WDDM, D3DKMT_SUBMITSIGNALSYNCOBJECTSTOHWQUEUE.
struct D3DKMT_SUBMITSIGNALSYNCOBJECTSTOHWQUEUE {
  D3DDDICB_SIGNALFLAGS Flags;
  UINT BroadcastHwQueueCount;
  const D3DKMT_HANDLE* BroadcastHwQueueArray;
  UINT ObjectCount;
  const D3DKMT_HANDLE* ObjectHandleArray;
  const UINT64* FenceValueArray;
};

/// No flag is modelled. Source: WDDM, D3DDDI_CREATECONTEXTFLAGS.
struct D3DDDI_CREATECONTEXTFLAGS {
  UINT Value;
};

/// Source: WDDM, D3DKMT_CREATECONTEXTVIRTUAL.
struct D3DKMT_CREATECONTEXTVIRTUAL {
  D3DKMT_HANDLE hDevice;
  UINT NodeOrdinal;
  UINT EngineAffinity;
  D3DDDI_CREATECONTEXTFLAGS Flags;
  PVOID pPrivateDriverData;
  UINT PrivateDriverDataSize;  ///< [bytes]
  UINT ClientHint;
  D3DKMT_HANDLE hContext;  ///< out
};

/// Source: WDDM, D3DKMT_SETCONTEXTSCHEDULINGPRIORITY.
struct D3DKMT_SETCONTEXTSCHEDULINGPRIORITY {
  D3DKMT_HANDLE hContext;
  INT Priority;  ///< -7 to 7
};

/// Excerpt: one context, without presents and history. Source: WDDM, D3DKMT_SUBMITCOMMAND.
struct D3DKMT_SUBMITCOMMAND {
  D3DGPU_VIRTUAL_ADDRESS Commands;
  UINT CommandLength;  ///< [bytes]
  UINT BroadcastContextCount;
  D3DKMT_HANDLE BroadcastContext[1];
  PVOID pPrivateDriverData;
  UINT PrivateDriverDataSize;  ///< [bytes]
};

/// Source: WDDM, D3DKMT_ESCAPETYPE.
enum D3DKMT_ESCAPETYPE : UINT { D3DKMT_ESCAPE_DRIVERPRIVATE = 0 };

/// Source: WDDM, D3DKMT_ESCAPE.
struct D3DKMT_ESCAPE {
  D3DKMT_HANDLE hAdapter;
  D3DKMT_HANDLE hDevice;
  D3DKMT_ESCAPETYPE Type;
  D3DDDI_ESCAPEFLAGS Flags;
  PVOID pPrivateDriverData;
  UINT PrivateDriverDataSize;  ///< [bytes]
  D3DKMT_HANDLE hContext;
};
