// Threads in a search: where they begin, who has the core, and what they share in the OS.
#include <catch2/catch.hpp>

#include "tb/explore/explore.h"
#include "tb/scenario/loader.h"
#include "tb/test/support/can_explore.h"
#include "tb/test/support/litmus.h"

namespace fenceline::system_tests::test_explore_threads {

namespace explore = fenceline::explore;
namespace scenario = fenceline::scenario;
using explore::Exploration;
using explore::ExploreOptions;
using explore::Verdict;
using fenceline::support::litmus;

namespace {

/// A scenario of one process with fence F; `programs` and `more` are JSON.
scenario::Scenario threads(int cores, const std::string& programs) {
  const std::string text =
      R"({"schema_version": 1, "name": "threads", "policy": "random",
          "platform": {"host": {"cores": )" +
      std::to_string(cores) + R"(}, "adapters": [{"name": "gpu0", "profile": "litmus"}],
                       "ordering": {}},
          "processes": [{"name": "app", "fences": [{"name": "F"}]}],
          "programs": )" +
      programs + R"(, "expect": {}})";
  return scenario::load_text(text, "threads.json");
}

Exploration search(const scenario::Scenario& scenario) {
  explore::ExploreOptions options;
  options.explain = false;
  return explore::explore(scenario, options);
}

/// The value falls from 2 to 1 if `low` comes second, and then a wait for 2 that comes late waits
/// for ever.
constexpr const char* kFalls = R"([
  {"thread": "high", "steps": [{"signal": {"fence": "F", "value": 2}}]},
  {"thread": "low", "steps": [{"signal": {"fence": "F", "value": 1}}]},
  {"thread": "waits", "steps": [{"wait": {"fence": "F", "value": 2}}]}])";

/// Queue B gets the only doorbell from queue A, by a thread that does not submit to B.
scenario::Scenario connected_by_another(const std::string& submission_lock) {
  return litmus("L105_ring_meets_victim",
                {"/platform/host/memory_model=tso",
                 "/platform/ordering={\"umd.submission_lock\": " + submission_lock + "}",
                 R"(/programs=[
    {"thread": "T0", "steps": [{"submit": {"queue": "B", "commands":
      [{"signal": {"fence": "F", "value": 1}}]}}]},
    {"thread": "T1", "steps": [{"connect_doorbell": {"queue": "A"}},
                               {"connect_doorbell": {"queue": "B"}}]}])"});
}

}  // namespace

TEST_CASE("threads that share a core are taken in every order", "[explore]") {
  if (!fenceline::support::can_explore()) return;
  for (const int cores : {2, 4}) {
    const Exploration exploration = search(threads(cores, kFalls));
    CHECK(exploration.verdict == Verdict::kProved);
    CHECK(exploration.search.completes);  // with `waits` first, which comes last in the list
    CHECK(exploration.search.waits);
  }
}

TEST_CASE("a thread is preempted between two of its steps", "[explore]") {
  if (!fenceline::support::can_explore()) return;
  // On one core: the fence is at 2 when somebody waits for it, unless `low` comes between.
  const Exploration exploration = search(threads(2, R"([
    {"thread": "high", "steps": [{"signal": {"fence": "F", "value": 2}},
                                 {"wait": {"fence": "F", "value": 2}}]},
    {"thread": "low", "steps": [{"signal": {"fence": "F", "value": 1}}]}])"));
  CHECK(exploration.search.completes);
  CHECK(exploration.search.waits);
}

TEST_CASE("the first step of a thread has no fixed place", "[explore]") {
  if (!fenceline::support::can_explore()) return;
  // To fail the device is the first deed of the first thread.
  const Exploration exploration = search(threads(4, R"([
    {"thread": "fails", "steps": [{"fail_device": {}}]},
    {"thread": "makes", "steps": [{"create_fence": {"name": "G"}}]}])"));
  const auto& races = exploration.search.coverage.races;
  const auto race = races.find({"fails table", "makes table"});
  REQUIRE(race != races.end());
  CHECK(race->second.both());
}

TEST_CASE("a weak host shows the packets of a ring before its write pointer", "[explore]") {
  if (!fenceline::support::can_explore()) return;
  // The device looks at the ring when its queue loses the doorbell, while the thread still stores.
  const scenario::Scenario weak =
      litmus("L105_ring_meets_victim", {"/platform/host/memory_model=weak",
                                        R"(/platform/ordering={"isr.load_barrier": true})",
                                        R"(/programs/0/steps=[{"submit": {"queue": "A", "commands":
          [{"signal": {"fence": "F", "value": 1}}]}}, {"wait": {"fence": "F", "value": 1}}])"});
  ExploreOptions options;
  options.explain = false;
  options.limits.executions = 5000;
  const Exploration found = explore::explore(weak, options);
  CHECK(found.search.completes);
  CHECK_FALSE(found.search.waits);  // for a value whose signal the device took for nothing
  CHECK(found.verdict == Verdict::kIncomplete);
}

TEST_CASE("a buffer goes to the driver while the adapter of its node is reset", "[explore]") {
  if (!fenceline::support::can_explore()) return;
  const scenario::Scenario met =
      scenario::load(FENCELINE_SOURCE_DIR "/scenarios/found/buffer_given_during_a_reset.json");
  CHECK(search(met).verdict == Verdict::kProved);
}

TEST_CASE("small scenarios that campaigns have found end well in all orders", "[explore]") {
  if (!fenceline::support::can_explore()) return;
  for (const char* const name : {"traces_at_the_same_time", "late_message_behind_its_entry",
                                 "always_signaled_without_the_lock", "window_opened_before_d3",
                                 "window_closed_on_the_way_to_d3", "load_on_the_way_to_d3",
                                 "load_on_the_way_to_d0", "buffer_queued_on_the_way_to_d3"}) {
    INFO(name);
    const scenario::Scenario met =
        scenario::load(std::string(FENCELINE_SOURCE_DIR "/scenarios/found/") + name + ".json");
    CHECK(search(met).verdict == Verdict::kProved);
  }
}

TEST_CASE("one thread connects the doorbell of a queue that another thread rings", "[explore]") {
  if (!fenceline::support::can_explore()) return;
  ExploreOptions options;
  options.explain = false;
  CHECK(explore::explore(connected_by_another("true"), options).verdict == Verdict::kProved);
  // Without the lock the one rings the dummy page, and then sees the status that the other caused.
  const Exploration unlocked = explore::explore(connected_by_another("false"), options);
  CHECK(unlocked.verdict == Verdict::kViolated);
  REQUIRE(unlocked.counterexamples.size() == 1);
  CHECK(unlocked.counterexamples[0].violation.invariant == "I101");
  // It never rings a doorbell of the device that still belongs to another queue.
  options.limits.about = {"I102"};
  CHECK(explore::explore(connected_by_another("false"), options).verdict == Verdict::kProved);
}

}  // namespace fenceline::system_tests::test_explore_threads
