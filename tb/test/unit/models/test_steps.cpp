#include <catch2/catch.hpp>

#include "models/common/simulation.h"
#include "tb/run/policies.h"

namespace fenceline::models_tests::test_steps {

using fenceline::common::AgentId;
using fenceline::common::Candidate;
using fenceline::common::Fires;
using fenceline::common::Footprint;
using fenceline::common::Gate;
using fenceline::common::Hasher;
using fenceline::common::HoldRule;
using fenceline::common::kernel_time;
using fenceline::common::kMillisecond;
using fenceline::common::kNanosecond;
using fenceline::common::Operation;
using fenceline::common::Ordering;
using fenceline::common::Place;
using fenceline::common::Policy;
using fenceline::common::Simulation;
using fenceline::common::Time;

namespace {

/// Picks by a list of agent numbers; the first candidate where the list has none of them.
class Scripted : public Policy {
 public:
  explicit Scripted(std::vector<AgentId> order) : order_(std::move(order)) {}
  std::size_t pick(const std::vector<Candidate>& candidates,
                   const std::function<std::uint64_t()>&) override {
    for (const AgentId wanted : order_)
      for (std::size_t i = 0; i < candidates.size(); ++i)
        if (candidates[i].agent == wanted) return i;
    return 0;
  }

 private:
  std::vector<AgentId> order_;
};

const Footprint kWord = Footprint().writes(Place::kMemory, 1);

}  // namespace

TEST_CASE("a step in timing mode takes its nominal time", "[steps]") {
  Simulation simulation{Ordering{}};
  Time after = 0;
  simulation.steps.add_agent("a", [&] {
    simulation.steps.step(Operation::kWrite, kWord, 30 * kNanosecond);
    simulation.steps.elapse(12 * kNanosecond);
    after = simulation.steps.now();
  });
  sc_core::sc_start();
  CHECK(after == 42 * kNanosecond);
}

TEST_CASE("the kernel is given the time that it would make itself", "[steps]") {
  for (const Time time : {Time{0}, Time{1}, 10 * kNanosecond, 1'234'567 * kMillisecond, ~Time{0}})
    CHECK(kernel_time(time) == sc_core::sc_time::from_value(time));
  CHECK(kernel_time(kNanosecond) == sc_core::sc_time(1, sc_core::SC_NS));
}

TEST_CASE("a waiter continues only when its condition holds", "[steps]") {
  Simulation simulation{Ordering{}};
  Gate gate(simulation.steps);
  bool ready = false;
  Time resumed = 0;
  simulation.steps.add_agent("waits", [&] {
    simulation.steps.wait_until(gate, [&] { return ready; });
    resumed = simulation.steps.now();
  });
  simulation.steps.add_agent("opens", [&] {
    simulation.steps.elapse(10 * kNanosecond);
    gate.open();  // too early: the condition does not hold
    simulation.steps.elapse(10 * kNanosecond);
    ready = true;
    gate.open();
  });
  sc_core::sc_start();
  CHECK(resumed == 20 * kNanosecond);
}

TEST_CASE("a wait with a limit says whether the limit came first", "[steps]") {
  Simulation simulation{Ordering{}};
  Gate gate(simulation.steps);
  bool in_time = true;
  Time end = 0;
  simulation.steps.add_agent("waits", [&] {
    in_time = simulation.steps.wait_until_for(
        gate, [] { return false; }, 5 * kNanosecond);
    end = simulation.steps.now();
  });
  sc_core::sc_start();
  CHECK_FALSE(in_time);
  CHECK(end == 5 * kNanosecond);
}

TEST_CASE("an exploring policy decides who steps first", "[steps]") {
  Simulation simulation{Ordering{}};
  Gate start(simulation.steps);
  bool started = false;
  std::vector<std::string> order;
  const auto body = [&](const char* name) {
    return [&, name] {
      simulation.steps.wait_until(start, [&] { return started; });
      simulation.steps.step(Operation::kWrite, kWord);
      order.emplace_back(name);
    };
  };
  simulation.steps.add_agent("a", body("a"));
  const AgentId b = simulation.steps.add_agent("b", body("b"));
  Scripted policy({b});
  simulation.steps.add_agent("controller", [&] {
    started = true;
    simulation.steps.explore(policy, 100);
  });
  sc_core::sc_start();
  CHECK(order == std::vector<std::string>{"b", "a"});
  CHECK(simulation.steps.choice_points() == 1);
}

TEST_CASE("a timer that fires last fires when nobody else can go on", "[steps]") {
  Simulation simulation{Ordering{}};
  Gate start(simulation.steps);
  bool started = false;
  std::vector<std::string> order;
  const AgentId timer = simulation.steps.add_agent("timer", [&] {
    simulation.steps.wait_until(start, [&] { return started; });
    const auto never = [] { return false; };
    simulation.steps.wait_until_for(start, never, kMillisecond, Fires::kLast);
    order.emplace_back("timer");
  });
  simulation.steps.add_agent("writes", [&] {
    simulation.steps.wait_until(start, [&] { return started; });
    simulation.steps.step(Operation::kWrite, kWord);
    simulation.steps.step(Operation::kWrite, kWord);
    order.emplace_back("writes");
  });
  Scripted policy({timer});
  simulation.steps.add_agent("controller", [&] {
    started = true;
    simulation.steps.explore(policy, 100);
  });
  sc_core::sc_start();
  CHECK(order == std::vector<std::string>{"writes", "timer"});
}

TEST_CASE("an agent remembers only reads that it observes", "[steps]") {
  Simulation simulation{Ordering{}};
  Gate go(simulation.steps);
  bool started = false;
  std::vector<std::uint64_t> known;
  simulation.steps.add_agent("a", [&] {
    simulation.steps.wait_until(go, [&] { return started; });
    for (const bool reads : {false, true}) {
      simulation.steps.forget();
      const Hasher before = simulation.steps.knowledge();
      if (reads) simulation.steps.observe(1);
      CHECK((simulation.steps.knowledge().value() == before.value()) != reads);
      simulation.steps.know_again(before);
      simulation.steps.observe(2);
      known.push_back(simulation.steps.knowledge().value());
    }
  });
  Scripted policy({});
  simulation.steps.add_agent("controller", [&] {
    started = true;
    simulation.steps.explore(policy, 100);
  });
  sc_core::sc_start();
  REQUIRE(known.size() == 2);
  CHECK(known[0] == known[1]);
}

TEST_CASE("time stands still while exploring", "[steps]") {
  Simulation simulation{Ordering{}};
  Scripted policy({});
  simulation.steps.add_agent("a", [&] { simulation.steps.elapse(1 * kMillisecond); });
  Time stood = 1;
  Gate go(simulation.steps);
  bool started = false;
  simulation.steps.add_agent("b", [&] {
    simulation.steps.wait_until(go, [&] { return started; });
    simulation.steps.elapse(1 * kMillisecond);
    stood = sc_core::sc_time_stamp().value();
  });
  simulation.steps.add_agent("controller", [&] {
    simulation.steps.elapse(2 * kMillisecond);
    started = true;
    simulation.steps.explore(policy, 100);
  });
  sc_core::sc_start();
  CHECK(stood == 2 * kMillisecond);
}

TEST_CASE("an exploration takes over a wait with a limit", "[steps]") {
  Simulation simulation{Ordering{}};
  Gate gate(simulation.steps);
  bool in_time = true;
  simulation.steps.add_agent("waits", [&] {
    in_time = simulation.steps.wait_until_for(
        gate, [] { return false; }, kMillisecond);
  });
  Scripted policy({});
  simulation.steps.add_agent("controller", [&] {
    simulation.steps.elapse(kNanosecond);
    CHECK(simulation.steps.explore(policy, 100) == 1);
    CHECK_FALSE(in_time);
  });
  sc_core::sc_start();
  CHECK(simulation.steps.failure() == nullptr);
}

TEST_CASE("an exploration does not begin while time passes for an agent", "[steps]") {
  Simulation simulation{Ordering{}};
  simulation.steps.add_agent("a", [&] { simulation.steps.elapse(kMillisecond); });
  Scripted policy({});
  simulation.steps.add_agent("controller", [&] {
    simulation.steps.elapse(kNanosecond);
    CHECK(simulation.steps.any_elapses());
    CHECK_THROWS_AS(simulation.steps.explore(policy, 100), std::logic_error);
  });
  sc_core::sc_start(kernel_time(2 * kNanosecond));
}

TEST_CASE("a hold stalls an operation until another has happened", "[steps]") {
  Simulation simulation{Ordering{}};
  std::vector<std::string> order;
  const AgentId a = simulation.steps.add_agent("a", [&] {
    simulation.steps.step(Operation::kDrain, kWord, 1 * kNanosecond);
    order.emplace_back("a");
  });
  const AgentId b = simulation.steps.add_agent("b", [&] {
    simulation.steps.step(Operation::kWrite, kWord, 50 * kNanosecond);
    order.emplace_back("b");
  });
  simulation.steps.start_counting({HoldRule{{a, Operation::kDrain, 1}, {b, Operation::kWrite, 1}}});
  sc_core::sc_start();
  CHECK(order == std::vector<std::string>{"b", "a"});
}

TEST_CASE("a hold binds an exploring policy too", "[steps]") {
  Simulation simulation{Ordering{}};
  Gate start(simulation.steps);
  bool started = false;
  std::vector<std::string> order;
  const auto body = [&](const char* name, Operation operation) {
    return [&, name, operation] {
      simulation.steps.wait_until(start, [&] { return started; });
      simulation.steps.step(operation, kWord);
      order.emplace_back(name);
    };
  };
  const AgentId a = simulation.steps.add_agent("a", body("a", Operation::kDrain));
  const AgentId b = simulation.steps.add_agent("b", body("b", Operation::kWrite));
  Scripted policy({a});
  simulation.steps.add_agent("controller", [&] {
    simulation.steps.start_counting({HoldRule{{a, Operation::kAny, 1}, {b, Operation::kWrite, 1}}});
    started = true;
    simulation.steps.explore(policy, 100);
  });
  sc_core::sc_start();
  CHECK(order == std::vector<std::string>{"b", "a"});
}

TEST_CASE("a replay that finds another state is hidden nondeterminism", "[steps]") {
  Simulation simulation{Ordering{}};
  std::vector<fenceline::report::Choice> recorded{{"a", "write", 1}};
  fenceline::run::ReplayPolicy replay(simulation.steps, recorded);
  const AgentId a = simulation.steps.add_agent("a", [] {});
  const AgentId b = simulation.steps.add_agent("b", [] {});
  const std::vector<Candidate> candidates{{a, Operation::kWrite, kWord},
                                          {b, Operation::kWrite, kWord}};
  CHECK(replay.pick(candidates, [] { return std::uint64_t{1}; }) == 0);

  fenceline::run::ReplayPolicy other(simulation.steps, recorded);
  CHECK_THROWS_WITH(other.pick(candidates, [] { return std::uint64_t{2}; }),
                    Catch::Contains("hidden nondeterminism at step 1, agent a"));
}

TEST_CASE("an exception of an agent stops the simulation and can be inspected", "[steps]") {
  Simulation simulation{Ordering{}};
  simulation.steps.add_agent("a", [] { throw std::runtime_error("broken"); });
  sc_core::sc_start();
  REQUIRE(simulation.steps.failure());
  CHECK_THROWS_WITH(std::rethrow_exception(simulation.steps.failure()), "broken");
}

TEST_CASE("footprints conflict where one of two writes", "[steps]") {
  const Footprint reads = Footprint().reads(Place::kMemory, 1);
  CHECK(kWord.conflicts(reads));
  CHECK(reads.conflicts(kWord));
  CHECK_FALSE(reads.conflicts(reads));
  CHECK_FALSE(kWord.conflicts(Footprint().writes(Place::kFifo, 1)));
  CHECK_FALSE(kWord.conflicts(Footprint().writes(Place::kMemory, 2)));
}

}  // namespace fenceline::models_tests::test_steps
