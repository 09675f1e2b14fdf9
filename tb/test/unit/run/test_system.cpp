// Expectations about adapters, calls, accesses and bug checks, met and not met.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdlib>
#include <string>
#include <vector>

#include "tb/report/writers/json_writers.h"
#include "tb/run/run_scenario.h"
#include "tb/scenario/loader.h"

namespace fenceline::run_tests::test_system {

namespace {

namespace report = fenceline::report;
namespace run = fenceline::run;
namespace scenario = fenceline::scenario;

const char* const kScenario = R"({
  "schema_version": 1, "name": "system", "title": "t",
  "processes": [{"name": "app", "fences": [{"name": "F"}, {"name": "G"}],
                 "queues": [{"name": "q", "engine": "compute0"}]}],
  "programs": [{"thread": "user", "steps": [{"signal": {"fence": "F", "value": 1}}]}],
  "expect": {}
})";

report::RunReport run_with(const std::vector<std::string>& set, const std::string& kmd = "") {
  const auto loaded = scenario::load_text(kScenario, "system", {set, {}});
  run::RunOptions options;
  options.kmd = kmd;
  report::Record record(1'000'000);
  report::RunReport result = run::run_scenario(loaded, options, record);
  result.scenario = nullptr;  // it ends here
  return result;
}

std::string reasons(const report::RunReport& report) {
  std::string all;
  for (const std::string& reason : report.reasons) all += reason + "\n";
  return all;
}

const std::string kLies = R"(/platform/drivers=[{"adapter": "gpu0", "native_fence": "assume"}])";
const std::string kOff = "/platform/os/native_fence=false";

}  // namespace

TEST_CASE("an adapter that does not start is a failure unless it is expected", "[run][start]") {
  const auto failed = run_with({kLies, kOff});
  CHECK(failed.verdict == "fail");
  CHECK(failed.exit_code == 1);
  CHECK_THAT(reasons(failed), Catch::Contains("adapter gpu0 starts; found: not_enabled, gpu0: "));
  REQUIRE(failed.adapters.size() == 1);
  CHECK(failed.adapters[0].how == "not_enabled");
  CHECK(run_with({kLies, kOff, "/expect/adapter_start/gpu0=not_enabled"}).verdict == "pass");
  CHECK(run_with({kLies, kOff, "/expect/adapter_start/gpu0=stride"}).verdict == "fail");
  CHECK(run_with({"/expect/adapter_start/gpu0=not_enabled"}).verdict == "fail");
}

TEST_CASE("a call of the driver that fails keeps its adapter from starting", "[run][start]") {
  ::setenv("FENCELINE_FATAL", "refuse", 1);
  const auto failed = run_with({}, FENCELINE_FATAL_KMD);
  CHECK(failed.verdict == "fail");
  CHECK_THAT(reasons(failed),
             Catch::Contains("adapter gpu0 starts; found: call_failed, gpu0: DxgkDdiStartDevice "
                             "failed with STATUS_INSUFFICIENT_RESOURCES"));
  REQUIRE(failed.adapters.size() == 1);
  CHECK(failed.adapters[0].how == "call_failed");
  const std::string expected = "/expect/adapter_start/gpu0=";
  CHECK(run_with({expected + "call_failed"}, FENCELINE_FATAL_KMD).verdict == "pass");
  CHECK(run_with({expected + "version"}, FENCELINE_FATAL_KMD).verdict == "fail");
  ::unsetenv("FENCELINE_FATAL");
  CHECK(run_with({expected + "call_failed"}).verdict == "fail");
}

TEST_CASE("a call must return what is expected of it and no error otherwise", "[run]") {
  const std::string first = "/programs/0/steps/0/signal";
  CHECK(run_with({first + "/status=STATUS_SUCCESS"}).verdict == "pass");
  const auto wrong = run_with({first + "/status=STATUS_INVALID_HANDLE"});
  CHECK(wrong.verdict == "fail");
  CHECK_THAT(reasons(wrong), Catch::Contains("D3DKMTSignalSynchronizationObjectFromCpu returns "
                                             "STATUS_INVALID_HANDLE; found: STATUS_SUCCESS"));
  const auto error = run_with({R"(/programs/0/steps/-={"destroy_fence": "F"})",
                               R"(/programs/0/steps/-={"destroy_fence": "F"})"});
  CHECK(error.verdict == "fail");
  CHECK_THAT(reasons(error), Catch::Contains("STATUS_INVALID_HANDLE"));
}

