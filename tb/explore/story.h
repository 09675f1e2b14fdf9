#pragma once

#include <string>
#include <vector>

#include "tb/explore/explore.h"
#include "tb/explore/replay.h"
#include "tb/report/names.h"

namespace fenceline::explore {

/// What it takes to put a counterexample into words.
struct StoryTeller {
  const common::Steps& steps;
  const report::Names& names;

  /// "gpu0.cmp.vram0 drain (the shadow MonitoredValue of F is 0)".
  std::string phrase(const ReplayedStep& step) const;
  /// Why the violation came about: the violation itself, and the orders that it takes.
  std::vector<std::string> why(const check::Violation& violation,
                               const std::vector<ReplayedStep>& trace,
                               const std::vector<common::HoldRule>& holds) const;
  /// The steps on which the violation rests: those that the holds speak of and all that these
  /// depend on, as far as they tell something.
  std::vector<StoryLine> story(const std::vector<ReplayedStep>& trace,
                               const std::vector<common::HoldRule>& holds) const;
};

/// Text of a story: one column for each kind of agent, one line a step.
std::string swim_lanes(const std::vector<StoryLine>& story);

}  // namespace fenceline::explore
