#include "tb/app/cli/commands/explored_runs.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>

#include "tb/explore/story/story_timeline.h"
#include "tb/report/writers/narrative.h"
#include "tb/report/writers/page.h"
#include "tb/report/writers/page_shell.h"
#include "tb/report/writers/perfetto.h"
#include "tb/report/writers/svg.h"
#include "tb/run/run_scenario.h"
#include "tb/scenario/text/json_tree.h"

namespace fenceline::cli {

using nlohmann::ordered_json;
using scenario::Scenario;

Scenario free_scenario(const Scenario& scenario, bool keep_holds) {
  Scenario free = scenario;
  free.policy = scenario::PolicyKind::kRandom;
  auto effective = scenario::json_tree<ordered_json>(free.effective_json);
  if (!keep_holds) {
    free.holds.clear();
    effective["holds"] = ordered_json::array();
  }
  effective["policy"] = "random";
  if (!free.explore.steps) {
    free.explore.steps = common::Grain::kAll;
    effective["explore"]["steps"] = common::grain_name(*free.explore.steps);
  }
  free.effective_json = effective.dump(2);
  return free;
}

namespace {

/// The outcome of a run as an `expect` object.
ordered_json expectation(const report::RunReport& report) {
  ordered_json expect = ordered_json::object();
  std::set<std::string> broken;
  for (const check::Violation& violation : report.violations) broken.insert(violation.invariant);
  if (!broken.empty()) expect["violations"] = broken;
  if (report.ending == report::Ending::kHang) expect["outcome"] = "hang";
  if (report.ending == report::Ending::kBugCheck) expect["outcome"] = "bug_check";
  return expect;
}

/// The scenario on the cycle timeline, with other holds and another name.
Scenario held_scenario(const Scenario& scenario, const std::vector<scenario::Hold>& holds,
                       const std::string& name) {
  Scenario held = scenario;
  held.name = name;
  held.policy = scenario::PolicyKind::kTiming;
  held.holds = holds;
  auto effective = scenario::json_tree<ordered_json>(scenario.effective_json);
  const auto operation = [](const scenario::OperationRef& it) {
    return ordered_json{{"agent", it.agent}, {"op", it.op}, {"nth", it.nth}};
  };
  effective["policy"] = "timing";
  effective["name"] = name;
  effective["holds"] = ordered_json::array();
  for (const scenario::Hold& hold : holds)
    effective["holds"].push_back(
        {{"hold", operation(hold.operation)}, {"until", operation(hold.until)}});
  held.effective_json = effective.dump(2);
  return held;
}

/// Replaces times in a message by readable ones.
std::string readable(const std::string& message) {
  return report::with_times(message, [](std::string_view /*before*/, const std::string& number) {
    return report::exact_time(std::stoull(number));
  });
}

}  // namespace

report::RunReport run_in_order(const Scenario& free, const std::string& kmd,
                               const std::vector<std::string>& agents,
                               const std::function<bool(const common::Candidate&)>& before_step) {
  run::RunOptions options;
  options.kmd = kmd;
  options.seed = free.seed;
  options.policy = scenario::PolicyKind::kRandom;
  options.trace = agents;
  options.before_step = before_step;
  report::Record record(0);
  report::RunReport report = run::run_scenario(free, options, record);
  report.scenario = &free;
  return report;
}

void write_text(report::RunFolder& folder, const std::string& name, const std::string& text) {
  folder.create(name)->write_whole(text);
}

namespace {

constexpr std::array<const char*, 4> kTimedFiles{".scenario.json", ".timeline.svg", ".pftrace",
                                                 kPageEnding};

/// Runs in the process of the run.
void make_timed_run(const Scenario& scenario, const std::string& kmd,
                    const explore::Counterexample& found, const std::string& name,
                    report::RunFolder& folder, run::Pulse& pulse) {
  const std::string& invariant = found.violation.invariant;
  const Scenario held = held_scenario(scenario, found.timed_holds, scenario.name + "_" + name);
  run::RunOptions options;
  options.kmd = kmd;
  options.seed = held.seed;
  options.pulse = &pulse;
  report::Record record;
  report::RunReport report = run::run_scenario(held, options, record);
  auto shown = scenario::json_tree<ordered_json>(held.effective_json);
  shown["expect"] = expectation(report);
  write_text(folder, name + kTimedFiles[0], shown.dump(2) + "\n");
  // The picture shows this invariant even if others break too.
  const auto broken =
      std::find_if(report.violations.begin(), report.violations.end(),
                   [&](const check::Violation& it) { return it.invariant == invariant; });
  report.scenario = &held;
  report.exit_code = 1;
  report.verdict = invariant;
  if (broken != report.violations.end()) report.reasons = {readable(broken->message)};
  const report::Timeline timeline = explore::timeline_with_story(found, record, report);
  const auto write = [&](const char* ending, const auto& content) {
    const auto sink = folder.create(name + ending);
    report::Output out(*sink);
    content(out);
    out.finish();
  };
  write(kTimedFiles[1],
        [&](report::Output& out) { write_svg(timeline, report, record.names, out); });
  write(kTimedFiles[2], [&](report::Output& out) { write_perfetto(timeline, record.names, out); });
  if (!missing_page_reason(report).empty()) return;
  write(kPageEnding, [&](report::Output& out) {
    write_page(report::run_page(), timeline, report, record.names, out);
  });
}

}  // namespace

explore::Ended write_timed_run(const Scenario& scenario, const std::string& kmd,
                               const explore::Counterexample& found, const std::string& name,
                               std::chrono::milliseconds stuck, report::RunFolder& folder) {
  explore::Watch watch;
  watch.stuck = stuck;
  const explore::Task task = [&](explore::Flight& flight) {
    make_timed_run(scenario, kmd, found, name, folder, flight);
    return std::string();
  };
  explore::Ended ended = explore::run_contained({task}, watch).front();
  if (ended.how != explore::Ended::How::kWell) {
    std::error_code ignored;
    for (const char* ending : kTimedFiles)
      std::filesystem::remove(folder.hidden() / (name + ending), ignored);
  }
  return ended;
}

}  // namespace fenceline::cli
