#pragma once

#include "tb/os/dxgk/system.h"

namespace fenceline::os {

/// Devices in error: ends their work and satisfies waits for their fences.
class DeviceErrors {
 public:
  explicit DeviceErrors(System& system) : system_(system) {}

  /// The device of a process is in error: its work ends, and its fences count as signalled for any
  /// value from now on. See docs/background/preemption.md. @param asked requested by a thread,
  /// without a fault
  void fail(Process& process, bool asked = false);
  /// The process gets no further device.
  void block(Process& process);
  /// Ends all waits for fences that the device may have been about to signal. Source: WDDM,
  /// D3DDDI_SYNCHRONIZATIONOBJECT_FLAGS.NoSignalMaxValueOnTdr;
  /// DXGK_UPDATECURRENTVALUESFROMCPU_FLAGS.AlwaysSignaled.
  void give_up_fences(Process& process);

 private:
  void end_work(const Process& process);

  System& system_;
};

}  // namespace fenceline::os
