#pragma once

#include <functional>
#include <vector>

#include "tb/explore/contained.h"
#include "tb/explore/explore.h"
#include "tb/explore/stage.h"

namespace fenceline::explore {

/// How much of a finding is explained.
enum class Depth : std::uint8_t {
  kAll,
  kUntimed,  ///< not whether it breaks on the cycle timeline too
  kBare      ///< its steps only
};

/// Explains one finding; runs in a process of its own, and tells the flight where a run begins that
/// takes no steps.
using Explain = std::function<Counterexample(const Finding&, const std::vector<FatalStep>& fatal,
                                             Depth, Flight&)>;

/// Executes a run under the holds of a counterexample, with nothing left out.
using Execute = std::function<void(const Counterexample&, Flight&)>;

/// Explains each finding as far as that goes well: where it crashes, or does not come to an end, it
/// is tried again without the step in which it did, and at last in less depth. What is made small
/// of a crash or an endless loop is executed in the end, and its holds are dropped if it ends well.
std::vector<Counterexample> explain_contained(const std::vector<Finding>& findings,
                                              const std::vector<FatalStep>& fatal,
                                              const Watch& watch, const Explain& explain,
                                              const Execute& execute);

/// What is known of a finding without any explanation.
Counterexample unexplained(const Finding& finding);

}  // namespace fenceline::explore
