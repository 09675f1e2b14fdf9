#pragma once

#include <cstdint>

#include "models/common/time.h"

namespace fenceline::cmp {

struct CmpConfig {
  common::Time decision = 15 * common::kNanosecond;  ///< one compare; A-80
  common::Time update = 20 * common::kNanosecond;    ///< taking up one MonitoredValue update; A-81
  common::Time barrier = 10 * common::kNanosecond;   ///< a barrier with nothing to wait for; A-82
  /// The scenario has engine hangs: the CMP does not wait itself for what hangs; set by tb/run.
  bool engines_hang = false;
};

}  // namespace fenceline::cmp
