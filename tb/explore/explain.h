#pragma once

#include <functional>
#include <vector>

#include "tb/explore/explore.h"
#include "tb/explore/process/contained.h"
#include "tb/explore/search/stage.h"

namespace fenceline::explore {

/// Amount of explanation for a finding.
enum class Depth : std::uint8_t {
  kAll,
  kUntimed,  ///< all but whether it also breaks on the cycle timeline
  kBare      ///< its steps only
};

/// Explains one finding. Runs in a process of its own, and calls Flight::start() for runs that take
/// no steps.
using Explain = std::function<Counterexample(const Finding&, const std::vector<FatalStep>& fatal,
                                             Depth, Flight&)>;

/// Executes a run under the holds of a counterexample, with nothing left out.
using Execute = std::function<void(const Counterexample&, Flight&)>;

/// Explains each finding as far as possible. If an explanation crashes or does not end, it is tried
/// again without the fatal step, and finally in less depth. The minimised run of a crash or endless
/// loop is executed at the end; its holds are dropped if it ends normally.
std::vector<Counterexample> explain_contained(const std::vector<Finding>& findings,
                                              const std::vector<FatalStep>& fatal,
                                              const Watch& watch, const Explain& explain,
                                              const Execute& execute);

/// The counterexample of a finding without an explanation.
Counterexample unexplained(const Finding& finding);

}  // namespace fenceline::explore
