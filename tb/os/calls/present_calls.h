#pragma once

#include "tb/os/vidmm/fixed_memory.h"

namespace fenceline::os {

/// Presents of user mode.
class PresentCalls {
 public:
  PresentCalls(System& system, FixedMemory& memory) : system_(system), memory_(memory) {}

  /// Shows a primary once what the context has been given is complete; blocks while more than
  /// PresentLimit flips are not done. STATUS_NOT_SUPPORTED on an adapter without a display,
  /// STATUS_INVALID_HANDLE for a bad context, STATUS_DEVICE_REMOVED where the device is in error,
  /// or what the driver returns. Source: WDDM, D3DKMTPresent.
  NTSTATUS D3DKMTPresent(Process& process, const D3DKMT_PRESENT& args);

 private:
  NTSTATUS queue_flip(Process& process, ContextQueue& target, DXGKARG_PRESENT& present);
  Process::FlipBuffer& take_buffer(Process& process);
  NTSTATUS write_flip(Process& process, const Process::FlipBuffer& buffer,
                      DXGKARG_PRESENT& present);

  System& system_;
  FixedMemory& memory_;
};

}  // namespace fenceline::os
