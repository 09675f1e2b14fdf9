// The program as a user runs it: every scenario ends as it expects, twice the same, with the built
// driver and with one from outside.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "tb/scenario/text/json_tree.h"
#include "tb/test/support/can_explore.h"
#include "tb/test/support/program.h"
#include "tb/test/support/temp_folder.h"

namespace fenceline::system_tests::test_scenarios {

namespace {

namespace fs = std::filesystem;
const fs::path kSource = FENCELINE_SOURCE_DIR;

using fenceline::support::Result;
using fenceline::support::run;

std::vector<fs::path> scenarios_in(const std::string& folder) {
  std::vector<fs::path> result;
  for (const auto& entry : fs::directory_iterator(kSource / "scenarios" / folder))
    if (entry.path().extension() == ".json") result.push_back(entry.path());
  std::sort(result.begin(), result.end());
  REQUIRE_FALSE(result.empty());
  return result;
}

/// Whether each of these scenarios of a folder ends as it expects in all orders. `.ci/full` has
/// those whose names begin with `longer`, too.
void explore_all(const std::string& folder, const std::vector<std::string>& longer) {
  for (const fs::path& scenario : scenarios_in(folder)) {
    const std::string name = scenario.stem();
    if (std::any_of(longer.begin(), longer.end(),
                    [&](const std::string& begin) { return name.find(begin) == 0; }))
      continue;
    const Result result = run("explore " + scenario.string());
    INFO(scenario << "\n" << result.output);
    CHECK(result.exit_code == 0);
  }
}

std::string content(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

std::vector<std::string> files_in(const fs::path& folder) {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(folder)) names.push_back(entry.path().filename());
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace

TEST_CASE("no byte is lost whatever the seed of the memory stress", "[scenarios][memory]") {
  for (const char* kind :
       {"small", "not_snooped_small", "combined_small", "windows_small", "preempted_small"}) {
    const fs::path scenario =
        kSource / "scenarios/memory" / ("memory_stress_" + std::string(kind) + ".json");
    for (int seed = 1; seed <= 8; ++seed) {
      const Result result =
          run("run --trace none --seed " + std::to_string(seed) + " " + scenario.string());
      INFO(kind << ", seed " << seed << "\n" << result.output);
      CHECK(result.exit_code == 0);
    }
  }
}

TEST_CASE("a thread whose allocation was never made ends and is reported once", "[scenarios]") {
  const fenceline::support::TempFolder scratch;
  const fs::path scenario = scratch / "never_made.json";
  std::ofstream(scenario) << R"({
    "schema_version": 1, "name": "never_made",
    "platform": {"adapters": [{"name": "gpu0", "profile": "discrete", "vram": {"size": "16MiB"}}],
                 "os": {"video_memory": "4KiB"}},
    "processes": [{"name": "app", "contexts": [{"name": "work", "engine": "compute0"}],
                   "allocations": [{"name": "B", "segments": ["vram"], "size": "1MiB"}]}],
    "programs": [{"thread": "main", "steps": [{"lock": {"allocation": "B"}}]}],
    "expect": {}})";
  const Result result = run("run --json --trace none " + scenario.string());
  INFO(result.output);
  CHECK(result.exit_code == 1);
  const auto report = fenceline::scenario::json_tree<nlohmann::json>(result.output);
  std::vector<std::string> found;
  for (const auto& expectation : report.at("expectations"))
    if (!expectation.at("holds").get<bool>())
      found.push_back(expectation.at("pointer").get<std::string>());
  CHECK(found == std::vector<std::string>{"/processes/0/allocations/0", "/programs/0/steps/0"});
}

TEST_CASE("a step for what has no value or was never made ends its thread and says so",
          "[scenarios]") {
  const fenceline::support::TempFolder scratch;
  const fs::path scenario = scratch / "nothing_there.json";
  const auto says = [&](const std::string& steps, const std::string& text) {
    std::ofstream(scenario) << R"({
      "schema_version": 1, "name": "nothing_there",
      "platform": {"adapters": [{"name": "gpu0", "profile": "discrete", "vram": {"size": "16MiB"}}],
                   "os": {"video_memory": "4KiB"}},
      "processes": [{"name": "app", "fences": [{"name": "V"}],
                     "queues": [{"name": "q", "engine": "compute0"}],
                     "allocations": [{"name": "B", "segments": ["vram"], "size": "1MiB"}]}],
      "programs": [{"thread": "main", "steps": [)"
                            << steps << R"(, {"mark": "never"}]}], "expect": {}})";
    const Result result = run("run --trace none " + scenario.string());
    INFO(steps << "\n" << result.output);
    CHECK(result.exit_code == 1);
    CHECK(result.output.find(text) != std::string::npos);
  };
  // Nothing is left of the fence that had the name before.
  const std::string event =
      R"({"destroy_fence": "V"}, {"create_cpu_event": {"name": "V", "event": "e"}}, )";
  says(event + R"({"poll": {"fence": "V", "value": 0}})", "it is a CPU event, which has none");
  says(event + R"({"gpu_wait": {"queue": "q", "fence": "V", "value": 1}})",
       "STATUS_INVALID_PARAMETER");
  says(R"({"load": {"allocation": "B"}})", "the allocation B is there");
  says(R"({"lock": {"allocation": "B"}})", "the allocation B is there");
}

TEST_CASE("a soak varies what programs draw as its seeds do", "[scenarios]") {
  const fenceline::support::TempFolder scratch;
  const std::string stress =
      (kSource / "scenarios/memory/memory_stress_small.json").string() + " --trace none --out ";
  REQUIRE(run("run --repeat 2 " + stress + (scratch / "two").string()).exit_code == 0);
  REQUIRE(run("run --seed 2 " + stress + (scratch / "second").string()).exit_code == 0);
  const fs::path two = scratch / "two";
  for (const char* file : {"result.json", "stats.json", "config.json"}) {
    INFO(file);
    CHECK(content(two / "memory_stress_small-seed2" / file) == content(scratch / "second" / file));
  }
  CHECK(content(two / "memory_stress_small-seed1" / "stats.json") !=
        content(scratch / "second" / "stats.json"));
}

TEST_CASE("every scenario for mutants is proved", "[scenarios]") {
  if (fenceline::support::can_explore()) explore_all("mutants", {"fallen_value"});
}

TEST_CASE("the search returns the expected verdict for every known failure and its cure",
          "[scenarios]") {
  if (fenceline::support::can_explore()) explore_all("history", {"HB09_", "HB16_", "HB17_"});
}

TEST_CASE("the pictures of the documentation are what the program draws", "[docs]") {
  const fenceline::support::TempFolder scratch;
  const fs::path pictures = kSource / "docs/pictures";
  const std::string scenarios = (kSource / "scenarios").string();
  REQUIRE(run("run " + scenarios + "/native_fence/figure_41_42.json --trace all --out " +
              (scratch / "figure").string())
              .exit_code == 0);
  CHECK(content(scratch / "figure/timeline.svg") == content(pictures / "timeline.svg"));
  if (!fenceline::support::can_explore()) return;
  REQUIRE(run("explore " + scenarios + "/litmus/P02_sb_no_cmp_barrier.json --out " +
              (scratch / "lost").string())
              .exit_code == 0);
  CHECK(content(scratch / "lost/I1.timeline.svg") == content(pictures / "lost_interrupt.svg"));
}

TEST_CASE("the same scenario and seed give the same bytes", "[determinism]") {
  const fenceline::support::TempFolder scratch;
  for (const std::string name : {"native_fence/figure_41_42", "litmus/P04_drop_recheck"}) {
    const std::string scenario = (kSource / "scenarios" / (name + ".json")).string();
    const fs::path one = scratch / "one";
    const fs::path two = scratch / "two";
    REQUIRE(run("run " + scenario + " --force --out " + one.string()).exit_code == 0);
    REQUIRE(run("run " + scenario + " --force --out " + two.string()).exit_code == 0);
    REQUIRE(files_in(one) == files_in(two));
    for (const std::string& file : files_in(one)) {
      if (file == "host.json") continue;
      INFO(name << " " << file);
      CHECK(content(one / file) == content(two / file));
    }
  }
}

TEST_CASE("a barrier taken out by a switch turns a clean scenario into a lost waiter",
          "[scenarios]") {
  const std::string negative =
      (kSource / "scenarios/native_fence/lost_interrupt_without_barrier.json").string();
  CHECK(run("run --trace none " + negative).exit_code == 0);
  // With the barrier back, the same holds lose nobody: what the scenario expects does not happen.
  const Result mended = run("run --trace none " + negative +
                            " --set /platform/ordering/gpu.signal_barrier=before_check"
                            " --set /holds=[]");
  INFO(mended.output);
  CHECK(mended.exit_code == 1);
  CHECK(mended.output.find("I1") != std::string::npos);
}

TEST_CASE("an expectation that fails gives exit code 1 and says what was found", "[exit]") {
  const Result result = run("run --trace none --set /expect/counters/interrupts.raised=3 " +
                            (kSource / "scenarios/native_fence/figure_41_42.json").string());
  CHECK(result.exit_code == 1);
  CHECK(result.output.find("found: 2") != std::string::npos);
}

TEST_CASE("a waiter that nobody wakes is a hang exit code 3 with the reason", "[exit]") {
  const fenceline::support::TempFolder scratch;
  std::ofstream(scratch / "hang.json") << R"({"schema_version":1,"name":"hang","title":"t",
    "processes":[{"name":"app","fences":[{"name":"F"}]}],
    "programs":[{"thread":"sleeper","steps":[{"wait":{"fence":"F","value":1}}]}],"expect":{}})";
  const Result result = run("run --trace none " + (scratch / "hang.json").string());
  INFO(result.output);
  CHECK(result.exit_code == 3);
  CHECK(result.output.find("sleeper waits for F >= 1") != std::string::npos);
}

TEST_CASE("a run that stops early by request passes and says so", "[exit]") {
  const Result result = run("run --json --stop-at 60us " +
                            (kSource / "scenarios/native_fence/figure_41_42.json").string());
  INFO(result.output);
  CHECK(result.exit_code == 0);
  CHECK(result.output.find("\"ending\": \"stopped\"") != std::string::npos);
}

TEST_CASE("help that cannot be written is an error", "[exit]") {
  CHECK(run("--help 2>/dev/null >/dev/full").exit_code == 4);
  CHECK(run("run --help 2>/dev/null >/dev/full").exit_code == 4);
}

TEST_CASE("a hold that names no agent is a usage error that lists the agents", "[exit]") {
  const Result result = run("run --trace none --set /holds/0/hold/agent=nobody " +
                            (kSource / "scenarios/native_fence/stale_shadow.json").string());
  INFO(result.output);
  CHECK(result.exit_code == 2);
  CHECK(result.output.find("gpu0.cmp") != std::string::npos);
  CHECK(result.output.find("stale_shadow.json:68:5: /holds/0: no agent is called") !=
        std::string::npos);
}

TEST_CASE("a driver that signals a CPU event for another node is found", "[kmd]") {
  const std::string scenario = (kSource / "scenarios/combined/events_of_two_nodes.json").string();
  CHECK(run("run --trace none " + scenario).exit_code == 0);
  const Result wrong = run("run --trace none --kmd " FENCELINE_EVENT_KMD " " + scenario);
  CHECK(wrong.exit_code == 1);
  CHECK(wrong.output.find("I117") != std::string::npos);
}

TEST_CASE("a driver from a shared library runs the same scenario", "[kmd]") {
  const std::string scenario = (kSource / "scenarios/native_fence/figure_41_42.json").string();
  const Result loaded = run("run --trace none --kmd " FENCELINE_KMD " " + scenario);
  INFO(loaded.output);
  CHECK(loaded.exit_code == 0);
  const Result missing = run("run --trace none --kmd /nonexistent.so " + scenario);
  CHECK(missing.exit_code == 2);
  CHECK(missing.output.find("cannot load the driver") != std::string::npos);
}

TEST_CASE("a failed random run replays from its repro file", "[replay]") {
  const fenceline::support::TempFolder scratch;
  const fs::path out = scratch / "run";
  // The scenario is told to expect no violation, so that the run counts as failed.
  const Result failed = run("run --seed 20 --set /expect={} --out " + out.string() + " " +
                            (kSource / "scenarios/litmus/P07_drop_ack_and_recheck.json").string());
  INFO(failed.output);
  if (failed.exit_code == 0) FAIL("seed 20 no longer loses the waiter: choose another");
  const Result replayed = run("replay " + (out / "repro.json").string());
  INFO(replayed.output);
  CHECK(replayed.exit_code == failed.exit_code);
  CHECK(replayed.output.find("I1") != std::string::npos);
}

}  // namespace fenceline::system_tests::test_scenarios
