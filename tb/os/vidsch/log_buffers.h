#pragma once

#include "tb/os/vidmm/fixed_memory.h"

namespace fenceline::os {

/// The log buffers of hardware queues: memory for them, and handing them to the driver.
class LogBuffers {
 public:
  LogBuffers(System& system, FixedMemory& memory) : system_(system), memory_(memory) {}

  /// The queue gets its first ones. A driver must take the logs of waits and of signals, and may
  /// refuse any other.
  NTSTATUS give(Process& process, HwQueue& queue, UINT entries);
  /// Sets both log buffers of a queue anew. STATUS_NOT_SUPPORTED for a queue without logs.
  NTSTATUS set(Process& process, D3DKMT_HANDLE handle, UINT entries);
  /// A trace wants every entry: logs get all that fits in a page.
  /// Source: WDDM, native fence log buffers: overruns.
  void enlarge_all();

 private:
  FenceLog create(Process& process, HwQueue& queue, DXGK_NATIVE_FENCE_LOG_TYPE type, UINT entries);
  void change(Process& process, HwQueue& target, UINT entries);

  System& system_;
  FixedMemory& memory_;
};

}  // namespace fenceline::os