TEST_CASE("an unexpected access violation ends the thread", "[run][protection]") {
  const auto killed = run_with({R"(/programs/0/steps/-={"access": {"fence": "F", "write": 7}})",
                                R"(/programs/0/steps/-={"signal": {"fence": "G", "value": 3}})"});
  CHECK(killed.verdict == "fail");
  CHECK(killed.ending == report::Ending::kCompleted);
  CHECK_THAT(reasons(killed), Catch::Contains("found: STATUS_ACCESS_VIOLATION"));
  CHECK(killed.fences[1].current_value == 0);
  const auto survived =
      run_with({R"(/programs/0/steps/-={"access": {"fence": "F", "write": 7, "violates": true}})",
                R"(/programs/0/steps/-={"signal": {"fence": "G", "value": 3}})"});
  CHECK(survived.verdict == "pass");
  CHECK(survived.fences[0].current_value == 1);
  CHECK(survived.fences[1].current_value == 3);
  CHECK(run_with({R"(/programs/0/steps/-={"access": {"fence": "F", "violates": true}})"}).verdict ==
        "fail");
}

TEST_CASE("user mode asks about the adapter and is answered", "[run][start]") {
  const std::string ask = "/programs/0/steps/-=";
  CHECK(run_with({ask + R"({"query_adapter": {"native_gpu_fence": true, "feature": "enabled"}})"})
            .verdict == "pass");
  CHECK(run_with({ask + R"({"query_adapter": {"native_gpu_fence": false}})"}).verdict == "fail");
  CHECK(run_with({ask + R"({"query_adapter": {"feature": "disabled"}})"}).verdict == "fail");
}

TEST_CASE("a bug check is reported with its code and parameters", "[run][bug_check]") {
  const std::vector<std::string> stop{"/programs/0/steps/0/signal/bad_handle=0",
                                      "/expect/outcome=bug_check"};
  const auto stopped = run_with(stop);
  CHECK(stopped.verdict == "pass");
  REQUIRE(stopped.bug_check.has_value());
  CHECK(stopped.bug_check->code == 0x119);
  CHECK(stopped.bug_check->parameters[0] == 0x13);
  CHECK(stopped.bug_check->parameters[1] == 0xC0000008);
  CHECK(stopped.bug_check->parameters[2] == 1);
  CHECK_THAT(stopped.bug_check->text(),
             Catch::StartsWith("0x00000119 (0x13, 0xc0000008, 0x1, 0x0) "
                               "VIDEO_SCHEDULER_INTERNAL_ERROR: gpu0: "));
  CHECK_THAT(report::result_json(stopped), Catch::Contains("\"code\": \"0x119\""));
  std::vector<std::string> with = stop;
  with.emplace_back(R"(/expect/bug_check={"code": "0x119", "parameter": "0x13"})");
  CHECK(run_with(with).verdict == "pass");
  with.back() = R"(/expect/bug_check={"code": "0x119", "parameter": "0x12"})";
  CHECK(run_with(with).verdict == "fail");
  with.back() = R"(/expect/bug_check={"code": "0x10E"})";
  CHECK(run_with(with).verdict == "fail");
}

TEST_CASE("threads of one program know which of them they are", "[run]") {
  const auto eight = run_with(
      {"/programs/0/count=8", "/programs/0/counter=n", "/programs/0/steps/0/signal/value=${n}+1"});
  CHECK(eight.verdict == "pass");
  const auto signals = std::find_if(eight.counters.begin(), eight.counters.end(),
                                    [](const auto& it) { return it.name == "signals.cpu"; });
  CHECK(signals->value == 8);
}

}  // namespace fenceline::run_tests::test_system
