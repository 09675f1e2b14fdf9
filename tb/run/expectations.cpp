#include "tb/run/expectations.h"

#include <algorithm>

#include "tb/report/meters/statistics.h"

namespace fenceline::run {

using report::Ending;
using report::Expected;
using report::RunReport;

namespace {

constexpr const char* kItBroke = "it broke";

std::string range_text(const scenario::Range& range) {
  if (range.min && range.max && *range.min == *range.max) return "is " + std::to_string(*range.min);
  if (range.min && range.max)
    return "between " + std::to_string(*range.min) + " and " + std::to_string(*range.max);
  if (range.min) return "at least " + std::to_string(*range.min);
  return range.max ? "at most " + std::to_string(*range.max) : "has any value";
}

bool inside(const scenario::Range& range, std::uint64_t value) {
  return (!range.min || value >= *range.min) && (!range.max || value <= *range.max);
}

std::string value_text(std::uint64_t value) {
  return value == UINT64_MAX ? "none" : std::to_string(value);
}

const char* outcome_text(scenario::Outcome outcome) {
  switch (outcome) {
    case scenario::Outcome::kCompletes:
      return "completes";
    case scenario::Outcome::kHang:
      return "hangs";
    case scenario::Outcome::kBugCheck:
      return "bug-checks";
    case scenario::Outcome::kLivelock:
      return "comes to a livelock";
  }
  return "";
}

scenario::Outcome outcome_of(Ending ending) {
  if (ending == Ending::kHang) return scenario::Outcome::kHang;
  if (ending == Ending::kLivelock) return scenario::Outcome::kLivelock;
  return ending == Ending::kBugCheck ? scenario::Outcome::kBugCheck : scenario::Outcome::kCompletes;
}

void judge_violations(RunReport& report) {
  const scenario::Expectations& expect = report.scenario->expect;
  for (const std::string& invariant : expect.violations) {
    // It could still break.
    if (report.ending == Ending::kStopped || report.ending == Ending::kStepLimit) break;
    const bool found =
        std::any_of(report.violations.begin(), report.violations.end(),
                    [&](const check::Violation& v) { return v.invariant == invariant; });
    report.expected.push_back({"/expect/violations", "invariant " + invariant + " breaks",
                               found ? kItBroke : "it held", found});
  }
  for (const check::Violation& violation : report.violations)
    if (!expect.may_break(violation.invariant))
      report.expected.push_back(
          {"/expect", "invariant " + violation.invariant + " holds", kItBroke, false});
}

void judge_values(const ScenarioMachine& machine, RunReport& report) {
  const scenario::Expectations& expect = report.scenario->expect;
  for (const scenario::FinalFence& final : expect.fences) {
    const auto fence = machine.objects.find_fence(final.fence);
    if (fence == nullptr) {  // the loader has resolved the name: it could not be made
      report.expected.push_back(
          {final.at.pointer, final.fence + " is there", "it was never made", false});
      continue;
    }
    const auto add = [&](const char* what, std::uint64_t wanted, std::uint64_t found) {
      report.expected.push_back({final.at.pointer,
                                 final.fence + " ends with " + what + " " + value_text(wanted),
                                 value_text(found), wanted == found});
    };
    if (final.current_value)
      add("CurrentValue", *final.current_value, machine.objects.current_value(*fence));
    if (final.monitored_value)
      add("MonitoredValue", *final.monitored_value, machine.objects.monitored_value(*fence));
  }
  for (const scenario::MarkExpectation& mark : expect.marks) {
    Expected expected{mark.at.pointer,
                      mark.fence + " at mark " + mark.label + " " + range_text(mark.value),
                      "the mark was not reached", false};
    if (const auto* values = machine.values_at(mark.label))
      for (const auto& [name, value] : *values)
        if (machine.objects.find_fence(name) == machine.objects.find_fence(mark.fence)) {
          expected.found = std::to_string(value);
          expected.holds = inside(mark.value, value);
        }
    report.expected.push_back(expected);
  }
}

/// Adapters, the bug check, and what the steps of programs demanded.
void judge_system(RunReport& report) {
  const scenario::Expectations& expect = report.scenario->expect;
  for (const report::AdapterStart& start : report.adapters) {
    std::string wanted = "starts";
    std::string pointer = "/expect/adapter_start";
    for (const scenario::StartExpectation& it : expect.adapter_start)
      if (it.adapter == start.adapter) {
        wanted = it.how;
        pointer = it.at.pointer;
      }
    const std::string text = wanted == "starts"
                                 ? "adapter " + start.adapter + " starts"
                                 : "adapter " + start.adapter + " does not start: " + wanted;
    const std::string found =
        start.explanation.empty() ? start.how : start.how + ", " + start.explanation;
    if (wanted != "starts" || start.how != wanted)
      report.expected.push_back({pointer, text, found, start.how == wanted});
  }
  if (expect.bug_check) {
    const auto& stop = report.bug_check;
    const bool same =
        stop && stop->code == expect.bug_check->code &&
        (!expect.bug_check->parameter || stop->parameters[0] == *expect.bug_check->parameter);
    report.expected.push_back({expect.bug_check->at.pointer, "that bug check ends the run",
                               stop ? stop->text() : "no bug check", same});
  }
}

void judge_statistics(RunReport& report) {
  const scenario::Expectations& expect = report.scenario->expect;
  for (const scenario::CounterExpectation& counter : expect.counters) {
    const report::Counter* found = report::find_counter(report, counter.counter);
    report.expected.push_back({counter.at.pointer,
                               counter.counter + " " + range_text(counter.range),
                               found != nullptr ? std::to_string(found->value) : "no such counter",
                               found != nullptr && inside(counter.range, found->value)});
  }
  for (const scenario::LatencyExpectation& latency : expect.latencies) {
    const report::Latency* found = report::find_latency(report, latency.latency);
    const std::string text =
        latency.latency + " " + latency.statistic + " " + range_text(latency.range) + " ps";
    if (found == nullptr || found->count == 0) {
      report.expected.push_back({latency.at.pointer, text, "never measured", false});
      continue;
    }
    const std::uint64_t value = latency.statistic == "min"    ? found->min
                                : latency.statistic == "mean" ? found->mean
                                : latency.statistic == "p50"  ? found->p50
                                : latency.statistic == "p99"  ? found->p99
                                                              : found->max;
    report.expected.push_back(
        {latency.at.pointer, text, std::to_string(value), inside(latency.range, value)});
  }
}

}  // namespace

void judge(const ScenarioMachine& machine, RunReport& report) {
  const scenario::Expectations& expect = report.scenario->expect;
  const bool stopped = report.ending == Ending::kStopped || report.ending == Ending::kStepLimit;
  const scenario::Outcome outcome = outcome_of(report.ending);
  if (!stopped) {
    if (report.set_up_hangs() && !expect.may_break(scenario::Findings::kHang))
      report.expected.push_back({"/platform", "the programs begin", "they do not begin", false});
    report.expected.push_back({"/expect/outcome",
                               std::string("the run ") + outcome_text(expect.outcome),
                               outcome_text(outcome), expect.may_end(outcome)});
    judge_system(report);
    judge_values(machine, report);
    judge_statistics(report);
    for (const auto& [pointer, expected] : machine.checks.all())
      if (expected.holds || !expect.may_break(scenario::Findings::kCall))
        report.expected.push_back(expected);
  }
  judge_violations(report);

  const bool broken = std::any_of(
      report.violations.begin(), report.violations.end(),
      [&](const check::Violation& violation) { return !expect.may_break(violation.invariant); });
  const bool all_hold = std::all_of(report.expected.begin(), report.expected.end(),
                                    [](const Expected& expected) { return expected.holds; });
  if (report.ending == Ending::kStepLimit)
    report.reasons.push_back(std::string("the run has taken the most steps that it may") +
                             (report.began ? "" : " before its programs began") +
                             "; /limits/steps is " + std::to_string(report.scenario->limits.steps));
  for (const check::Violation& violation : report.violations)
    report.reasons.push_back(violation.message);
  for (const Expected& expected : report.expected)
    if (!expected.holds && expected.found != kItBroke) report.reasons.push_back(reason(expected));
  if (broken) {
    report.verdict = "violated";
    report.exit_code = 1;
  } else if (report.ending == Ending::kStepLimit && !expect.may_break(scenario::Findings::kHang)) {
    report.verdict = "stopped";
    report.exit_code = 3;
  } else if (!expect.may_end(outcome) &&
             (outcome == scenario::Outcome::kHang || outcome == scenario::Outcome::kLivelock)) {
    report.verdict = outcome == scenario::Outcome::kHang ? "hang" : "livelock";
    report.exit_code = 3;
  } else {
    report.verdict = all_hold ? "pass" : "fail";
    report.exit_code = all_hold ? 0 : 1;
  }
}

}  // namespace fenceline::run
