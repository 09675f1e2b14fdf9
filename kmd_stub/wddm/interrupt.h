#pragma once

// Notifications of a driver's interrupt routine to the OS.

#include "kmd_stub/wddm/base.h"

/// Type of a reported interrupt. Display types are listed only for their numbers. Source: WDDM,
/// DXGK_INTERRUPT_TYPE.
enum DXGK_INTERRUPT_TYPE : UINT {
  DXGK_INTERRUPT_DMA_COMPLETED = 1,
  DXGK_INTERRUPT_DMA_PREEMPTED = 2,
  DXGK_INTERRUPT_CRTC_VSYNC = 3,
  DXGK_INTERRUPT_DMA_FAULTED = 4,
  DXGK_INTERRUPT_DISPLAYONLY_VSYNC = 5,
  DXGK_INTERRUPT_DISPLAYONLY_PRESENT_PROGRESS = 6,
  DXGK_INTERRUPT_CRTC_VSYNC_WITH_MULTIPLANE_OVERLAY = 7,
  DXGK_INTERRUPT_MICACAST_CHUNK_PROCESSING_COMPLETE = 8,
  DXGK_INTERRUPT_DMA_PAGE_FAULTED = 9,
  DXGK_INTERRUPT_CRTC_VSYNC_WITH_MULTIPLANE_OVERLAY2 = 10,
  DXGK_INTERRUPT_MONITORED_FENCE_SIGNALED = 11,
  DXGK_INTERRUPT_HWQUEUE_PAGE_FAULTED = 12,
  DXGK_INTERRUPT_HWCONTEXTLIST_SWITCH_COMPLETED = 13,
  DXGK_INTERRUPT_PERIODIC_MONITORED_FENCE_SIGNALED = 14,
  DXGK_INTERRUPT_SCHEDULING_LOG_INTERRUPT = 15,
  DXGK_INTERRUPT_GPU_ENGINE_TIMEOUT = 16,
  DXGK_INTERRUPT_SUSPEND_CONTEXT_COMPLETED = 17,
  DXGK_INTERRUPT_CRTC_VSYNC_WITH_MULTIPLANE_OVERLAY3 = 18,
  DXGK_INTERRUPT_NATIVE_FENCE_SIGNALED = 19,
  DXGK_INTERRUPT_GPU_ENGINE_STATE_CHANGE = 20,
};

/// Source: WDDM, DXGK_PAGE_FAULT_FLAGS.
enum DXGK_PAGE_FAULT_FLAGS : UINT {
  DXGK_PAGE_FAULT_WRITE = 0x1,
  DXGK_PAGE_FAULT_FENCE_INVALID = 0x2,  ///< DMA faults also need one of the two RESET flags
  DXGK_PAGE_FAULT_ADAPTER_RESET_REQUIRED = 0x4,
  DXGK_PAGE_FAULT_ENGINE_RESET_REQUIRED = 0x8,
  DXGK_PAGE_FAULT_FATAL_HARDWARE_ERROR = 0x10,
  DXGK_PAGE_FAULT_IOMMU = 0x20,
  DXGK_PAGE_FAULT_HW_CONTEXT_VALID = 0x40,
  DXGK_PAGE_FAULT_PROCESS_HANDLE_VALID = 0x80,
};
constexpr DXGK_PAGE_FAULT_FLAGS operator|(DXGK_PAGE_FAULT_FLAGS left, DXGK_PAGE_FAULT_FLAGS right) {
  return static_cast<DXGK_PAGE_FAULT_FLAGS>(static_cast<UINT>(left) | static_cast<UINT>(right));
}

/// Source: WDDM, DXGK_RENDER_PIPELINE_STAGE.
enum DXGK_RENDER_PIPELINE_STAGE : UINT {
  DXGK_RENDER_PIPELINE_STAGE_UNKNOWN = 0,
  DXGK_RENDER_PIPELINE_STAGE_INPUT_ASSEMBLER = 1,
  DXGK_RENDER_PIPELINE_STAGE_VERTEX_SHADER = 2,
  DXGK_RENDER_PIPELINE_STAGE_GEOMETRY_SHADER = 3,
  DXGK_RENDER_PIPELINE_STAGE_STREAM_OUTPUT = 4,
  DXGK_RENDER_PIPELINE_STAGE_RASTERIZER = 5,
  DXGK_RENDER_PIPELINE_STAGE_PIXEL_SHADER = 6,
  DXGK_RENDER_PIPELINE_STAGE_OUTPUT_MERGER = 7,
};

