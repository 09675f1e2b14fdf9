#include "tb/campaign/evaluation.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "tb/campaign/says_less.h"
#include "tb/campaign/search_run.h"
#include "tb/campaign/shapes.h"
#include "tb/coverage/collector.h"
#include "tb/report/writers/json_writers.h"
#include "tb/scenario/text/json_tree.h"

namespace fenceline::campaign {

namespace {

constexpr const char* kHang = "hang";
constexpr const char* kLivelock = "livelock";
constexpr const char* kStopped = "stopped";

void add_violations(const report::RunReport& report, std::vector<Failure>& failures) {
  const scenario::Expectations& expect = report.scenario->expect;
  for (const check::Violation& violation : report.violations)
    if (!expect.may_break(violation.invariant))
      failures.push_back({violation.invariant, "", violation.message});
}

/// The end of the run differs from the one that the scenario expects, where the prediction says
/// nothing about it. No prediction is about a run whose programs do not begin. That they hang in
/// the set-up is an expectation that does not hold.
void add_ending(const report::RunReport& report, const reference::Outcome& predicted,
                std::vector<Failure>& failures) {
  using reference::Happens;
  using report::Ending;
  const scenario::Expectations& expect = report.scenario->expect;
  const std::string waiting = report.waiting.empty() ? "" : ": " + report.waiting.front();
  const auto is_open = [&](Happens said) { return said == Happens::kMaybe || !report.began; };
  if (is_open(predicted.bug_check) && report.bug_check &&
      !expect.may_end(scenario::Outcome::kBugCheck))
    failures.push_back({"bug check " + report.bug_check->name, "", report.bug_check->text()});
  if (!is_open(predicted.hangs)) return;
  if (report.began && report.ending == Ending::kHang && !expect.may_end(scenario::Outcome::kHang))
    failures.push_back({kHang, "", "the run hangs" + waiting});
  if (report.ending == Ending::kLivelock && !expect.may_end(scenario::Outcome::kLivelock))
    failures.push_back({kLivelock, "", "threads poll for values that never come" + waiting});
  if (report.ending == Ending::kStepLimit && !expect.may_break(scenario::Findings::kHang))
    failures.push_back({kStopped, "", "the run takes more steps than it may" + waiting});
}

/// Other expectations of the scenario that do not hold.
void add_expectations(const report::RunReport& report, std::vector<Failure>& failures) {
  for (const report::Expected& expected : report.expected) {
    if (expected.holds || expected.pointer == "/expect" || expected.pointer == "/expect/outcome")
      continue;
    failures.push_back({"expectation " + expected.text, expected.pointer,
                        fmt::format("expected that {}; found: {}", expected.text, expected.found)});
  }
}

nlohmann::json tree_of(const scenario::Scenario& scenario) {
  return scenario::json_tree<nlohmann::json>(scenario.effective_json);
}

/// A prediction that says nothing.
reference::Outcome no_prediction() {
  reference::Outcome outcome;
  outcome.hangs = outcome.bug_check = reference::Happens::kMaybe;
  return outcome;
}

Failure failure_of(Difference difference) {
  Failure failure{cause_of(difference.kind), std::move(difference.place),
                  std::move(difference.sentence)};
  failure.rule = rule_of(difference.kind);
  return failure;
}

void add_differences(const reference::Outcome& outcome, const Observation& found,
                     Evaluation& result) {
  Comparison comparison = compare(outcome, found);
  const auto whole = outcome.silent.find("");
  if (whole == outcome.silent.end())
    result.statements = comparison.statements;
  else
    result.silent = whole->second;
  for (Difference& difference : comparison.differences)
    result.failures.push_back(failure_of(std::move(difference)));
}

/// The prediction lacks a rule that the full one has.
void add_less(const reference::Outcome& outcome, const reference::Outcome& full,
              std::vector<Failure>& failures) {
  if (const std::optional<Less> less = says_less(outcome, full))
    failures.push_back({"says less", less->place, less->sentence});
}

/// Several observers of one run.
class Observers : public run::RunObserver {
 public:
  void add(run::RunObserver& observer) { observers_.push_back(&observer); }
  void built(run::ScenarioMachine& machine) override {
    for (run::RunObserver* observer : observers_) observer->built(machine);
  }
  void ready(run::ScenarioMachine& machine) override {
    for (run::RunObserver* observer : observers_) observer->ready(machine);
  }
  void ended(run::ScenarioMachine& machine, const report::RunReport& report) override {
    for (run::RunObserver* observer : observers_) observer->ended(machine, report);
  }

