#pragma once

#include <memory>
#include <vector>

#include "tb/os/core/system_options.h"
#include "tb/os/objects/handles.h"
#include "tb/os/objects/monitored_fences.h"

namespace fenceline::os {

using SynchronizationFlags = D3DDDI_SYNCHRONIZATIONOBJECT_FLAGS;

/// A CPU event that the driver signals, in Dxgkrnl. It stays allocated to the end of the run, so
/// that its handle remains recognisable.
struct CpuEvent {
  std::uint32_t number = 0;  ///< from 1 over the run
  Adapter* adapter = nullptr;
  KernelEvent* event = nullptr;    ///< event object of user mode
  HANDLE driver_device = nullptr;  ///< the device it was created with, existing or not
  HANDLE driver_handle = nullptr;  ///< of DxgkDdiCreateCpuEvent
  bool alive = false;
};

/// The object of a handle of D3DKMTCreateSynchronizationObject2 in one process.
struct SyncObject {
  std::shared_ptr<MonitoredFence> fence;
  LocalPointer object;
  CpuEvent* cpu_event = nullptr;
  UINT flags = 0;         ///< flags of this process
  bool of_queue = false;  ///< fence of a paging queue; it ends with the queue
  PVOID cpu_address = nullptr;
  D3DGPU_VIRTUAL_ADDRESS gpu_address = 0;
  /// GPU address, also if user mode does not get it; 0: not mapped.
  D3DGPU_VIRTUAL_ADDRESS mapped = 0;
};

/// DxgkCbSignalEvent. STATUS_INVALID_PARAMETER for wrong fields, STATUS_INVALID_HANDLE for an event
/// that is not alive or does not belong to the process. Up to DISPATCH_LEVEL.
NTSTATUS signal_cpu_event(const DXGKARGCB_SIGNALEVENT& args);

}  // namespace fenceline::os
