// Nodes that do not acknowledge a preemption are reset.
#include <catch2/catch.hpp>

#include "tb/os/contexts/context_recovery.h"
#include "tb/test/support/os/hung_node.h"

namespace fenceline::os::test_context_recovery {

using common::kMillisecond;
using support::ContextBench;
using Hung = support::HungNode;
using support::OsMachine;
using Nodes = std::vector<UINT>;

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
    bench.context = &bench.create(Hung::first_process());
    ContextQueue& spared = bench.create(Hung::second_process());
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
    bench.create(Hung::first_process());
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
    ContextQueue& again = bench.create(Hung::first_process());
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

TEST_CASE("a hang in the switch from a context counts for its process and its device is lost") {
  PreemptionOptions options = ContextBench::preempting();
  options.tdr_limit_count = 1;
  Hung bench(options);
  CHECK(bench.run([&] {
    bool blocked = false;
    bench.parts.recovery.on_blocked = [&](const ContextQueue&) { blocked = true; };
    bench.context = &bench.create(Hung::first_process());
    bench.context->leaving = true;
    REQUIRE(bench.parts.dispatch.run_leave(*bench.context));
    bench.node().preempting = true;
    bench.machine.last_aborted = 1;
    bench.recover();
    CHECK(blocked);
    CHECK(bench.context->ended);
    CHECK(bench.context->buffers == 0);
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

}  // namespace fenceline::os::test_context_recovery
