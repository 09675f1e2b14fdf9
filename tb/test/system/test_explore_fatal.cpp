#include <catch2/catch.hpp>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <unistd.h>

#include "tb/app/cli/commands/explored_runs.h"
#include "tb/explore/story/exploration_json.h"
#include "tb/scenario/loader.h"
#include "tb/test/support/can_explore.h"
#include "tb/test/support/temp_folder.h"

namespace fenceline::system_tests::test_explore_fatal {

namespace explore = fenceline::explore;
namespace scenario = fenceline::scenario;
using explore::Exploration;
using explore::ExploreOptions;
using explore::Verdict;

namespace {

/// What fails when the driver names a fence to the OS does so in some orders of this scenario only;
/// others lose the waiter.
scenario::Scenario lossy() {
  return scenario::load(std::string(FENCELINE_SOURCE_DIR) + "/scenarios/litmus/P06_drop_both.json",
                        {});
}

Exploration explore_with(const char* fault, ExploreOptions options = {}) {
  options.kmd = FENCELINE_FATAL_KMD;
  ::setenv("FENCELINE_FATAL", fault, 1);
  return explore::explore(lossy(), options);
}

const explore::Counterexample* find(const Exploration& exploration, const std::string& invariant) {
  for (const explore::Counterexample& it : exploration.counterexamples)
    if (it.violation.invariant == invariant) return &it;
  return nullptr;
}

}  // namespace

TEST_CASE("a driver that crashes in some orders is a finding and the rest goes on", "[explore]") {
  if (!fenceline::support::can_explore()) return;
  const Exploration exploration = explore_with("crash");
  CHECK(exploration.verdict == Verdict::kViolated);
  CHECK(exploration.search.complete);
  const explore::Counterexample* crash = find(exploration, explore::kCrash);
  REQUIRE(crash != nullptr);
  CHECK(crash->violation.message.find("SIGABRT") != std::string::npos);
  CHECK(crash->violation.message.find("core0.isr") != std::string::npos);
  CHECK(crash->violation.message.find("in DxgkDdiInterruptRoutine of gpu0") != std::string::npos);
  CHECK(crash->trace.size() == crash->steps);
  CHECK(crash->trace.back() == "core0.isr");
  CHECK_FALSE(crash->holds.empty());
  const explore::Counterexample* lost = find(exploration, "I1");
  REQUIRE(lost != nullptr);
  CHECK_FALSE(lost->why.empty());
  CHECK(judge(lossy(), exploration).exit_code == 1);
}

TEST_CASE("a driver that ends the process is a finding", "[explore]") {
  if (!fenceline::support::can_explore()) return;
  ExploreOptions options;
  options.explain = false;
  const Exploration exploration = explore_with("exit", options);
  REQUIRE(find(exploration, explore::kCrash) != nullptr);
  CHECK(find(exploration, explore::kCrash)->violation.message.find("exit code 7") !=
        std::string::npos);
  CHECK(find(exploration, "I1") != nullptr);
}

TEST_CASE("a driver that loops for ever in some orders is a finding", "[explore]") {
  if (!fenceline::support::can_explore()) return;
  ExploreOptions options;
  options.explain = false;
  options.limits.stuck = std::chrono::milliseconds(100);
  const Exploration exploration = explore_with("loop", options);
  CHECK(exploration.verdict == Verdict::kViolated);
  REQUIRE(find(exploration, explore::kEndlessLoop) != nullptr);
  CHECK(find(exploration, explore::kEndlessLoop)->violation.message.find("0.1 s of CPU time") !=
        std::string::npos);
  CHECK(find(exploration, "I1") != nullptr);
}

TEST_CASE("the same driver without its fault crashes in no order", "[explore]") {
  if (!fenceline::support::can_explore()) return;
  ExploreOptions options;
  options.explain = false;
  const Exploration exploration = explore_with("", options);
  CHECK(find(exploration, explore::kCrash) == nullptr);
  CHECK(find(exploration, "I1") != nullptr);
}

TEST_CASE("a crash in the set-up is a finding without a run", "[explore]") {
  if (!fenceline::support::can_explore()) return;
  const Exploration exploration = explore_with("start");
  CHECK(exploration.verdict == Verdict::kViolated);
  CHECK_FALSE(exploration.search.complete);
  REQUIRE(find(exploration, explore::kCrash) != nullptr);
  CHECK(find(exploration, explore::kCrash)->steps == 0);
}

TEST_CASE("random orders outlive a driver that crashes", "[explore]") {
  if (!fenceline::support::can_explore()) return;
  ExploreOptions options;
  options.explain = false;
  options.limits.strategy = explore::Strategy::kRandom;
  options.limits.executions = 200;
  const Exploration exploration = explore_with("crash", options);
  CHECK(exploration.search.executions == 200);
  CHECK(find(exploration, explore::kCrash) != nullptr);
  CHECK(find(exploration, "I1") != nullptr);
}

TEST_CASE("too many steps that crash end the search with what is known", "[explore]") {
  if (!fenceline::support::can_explore()) return;
  ExploreOptions options;
  options.explain = false;
  options.limits.fatal = 0;
  const Exploration exploration = explore_with("crash", options);
  CHECK(exploration.verdict == Verdict::kViolated);
  CHECK_FALSE(exploration.search.complete);
  REQUIRE(find(exploration, explore::kCrash) != nullptr);
  CHECK(find(exploration, explore::kCrash)->steps > 0);
}

TEST_CASE("a crash outside a driver of the user is an error of the program", "[explore]") {
  if (!fenceline::support::can_explore()) return;
  // Its search takes many times longer than until the first report of progress.
  const scenario::Scenario large = scenario::load(
      std::string(FENCELINE_SOURCE_DIR) + "/scenarios/native_fence/notice_of_destroyed_fence.json",
      {});
  const std::string self = std::to_string(::getpid());
  ExploreOptions options;
  options.explain = false;
  options.limits.fatal = 0;
  options.progress = [&](const explore::SearchReport&, const explore::Frontier*) {
    std::ifstream children("/proc/self/task/" + self + "/children");
    for (pid_t child = 0; children >> child;) ::kill(child, SIGSEGV);
  };
  Exploration exploration;
  for (int tries = 0; tries < 20 && !exploration.search.own_fault; ++tries) try {
      exploration = explore::explore(large, options);
    } catch (const std::runtime_error&) {
      // It was hit twice at the same step, which then counts as the fault.
    }
  CHECK(exploration.search.own_fault);
  CHECK(judge(large, exploration).exit_code == 4);
}

TEST_CASE("a crash in the run for a picture takes nothing else with it", "[explore]") {
  namespace fs = std::filesystem;
  const fenceline::support::TempFolder temporary;
  fenceline::report::RunFolder folder(temporary / "out");
  explore::Counterexample found;
  found.violation.invariant = "I1";
  found.timed = true;
  const auto draw = [&](const char* fault) {
    ::setenv("FENCELINE_FATAL", fault, 1);
    return fenceline::cli::write_timed_run(lossy(), FENCELINE_FATAL_KMD, found, fault,
                                           std::chrono::milliseconds(200), folder);
  };
  using How = explore::Ended::How;
  const explore::Ended crash = draw("crash");
  CHECK(crash.how == How::kCrashed);
  CHECK(crash.what().find("SIGABRT, in DxgkDdiInterruptRoutine of gpu0") == 0);
  CHECK(crash.by_driver(FENCELINE_FATAL_KMD));
  CHECK(draw("loop").how == How::kStuck);
  CHECK(fs::is_empty(folder.hidden()));
  CHECK(draw("none").how == How::kWell);
  for (const char* file : {"none.scenario.json", "none.timeline.svg", "none.pftrace"})
    CHECK(fs::file_size(folder.hidden() / file) > 0);
}

}  // namespace fenceline::system_tests::test_explore_fatal
