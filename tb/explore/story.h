#pragma once

#include <string>
#include <vector>

#include "tb/explore/explore.h"
#include "tb/explore/replay.h"
#include "tb/report/names.h"

namespace fenceline::explore {

/// True for events that tell more than the name of the operation.
bool explains(common::EventKind kind);

/// "agent: text", without naming the agent twice where the text begins with it.
std::string with_agent(const std::string& agent, const std::string& text);
/// The column of swim_lanes, in report::kStoryColumns, that an agent belongs to.
std::size_t column_of(const std::string& agent);
/// What a step did of which no event tells: "gpu0.pcie.down moves its oldest write on".
std::string describe_operation(const std::vector<ReplayedStep>& trace, std::size_t step,
                               const common::Steps& steps, const report::Names& names);

/// What it takes to put a counterexample into words.
struct StoryTeller {
  const common::Steps& steps;
  const report::Names& names;

  /// What a step did: "the shadow MonitoredValue of F in gpu0 is 0".
  std::string describe_step(const std::vector<ReplayedStep>& trace, std::size_t step) const;
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
