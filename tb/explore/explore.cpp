#include "tb/explore/explore.h"

#include <algorithm>

#include "tb/explore/explain.h"
#include "tb/explore/minimize.h"
#include "tb/explore/process/rounds.h"
#include "tb/explore/search/replay.h"
#include "tb/explore/search/search.h"
#include "tb/explore/story/story.h"
#include "tb/os/contexts/preemption_policy.h"
#include "tb/os/vidsch/fallback_timer.h"
#include "tb/run/run_scenario.h"
#include "tb/scenario/checks/bounds.h"

namespace fenceline::explore {

using common::HoldRule;

std::string Bounds::text() const {
  std::string text;
  for (const Bound& it : most)
    text += fmt::format("{}{}<={}", text.empty() ? "" : " ", it.name, it.most);
  if (steps != common::Grain::kAll) text += fmt::format(" steps={}", common::grain_name(steps));
  return text;
}

Bounds bounds_of(const scenario::Scenario& scenario) {
  const scenario::Size size = scenario::size_of(scenario);
  Bounds bounds{{{"signals", size.signals, "signals of queues and threads"},
                 {"waiters", size.waiters, "waits and polling loops of threads"},
                 {"queues", size.queues, "hardware queues that run commands"}},
                scenario.explore.steps.value_or(common::Grain::kAll)};
  const os::SystemOptions& system = scenario.platform.system;
  const auto add = [&bounds](const char* name, std::uint64_t most, const char* meaning) {
    bounds.most.push_back({name, most, meaning});
  };
  if (system.preemption.enabled) {
    add("quanta", os::PreemptionPolicy::kMaxQuanta, "time slices that end in one run");
    add("timeouts", system.preemption.detects_timeouts ? 1 : 0,
        "times that the OS finds an engine hung in one run");
  } else if (!system.context_scheduling.enabled) {
    add("preemptions", 0, "preemptions of an engine's work in one run");
  }
  add("pending", size.pending, "writes that the smallest posted FIFO holds");
  if (const auto& interrupts = scenario.explore.bounds.interrupts)
    add("interrupts", *interrupts, "interrupts raised since a core last accepted one");
  if (scenario.platform.ordering.os.fallback_timer)
    add("early fallbacks", os::FallbackTimer::kEarly,
        "times that the fallback timer fires early in one run");
  return bounds;
}

namespace {

scenario::OperationRef name(const common::Steps& steps, const common::OperationInstance& instance) {
  return {steps.name(instance.agent), common::operation_name(instance.operation), instance.nth};
}

std::vector<scenario::Hold> names_of(const common::Steps& steps,
                                     const std::vector<HoldRule>& rules) {
  std::vector<scenario::Hold> holds;
  holds.reserve(rules.size());
  for (const HoldRule& rule : rules)
    holds.push_back({name(steps, rule.operation), name(steps, rule.until), {}});
  return holds;
}

/// Number of the first step of the trace after which every run breaks the invariant; 0 if the
/// search for it gave up.
std::size_t inevitable_step(Stage& stage, const Finding& finding, bool long_run) {
  SearchLimits limits;
  limits.executions = long_run ? 100 : 20'000;
  std::size_t good = 0;  // after so many steps it could still be prevented
  std::size_t bad = finding.trace.size();
  while (bad - good > 1) {
    const std::size_t middle = (good + bad) / 2;
    const Trace prefix(finding.trace.begin(),
                       finding.trace.begin() + static_cast<std::ptrdiff_t>(middle));
    stage.restart();
    TracePolicy follow(prefix);
    stage.go_on(follow);
    Snapshot snapshot;
    snapshot.take(stage.image());
    SearchState nothing_known;
    Search search(stage, limits, nothing_known, nullptr);
    const bool always = search.always_breaks(snapshot, finding.violation.invariant);
    if (always && !search.report().complete) return 0;
    (always ? bad : good) = middle;
  }
  return bad;
}

/// In the body of a stage: the shortest run found becomes a few holds and a story. `orders` gets
/// every order of the run that could matter.
void make_small(Stage& stage, const Finding& finding, Depth depth, const ExploreOptions& options,
                Counterexample& result, std::vector<scenario::Hold>& orders) {
  const report::Names names = report::Names::capture(stage.events());
  const std::vector<ReplayedStep> steps =
      replay(stage, finding.trace, [&] { result.at_end = stage.left_at_end(); });
  // A violation in the middle of a run does not depend on its end.
  if (steps.size() > finding.trace.size()) result.at_end.clear();
  for (std::string& line : result.at_end) line = in_steps(line);
  const std::string cause = cause_of(finding.violation);
  for (const ReplayedStep& step : steps)
    result.trace.push_back(stage.steps().name(step.instance.agent));
  if (depth == Depth::kBare) return;
  const std::vector<HoldRule> all = orders_of(steps);
  orders = names_of(stage.steps(), all);
  const std::vector<HoldRule> holds = minimize(all, [&](const std::vector<HoldRule>& tried) {
    ++result.replays;
    return breaks(stage, tried, cause);
  });
  result.eager = breaks(stage, holds, cause);
  if (!options.brief)
    result.inevitable =
        inevitable_step(stage, finding, finding.trace.size() > options.limits.long_run);
  for (const HoldRule& hold : holds)
    result.held.push_back({number_of(steps, hold.until), number_of(steps, hold.operation)});
  result.decisive = decisive_race(steps, result.inevitable, result.held);
  const StoryTeller teller{stage.steps(), names, stage.known_places()};
  result.why = teller.why(finding.violation, steps, holds, result.decisive);
  result.story = teller.story(steps, holds, result.decisive);
  for (std::size_t i = 0; i < steps.size(); ++i)
    result.told.push_back(teller.describe_step(steps, i));
  result.holds = names_of(stage.steps(), holds);
}

/// True if the scenario breaks the invariant on the cycle timeline, under its holds.
bool breaks_in_time(const scenario::Scenario& scenario, const ExploreOptions& options,
                    const std::string& invariant) {
  run::RunOptions run;
  run.kmd = options.kmd;
  run.policy = scenario::PolicyKind::kTiming;
  report::Record record(0);
  const report::RunReport report = run::run_scenario(scenario, run, record);
  if (report.holds_open) return false;  // an agent waits for a hold, not for the hardware
  if (invariant == kBugCheck) return report.ending == report::Ending::kBugCheck;
  if (invariant == kHang) return report.ending == report::Ending::kHang;
  return std::any_of(report.violations.begin(), report.violations.end(),
                     [&](const check::Violation& it) { return it.invariant == invariant; });
}

/// Finds holds that break the invariant on the cycle timeline: those at hand if they do, else the
/// fewest of all orders of the run.
void make_timed(scenario::Scenario scenario, const ExploreOptions& options,
                const std::vector<scenario::Hold>& orders, Flight& flight, Counterexample& result) {
  const auto fails = [&](const std::vector<scenario::Hold>& holds) {
    scenario.holds = holds;
    ++result.replays;
    flight.start();
    return breaks_in_time(scenario, options, result.violation.invariant);
  };
  if (fails(result.holds)) {
    result.timed_holds = result.holds;
    result.timed = true;
    return;
  }
  result.timed_holds = minimize(orders, fails);
  result.timed = fails(result.timed_holds);
  if (!result.timed) result.timed_holds.clear();
}

Verdict verdict_of(const scenario::Scenario& scenario, const SearchReport& search) {
  if (!search.findings.empty()) return Verdict::kViolated;
  if (!search.complete) return Verdict::kIncomplete;
  const bool ends = search.finished != 0 && !scenario.programs.empty();
  return ends ? Verdict::kProved : Verdict::kVacuous;
}

}  // namespace

namespace {

Counterexample explain(const scenario::Scenario& scenario, const ExploreOptions& options,
                       const Finding& finding, const std::vector<FatalStep>& fatal, Depth depth,
                       Flight& flight) {
  Counterexample found = unexplained(finding);
  std::vector<scenario::Hold> orders;
  {
    Stage stage(scenario, options.kmd, options.limits.steps, options.limits.memory, fatal, &flight);
    stage.judge_with(options.judge);
    stage.play([&] { make_small(stage, finding, depth, options, found, orders); });
  }
  const std::string& invariant = finding.violation.invariant;
  if (depth == Depth::kAll && !options.brief && invariant != kCrash && invariant != kEndlessLoop)
    make_timed(scenario, options, orders, flight, found);
  return found;
}

std::vector<Counterexample> explain_all(const scenario::Scenario& scenario,
                                        const ExploreOptions& options, const SearchReport& search,
                                        const std::vector<FatalStep>& fatal) {
  std::vector<Finding> findings;
  for (const auto& [invariant, finding] : search.findings) findings.push_back(finding);
  Watch watch;
  watch.max_steps = options.limits.steps;
  watch.stuck = options.limits.stuck;
  watch.at_once = options.jobs;
  return explain_contained(
      findings, fatal, watch,
      [&](const Finding& finding, const std::vector<FatalStep>& more, Depth depth, Flight& flight) {
        return explain(scenario, options, finding, more, depth, flight);
      },
      [&](const Counterexample& found, Flight& flight) {
        scenario::Scenario held = scenario;
        held.holds = found.holds;
        Stage stage(held, options.kmd, options.limits.steps, options.limits.memory, {}, &flight);
        stage.play([&] {
          EagerPolicy eager(stage.steps());
          stage.go_on(eager);
        });
      });
}

}  // namespace

Exploration explore(const scenario::Scenario& given, const ExploreOptions& options,
                    const std::string& left) {
  scenario::Scenario scenario = given;
  if (!scenario.explore.steps) scenario.explore.steps = common::Grain::kAll;
  if (!options.keep_holds) scenario.holds.clear();
  Exploration result;
  result.bounds = bounds_of(scenario);
  Rounds rounds(scenario, options);
  if (!left.empty()) rounds.resume(left);
  result.search = rounds.run();
  result.left = rounds.left();
  result.verdict = verdict_of(scenario, result.search);
  if (options.explain) {
    result.counterexamples = explain_all(scenario, options, result.search, rounds.fatal());
  } else {
    for (const auto& [invariant, finding] : result.search.findings)
      result.counterexamples.push_back(unexplained(finding));
  }
  return result;
}

}  // namespace fenceline::explore
