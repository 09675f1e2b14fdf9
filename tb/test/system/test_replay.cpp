#include <catch2/catch.hpp>
#include <string>

#include "tb/run/policies.h"
#include "tb/run/run_scenario.h"
#include "tb/scenario/loader.h"

namespace fenceline::system_tests::test_replay {

namespace report = fenceline::report;
namespace run = fenceline::run;
namespace scenario = fenceline::scenario;

namespace {

/// A random run of a scenario, and its replay.
struct Recorded {
  Recorded() {
    scenario::LoadOptions options;
    options.set = {"/holds=[]"};
    scenario = scenario::load(
        std::string(FENCELINE_SOURCE_DIR) + "/scenarios/litmus/P02_sb_no_cmp_barrier.json",
        options);
    run::RunOptions random;
    random.policy = scenario::PolicyKind::kRandom;
    report::Record record(0);
    first = run::run_scenario(scenario, random, record);
  }
  report::RunReport replay(const std::vector<report::Choice>& choices) const {
    run::RunOptions options;
    options.policy = scenario::PolicyKind::kRandom;
    options.choices = choices;
    report::Record record(0);
    return run::run_scenario(scenario, options, record);
  }

  scenario::Scenario scenario;
  report::RunReport first;
};

}  // namespace

TEST_CASE("a replay comes to the end of what it repeats", "[replay]") {
  const Recorded recorded;
  const report::RunReport again = recorded.replay(recorded.first.choices);
  CHECK(again.verdict == recorded.first.verdict);
  CHECK(again.end_time == recorded.first.end_time);
}

TEST_CASE("a fault of a link in a random run has the time of its step", "[replay]") {
  run::RunOptions random;
  random.policy = scenario::PolicyKind::kRandom;
  report::Record record(0);
  const report::RunReport found = run::run_scenario(
      scenario::load(FENCELINE_SOURCE_DIR "/scenarios/faults/message_lost.json", {}), random,
      record);
  REQUIRE(found.faults.size() == 1);
  CHECK(found.faults[0].time > 0);
  CHECK(found.faults[0].time <= found.end_time);
}

TEST_CASE("a replay that meets another state is refused", "[replay]") {
  const Recorded recorded;
  auto choices = recorded.first.choices;
  choices.back().state_hash ^= 1;
  CHECK_THROWS_AS(recorded.replay(choices), run::HiddenNondeterminism);
}

TEST_CASE("a replay that ends before the last recorded choice is refused", "[replay]") {
  const Recorded recorded;
  auto choices = recorded.first.choices;
  choices.push_back(choices.back());
  CHECK_THROWS_AS(recorded.replay(choices), run::HiddenNondeterminism);
}

}  // namespace fenceline::system_tests::test_replay
