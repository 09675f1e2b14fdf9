// Accesses of one agent that are under way at the same time.
#include <catch2/catch.hpp>
#include <stdexcept>

#include "models/common/simulation.h"
#include "models/common/steps/overlap.h"

namespace fenceline::models_tests::test_overlap {

using fenceline::common::AgentId;
using fenceline::common::kNanosecond;
using fenceline::common::Ordering;
using fenceline::common::Overlap;
using fenceline::common::Simulation;
using fenceline::common::Time;

namespace {

/// Time that four accesses of 10 ns take, `most` of them at once.
Time four_accesses(std::size_t most) {
  Simulation simulation{Ordering{}};
  Overlap overlap(simulation.steps);
  Time end = 0;
  simulation.steps.add_agent("a", [&] {
    for (int i = 0; i < 4; ++i)
      overlap.begin(most, [&] { simulation.steps.elapse(10 * kNanosecond); });
    overlap.finish();
    end = simulation.steps.now();
  });
  sc_core::sc_start();
  return end;
}

}  // namespace

TEST_CASE("accesses that may all be under way take the time of one", "[overlap]") {
  CHECK(four_accesses(4) == 10 * kNanosecond);
}

TEST_CASE("an access waits while as many as may be are under way", "[overlap]") {
  CHECK(four_accesses(2) == 20 * kNanosecond);
}

TEST_CASE("one access at a time takes the time of all", "[overlap]") {
  CHECK(four_accesses(1) == 40 * kNanosecond);
}

TEST_CASE("an access acts for the agent that began it", "[overlap]") {
  Simulation simulation{Ordering{}};
  Overlap overlap(simulation.steps);
  std::vector<AgentId> seen;
  const auto look = [&] { seen.push_back(simulation.steps.current()); };
  const AgentId a = simulation.steps.add_agent("a", [&] {
    overlap.begin(2, [&] {
      look();
      simulation.steps.elapse(10 * kNanosecond);
      look();
    });
    simulation.steps.elapse(5 * kNanosecond);
    look();
    overlap.finish();
    look();
  });
  simulation.steps.add_agent("b", [&] { simulation.steps.elapse(7 * kNanosecond); });
  sc_core::sc_start();
  CHECK(seen == std::vector<AgentId>{a, a, a, a});
}

TEST_CASE("an exception of an access comes out of finish when all accesses have ended",
          "[overlap]") {
  Simulation simulation{Ordering{}};
  Overlap overlap(simulation.steps);
  Time caught = 0;
  simulation.steps.add_agent("a", [&] {
    overlap.begin(2, [] { throw std::runtime_error("no"); });
    overlap.begin(2, [&] { simulation.steps.elapse(10 * kNanosecond); });
    try {
      overlap.finish();
    } catch (const std::runtime_error&) {
      caught = simulation.steps.now();
    }
  });
  sc_core::sc_start();
  CHECK(caught == 10 * kNanosecond);
}

}  // namespace fenceline::models_tests::test_overlap
