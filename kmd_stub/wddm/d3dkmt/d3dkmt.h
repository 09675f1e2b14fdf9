#pragma once

// Arguments of the D3DKMT calls, from user mode to the OS.

#include "kmd_stub/wddm/base.h"
#include "kmd_stub/wddm/fences/native_fence.h"
#include "kmd_stub/wddm/queues/doorbell.h"
#include "kmd_stub/wddm/queues/hw_queue.h"

/// Source: WDDM, D3DDDI_SYNCHRONIZATIONOBJECT_TYPE.
enum D3DDDI_SYNCHRONIZATIONOBJECT_TYPE : UINT {
  D3DDDI_SYNCHRONIZATION_MUTEX = 1,
  D3DDDI_SEMAPHORE = 2,
  D3DDDI_FENCE = 3,
  D3DDDI_CPU_NOTIFICATION = 4,
  D3DDDI_MONITORED_FENCE = 5,
  D3DDDI_PERIODIC_MONITORED_FENCE = 6,
  D3DDDI_NATIVE_FENCE = 7,
};

/// Source: WDDM, D3DDDI_SYNCHRONIZATIONOBJECT_FLAGS.
struct D3DDDI_SYNCHRONIZATIONOBJECT_FLAGS {
  UINT Value;
  static constexpr UINT kShared = 1u << 0;
  static constexpr UINT kNtSecuritySharing = 1u << 1;  ///< needs Shared
  static constexpr UINT kCrossAdapter = 1u << 2;
  static constexpr UINT kTopOfPipeline = 1u << 3;
  static constexpr UINT kNoSignal = 1u << 4;
  static constexpr UINT kNoWait = 1u << 5;
  static constexpr UINT kNoSignalMaxValueOnTdr = 1u << 6;
  static constexpr UINT kNoGPUAccess = 1u << 7;
  static constexpr UINT kSignalByKmd = 1u << 8;
  static constexpr UINT kUnwaitCpuWaitersOnlyOnDestroy = 1u << 10;
};

/// Addresses of a fence's values in one process, out. Source: WDDM, D3DDDI_NATIVEFENCEMAPPING.
struct D3DDDI_NATIVEFENCEMAPPING {
  PVOID CurrentValueCpuVa;  ///< user address, read only
  D3DGPU_VIRTUAL_ADDRESS CurrentValueGpuVa;
  D3DGPU_VIRTUAL_ADDRESS MonitoredValueGpuVa;
  BYTE Reserved[32];
};

/// Source: WDDM, D3DDDI_NATIVEFENCEINFO.
struct D3DDDI_NATIVEFENCEINFO {
  UINT64 InitialFenceValue;
  UINT EngineAffinity;  ///< one bit per physical adapter; 0: all
  D3DDDI_NATIVEFENCE_TYPE Type;
  D3DDDI_SYNCHRONIZATIONOBJECT_FLAGS Flags;
  D3DDDI_NATIVEFENCEMAPPING NativeFenceMapping;
  BYTE Reserved[28];
};

/// No flag is defined. Source: WDDM, D3DKMT_CREATENATIVEFENCE.
struct D3DKMT_CREATENATIVEFENCE_FLAGS {
  UINT Value;
};

/// Argument of D3DKMTCreateNativeFence. A cross-adapter fence must be of type DEFAULT.
/// Source: WDDM, D3DKMT_CREATENATIVEFENCE.
struct D3DKMT_CREATENATIVEFENCE {
  D3DKMT_HANDLE hDevice;
  D3DKMT_HANDLE hSyncObject;  ///< out
  BYTE PrivateDriverData[D3DDDI_NATIVE_FENCE_PDD_SIZE];
  D3DDDI_NATIVEFENCEINFO Info;
  D3DKMT_CREATENATIVEFENCE_FLAGS Flags;
  BYTE Reserved[28];
};

