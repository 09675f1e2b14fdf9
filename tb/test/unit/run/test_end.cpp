// Where a run ends: at a limit, when it is interrupted, when nothing is left to do.
#include <algorithm>
#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "tb/run/run_scenario.h"
#include "tb/scenario/loader.h"

namespace fenceline::run_tests::test_end {

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

TEST_CASE("a thread that waits at the end time has hung", "[end]") {
  const report::RunReport report = run_with({R"(/end_time="5ms")"});
  CHECK(report.ending == report::Ending::kHang);
  CHECK(report.end_time == 5 * common::kMillisecond);
  CHECK(report.exit_code == 3);
}

TEST_CASE("a run without waiting threads at the end time is complete", "[end]") {
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

TEST_CASE("a run beats and ends soon after it is to stop", "[end]") {
  run::Pulse pulse;
  run::RunOptions options;
  options.pulse = &pulse;
  pulse.stop();
  const std::string poll = R"(/programs/1/steps=[{"poll":{"fence":"F","value":1}}])";
  const report::RunReport report = run_with({R"(/end_time="1s")", poll}, options);
  CHECK(report.ending == report::Ending::kStopped);
  CHECK(report.end_time < 3 * common::kMillisecond);
  CHECK(pulse.beats() > 0);
  CHECK_FALSE(pulse.beats_expected());
}

TEST_CASE("polls that are never satisfied end in a livelock that names them", "[end]") {
  const std::string poll = R"(/programs/1/steps=[{"poll":{"fence":"F","value":9}}])";
  const report::RunReport report = run_with({poll, R"(/limits/standstill="20ms")"});
  CHECK(report.ending == report::Ending::kLivelock);
  CHECK(report.verdict == "livelock");
  CHECK(report.exit_code == 3);
  CHECK(report.end_time < 100 * common::kMillisecond);
  const bool named =
      std::any_of(report.waiting.begin(), report.waiting.end(), [](const std::string& line) {
        return line.find("polls F >= 9; F: CurrentValue is") != std::string::npos;
      });
  CHECK(named);
}

TEST_CASE("a livelock may be what a scenario expects", "[end]") {
  const std::string poll = R"(/programs/1/steps=[{"poll":{"fence":"F","value":9}}])";
  const report::RunReport report =
      run_with({poll, R"(/limits/standstill="20ms")", R"(/expect={"outcome":"livelock"})"});
  CHECK(report.exit_code == 0);
}

TEST_CASE("a scenario may allow a run not to come to its end", "[end]") {
  const std::string poll = R"(/programs/1/steps=[{"poll":{"fence":"F","value":9}}])";
  const std::string wait = R"(/programs/1/steps=[{"wait":{"fence":"F","value":9}}])";
  const std::string allows = R"(/expect={"may_violate":["HANG"]})";
  CHECK(run_with({poll, R"(/limits/standstill="20ms")", allows}).verdict == "pass");
  CHECK(run_with({wait, allows}).verdict == "pass");
  CHECK(run_with({poll, "/limits/steps=1000", allows}).verdict == "pass");
  CHECK(run_with({poll, "/limits/steps=1000"}).verdict == "stopped");
  CHECK(run_with({wait, R"(/expect={"may_violate":["BUG_CHECK"]})"}).verdict == "hang");
}

TEST_CASE("a poll with a time limit is no livelock", "[end]") {
  const std::string poll =
      R"(/programs/1/steps=[{"poll":{"fence":"F","value":9,"timeout":"50ms"}}])";
  CHECK(run_with({poll, R"(/limits/standstill="2ms")"}).ending == report::Ending::kCompleted);
}

TEST_CASE("a poll for what a thread does after a long sleep is no livelock", "[end]") {
  const std::string poll = R"(/programs/1/steps=[{"poll":{"fence":"F","value":1}}])";
  const std::string late =
      R"(/programs/0={"thread":"S","steps":[{"delay":"50ms"},{"signal":{"fence":"F","value":1}}]})";
  CHECK(run_with({poll, late, R"(/limits/standstill="2ms")"}).ending == report::Ending::kCompleted);
}

TEST_CASE("a poll that shares its core with the thread that signals ends", "[end]") {
  const std::string poll =
      R"(/programs/1={"thread":"T","core":1,"steps":[{"poll":{"fence":"F","value":1}}]})";
  const std::string signal =
      R"(/programs/0={"thread":"S","core":1,"steps":[{"delay":"1us"},{"signal":{"fence":"F","value":1}}]})";
  const report::RunReport report = run_with({poll, signal, R"(/platform/host/time_slice="1ms")"});
  CHECK(report.ending == report::Ending::kCompleted);
  CHECK(report.end_time > 1 * common::kMillisecond);
  CHECK(report.end_time < 3 * common::kMillisecond);
}

TEST_CASE("a program without an end is stopped at the most steps", "[end]") {
  const std::string steps =
      R"(/programs/1/steps=[{"repeat":{"count":90000000,"steps":[{"delay":"1us"}]}}])";
  const report::RunReport report = run_with({steps, "/limits/steps=10000"});
  CHECK(report.ending == report::Ending::kStepLimit);
  CHECK(report.verdict == "stopped");
  CHECK(report.exit_code == 3);
}

TEST_CASE("a run that is stopped in its set-up says so", "[end]") {
  const std::string moved = R"(/processes/0/allocations=[{"name":"A","size":"16MiB"}])";
  const report::RunReport report = run_with({moved, "/limits/steps=1000"});
  CHECK(report.ending == report::Ending::kStepLimit);
  CHECK(report.reasons.front().find("before its programs began") != std::string::npos);
}

TEST_CASE("a program that takes no time is stopped too", "[end]") {
  const std::string steps =
      R"(/programs/1/steps=[{"repeat":{"count":90000000,"steps":[{"mark":"m"}]}}])";
  CHECK(run_with({steps, "/limits/steps=10000"}).ending == report::Ending::kStepLimit);
}

TEST_CASE("time that no clock can show is refused with the place", "[end]") {
  const std::string steps =
      R"(/programs/1/steps=[{"repeat":{"count":30,"steps":[{"delay":"1000000s"}]}}])";
  CHECK_THROWS_WITH(run_with({steps}), Catch::Contains("/programs/1/steps/0/repeat/steps/0") &&
                                           Catch::Contains("213 days"));
}

TEST_CASE("limits of time do not end a run in a random order", "[end]") {
  run::RunOptions options = stop_at(1);
  options.policy = scenario::PolicyKind::kRandom;
  CHECK(run_with({}, options).ending == report::Ending::kCompleted);
}

}  // namespace fenceline::run_tests::test_end
