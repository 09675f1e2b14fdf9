// Where a run ends: at a limit, when it is interrupted, when nothing is left to do.
#include <atomic>
#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "tb/run/run_scenario.h"
#include "tb/scenario/loader.h"

namespace {

namespace common = fenceline::common;
namespace report = fenceline::report;
namespace run = fenceline::run;
namespace scenario = fenceline::scenario;

/// 20 ms of work, and a thread that waits for it.
const char* const kScenario = R"({
  "schema_version": 1, "name": "end", "title": "t",
  "processes": [{"name": "app", "fences": [{"name": "F"}],
                 "queues": [{"name": "q", "engine": "compute0"}]}],
  "programs": [
    {"queue": "q", "commands": [{"dispatch": {"duration": "20ms"}},
                                {"signal": {"fence": "F", "value": 1}}]},
    {"thread": "waiter", "steps": [{"wait": {"fence": "F", "value": 1}}]}],
  "expect": {}
})";

report::RunReport run_with(const std::vector<std::string>& set,
                           const run::RunOptions& options = {}) {
  const scenario::Scenario loaded = scenario::load_text(kScenario, "end.json", {set, {}});
  report::Record record(0);
  report::RunReport report = run::run_scenario(loaded, options, record);
  report.scenario = nullptr;  // it does not live longer than this function
  return report;
}

run::RunOptions stop_at(common::Time time) {
  run::RunOptions options;
  options.stop_at = time;
  return options;
}

}  // namespace

TEST_CASE("a run stops at the time it is told to and that is no failure", "[end]") {
  const report::RunReport report = run_with({}, stop_at(30 * common::kMicrosecond));
  CHECK(report.ending == report::Ending::kStopped);
  CHECK(report.end_time == 30 * common::kMicrosecond);
  CHECK(report.exit_code == 0);
}

TEST_CASE("a stopped run need not have broken what the scenario expects to break", "[end]") {
  const report::RunReport report =
      run_with({R"(/expect/violations=["I1"])"}, stop_at(30 * common::kMicrosecond));
  CHECK(report.ending == report::Ending::kStopped);
  CHECK(report.exit_code == 0);
}

TEST_CASE("a run that is done before it is to stop is judged as a whole", "[end]") {
  const report::RunReport report = run_with({}, stop_at(30 * common::kMillisecond));
  CHECK(report.ending == report::Ending::kCompleted);
  CHECK(report.end_time < 30 * common::kMillisecond);
}

TEST_CASE("whoever waits at the end time has hung", "[end]") {
  const report::RunReport report = run_with({R"(/end_time="5ms")"});
  CHECK(report.ending == report::Ending::kHang);
  CHECK(report.end_time == 5 * common::kMillisecond);
  CHECK(report.exit_code == 3);
}

TEST_CASE("a run with nobody waiting at the end time is complete", "[end]") {
  const report::RunReport report =
      run_with({R"(/end_time="5ms")", R"(/programs/1/steps=[{"delay":"1us"}])"});
  CHECK(report.ending == report::Ending::kCompleted);
  CHECK(report.end_time == 5 * common::kMillisecond);
}

TEST_CASE("the earlier of the two limits ends a run", "[end]") {
  const std::string end_time = R"(/end_time="5ms")";
  CHECK(run_with({end_time}, stop_at(common::kMillisecond)).ending == report::Ending::kStopped);
}

TEST_CASE("the later of the two limits does not count", "[end]") {
  const report::RunReport report =
      run_with({R"(/end_time="5ms")"}, stop_at(7 * common::kMillisecond));
  CHECK(report.ending == report::Ending::kHang);
  CHECK(report.end_time == 5 * common::kMillisecond);
}

TEST_CASE("a run tells its progress and stops soon after it is interrupted", "[end]") {
  std::atomic<bool> interrupted{false};
  run::RunOptions options;
  options.interrupted = &interrupted;
  options.progress = [&](std::uint64_t now) { interrupted = now >= 3 * common::kMillisecond; };
  const std::string poll = R"(/programs/1/steps=[{"poll":{"fence":"F","value":1}}])";
  const report::RunReport report = run_with({R"(/end_time="1s")", poll}, options);
  CHECK(report.ending == report::Ending::kStopped);
  CHECK(report.end_time >= 3 * common::kMillisecond);
  CHECK(report.end_time < 6 * common::kMillisecond);
}

TEST_CASE("limits of time do not end a run in a random order", "[end]") {
  run::RunOptions options = stop_at(1);
  options.policy = scenario::PolicyKind::kRandom;
  CHECK(run_with({}, options).ending == report::Ending::kCompleted);
}