/// Argument of D3DKMTOpenNativeFenceFromNtHandle: the same process gets the same addresses.
/// Source: WDDM, D3DKMT_OPENNATIVEFENCEFROMNTHANDLE.
struct D3DKMT_OPENNATIVEFENCEFROMNTHANDLE {
  HANDLE hNtHandle;
  D3DKMT_HANDLE hDevice;
  UINT EngineAffinity;
  D3DDDI_SYNCHRONIZATIONOBJECT_FLAGS Flags;
  D3DKMT_HANDLE hSyncObject;                     ///< out
  D3DDDI_NATIVEFENCEMAPPING NativeFenceMapping;  ///< out
  BYTE PrivateDriverData[D3DDDI_NATIVE_FENCE_PDD_SIZE];
  BYTE Reserved[32];
};

/// Source: WDDM, D3DKMT_DESTROYSYNCHRONIZATIONOBJECT.
struct D3DKMT_DESTROYSYNCHRONIZATIONOBJECT {
  D3DKMT_HANDLE hSyncObject;
};

/// Source: WDDM, D3DDDI_WAITFORSYNCHRONIZATIONOBJECTFROMCPU_FLAGS.
struct D3DDDI_WAITFORSYNCHRONIZATIONOBJECTFROMCPU_FLAGS {
  UINT Value;
  static constexpr UINT kWaitAny = 1u << 0;
};

/// Without hAsyncEvent the call blocks. With it the event is set when the wait is satisfied: the
/// value of the fence is at least the awaited one. Source: WDDM,
/// D3DKMT_WAITFORSYNCHRONIZATIONOBJECTFROMCPU.
struct D3DKMT_WAITFORSYNCHRONIZATIONOBJECTFROMCPU {
  D3DKMT_HANDLE hDevice;
  UINT ObjectCount;
  const D3DKMT_HANDLE* ObjectHandleArray;
  const UINT64* FenceValueArray;
  HANDLE hAsyncEvent;
  D3DDDI_WAITFORSYNCHRONIZATIONOBJECTFROMCPU_FLAGS Flags;
};

/// Source: WDDM, D3DDDICB_SIGNALFLAGS.
struct D3DDDICB_SIGNALFLAGS {
  UINT Value;
  static constexpr UINT kSignalAtSubmission = 1u << 0;
  static constexpr UINT kEnqueueCpuEvent = 1u << 1;
  static constexpr UINT kAllowFenceRewind = 1u << 2;
};

/// Source: WDDM, D3DKMT_SIGNALSYNCHRONIZATIONOBJECTFROMCPU.
struct D3DKMT_SIGNALSYNCHRONIZATIONOBJECTFROMCPU {
  D3DKMT_HANDLE hDevice;
  UINT ObjectCount;
  const D3DKMT_HANDLE* ObjectHandleArray;
  const UINT64* FenceValueArray;
  D3DDDICB_SIGNALFLAGS Flags;
};

/// No flag is modelled. Source: WDDM, D3DKMT_CREATEDEVICEFLAGS.
struct D3DKMT_CREATEDEVICEFLAGS {
  UINT Value;
};

/// Excerpt: without the buffers of the first device model. Source: WDDM, D3DKMT_CREATEDEVICE.
struct D3DKMT_CREATEDEVICE {
  D3DKMT_HANDLE hAdapter;
  D3DKMT_CREATEDEVICEFLAGS Flags;
  D3DKMT_HANDLE hDevice;  ///< out
};

/// Source: WDDM, D3DKMT_DESTROYDEVICE.
struct D3DKMT_DESTROYDEVICE {
  D3DKMT_HANDLE hDevice;
};

/// Source: WDDM, D3DKMT_CREATEHWCONTEXT.
struct D3DKMT_CREATEHWCONTEXT {
  D3DKMT_HANDLE hDevice;
  UINT NodeOrdinal;
  UINT EngineAffinity;
  D3DDDI_CREATEHWCONTEXTFLAGS Flags;
  UINT PrivateDriverDataSize;  ///< [bytes]
  PVOID pPrivateDriverData;
  D3DKMT_HANDLE hHwContext;  ///< out
};

