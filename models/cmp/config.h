#pragma once

#include <cstdint>

#include "models/common/time.h"

namespace fenceline::cmp {

struct CmpConfig {
  common::Time decision = 15 * common::kNanosecond;  ///< duration of one compare; A-80
  common::Time update = 20 * common::kNanosecond;   ///< time to start a MonitoredValue update; A-81
  common::Time barrier = 10 * common::kNanosecond;  ///< barrier that does not have to wait; A-82
  /// The scenario has engine hangs. The CMP's own agent then does not wait for an engine that may
  /// hang. Set by tb/run.
  bool engines_hang = false;
};

}  // namespace fenceline::cmp
