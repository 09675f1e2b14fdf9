#pragma once

#include <memory>
#include <vector>

#include "tb/os/core/system_options.h"
#include "tb/os/objects/monitored_fences.h"

namespace fenceline::os {

using SynchronizationFlags = D3DDDI_SYNCHRONIZATIONOBJECT_FLAGS;

/// A CPU event that the driver signals, as Dxgkrnl keeps it. It is never freed before the end of
/// the run, so that a handle of it can be told from a good one for ever.
struct CpuEvent {
  std::uint32_t number = 0;  ///< over the run, from 1
  Adapter* adapter = nullptr;
  KernelEvent* event = nullptr;    ///< of user mode
  HANDLE driver_device = nullptr;  ///< the device it was created with, gone or not
  HANDLE driver_handle = nullptr;  ///< of DxgkDdiCreateCpuEvent
  bool alive = false;
};

/// What a D3DKMT handle of D3DKMTCreateSynchronizationObject2 stands for in one process.
struct SyncObject {
  std::shared_ptr<MonitoredFence> fence;
  LocalPointer object;
  CpuEvent* cpu_event = nullptr;
  UINT flags = 0;         ///< of this process
  bool of_queue = false;  ///< of a paging queue: it ends with that
  PVOID cpu_address = nullptr;
  D3DGPU_VIRTUAL_ADDRESS gpu_address = 0;
  D3DGPU_VIRTUAL_ADDRESS mapped = 0;  ///< for its GPU, whatever user mode is told; 0: it is not
};

// D3DKMT handles: the kind in the upper bits, above the index + 1. Native fences and hardware
// queues have no mark.
constexpr D3DKMT_HANDLE kSyncObjectHandle = 0x40000000;
constexpr D3DKMT_HANDLE kContextHandle = 0x20000000;
constexpr D3DKMT_HANDLE kAllocationHandle = 0x08000000;
constexpr D3DKMT_HANDLE kPagingQueueHandle = 0x04000001;  ///< a process has one
constexpr D3DKMT_HANDLE kDeviceHandle = 0x10000001;       ///< a process has one device an adapter

/// DxgkCbSignalEvent. STATUS_INVALID_PARAMETER for wrong fields, STATUS_INVALID_HANDLE for an event
/// that is not alive or does not belong to the process. Up to DISPATCH_LEVEL.
NTSTATUS signal_cpu_event(const DXGKARGCB_SIGNALEVENT& args);

}  // namespace fenceline::os
