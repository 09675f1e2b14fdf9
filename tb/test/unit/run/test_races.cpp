#include <catch2/catch.hpp>

#include "models/common/simulation.h"
#include "tb/run/policies.h"
#include "tb/run/races.h"

namespace fenceline::run_tests::test_races {

using fenceline::common::AgentId;
using fenceline::common::Candidate;
using fenceline::common::Footprint;
using fenceline::common::Gate;
using fenceline::common::Operation;
using fenceline::common::Ordering;
using fenceline::common::Place;
using fenceline::common::Simulation;
using fenceline::report::Race;
using fenceline::run::Races;
using fenceline::run::RandomPolicy;
using fenceline::run::ReplayPolicy;

namespace {

const Footprint kWrites = Footprint().writes(Place::kMemory, 1);
const Footprint kReads = Footprint().reads(Place::kMemory, 1);
const Footprint kElsewhere = Footprint().writes(Place::kFifo, 1);

/// Three agents; "zeta" has the lowest number.
struct Agents {
  Simulation simulation{Ordering{}};
  AgentId zeta = simulation.steps.add_agent("zeta", [] {});
  AgentId alpha = simulation.steps.add_agent("alpha", [] {});
  AgentId other = simulation.steps.add_agent("other", [] {});
};

bool equal(const Race& race, const Race& other) {
  return race.first == other.first && race.second == other.second &&
         race.first_won == other.first_won && race.second_won == other.second_won;
}

}  // namespace

TEST_CASE("a race is counted for whoever goes first", "[races]") {
  Agents agents;
  const std::vector<Candidate> candidates{{agents.zeta, Operation::kDrain, kWrites},
                                          {agents.alpha, Operation::kRead, kReads}};
  Races races;
  races.decide(candidates, 0);
  races.decide(candidates, 1);
  races.decide(candidates, 1);
  const std::vector<Race> found = races.by_name(agents.simulation.steps);
  REQUIRE(found.size() == 1);
  CHECK(equal(found[0], {"alpha read", "zeta drain", 2, 1}));
}

TEST_CASE("steps that commute do not race", "[races]") {
  Agents agents;
  Races races;
  races.decide({{agents.zeta, Operation::kRead, kReads},
                {agents.alpha, Operation::kRead, kReads},
                {agents.other, Operation::kDrain, kElsewhere}},
               0);
  races.decide({{agents.zeta, Operation::kTimer, {}}, {agents.alpha, Operation::kWrite, kWrites}},
               0);
  CHECK(races.by_name(agents.simulation.steps).empty());
}

TEST_CASE("a pick decides only the races of the one that is picked", "[races]") {
  Agents agents;
  Races races;
  races.decide({{agents.zeta, Operation::kWrite, kWrites},
                {agents.alpha, Operation::kRead, kReads},
                {agents.other, Operation::kDrain, kWrites}},
               1);
  const std::vector<Race> found = races.by_name(agents.simulation.steps);
  REQUIRE(found.size() == 2);
  CHECK(equal(found[0], {"alpha read", "other drain", 1, 0}));
  CHECK(equal(found[1], {"alpha read", "zeta write", 1, 0}));
}

TEST_CASE("races of one pair of agents differ by what they do", "[races]") {
  Agents agents;
  Races races;
  races.decide(
      {{agents.zeta, Operation::kWrite, kWrites}, {agents.alpha, Operation::kRead, kReads}}, 0);
  races.decide(
      {{agents.zeta, Operation::kDrain, kWrites}, {agents.alpha, Operation::kRead, kReads}}, 0);
  const std::vector<Race> found = races.by_name(agents.simulation.steps);
  REQUIRE(found.size() == 2);
  CHECK(found[0].second == "zeta drain");
  CHECK(found[1].second == "zeta write");
}

TEST_CASE("a random run decides each race once", "[races]") {
  Simulation simulation{Ordering{}};
  Gate start(simulation.steps);
  bool started = false;
  const auto body = [&] {
    simulation.steps.wait_until(start, [&] { return started; });
    for (int i = 0; i < 50; ++i) simulation.steps.step(Operation::kWrite, kWrites);
  };
  simulation.steps.add_agent("a", body);
  simulation.steps.add_agent("b", body);
  RandomPolicy policy(simulation.steps, 1);
  simulation.steps.add_agent("controller", [&] {
    started = true;
    simulation.steps.explore(policy, 1000);
  });
  sc_core::sc_start();
  const std::vector<Race> found = policy.races();
  REQUIRE(found.size() == 1);
  CHECK(found[0].first_won + found[0].second_won == simulation.steps.choice_points());
  CHECK(found[0].first_won > 10);
  CHECK(found[0].second_won > 10);
}

TEST_CASE("a replay counts the races of the run that it follows", "[races]") {
  Agents agents;
  const std::vector<Candidate> candidates{{agents.zeta, Operation::kDrain, kWrites},
                                          {agents.alpha, Operation::kRead, kReads}};
  const auto state = [] { return std::uint64_t{7}; };
  RandomPolicy random(agents.simulation.steps, 3);
  for (int i = 0; i < 9; ++i) random.pick(candidates, state);
  ReplayPolicy replay(agents.simulation.steps, random.choices());
  for (int i = 0; i < 9; ++i) replay.pick(candidates, state);
  REQUIRE(random.races().size() == 1);
  REQUIRE(replay.races().size() == 1);
  CHECK(equal(random.races()[0], replay.races()[0]));
}

}  // namespace fenceline::run_tests::test_races