/// Source: WDDM, D3DKMT_CREATEHWQUEUE.
struct D3DKMT_CREATEHWQUEUE {
  D3DKMT_HANDLE hHwContext;
  D3DDDI_CREATEHWQUEUEFLAGS Flags;  ///< the OS sets kNativeProgressFence
  UINT PrivateDriverDataSize;       ///< [bytes]
  PVOID pPrivateDriverData;
  D3DKMT_HANDLE hHwQueue;                                        ///< out
  D3DKMT_HANDLE hHwQueueProgressFence;                           ///< out
  PVOID HwQueueProgressFenceCPUVirtualAddress;                   ///< out, user address
  D3DGPU_VIRTUAL_ADDRESS HwQueueProgressFenceGPUVirtualAddress;  ///< out
};

/// Source: WDDM, D3DKMT_SUBMITCOMMANDTOHWQUEUE.
struct D3DKMT_SUBMITCOMMANDTOHWQUEUE {
  D3DKMT_HANDLE hHwQueue;
  UINT64 HwQueueProgressFenceId;
  D3DGPU_VIRTUAL_ADDRESS CommandBuffer;
  UINT CommandLength;          ///< [bytes]
  UINT PrivateDriverDataSize;  ///< [bytes]
  PVOID pPrivateDriverData;
  UINT NumPrimaries;
  const D3DKMT_HANDLE* WrittenPrimaries;
};

/// Source: WDDM, D3DKMT_CREATEDOORBELL_FLAGS.
struct D3DKMT_CREATEDOORBELL_FLAGS {
  UINT Value;
  static constexpr UINT kRequireSecondaryCpuVA = 1u << 0;
  static constexpr UINT kResizeRingBufferOperation = 1u << 1;
};

/// Addresses are in the calling process. Source: WDDM, D3DKMT_CREATEDOORBELL.
struct D3DKMT_CREATEDOORBELL {
  D3DKMT_HANDLE hHwQueue;
  D3DKMT_HANDLE hRingBuffer;
  D3DKMT_HANDLE hRingBufferControl;  ///< may be 0
  D3DKMT_CREATEDOORBELL_FLAGS Flags;
  UINT PrivateDriverDataSize;  ///< [bytes]
  PVOID PrivateDriverData;
  PVOID DoorbellCPUVirtualAddress;                             ///< out
  PVOID DoorbellSecondaryCPUVirtualAddress;                    ///< out
  PVOID DoorbellStatusCPUVirtualAddress;                       ///< out: D3DDDI_DOORBELLSTATUS
  PVOID HwQueueProgressFenceLastQueuedValueCPUVirtualAddress;  ///< out
  D3DKMT_HANDLE hDoorbell;                                     ///< out
};

/// No flag is defined. Source: WDDM, D3DKMT_CONNECTDOORBELL_FLAGS.
struct D3DKMT_CONNECTDOORBELL_FLAGS {
  UINT Value;
};

/// Source: WDDM, D3DKMT_CONNECTDOORBELL.
struct D3DKMT_CONNECTDOORBELL {
  D3DKMT_HANDLE hDoorbell;
  D3DKMT_CONNECTDOORBELL_FLAGS Flags;
};

/// No flag is defined. Source: WDDM, D3DKMT_NOTIFY_WORK_SUBMISSION_FLAGS.
struct D3DKMT_NOTIFY_WORK_SUBMISSION_FLAGS {
  UINT Value;
};

/// Source: WDDM, D3DKMT_NOTIFY_WORK_SUBMISSION.
struct D3DKMT_NOTIFY_WORK_SUBMISSION {
  D3DKMT_HANDLE hHwQueue;
  D3DKMT_NOTIFY_WORK_SUBMISSION_FLAGS Flags;
};
