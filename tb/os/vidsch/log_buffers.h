#pragma once

#include "tb/os/vidmm/fixed_memory.h"

namespace fenceline::os {

/// Log buffers of hardware queues: allocates them and gives them to the driver.
class LogBuffers {
 public:
  LogBuffers(System& system, FixedMemory& memory) : system_(system), memory_(memory) {}

  /// Gives a queue its first log buffers. A driver must accept logs of waits and of signals; it may
  /// refuse other types.
  NTSTATUS give(Process& process, HwQueue& queue, UINT entries);
  /// Replaces both log buffers of a queue. STATUS_NOT_SUPPORTED for a queue without logs.
  NTSTATUS set(Process& process, D3DKMT_HANDLE handle, UINT entries);
  /// Enlarges all logs to a full page, for traces that need every entry.
  /// Source: WDDM, native fence log buffers: overruns.
  void enlarge_all();

 private:
  FenceLog create(Process& process, HwQueue& queue, DXGK_NATIVE_FENCE_LOG_TYPE type, UINT entries);
  void change(Process& process, HwQueue& target, UINT entries);

  System& system_;
  FixedMemory& memory_;
};

}  // namespace fenceline::os
