#include "tb/campaign/search_run.h"

#include <fmt/format.h>
#include <memory>
#include <nlohmann/json.hpp>

#include "tb/campaign/observer.h"
#include "tb/explore/explore.h"
#include "tb/explore/story/exploration_json.h"
#include "tb/scenario/text/json_tree.h"

namespace fenceline::campaign {

namespace {

/// Compares each order that comes to its end with the prediction.
class ReferenceJudge : public explore::RunJudge {
 public:
  explicit ReferenceJudge(const reference::Outcome& outcome)
      : outcome_(outcome), observer_(words_of(outcome)) {}

  void ready(run::ScenarioMachine& machine) override { observer_.ready(machine); }
  std::vector<check::Violation> judge(run::ScenarioMachine& machine,
                                      const report::RunReport& report) override {
    observer_.ended(machine, report);
    std::vector<check::Violation> violations;
    for (const Difference& difference : compare(outcome_, observer_.observation()).differences) {
      check::Violation& violation = violations.emplace_back();
      violation.invariant = violation.name = cause_of(difference.kind);
      violation.message = difference.sentence;
    }
    return violations;
  }

 private:
  const reference::Outcome& outcome_;
  Observer observer_;
};

/// @param outcome must outlive the search
explore::ExploreOptions search_options(const RunSettings& settings,
                                       const reference::Outcome& outcome) {
  explore::ExploreOptions options;
  options.kmd = settings.kmd;
  options.explain = false;
  options.limits.executions = settings.search->executions;
  options.limits.states = settings.search->states;
  options.limits.fallback = settings.search->fallback;
  if (settings.predict)
    options.judge = [&outcome] { return std::make_unique<ReferenceJudge>(outcome); };
  return options;
}

/// The failure that a finding is; its cause is that of the same failure of a single run.
Failure failure_of_finding(const check::Violation& finding) {
  Failure failure{finding.invariant, "", finding.message};
  if (finding.invariant == explore::kHang) failure.cause = "hang";
  if (finding.invariant == explore::kBugCheck) failure.cause = "bug check";
  for (std::size_t i = 0; i < kDifferenceKinds; ++i)
    if (const auto kind = static_cast<DifferenceKind>(i); finding.invariant == cause_of(kind))
      failure.rule = rule_of(kind);
  return failure;
}

bool is_expected(const check::Violation& finding, const scenario::Expectations& expect,
                 const reference::Outcome& outcome) {
  const bool stops =
      finding.invariant == explore::kBugCheck && outcome.bug_check == reference::Happens::kAlways;
  return stops || explore::may_find(expect, finding.invariant);
}

}  // namespace

void add_search(const scenario::Scenario& scenario, const RunSettings& settings,
                const reference::Outcome& outcome, run::Pulse* pulse, Evaluation& result) {
  explore::ExploreOptions options = search_options(settings, outcome);
  if (pulse != nullptr) options.interrupted = &pulse->stopped();
  const explore::Exploration found = explore::explore(scenario, options);
  Searched& searched = result.searched.emplace();
  searched.states = found.search.states;
  searched.executions = found.search.executions;
  searched.races = found.search.coverage.both_ways();
  searched.complete = found.search.complete && found.search.finished != 0;
  for (const explore::Counterexample& it : found.counterexamples)
    if (!is_expected(it.violation, scenario.expect, outcome))
      result.failures.push_back(failure_of_finding(it.violation));
}

std::string counterexamples(const scenario::Scenario& scenario, const RunSettings& settings) {
  const reference::Outcome outcome = predict_for(scenario, settings);
  explore::ExploreOptions options = search_options(settings, outcome);
  options.explain = true;
  const explore::Exploration found = explore::explore(scenario, options);
  return explore::exploration_text(scenario, found, explore::judge(scenario, found));
}

}  // namespace fenceline::campaign
