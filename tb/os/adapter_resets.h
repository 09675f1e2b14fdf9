#pragma once

#include <deque>

#include "tb/os/adapter.h"
#include "tb/os/system_options.h"

namespace fenceline::os {

/// Resets of adapters that are taken for hung. One for the machine: TdrLimitCount is about all of
/// its adapters. Source: WDDM, timeout detection and recovery; TDR registry keys.
class AdapterResets {
 public:
  AdapterResets(Cpu& cpu, const PreemptionOptions& preemption)
      : cpu_(cpu), preemption_(preemption) {}

  /// DxgkDdiResetFromTimeout, with nobody else in the driver. On return the device is silent; what
  /// it had is lost. Bug check 0x116 where it fails, or was needed more than TdrLimitCount times
  /// within TdrLimitTime. At PASSIVE_LEVEL.
  void reset(Adapter& adapter);
  /// DxgkDdiRestartFromTimeout, likewise: the device works again.
  static void restart(Adapter& adapter);

 private:
  Cpu& cpu_;
  const PreemptionOptions preemption_;
  std::deque<common::Time> resets_;  ///< within TdrLimitTime
};

}  // namespace fenceline::os
