#pragma once

// Bug-check codes of the OS for rules that a driver breaks.

#include "kmd_stub/wddm/base.h"

// Bug-check codes. Source: Windows bug check reference.
inline constexpr ULONG VIDEO_MEMORY_MANAGEMENT_INTERNAL = 0x10E;
inline constexpr ULONG VIDEO_DXGKRNL_FATAL_ERROR = 0x113;
inline constexpr ULONG VIDEO_TDR_FAILURE = 0x116;
inline constexpr ULONG VIDEO_TDR_TIMEOUT_DETECTED = 0x117;  // live dump, the machine keeps running
inline constexpr ULONG VIDEO_SCHEDULER_INTERNAL_ERROR = 0x119;
inline constexpr ULONG VIDEO_ENGINE_TIMEOUT_DETECTED = 0x141;   // live dump
inline constexpr ULONG VIDEO_TDR_APPLICATION_BLOCKED = 0x142;   // live dump
inline constexpr ULONG VIDEO_DXGKRNL_LIVEDUMP = 0x193;          // live dump
inline constexpr ULONG VIDEO_MINIPORT_FAILED_LIVEDUMP = 0x1B0;  // live dump
inline constexpr ULONG VIDEO_DXGKRNL_SYSMM_FATAL_ERROR = 0x1E4;

namespace fenceline::wddm {

/// First parameter of VIDEO_SCHEDULER_INTERNAL_ERROR; the names are ours.
/// Source: Windows bug check reference, 0x119.
enum SchedulerError : ULONG {
  kSchedulerInvalidFenceId = 0x1,
  kSchedulerSubmitFailed = 0x2,
  kSchedulerPatchFailed = 0x3,
  kSchedulerFlipQueueLength = 0x4,
  kSchedulerSystemCommandFaulted = 0x5,
  kSchedulerNoPhysicalAdapterMask = 0x6,
  kSchedulerVsyncOnRenderAdapter = 0x7,
  kSchedulerDependentNodeMask = 0x8,
  kSchedulerCancelFailed = 0x9,
  kSchedulerAbortedFenceRange = 0xA,
  kSchedulerSetVidPnFailed = 0xB,
  kSchedulerFatalPageFault = 0xC,
  kSchedulerPageFaultFlags = 0xD,
  kSchedulerVsyncPlaneRange = 0xE,
  kSchedulerInterruptDuringReset = 0x10,
  kSchedulerSuspendFenceNotIssued = 0x11,
  kSchedulerUpdateMonitoredValuesFailed = 0x12,
  kSchedulerUpdateCurrentValuesFailed = 0x13,
  /// A destroyed fence was reported as signaled. Assumption: the documentation says that this stops
  /// the machine, but gives no number.
  kSchedulerDestroyedNativeFence = 0xF3CE,
};

/// First parameter of VIDEO_MEMORY_MANAGEMENT_INTERNAL, excerpt; the names are ours.
/// Source: Windows bug check reference, 0x10E.
enum MemoryError : ULONG {
  kMemoryPagingBufferStatus = 0xB,
  kMemoryDmaBufferOverflow = 0x12,
  kMemoryNotReprogrammed = 0x27,
  kMemoryHostApertureFree = 0x2B,
  kMemoryHostApertureMappedTwice = 0x2C,
  kMemoryHostApertureMapFailed = 0x2D,
  kMemoryHostApertureUnmapFailed = 0x2E,
  kMemoryGpuVirtualAddress = 0x30,
  kMemoryHostApertureMappedAtD3 = 0x3C,
};

}  // namespace fenceline::wddm
