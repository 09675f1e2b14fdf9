#pragma once

#include "tb/os/dxgk/system.h"

namespace fenceline::os {

/// Devices in error: what becomes of their work and of their fences.
class DeviceErrors {
 public:
  explicit DeviceErrors(System& system) : system_(system) {}

  /// The device of a process is in error: its work ends, and its fences count as signalled from now
  /// on, whatever the value. docs/background/preemption.md. @param asked by a thread, though
  /// nothing happened
  void fail(Process& process, bool asked = false);
  /// The process gets no device any more.
  void block(Process& process);
  /// Nobody waits for what the device may have signalled any more.
  /// Source: WDDM, D3DDDI_SYNCHRONIZATIONOBJECT_FLAGS.NoSignalMaxValueOnTdr;
  /// DXGK_UPDATECURRENTVALUESFROMCPU_FLAGS.AlwaysSignaled.
  void give_up_fences(Process& process);

 private:
  void end_work(const Process& process);

  System& system_;
};

}  // namespace fenceline::os
