#pragma once

#include <string>
#include <vector>

#include "tb/explore/explore.h"
#include "tb/explore/search/replay.h"
#include "tb/report/record/names.h"
#include "tb/run/known_places.h"

namespace fenceline::explore {

/// True for events that a story prints: they say more than the name of the operation does.
bool explains(common::EventKind kind);

/// "I1 NO_LOST_WAITER"; a finding without a number has its name alone: "HANG".
std::string title_of(const check::Violation& violation);
/// A message of a violation with numbers of steps in the place of times: time stands still while
/// exploring.
std::string in_steps(const std::string& message);
/// "agent: text"; only the text where it begins with the name of the agent.
std::string with_agent(const std::string& agent, const std::string& text);
/// Predicate of a sentence about a step of this operation: "moves its oldest write on".
const char* meaning_of(common::Operation operation);
/// Index in report::kStoryColumns of the column of an agent.
std::size_t column_of(const std::string& agent);
/// Sentence for a step that emitted no event which a story prints:
/// "gpu0.pcie.down moves its oldest write on". @param places objects that steps touch
std::string describe_operation(const std::vector<ReplayedStep>& trace, std::size_t step,
                               const common::Steps& steps, const report::Names& names,
                               const run::KnownPlaces& places);
/// True for a step that sends the doorbell of another GPU on its way, or moves it on.
bool rings_peer(const std::vector<ReplayedStep>& trace, std::size_t step,
                const run::KnownPlaces& places);

/// Puts a counterexample into words.
struct StoryTeller {
  const common::Steps& steps;
  const report::Names& names;
  const run::KnownPlaces places;

  /// Sentence for a step: "the shadow MonitoredValue of F in gpu0 is 0".
  std::string describe_step(const std::vector<ReplayedStep>& trace, std::size_t step) const;
  /// Two sentences: the violation, and the orders of steps that cause it, the decisive one first.
  std::vector<std::string> why(const check::Violation& violation,
                               const std::vector<ReplayedStep>& trace,
                               const std::vector<common::HoldRule>& holds,
                               const OrderedSteps& decisive) const;
  /// The steps that cause the violation: those named by the holds and the race that decides it, and
  /// all that these depend on. Of these, steps without a printable event are left out, unless they
  /// carry the doorbell of another GPU.
  std::vector<StoryLine> story(const std::vector<ReplayedStep>& trace,
                               const std::vector<common::HoldRule>& holds,
                               const OrderedSteps& decisive) const;
};

/// The race that the step number `inevitable` wins: the next step that could have come before it
/// and touches the same place; else the step that a hold keeps behind it. Zeros if there is none.
OrderedSteps decisive_race(const std::vector<ReplayedStep>& trace, std::size_t inevitable,
                           const std::vector<OrderedSteps>& held);

/// "3 steps of gpu0.cmp, T0".
std::string omitted_text(const OmittedSteps& omitted);
/// Text of the story: one column per kind of agent, one line per step.
std::string swim_lanes(const Counterexample& found);

}  // namespace fenceline::explore