/// Source: WDDM, DXGK_GENERAL_ERROR_CODE.
enum DXGK_GENERAL_ERROR_CODE : UINT {
  DXGK_GENERAL_ERROR_PAGE_FAULT = 0,
  DXGK_GENERAL_ERROR_INVALID_INSTRUCTION = 1,
};

/// Reason of a fault: bit 0 says that bits [31:1] are a code of the device, else they are a
/// Reason of a fault. Bit 0 set: bits [31:1] are a device-specific code, else a
/// DXGK_GENERAL_ERROR_CODE. Source: WDDM, DXGK_FAULT_ERROR_CODE.
struct DXGK_FAULT_ERROR_CODE {
  UINT Value;
  static constexpr UINT kIsDeviceSpecificCode = 1u << 0;
  static constexpr UINT kCodeShift = 1;
};

/// State of an engine with its own scheduler. Source: WDDM, DXGK_ENGINE_STATE.
enum DXGK_ENGINE_STATE : UINT {
  DXGK_ENGINE_STATE_ACTIVE = 0,
  DXGK_ENGINE_STATE_TRANSITION_TO_F1 = 1,
  DXGK_ENGINE_STATE_HUNG = 2,
};

/// Source: WDDM, DXGKCB_NOTIFY_INTERRUPT_DATA_FLAGS.
struct DXGKCB_NOTIFY_INTERRUPT_DATA_FLAGS {
  UINT Value;
  static constexpr UINT kValidPhysicalAdapterMask = 1u << 0;
  static constexpr UINT kHsyncFlipCompletion = 1u << 1;
  /// native fence interrupt without an array: also check monitored fences
  static constexpr UINT kEvaluateLegacyMonitoredFences = 1u << 2;
};

/// One event for DxgkCbNotifyInterrupt. InterruptType selects the union member. Members for
/// multiplane overlays and wireless displays are left out. Source: WDDM,
/// DXGKARGCB_NOTIFY_INTERRUPT_DATA.
struct DXGKARGCB_NOTIFY_INTERRUPT_DATA {
  struct DmaCompletedMember {
    UINT SubmissionFenceId;
    UINT NodeOrdinal;
    UINT EngineOrdinal;
  };
  struct DmaPreemptedMember {
    UINT PreemptionFenceId;     ///< of the request
    UINT LastCompletedFenceId;  ///< last completed submission of the node
    UINT NodeOrdinal;
    UINT EngineOrdinal;
  };
  struct CrtcVsyncMember {
    D3DDDI_VIDEO_PRESENT_TARGET_ID VidPnTargetId;
    PHYSICAL_ADDRESS PhysicalAddress;
    UINT PhysicalAdapterMask;
  };
  struct DisplayOnlyVsyncMember {
    D3DDDI_VIDEO_PRESENT_TARGET_ID VidPnTargetId;
  };
  struct DmaFaultedMember {
    UINT FaultedFenceId;
    NTSTATUS Status;
    UINT NodeOrdinal;
    UINT EngineOrdinal;
  };
  struct DmaPageFaultedMember {
    UINT FaultedFenceId;
    UINT64 FaultedPrimitiveAPISequenceNumber;
    DXGK_RENDER_PIPELINE_STAGE FaultedPipelineStage;
    UINT FaultedBindTableEntry;
    DXGK_PAGE_FAULT_FLAGS PageFaultFlags;
    D3DGPU_VIRTUAL_ADDRESS FaultedVirtualAddress;  ///< 0: see FaultErrorCode
    UINT NodeOrdinal;
    UINT EngineOrdinal;
    UINT PageTableLevel;
    DXGK_FAULT_ERROR_CODE FaultErrorCode;
    HANDLE FaultedProcessHandle;
  };
  struct MonitoredFenceSignaledMember {
    UINT NodeOrdinal;
    UINT EngineOrdinal;
  };
  struct HwQueuePageFaultedMember {
    UINT64 FaultedFenceId;  ///< value of the queue's progress fence
    D3DGPU_VIRTUAL_ADDRESS FaultedVirtualAddress;
    UINT64 FaultedPrimitiveAPISequenceNumber;
    union {
      HANDLE FaultedHwQueue;        ///< FENCE_INVALID clear
      HANDLE FaultedHwContext;      ///< FENCE_INVALID and HW_CONTEXT_VALID
      HANDLE FaultedProcessHandle;  ///< FENCE_INVALID and PROCESS_HANDLE_VALID
    };
    UINT NodeOrdinal;
    UINT EngineOrdinal;
    DXGK_RENDER_PIPELINE_STAGE FaultedPipelineStage;
    UINT FaultedBindTableEntry;
    DXGK_PAGE_FAULT_FLAGS PageFaultFlags;
    UINT PageTableLevel;
    DXGK_FAULT_ERROR_CODE FaultErrorCode;
  };
  struct HwContextListSwitchCompletedMember {
    UINT NodeOrdinal;
    UINT EngineOrdinal;
    UINT64 ContextSwitchFence;
  };
  struct PeriodicMonitoredFenceSignaledMember {
    D3DDDI_VIDEO_PRESENT_TARGET_ID VidPnTargetId;
    UINT NotificationID;
  };
  struct SchedulingLogInterruptMember {
    UINT NodeOrdinal;
    UINT EngineOrdinal;
  };
  struct GpuEngineTimeoutMember {
    UINT NodeOrdinal;
    UINT EngineOrdinal;
  };
  struct SuspendContextCompletedMember {
    HANDLE hContext;
    UINT64 ContextSuspendFence;
  };
  /// Without OptimizedNativeFenceSignaledInterrupt the OS reads count and array; a null array means
  /// that it checks all native waiters. With it the OS reads only hHWQueue; null means the logs of
  /// all queues of the engine.
  struct NativeFenceSignaledMember {
    UINT NodeOrdinal;
    UINT EngineOrdinal;
    UINT SignaledNativeFenceCount;
    HANDLE* pSignaledNativeFenceArray;  ///< handles of the OS, from DxgkDdiCreateNativeFence
    HANDLE hHWQueue;                    ///< the driver's handle
  };
  struct EngineStateChangeMember {
    UINT NodeOrdinal;
    UINT EngineOrdinal;
    DXGK_ENGINE_STATE NewState;
  };

