#include "tb/campaign/evaluation.h"

#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "tb/campaign/observer.h"
#include "tb/campaign/shapes.h"
#include "tb/scenario/text/json_tree.h"

namespace fenceline::campaign {

namespace {

bool contains(const std::vector<std::string>& list, const std::string& item) {
  return std::find(list.begin(), list.end(), item) != list.end();
}

Observer::Wanted words_of(const reference::Outcome& outcome) {
  Observer::Wanted wanted;
  for (const auto& [name, content] : outcome.contents)
    for (const auto& [offset, allowed] : content)
      if (!allowed.open) wanted[name].insert(offset);
  return wanted;
}

void add_violations(const report::RunReport& report, std::vector<Failure>& failures) {
  const scenario::Expectations& expect = report.scenario->expect;
  for (const check::Violation& violation : report.violations)
    if (!contains(expect.violations, violation.invariant) &&
        !contains(expect.may_violate, violation.invariant))
      failures.push_back({violation.invariant, "", violation.message});
}

/// The end of the run differs from the one that the scenario expects.
void add_ending(const report::RunReport& report, std::vector<Failure>& failures) {
  using report::Ending;
  const scenario::Outcome expected = report.scenario->expect.outcome;
  const std::string waiting = report.waiting.empty() ? "" : ": " + report.waiting.front();
  if (report.ending == Ending::kHang && expected != scenario::Outcome::kHang)
    failures.push_back({"hang", "", "the run hangs" + waiting});
  if (report.ending == Ending::kLivelock && expected != scenario::Outcome::kLivelock)
    failures.push_back({"livelock", "", "threads poll for values that never come" + waiting});
  if (report.ending == Ending::kStepLimit)
    failures.push_back({"stopped", "", "the run takes more steps than it may" + waiting});
  if (report.bug_check && expected != scenario::Outcome::kBugCheck)
    failures.push_back({"bug check " + report.bug_check->name, "", report.bug_check->text()});
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

}  // namespace

Evaluation evaluate(const scenario::Scenario& scenario, const RunSettings& settings,
                    run::Pulse* pulse) {
  reference::Outcome outcome;
  nlohmann::json effective;
  if (settings.predict) {
    effective = scenario::json_tree<nlohmann::json>(scenario.effective_json);
    outcome = settings.predict(effective);
  }
  Observer observer(words_of(outcome));
  run::RunOptions options;
  options.seed = scenario.seed;
  options.policy = scenario.policy;
  options.kmd = settings.kmd;
  options.keep_choices = false;
  options.pulse = pulse;
  if (settings.predict) options.observer = &observer;
  report::Record record(0);
  const report::RunReport report = run::run_scenario(scenario, options, record);
  Evaluation result;
  add_violations(report, result.failures);
  if (settings.predict) {
    Comparison comparison = compare(outcome, observer.observation());
    result.statements = comparison.statements;
    for (Difference& difference : comparison.differences)
      result.failures.push_back({fmt::format("difference {}", kind_name(difference.kind)),
                                 std::move(difference.place), std::move(difference.sentence)});
  } else {
    add_ending(report, result.failures);
  }
  add_expectations(report, result.failures);
  if (result.failures.empty()) return result;
  if (effective.is_null()) effective = scenario::json_tree<nlohmann::json>(scenario.effective_json);
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
  nlohmann::json bytes = {{"fixed", evaluation.statements.fixed},
                          {"sets", evaluation.statements.sets},
                          {"open", evaluation.statements.open}};
  bytes["failures"] = nlohmann::json::array();
  for (const Failure& failure : evaluation.failures)
    bytes["failures"].push_back({failure.cause, failure.place, failure.reason, failure.shape});
  return bytes.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

Evaluation evaluation_of(const std::string& bytes) {
  const auto read = scenario::json_tree<nlohmann::json>(bytes);
  Evaluation evaluation;
  evaluation.statements = {read.at("fixed").get<std::uint64_t>(),
                           read.at("sets").get<std::uint64_t>(),
                           read.at("open").get<std::uint64_t>()};
  for (const nlohmann::json& failure : read.at("failures"))
    evaluation.failures.push_back(
        {failure.at(0).get<std::string>(), failure.at(1).get<std::string>(),
         failure.at(2).get<std::string>(), failure.at(3).get<std::string>()});
  return evaluation;
}

}  // namespace fenceline::campaign
