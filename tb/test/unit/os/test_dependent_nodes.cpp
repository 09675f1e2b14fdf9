// Nodes that depend on one that is reset.
#include <catch2/catch.hpp>

#include "tb/test/unit/os/hung_node.h"

namespace fenceline::os::hung_node::test_dependent_nodes {

TEST_CASE("a dependent node that stops in time loses nothing") {
  Hung bench;
  ContextQueue* other = nullptr;
  bench.machine.add("device", [&] {
    while (bench.machine.preemptions.empty()) bench.machine.sleep(kMillisecond);
    bench.preempted(1, 0, 1);
  });
  CHECK(bench.run([&] {
    bench.hang();
    other = &bench.run_other();
    const auto& told = bench.machine.watch<event::Recovery>();
    bench.recover();
    REQUIRE(told.size() > 1);
    CHECK(told[1].stage == event::RecoveryStage::kDependent);
    CHECK(told[1].id == 1);
    CHECK(bench.machine.steps().simulated() < bench.parts.table.preemption.dependents_delay);
    CHECK(bench.machine.engine_resets == Nodes{0});
    CHECK_FALSE(other->ended);
    CHECK(other->preempted.size() == 1);
  }));
}

TEST_CASE("a dependent node that does not stop is reset too and the nodes in their order") {
  Hung bench;
  CHECK(bench.run([&] {
    ContextQueue& other = bench.run_other();
    bench.hang();
    const common::Time before = bench.machine.steps().simulated();
    bench.recover();
    CHECK(bench.machine.steps().simulated() - before >=
          bench.parts.table.preemption.dependents_delay);
    CHECK(bench.machine.preemptions.size() == 1);
    CHECK(bench.machine.engine_resets == Nodes{0, 1});
    CHECK(other.ended);
    CHECK_FALSE(bench.node(1).preempting);
    CHECK(bench.reports(1) == 1);
  }));
}

TEST_CASE("a dependent node that was asked already is not asked again") {
  Hung bench;
  CHECK(bench.run([&] {
    bench.run_other();
    bench.node(1).preempting = true;
    bench.hang();
    bench.recover();
    CHECK(bench.machine.preemptions.empty());
    CHECK(bench.machine.engine_resets == Nodes{0, 1});
  }));
}

TEST_CASE("a node without work or that does not depend on the hung one is left alone") {
  Hung bench;
  CHECK(bench.run([&] {
    bench.hang();
    ContextQueue& independent = bench.run_other();
    bench.create(&second_process, 2);
    bench.machine.dependent_nodes = 5;
    bench.recover();
    CHECK(bench.machine.preemptions.empty());
    CHECK(bench.machine.engine_resets == Nodes{0});
    CHECK_FALSE(independent.ended);
  }));
}

TEST_CASE("dependent nodes are not asked where that rule is removed") {
  PreemptionOptions options = ContextBench::preempting();
  options.preempts_dependents = false;
  Hung bench(options);
  CHECK(bench.run([&] {
    bench.run_other();
    bench.hang();
    bench.recover();
    CHECK(bench.machine.preemptions.empty());
    CHECK(bench.machine.engine_resets == Nodes{0});
  }));
}

}  // namespace fenceline::os::hung_node::test_dependent_nodes
