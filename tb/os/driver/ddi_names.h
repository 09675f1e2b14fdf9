#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "kmd_stub/wddm/base.h"

namespace fenceline::os {

/// The DDIs that the OS model calls: index of kDdiCall events.
enum class Ddi : std::uint8_t {
  kAddDevice,
  kStartDevice,
  kStopDevice,
  kRemoveDevice,
  kQueryInterface,
  kQueryAdapterInfo,
  kGetStandardAllocationDriverData,
  kCreateDevice,
  kDestroyDevice,
  kCreateProcess,
  kDestroyProcess,
  kCreateContext,
  kSetRootPageTable,
  kBuildPagingBuffer,
  kCreateHwContext,
  kCreateHwQueue,
  kDestroyHwQueue,
  kCreateDoorbell,
  kConnectDoorbell,
  kCreateNativeFence,
  kOpenNativeFence,
  kCloseNativeFence,
  kDestroyNativeFence,
  kUpdateMonitoredValues,
  kUpdateCurrentValuesFromCpu,
  kSetNativeFenceLogBuffer,
  kUpdateNativeFenceLogs,
  kInterruptRoutine,
  kDpcRoutine,
  kCalibrateGpuClock,
  kNotifyInterrupt,
  kQueueDpc,
  kNotifyDpc,
  kSynchronizeExecution,
  kQueryServices,
  kIsFeatureEnabled,
  kQueryFeatureInterface,
  kSubmitCommandVirtual,
  kCreateCpuEvent,
  kDestroyCpuEvent,
  kEscape,
  kSetPowerState,
  kSignalEvent,
  kDestroyHwContext,
  kDisconnectDoorbell,
  kDestroyDoorbell,
  kCreateAllocation,
  kDestroyAllocation,
  kOpenAllocation,
  kCloseAllocation,
  kMapCpuHostAperture,
  kUnmapCpuHostAperture,
  kPreemptCommand,
  kQueryDependentEngineGroup,
  kQueryEngineStatus,
  kQueryCurrentFence,
  kResetEngine,
  kResetFromTimeout,
  kRestartFromTimeout,
  kCreateContextAllocation,
  kDestroyContextAllocation,
  kDestroyContext,
  kSetVidPnSourceAddress,
  kPresent,
  kControlInterrupt,
  kRender,
  kPatch,
  kSubmitCommand,
  kSuspendContext,
  kResumeContext,
  kSetContextSchedulingProperties,
  kSetupPriorityBands,
  kResetHwEngine,
  kResumeHwEngine,
  kInvalidateHwContext,
  kNotifyWorkSubmission,
  kCbDisconnectDoorbell,
  kDriverEntry,
  kCount
};

/// A function of the OS, or a DDI whose caller looks for its entry.
constexpr std::size_t kNoEntry = SIZE_MAX;

struct DdiInfo {
  const char* name;
  KIRQL lowest;  ///< IRQL at which it may run, inclusive
  KIRQL highest;
  std::size_t entry = kNoEntry;  ///< offset in DRIVER_INITIALIZATION_DATA
};

/// Name and IRQL rule of a DDI or callback. Source: WDDM, reference page of each.
const DdiInfo& ddi_info(Ddi ddi);

}  // namespace fenceline::os
