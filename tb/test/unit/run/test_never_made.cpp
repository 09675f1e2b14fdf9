// Programs whose objects could not be made: a verdict that says where, and no crash.
#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "tb/run/run_scenario.h"
#include "tb/scenario/loader.h"

namespace fenceline::run_tests::test_never_made {

namespace {

namespace report = fenceline::report;
namespace run = fenceline::run;
namespace scenario = fenceline::scenario;

const char* const kNoFences = "/platform/os/native_fence=false";

report::RunReport run_with(const std::string& parts, const std::vector<std::string>& set) {
  const std::string text =
      R"({"schema_version": 1, "name": "lacking", "expect": {}, )" + parts + "}";
  const scenario::Scenario loaded = scenario::load_text(text, "lacking", {set, {}});
  report::Record record(0);
  report::RunReport result = run::run_scenario(loaded, {}, record);
  result.scenario = nullptr;  // it ends here
  return result;
}

/// Pointers of what was expected in vain.
std::vector<std::string> failed(const report::RunReport& report) {
  std::vector<std::string> result;
  for (const report::Expected& expected : report.expected)
    if (!expected.holds) result.push_back(expected.pointer);
  return result;
}

}  // namespace

TEST_CASE("a program of a queue ends where its fence was never made", "[run][lacking]") {
  const auto result = run_with(R"(
    "processes": [{"name": "a", "fences": [{"name": "F"}],
                   "queues": [{"name": "q", "engine": "compute0"}]}],
    "programs": [{"queue": "q", "commands": [{"signal": {"fence": "F", "value": 5}}]}])",
                               {kNoFences});
  CHECK(result.exit_code == 1);
  CHECK(failed(result) == std::vector<std::string>{"/processes/0/fences/0", "/programs/0"});
}

TEST_CASE("a thread ends at the step whose fence was never made", "[run][lacking]") {
  const auto result = run_with(R"(
    "processes": [{"name": "a", "fences": [{"name": "F"}],
                   "contexts": [{"name": "c", "engine": "compute0"}]}],
    "programs": [{"thread": "t", "steps": [
      {"submit": {"context": "c", "commands": [{"signal": {"fence": "F", "value": 5}}]}},
      {"poll": {"fence": "F", "value": 5}}]}])",
                               {kNoFences});
  CHECK(result.exit_code == 1);
  CHECK(failed(result) == std::vector<std::string>{"/processes/0/fences/0", "/programs/0/steps/0"});
}

TEST_CASE("a thread ends at the step whose queue was never made", "[run][lacking]") {
  const auto result = run_with(R"(
    "processes": [{"name": "a", "queues": [
      {"name": "q", "engine": "compute0", "progress_fence": true}]}],
    "programs": [{"thread": "t", "steps": [
      {"submit": {"queue": "q", "commands": [{"dispatch": {"duration": "1us"}}]}},
      {"set_log_buffers": {"queue": "q", "entries": 8}}]}])",
                               {kNoFences});
  CHECK(result.exit_code == 1);
  CHECK(failed(result) == std::vector<std::string>{"/processes/0/queues/0", "/programs/0/steps/0"});
}

TEST_CASE("a machine with too little of something is refused with the file", "[run][lacking]") {
  std::string processes;
  for (int i = 0; i < 64; ++i)
    processes += std::string(i == 0 ? "" : ",") + R"({"name": "p)" + std::to_string(i) +
                 R"(", "fences": [{"name": "F"}]})";
  CHECK_THROWS_WITH(run_with("\"processes\": [" + processes + R"(],
    "platform": {"adapters": [{"name": "gpu0", "profile": "discrete", "vram": {"size": "16MiB"},
                               "vram_bar": {"size": "1MiB"}}]},
    "programs": [{"process": "p0", "thread": "t", "steps": [{"delay": "1us"}]}])",
                             {}),
                    Catch::StartsWith("lacking: gpu0: the CPU host aperture has no room left"));
}

TEST_CASE("a packet of a hardware queue cannot name a monitored fence", "[run][lacking]") {
  const auto result = run_with(R"(
    "platform": {"adapters": [{"name": "old", "profile": "legacy"},
                              {"name": "new", "profile": "discrete"}]},
    "processes": [
      {"name": "owner", "adapter": "old",
       "fences": [{"name": "A", "monitored": true, "shared": true}]},
      {"name": "other", "adapter": "new", "fences": [{"name": "A", "open": "owner/A"}],
       "queues": [{"name": "q", "engine": "compute0"}]}],
    "programs": [{"thread": "t", "process": "other", "steps": [
      {"submit": {"queue": "q", "commands": [{"wait": {"fence": "A", "value": 1}}]}}]}])",
                               {kNoFences});
  CHECK(result.exit_code == 1);
  CHECK(failed(result).back() == "/programs/0/steps/0");
}

}  // namespace fenceline::run_tests::test_never_made
