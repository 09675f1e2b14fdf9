#pragma once

#include <cstdint>
#include <vector>

#include "kmd_stub/core/handle.h"
#include "kmd_stub/wddm/queues/hw_queue.h"

namespace fenceline::kmd {

class Adapter;

/// Memory for the state of a context that leaves its node. Source: WDDM,
/// DxgkCbCreateContextAllocation.
struct SaveArea {
  std::uint32_t slot = 0;  ///< slot of abi::kContextTable; 0: none, buffers cannot be preempted
  HANDLE allocation = nullptr;  ///< handle of the OS
  HANDLE own = nullptr;         ///< the driver's handle; paging operations name it
};

/// A process on the adapter, with one GPU address space. Source: WDDM, DxgkDdiCreateProcess.
struct Process {
  static constexpr std::uint32_t kMagic = 0x434F5250;  // "PROC"
  Adapter& adapter;
  std::uint32_t vmid;          ///< 0: the system process
  HANDLE os_handle = nullptr;  ///< hDxgkProcess
};

/// A device of a process. Source: WDDM, DxgkDdiCreateDevice.
struct Device {
  static constexpr std::uint32_t kMagic = 0x49564544;  // "DEVI"
  Adapter& adapter;
  std::uint32_t vmid;          ///< of the process
  HANDLE os_handle = nullptr;  ///< handle of the OS
  // Memory shared by all contexts of the device. The first context creates it.
  HANDLE allocation = nullptr;  ///< handle of the OS
  HANDLE own = nullptr;         ///< the driver's handle
  D3DGPU_VIRTUAL_ADDRESS shared = 0;
};

/// A context whose buffers the OS submits. Source: WDDM, DxgkDdiCreateContext.
struct Context {
  static constexpr std::uint32_t kMagic = 0x544E4F43;  // "CONT"
  Adapter& adapter;
  std::uint32_t vmid;
  std::uint32_t node;
  SaveArea save_area{};
};

/// A context of hardware queues. Source: WDDM, DxgkDdiCreateHwContext.
struct HwContext {
  static constexpr std::uint32_t kMagic = 0x54435748;  // "HWCT"
  Adapter& adapter;
  std::uint32_t vmid;
  std::uint32_t node;
  HANDLE os_handle = nullptr;
  SaveArea save_area{};                 ///< may have a slot without an area
  std::vector<std::uint32_t> queues{};  ///< slots of the queue table
  bool known = false;                   ///< the device knows the context
  bool out_of_run_list = false;
  // Guarded by the interrupt lock.
  UINT64 suspend_fence = 0;  ///< fence of an unacknowledged suspension; 0: none
  bool suspended = false;    ///< the suspension is acknowledged
  bool lost = false;         ///< a reset has ended it
};

// IRQL of all: PASSIVE_LEVEL. STATUS_INVALID_HANDLE for a bad handle, STATUS_INVALID_PARAMETER for
// a bad value or an object of another adapter. An error changes nothing.

/// Flags.kSystemProcess creates the only system process, with VMID 0. STATUS_INSUFFICIENT_RESOURCES
/// without a free address space.
NTSTATUS DxgkDdiCreateProcess(Adapter& adapter, DXGKARG_CREATEPROCESS& args);
NTSTATUS DxgkDdiDestroyProcess(AnyAdapter adapter, HANDLE handle);

/// Without a process the device belongs to the system process; then Flags.kSystemDevice is
/// required.
NTSTATUS DxgkDdiCreateDevice(Adapter& adapter, DXGKARG_CREATEDEVICE& args);
NTSTATUS DxgkDdiDestroyDevice(HANDLE handle);

/// Source: WDDM, DxgkDdiCreateContext.
NTSTATUS DxgkDdiCreateContext(HANDLE device_handle, DXGKARG_CREATECONTEXT& args);
NTSTATUS DxgkDdiDestroyContext(HANDLE handle);

/// Source: WDDM, DxgkDdiCreateHwContext.
NTSTATUS DxgkDdiCreateHwContext(HANDLE device_handle, DXGKARG_CREATEHWCONTEXT& args);
NTSTATUS DxgkDdiDestroyHwContext(HANDLE handle);

}  // namespace fenceline::kmd
