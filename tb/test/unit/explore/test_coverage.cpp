#include <catch2/catch.hpp>

#include "models/common/simulation.h"
#include "tb/explore/search/search_fields.h"

namespace fenceline::explore_tests::test_coverage {

using fenceline::common::AgentId;
using fenceline::common::Candidate;
using fenceline::common::Footprint;
using fenceline::common::Operation;
using fenceline::common::Place;
using fenceline::explore::AgentSet;
using fenceline::explore::Coverage;
using fenceline::explore::RaceFinder;
using fenceline::explore::Touched;

namespace {

Touched touches(std::uint64_t index, bool write) {
  return {Footprint::access(Place::kRegister, index, write)};
}

/// Runs of two agents that write and read one register.
class Runs {
 public:
  void step(std::size_t place, AgentId agent, bool write, std::initializer_list<AgentId> enabled) {
    AgentSet set;
    for (const AgentId it : enabled) set.set(it);
    finder_.step(place, {agent, write ? Operation::kWrite : Operation::kRead, {}, 0},
                 touches(7, write), set);
  }
  void forget(std::size_t place) { finder_.forget(place); }
  std::map<Coverage::Pair, Coverage::Wins> races() const {
    return finder_.races(simulation_.steps);
  }

 private:
  fenceline::common::Simulation simulation_{{}};
  RaceFinder finder_;

 public:
  const AgentId a = simulation_.steps.add_agent("a", [] {});
  const AgentId b = simulation_.steps.add_agent("b", [] {});
};

const Coverage::Pair kPair{"a write", "b read"};

}  // namespace

TEST_CASE("two steps race if both could go first and they touch the same", "[explore]") {
  Runs runs;
  runs.step(0, runs.a, true, {runs.a, runs.b});
  CHECK(runs.races().empty());
  runs.step(1, runs.b, false, {runs.b});
  REQUIRE(runs.races().count(kPair) == 1);
  CHECK(runs.races().at(kPair).first == 1);
  CHECK_FALSE(runs.races().at(kPair).both());
  runs.step(0, runs.b, false, {runs.a, runs.b});
  runs.step(1, runs.a, true, {runs.a});
  CHECK(runs.races().at(kPair).both());
}

TEST_CASE("a step that could not be taken before does not race with what let it go on",
          "[explore]") {
  Runs runs;
  runs.step(0, runs.a, true, {runs.a});
  runs.step(1, runs.b, false, {runs.b});
  CHECK(runs.races().empty());
}

TEST_CASE("two reads do not race", "[explore]") {
  Runs runs;
  runs.step(0, runs.a, false, {runs.a, runs.b});
  runs.step(1, runs.b, false, {runs.b});
  CHECK(runs.races().empty());
}

TEST_CASE("a run that goes on from another one races with what is known of it only", "[explore]") {
  Runs runs;
  runs.step(0, runs.a, true, {runs.a, runs.b});
  runs.forget(1);
  runs.step(1, runs.b, false, {runs.b});
  CHECK(runs.races().empty());
}

TEST_CASE("coverage of processes adds up and survives their transfer", "[explore]") {
  Coverage one;
  one.races[kPair] = {2, 0};
  one.tested[3] = 5;
  const auto drain = static_cast<std::size_t>(Operation::kDrain);
  one.ways[drain] = {4, 3};
  Coverage other;
  other.offer({{1, Operation::kDrain, {}, 0}, {2, Operation::kDrain, {}, 0}});
  other.take({1, Operation::kDrain, {}, 0});
  other.races[kPair] = {0, 1};
  Coverage read;
  fenceline::explore::from_bytes(fenceline::explore::to_bytes(other), read);
  add(one, read);
  CHECK(one.races.at(kPair).first == 2);
  CHECK(one.races.at(kPair).both());
  CHECK(one.both_ways() == 1);
  CHECK(one.tested[3] == 5);
  CHECK(one.ways[drain].offered == 6);
  CHECK(one.ways[drain].taken == 4);
}

}  // namespace fenceline::explore_tests::test_coverage