  DXGK_INTERRUPT_TYPE InterruptType;
  union {
    UINT Reserved[16];  // first, because {} zero-initialises the first member of a union
    DmaCompletedMember DmaCompleted;
    DmaPreemptedMember DmaPreempted;
    CrtcVsyncMember CrtcVsync;
    DmaFaultedMember DmaFaulted;
    DisplayOnlyVsyncMember DisplayOnlyVsync;
    DmaPageFaultedMember DmaPageFaulted;
    MonitoredFenceSignaledMember MonitoredFenceSignaled;
    HwQueuePageFaultedMember HwQueuePageFaulted;
    HwContextListSwitchCompletedMember HwContextListSwitchCompleted;
    PeriodicMonitoredFenceSignaledMember PeriodicMonitoredFenceSignaled;
    SchedulingLogInterruptMember SchedulingLogInterrupt;
    GpuEngineTimeoutMember GpuEngineTimeout;
    SuspendContextCompletedMember SuspendContextCompleted;
    NativeFenceSignaledMember NativeFenceSignaled;
    EngineStateChangeMember EngineStateChange;
  };
  DXGKCB_NOTIFY_INTERRUPT_DATA_FLAGS Flags;
};

/// No flag is modelled. Source: WDDM, DXGKARG_CALIBRATEGPUCLOCK_FLAGS.
struct DXGKARG_CALIBRATEGPUCLOCK_FLAGS {
  UINT Value;
};

/// Both counters, sampled as close together as possible. Source: WDDM, DXGKARG_CALIBRATEGPUCLOCK.
struct DXGKARG_CALIBRATEGPUCLOCK {
  ULONGLONG GpuFrequency;     ///< [Hz]
  ULONGLONG GpuClockCounter;  ///< [ticks of GpuFrequency]
  ULONGLONG CpuClockCounter;  ///< [ticks of the performance counter]
  DXGKARG_CALIBRATEGPUCLOCK_FLAGS Flags;
};

/// At device level; TRUE if the interrupt came from this device. It may call only
/// DxgkCbNotifyInterrupt and DxgkCbQueueDpc. Source: WDDM, DxgkDdiInterruptRoutine.
using PDXGKDDI_INTERRUPT_ROUTINE = BOOLEAN (*)(PVOID MiniportDeviceContext, ULONG MessageNumber);
/// At DISPATCH_LEVEL. Source: WDDM, DxgkDdiDpcRoutine.
using PDXGKDDI_DPC_ROUTINE = void (*)(PVOID MiniportDeviceContext);
/// At DISPATCH_LEVEL. Source: WDDM, DxgkDdiCalibrateGpuClock.
using PDXGKDDI_CALIBRATEGPUCLOCK = NTSTATUS (*)(HANDLE hAdapter, UINT32 NodeOrdinal,
                                                UINT32 EngineOrdinal,
                                                DXGKARG_CALIBRATEGPUCLOCK* pArgs);
