// Nodes that do not acknowledge a preemption are reset, or their adapter.
#include <catch2/catch.hpp>

#include "tb/test/unit/os/hung_node.h"

namespace fenceline::os::hung_node::test_context_recovery {

TEST_CASE("a hung node is reset and its process loses its work") {
  Hung bench;
  CHECK(bench.run([&] {
    bench.hang();
    const auto& told = bench.machine.watch<event::Recovery>();
    bench.machine.steps().elapse(kMillisecond);
    bench.recover();
    CHECK(bench.machine.engine_resets == Nodes{0});
    CHECK(bench.machine.resets == 0);
    CHECK(bench.context->ended);
    CHECK_FALSE(bench.node().preempting);
    CHECK(bench.node().in_flight.empty());
    CHECK(bench.node().last_completed == 1);
    CHECK(bench.node().timeouts == 1);
    CHECK(bench.node().since == bench.machine.steps().simulated());
    CHECK(bench.parts.table.recovered);
    CHECK(bench.parts.table.work.signaled);
    REQUIRE(told.size() == 2);
    CHECK(told[0].stage == event::RecoveryStage::kTimeout);
    CHECK(told[1].stage == event::RecoveryStage::kEngineReset);
    CHECK(told[1].id == 1);
    CHECK(told[1].engine == 1);
  }));
}

TEST_CASE("buffers behind the lost one return to a process that goes on") {
  Hung bench;
  CHECK(bench.run([&] {
    bench.context = &bench.create(&first_process);
    ContextQueue& spared = bench.create(&second_process);
    bench.run_buffers(*bench.context);
    bench.run_buffers(spared);
    bench.node().preempting = true;
    bench.machine.last_aborted = 1;
    bench.recover();
    CHECK(bench.context->ended);
    CHECK_FALSE(spared.ended);
    CHECK(spared.preempted.size() == 1);
  }));
}

TEST_CASE("a node that has answered by now is left alone") {
  Hung bench;
  CHECK(bench.run([&] {
    bench.hang();
    bench.node().preempting = false;
    bench.recover();
    CHECK(bench.machine.engine_resets.empty());
    CHECK_FALSE(bench.parts.table.recovered);
  }));
}

TEST_CASE("a node with a request is reset although it has no buffer left") {
  Hung bench;
  CHECK(bench.run([&] {
    bench.create(&first_process);
    bench.node().preempting = true;
    bench.recover();
    CHECK(bench.machine.engine_resets == Nodes{0});
  }));
}

TEST_CASE("a node is reset without a request where that rule is removed") {
  PreemptionOptions options = ContextBench::preempting();
  options.preempts_first = false;
  Hung bench(options);
  CHECK(bench.run([&] {
    bench.hang();
    bench.node().preempting = false;
    bench.recover();
    CHECK(bench.machine.engine_resets == Nodes{0});
    bench.recover();  // it has nothing
    CHECK(bench.machine.engine_resets == Nodes{0});
  }));
}

TEST_CASE("a node may have completed its queue before the reset") {
  Hung bench;
  CHECK(bench.run([&] {
    bench.hang();
    bench.completed(1);
    bench.recover();
    CHECK_FALSE(bench.context->ended);
    CHECK(bench.context->preempted.size() == 1);
    CHECK(bench.node().last_completed == 1);
  }));
}

TEST_CASE("a reset that names a fence of no buffer stops the machine") {
  Hung bench;
  bench.run([&] {
    bench.hang();
    bench.machine.last_aborted = 7;
    try {
      bench.recover();
      FAIL("it goes on");
    } catch (const BugCheck& stop) {
      CHECK(stop.code() == VIDEO_SCHEDULER_INTERNAL_ERROR);
      CHECK(stop.parameters().first == fenceline::wddm::kSchedulerAbortedFenceRange);
      CHECK(stop.parameters().second == 7);
    }
  });
}

TEST_CASE("a node that does not depend on itself stops the machine") {
  Hung bench;
  bench.run([&] {
    bench.hang();
    bench.machine.dependent_nodes = 2;
    try {
      bench.recover();
      FAIL("it goes on");
    } catch (const BugCheck& stop) {
      CHECK(stop.parameters().first == fenceline::wddm::kSchedulerDependentNodeMask);
    }
  });
}

TEST_CASE("the adapter is reset where a reset of the engine fails") {
  Hung bench;
  CHECK(bench.run([&] {
    bench.hang();
    ContextQueue& other = bench.create(&second_process, 1);
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
    bench.context = &bench.create(&first_process);
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

TEST_CASE("the process of the lost buffer is blocked after too many timeouts") {
  PreemptionOptions options = ContextBench::preempting();
  options.tdr_limit_count = 2;
  Hung bench(options);
  CHECK(bench.run([&] {
    std::vector<const ContextQueue*> blocked;
    bench.parts.recovery.on_blocked = [&](const ContextQueue& lost) { blocked.push_back(&lost); };
    bench.hang();
    bench.recover();
    CHECK(blocked.empty());
    ContextQueue& again = bench.create(&first_process);
    bench.run_buffers(again);
    bench.node().preempting = true;
    bench.machine.last_aborted = 3;
    again.process = 9;
    const auto& told = bench.machine.watch<event::Recovery>();
    bench.recover();
    CHECK(blocked == std::vector<const ContextQueue*>{&again});
    REQUIRE_FALSE(told.empty());
    CHECK(told.back().stage == event::RecoveryStage::kBlocked);
    CHECK(told.back().id == 9);
    CHECK(told.back().engine == 1);
  }));
}

TEST_CASE("a buffer that only leaves a context counts for no process") {
  PreemptionOptions options = ContextBench::preempting();
  options.tdr_limit_count = 1;
  Hung bench(options);
  CHECK(bench.run([&] {
    bool blocked = false;
    bench.parts.recovery.on_blocked = [&](const ContextQueue&) { blocked = true; };
    bench.context = &bench.create(&first_process);
    bench.context->leaving = true;
    REQUIRE(bench.parts.dispatch.run_leave(*bench.context));
    bench.node().preempting = true;
    bench.machine.last_aborted = 1;
    bench.recover();
    CHECK_FALSE(blocked);
    CHECK_FALSE(bench.context->ended);
    CHECK_FALSE(bench.context->leave_given);
  }));
}

TEST_CASE("what a node reports does not count during its recovery and does again after it") {
  Hung bench;
  CHECK(bench.run([&] {
    bench.hang();
    CHECK(bench.reports(0) == 1);
    bench.machine.on_dependents = [&] {
      CHECK(bench.reports(0) == 0);
      CHECK(bench.reports(1) == 1);
    };
    bench.recover();
    CHECK(bench.reports(0) == 1);
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

TEST_CASE("a recovery waits for one of another thread where there may be one") {
  Hung bench;
  bench.parts.recovery.resets_others = true;
  bench.machine.add("other", [&] {
    const MutexScope alone(bench.resets.one_at_a_time());
    bench.machine.sleep(kMillisecond);
    CHECK(bench.machine.engine_resets.empty());
  });
  CHECK(bench.run([&] {
    bench.hang();
    bench.machine.steps().elapse(kMillisecond / 2);
    bench.recover();
    CHECK(bench.machine.engine_resets == Nodes{0});
  }));
}

}  // namespace fenceline::os::hung_node::test_context_recovery
