#pragma once

#include <cstdint>
#include <vector>

#include "kmd_stub/core/fences/fence_table.h"
#include "kmd_stub/core/process.h"
#include "kmd_stub/wddm/fences/native_fence.h"

namespace fenceline::kmd {

/// A native fence of the adapter; hGlobalNativeFence is its handle.
struct NativeFence {
  static constexpr std::uint32_t kMagic = 0x434E4546;  // "FENC"
  Adapter& adapter;
  std::uint32_t slot;               ///< of the fence table
  HANDLE os_handle;                 ///< handle that interrupts report
  std::vector<HANDLE> opened{};     ///< local handles of the fence, oldest first
  bool published = false;           ///< the device knows the fence
  void* monitored_value = nullptr;  ///< address of the last store; only used with kmd.va_cached
};

/// A fence opened for a device; hLocalNativeFence is its handle.
struct OpenedFence {
  static constexpr std::uint32_t kMagic = 0x4E45504F;  // "OPEN"
  Adapter& adapter;
  NativeFence* fence;
  ValueAddresses addresses{};  ///< in the address space of the device's process
};

// Lifetime. IRQL: PASSIVE_LEVEL. An error changes nothing.

/// Gives the fence a slot of the device and returns the driver's handle and FencePrivateData. The
/// device gets the addresses in the system process. Without MapToGpuSystemProcess it gets those of
/// the first process that opens the fence. STATUS_NOT_SUPPORTED without the feature or for a type
/// that the OS does not support, STATUS_INVALID_HANDLE, STATUS_INVALID_PARAMETER,
/// STATUS_INSUFFICIENT_RESOURCES without a free slot.
NTSTATUS DxgkDdiCreateNativeFence(Adapter& adapter, DXGKARG_CREATENATIVEFENCE& args);

/// STATUS_INVALID_HANDLE for a bad fence or device, STATUS_INVALID_PARAMETER for one of another
/// adapter.
NTSTATUS DxgkDdiOpenNativeFence(Adapter& adapter, DXGKARG_OPENNATIVEFENCE& args);

/// Without MapToGpuSystemProcess: if the device used the addresses of this process, it now uses
/// those of another process that has the fence open. STATUS_INVALID_HANDLE.
NTSTATUS DxgkDdiCloseNativeFence(Adapter& adapter, const DXGKARG_CLOSENATIVEFENCE& args);

/// After return neither the device nor the interrupt handler names the fence.
/// STATUS_INVALID_HANDLE; STATUS_INVALID_PARAMETER while it is open; STATUS_UNSUCCESSFUL if the
/// device did not answer (then the slot is not reused).
NTSTATUS DxgkDdiDestroyNativeFence(const DXGKARG_DESTROYNATIVEFENCE& args);

// Values. A batch with a bad member changes nothing.

/// Stores the values. The CMP has seen them on return. IRQL: device, under the interrupt lock.
/// STATUS_INVALID_HANDLE, STATUS_INVALID_PARAMETER; STATUS_UNSUCCESSFUL if the CMP did not answer.
NTSTATUS DxgkDdiUpdateMonitoredValues(const DXGKARG_UPDATEMONITOREDVALUES& args);

/// Stores the values, unless NotificationOnly, and makes waiting queues look again. IRQL:
/// DISPATCH_LEVEL. STATUS_INVALID_HANDLE, STATUS_INVALID_PARAMETER.
NTSTATUS DxgkDdiUpdateCurrentValuesFromCpu(const DXGKARG_UPDATECURRENTVALUESFROMCPU& args);

}  // namespace fenceline::kmd