 private:
  std::vector<run::RunObserver*> observers_;
};

report::RunReport observed_run(const scenario::Scenario& scenario, const RunSettings& settings,
                               run::Pulse* pulse, Observers& observers) {
  run::RunOptions options;
  options.seed = scenario.seed;
  options.policy = scenario.policy;
  options.kmd = settings.kmd;
  options.keep_choices = false;
  options.pulse = pulse;
  options.observer = &observers;
  report::Record record(0);
  return run::run_scenario(scenario, options, record);
}

/// The scenario that the reference predicts. It is that of a random order for a search, too: no
/// time passes in either.
nlohmann::json predicted_tree(const scenario::Scenario& scenario, const RunSettings& settings) {
  nlohmann::json effective = tree_of(scenario);
  if (settings.search) effective["policy"] = report::policy_name(scenario::PolicyKind::kRandom);
  return effective;
}

}  // namespace

std::string cause_of(DifferenceKind kind) { return fmt::format("difference {}", kind_name(kind)); }

bool is_no_end(const Failure& failure) {
  return failure.cause == kHang || failure.cause == kLivelock || failure.cause == kStopped;
}

Observer::Wanted words_of(const reference::Outcome& outcome) {
  Observer::Wanted wanted;
  for (const auto& [name, content] : outcome.contents)
    for (const auto& [offset, allowed] : content)
      if (!allowed.open) wanted[name].insert(offset);
  return wanted;
}

reference::Outcome predict_for(const scenario::Scenario& scenario, const RunSettings& settings) {
  return settings.predict ? settings.predict(predicted_tree(scenario, settings)) : no_prediction();
}

Evaluation evaluate(const scenario::Scenario& scenario, const RunSettings& settings,
                    run::Pulse* pulse) {
  const reference::Outcome outcome = predict_for(scenario, settings);
  std::optional<reference::Outcome> full;
  if (settings.full) full = settings.full(predicted_tree(scenario, settings));
  if (full && is_same(outcome, *full)) return {};
  Observer observer(words_of(outcome));
  std::optional<coverage::Collector> collector;
  Observers observers;
  if (settings.predict) observers.add(observer);
  if (settings.covers) observers.add(collector.emplace());
  const report::RunReport report = observed_run(scenario, settings, pulse, observers);
  Evaluation result;
  if (collector) result.coverage = collector->hits();
  result.time = report.end_time;
  result.events = report.event_count;
  add_violations(report, result.failures);
  if (settings.predict && report.began) add_differences(outcome, observer.observation(), result);
  add_ending(report, outcome, result.failures);
  add_expectations(report, result.failures);
  if (full) add_less(outcome, *full, result.failures);
  if (settings.search && report.began) add_search(scenario, settings, outcome, pulse, result);
  if (result.failures.empty()) return result;
  const nlohmann::json effective = tree_of(scenario);
  const Shapes shapes(effective);
  for (Failure& failure : result.failures) failure.shape = shapes.of(failure.place, failure.reason);
  return result;
}

Failure failure_of_death(const run::Ended& ended) {
  const bool stuck = ended.how == run::Ended::How::kStuck;
  const std::string where = ended.where.empty() ? ended.why : ended.where;
  return {(stuck ? "endless loop " : "crash ") + where, "", ended.what()};
}

std::string to_bytes(const Evaluation& evaluation) {
  nlohmann::json bytes = {
      {"silent", evaluation.silent},
      {"coverage", evaluation.coverage ? evaluation.coverage->text() : std::string()},
      {"length", {evaluation.time, evaluation.events}}};
  bytes["statements"] = nlohmann::json::array();
  for (std::size_t i = 0; i < kDifferenceKinds; ++i) {
    const Statements& it = evaluation.statements[static_cast<DifferenceKind>(i)];
    bytes["statements"].push_back({it.fixed, it.sets, it.open});
  }
  bytes["failures"] = nlohmann::json::array();
  for (const Failure& failure : evaluation.failures)
    bytes["failures"].push_back(
        {failure.cause, failure.place, failure.reason, failure.shape, failure.rule});
  if (const auto& searched = evaluation.searched)
    bytes["searched"] = {searched->complete, searched->states, searched->executions,
                         searched->races};
  return bytes.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

Evaluation evaluation_of(const std::string& bytes) {
  const auto read = scenario::json_tree<nlohmann::json>(bytes);
  Evaluation evaluation;
  evaluation.silent = read.at("silent").get<std::string>();
  if (const auto hits = read.at("coverage").get<std::string>(); !hits.empty())
    evaluation.coverage = coverage::Hits::of(hits);
  if (const auto length = read.find("length"); length != read.end()) {
    evaluation.time = length->at(0).get<std::uint64_t>();
    evaluation.events = length->at(1).get<std::uint64_t>();
  }
  for (std::size_t i = 0; i < kDifferenceKinds; ++i) {
    const nlohmann::json& it = read.at("statements").at(i);
    evaluation.statements[static_cast<DifferenceKind>(i)] = {it.at(0).get<std::uint64_t>(),
                                                             it.at(1).get<std::uint64_t>(),
                                                             it.at(2).get<std::uint64_t>()};
  }
  const auto text = [](const nlohmann::json& failure, std::size_t i) {
    return failure.at(i).get<std::string>();
  };
  for (const nlohmann::json& it : read.at("failures"))
    evaluation.failures.push_back(
        {text(it, 0), text(it, 1), text(it, 2), text(it, 3), text(it, 4)});
  if (const auto it = read.find("searched"); it != read.end())
    evaluation.searched = {it->at(0).get<bool>(), it->at(1).get<std::uint64_t>(),
                           it->at(2).get<std::uint64_t>(), it->at(3).get<std::uint64_t>()};
  return evaluation;
}

}  // namespace fenceline::campaign
