#pragma once

#include <cstdint>

#include "models/common/steps/time.h"

namespace fenceline::cmp {

struct CmpConfig {
  static constexpr const char* kName = "cmp";
  common::Time decision = 15 * common::kNanosecond;  ///< A-80
  common::Time update = 20 * common::kNanosecond;    ///< A-81
  common::Time barrier = 10 * common::kNanosecond;   ///< A-82
  /// The scenario has engine hangs. The CMP's own agent then does not wait for an engine that may
  /// hang. Set by tb/run.
  bool engines_hang = false;

  template <class V, class T>
  static void keys(V& v, T& t) {
    v.duration("decision", t.decision, "Time of one compare.");
    v.duration("update", t.update, "Time to start a MonitoredValue update.");
    v.duration("barrier", t.barrier, "Time of a barrier that does not have to wait.");
  }
};

}  // namespace fenceline::cmp
