// What a hung node takes with it: nodes that depend on it, and its adapter.
#include <catch2/catch.hpp>

#include "tb/os/contexts/context_recovery.h"
#include "tb/test/support/os/hung_node.h"

namespace fenceline::os::test_recovery_of_others {

using common::kMillisecond;
using support::ContextBench;
using Hung = support::HungNode;
using support::OsMachine;
using Nodes = std::vector<UINT>;

namespace {

OsMachine::Config without_engine_resets() {
  OsMachine::Config config;
  config.options.driver_caps.emplace_back();
  config.options.driver_caps[0].per_engine_tdr = false;
  return config;
}

}  // namespace

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
    bench.create(Hung::second_process(), 2);
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

TEST_CASE("the adapter is reset where a reset of the engine fails") {
  Hung bench;
  CHECK(bench.run([&] {
    bench.hang();
    ContextQueue& other = bench.create(Hung::second_process(), 1);
    bench.run_buffers(other);
    bench.machine.dependent_nodes = 1;
    bench.machine.engine_status = STATUS_UNSUCCESSFUL;
    std::size_t restarted = 0;
    bench.parts.recovery.on_restarted = [&](const Adapter&) { ++restarted; };
    bench.recover();
    CHECK(bench.machine.resets == 1);
    CHECK(bench.machine.restarts == 1);
    CHECK(restarted == 1);
    CHECK(bench.context->ended);
    CHECK(other.ended);  // all nodes lose their work
    CHECK(bench.node().in_flight.empty());
    CHECK(bench.node(1).in_flight.empty());
    CHECK(bench.node().last_completed == 2);
    CHECK(bench.node(1).last_completed == 1);
    CHECK_FALSE(bench.node().preempting);
    CHECK(bench.reports(0) == 1);
    CHECK(bench.reports(1) == 1);
  }));
}

TEST_CASE("the adapter is reset where the driver resets no engines") {
  Hung bench(ContextBench::preempting(), without_engine_resets());
  CHECK(bench.run([&] {
    bench.hang();
    bench.recover();
    CHECK(bench.machine.engine_resets.empty());
    CHECK(bench.machine.resets == 1);
  }));
}

TEST_CASE("the adapter is reset where an engine loses a paging buffer") {
  Hung bench;
  CHECK(bench.run([&] {
    bench.context = &bench.create(Hung::first_process());
    bench.context->paging = true;
    bench.run_buffers(*bench.context, 2);
    bench.node().preempting = true;
    bench.machine.last_aborted = 1;
    bench.recover();
    CHECK(bench.machine.resets == 1);
    CHECK_FALSE(bench.context->ended);
  }));
}

TEST_CASE("an adapter without work keeps the last fence of its nodes over a reset") {
  Hung bench;
  CHECK(bench.run([&] {
    bench.hang();
    bench.completed(2);
    bench.parts.recovery.reset_adapter(bench.machine.adapter());
    CHECK(bench.node().last_completed == 2);
    CHECK_FALSE(bench.node().preempting);
  }));
}

TEST_CASE("what nodes report does not count while their adapter is reset and does again after it") {
  Hung bench;
  CHECK(bench.run([&] {
    bench.hang();
    bench.run_other();
    const auto& told = bench.machine.watch<event::Recovery>();
    bench.machine.on_reset = [&] {
      CHECK(bench.reports(0) == 0);
      CHECK(bench.reports(1) == 0);
    };
    bench.parts.recovery.reset_adapter(bench.machine.adapter());
    CHECK(bench.reports(0) == 1);
    CHECK(bench.reports(1) == 1);
    REQUIRE(told.size() == 4);
    for (const auto& one : told) CHECK(one.id == 0);
    CHECK(told[1].stage == event::RecoveryStage::kAdapterReset);
    CHECK(told[1].engine == 2);
    CHECK(told[2].stage == event::RecoveryStage::kRestart);
  }));
}

TEST_CASE("nodes take nothing between the reset of their adapter and its restart") {
  Hung bench;
  ContextQueue* late = nullptr;
  std::size_t tried = 0;
  bench.parts.lost_work.on_aborted = [&](const void*) {  // the door is open then
    ++tried;
    CHECK_FALSE(bench.give(*late));
    late->leaving = true;
    CHECK_FALSE(bench.parts.dispatch.run_leave(*late));
    late->leaving = false;
  };
  CHECK(bench.run([&] {
    bench.hang();
    late = &bench.create(Hung::second_process());
    bench.submit(*late);
    bench.parts.recovery.reset_adapter(bench.machine.adapter());
    CHECK(tried == 1);
    CHECK(bench.node().in_flight.empty());
    CHECK(bench.give(*late));
  }));
}

TEST_CASE("nodes are not asked to stop while their adapter is reset") {
  Hung bench;
  CHECK(bench.run([&] {
    bench.hang();
    bench.node().preempting = false;
    bench.machine.on_reset = [&] {
      bench.machine.steps().elapse(bench.parts.table.preemption.tdr_delay);
      CHECK_FALSE(bench.parts.policy.should_preempt(bench.node()));
      common::Time limit = 0;
      CHECK_FALSE(bench.parts.policy.next_deadline(limit));
      bench.parts.returns.preempt(bench.node());
    };
    bench.parts.recovery.reset_adapter(bench.machine.adapter());
    CHECK(bench.machine.preemptions.empty());
  }));
}

TEST_CASE("a reset of an adapter does not touch the nodes of another") {
  OsMachine::Config config;
  config.platform.gpus.emplace_back().name = "gpu1";
  Hung bench(ContextBench::preempting(), config);
  CHECK(bench.run([&] {
    bench.hang();
    bench.parts.recovery.reset_adapter(bench.machine.kernel().adapter(1));
    CHECK(bench.node().in_flight.size() == 2);
    CHECK(bench.node().preempting);
    CHECK_FALSE(bench.context->ended);
    CHECK(bench.reports(0) == 1);
  }));
}

}  // namespace fenceline::os::test_recovery_of_others
