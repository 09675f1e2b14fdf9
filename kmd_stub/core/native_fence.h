#pragma once

#include <cstdint>
#include <vector>

#include "kmd_stub/core/fence_table.h"
#include "kmd_stub/core/process.h"
#include "kmd_stub/wddm/native_fence.h"

namespace fenceline::kmd {

/// A fence as the adapter knows it: what hGlobalNativeFence names once it is the driver's.
struct NativeFence {
  static constexpr std::uint32_t kMagic = 0x434E4546;  // "FENC"
  Adapter& adapter;
  std::uint32_t slot;               ///< in the fence table
  HANDLE os_handle;                 ///< as interrupts report it
  std::vector<HANDLE> opened{};     ///< local handles that name it, oldest first
  bool published = false;           ///< the device knows it
  void* monitored_value = nullptr;  ///< where it was stored last; kept only with va_cached
};

/// A fence opened for a device: what hLocalNativeFence names.
struct OpenedFence {
  static constexpr std::uint32_t kMagic = 0x4E45504F;  // "OPEN"
  Adapter& adapter;
  NativeFence* fence;
  ValueAddresses addresses{};  ///< in the space of the device's process
};

// Lifetime. IRQL: PASSIVE_LEVEL. On an error nothing has changed.

/// Gives the fence a slot of the device and hands out the driver's handle and FencePrivateData. The
/// device learns the addresses in the system process, or, without MapToGpuSystemProcess, those of
/// the first process that opens the fence.
/// STATUS_NOT_SUPPORTED without the feature or for a type that the OS does not support,
/// STATUS_INVALID_HANDLE, STATUS_INVALID_PARAMETER, STATUS_INSUFFICIENT_RESOURCES without a slot.
/// Source: WDDM, DxgkDdiCreateNativeFence.
NTSTATUS create_native_fence(Adapter& adapter, DXGKARG_CREATENATIVEFENCE& args);

/// STATUS_INVALID_HANDLE for a bad fence or device, STATUS_INVALID_PARAMETER for one of another
/// adapter. Source: WDDM, DxgkDdiOpenNativeFence.
NTSTATUS open_native_fence(Adapter& adapter, DXGKARG_OPENNATIVEFENCE& args);

/// Without MapToGpuSystemProcess the device goes over to the addresses of another process that has
/// the fence open, if it used those of this one.
/// STATUS_INVALID_HANDLE. Source: WDDM, DxgkDdiCloseNativeFence.
NTSTATUS close_native_fence(Adapter& adapter, const DXGKARG_CLOSENATIVEFENCE& args);

/// On return neither the device nor the interrupt handler names the fence again.
/// STATUS_INVALID_HANDLE; STATUS_INVALID_PARAMETER while it is open; STATUS_UNSUCCESSFUL when the
/// device did not answer (the slot is not used again then).
/// Source: WDDM, DxgkDdiDestroyNativeFence.
NTSTATUS destroy_native_fence(const DXGKARG_DESTROYNATIVEFENCE& args);

// Values. A batch with one bad member changes nothing.

/// Stores the values and has the CMP see them before it returns. IRQL: device, under the interrupt
/// lock. STATUS_INVALID_HANDLE, STATUS_INVALID_PARAMETER; STATUS_UNSUCCESSFUL when the CMP did not
/// answer. Source: WDDM, DxgkDdiUpdateMonitoredValues.
NTSTATUS update_monitored_values(const DXGKARG_UPDATEMONITOREDVALUES& args);

/// Stores the values, unless NotificationOnly, and makes waiting queues look again.
/// IRQL: DISPATCH_LEVEL. STATUS_INVALID_HANDLE, STATUS_INVALID_PARAMETER.
/// Source: WDDM, DxgkDdiUpdateCurrentValuesFromCpu.
NTSTATUS update_current_values_from_cpu(const DXGKARG_UPDATECURRENTVALUESFROMCPU& args);

}  // namespace fenceline::kmd
