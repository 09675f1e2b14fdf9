// Buffers that come back from their nodes: complete, given up, refused or preempted.
#include <catch2/catch.hpp>

#include "tb/test/support/os/context_bench.h"

namespace fenceline::os::test_buffer_returns {

using support::ContextBench;

namespace {

int first_process = 0;  // stand for processes
int second_process = 0;
using Owners = BufferReturns::Owners;

/// First parameter of the bug check in a call; 0: none.
template <typename Call>
std::uint64_t stop_of(Call&& call) {
  try {
    call();
  } catch (const BugCheck& stop) {
    CHECK(stop.code() == VIDEO_SCHEDULER_INTERNAL_ERROR);
    return stop.parameters().first;
  }
  return 0;
}

}  // namespace

TEST_CASE("a completed buffer completes those before it on its node") {
  ContextBench bench;
  CHECK(bench.run([&] {
    ContextQueue& first = bench.create(&first_process);
    ContextQueue& second = bench.create(&second_process);
    bench.run_buffers(first);
    bench.run_buffers(second);
    CHECK(bench.completed(2) == Owners{&first_process, &second_process});
    CHECK(first.completed == 1);
    CHECK(second.completed == 1);
    CHECK(first.buffers == 0);
    CHECK(first.room.signaled);
    CHECK(bench.node().last_completed == 2);
    CHECK(bench.completed(1).empty());  // long complete
  }));
}

TEST_CASE("buffers behind the completed one stay at the node") {
  ContextBench bench;
  CHECK(bench.run([&] {
    ContextQueue& context = bench.create(&first_process);
    bench.run_buffers(context, 2);
    bench.completed(1);
    CHECK(context.completed == 1);
    CHECK(context.in_flight == 1);
    CHECK(bench.node().in_flight.front().id == 2);
  }));
}

TEST_CASE("a completed buffer that nobody submitted stops the machine") {
  ContextBench bench;
  bench.run([&] {
    bench.run_buffers(bench.create());
    CHECK(stop_of([&] { bench.completed(2); }) == fenceline::wddm::kSchedulerInvalidFenceId);
    CHECK(stop_of([&] { bench.completed(0); }) == fenceline::wddm::kSchedulerInvalidFenceId);
    CHECK(stop_of([&] { bench.completed(1); }) == 0);
  });
}

TEST_CASE("a faulted buffer completes those before it and ends its device") {
  ContextBench bench;
  CHECK(bench.run([&] {
    ContextQueue& first = bench.create(&first_process);
    ContextQueue& second = bench.create(&second_process);
    bench.run_buffers(first);
    bench.run_buffers(second);
    bench.faulted(2);
    CHECK(first.completed == 1);
    CHECK(bench.parts.table.faulted == std::vector<const ContextQueue*>{&second});
    CHECK(second.stopped());  // although its device is not in error yet
    CHECK_FALSE(first.stopped());
  }));
}

TEST_CASE("a device is not put in error by a fault where that rule is removed") {
  PreemptionOptions options = ContextBench::preempting();
  options.ends_faulted = false;
  ContextBench bench(options);
  CHECK(bench.run([&] {
    bench.run_buffers(bench.create(&first_process));
    bench.faulted(1);
    CHECK(bench.parts.table.faulted.empty());
    CHECK_FALSE(bench.parts.table.contexts.front()->stopped());
  }));
}

TEST_CASE("a fault of a buffer that the node does not have or of paging stops the machine") {
  ContextBench bench;
  bench.run([&] {
    ContextQueue& context = bench.create();
    bench.run_buffers(context);
    CHECK(stop_of([&] { bench.faulted(2); }) == fenceline::wddm::kSchedulerInvalidFenceId);
    context.paging = true;
    CHECK(stop_of([&] { bench.faulted(1); }) == fenceline::wddm::kSchedulerSystemCommandFaulted);
  });
}

TEST_CASE("a preemption returns buffers to the front of their contexts in order") {
  ContextBench bench;
  CHECK(bench.run([&] {
    ContextQueue& context = bench.create(&first_process);
    bench.run_buffers(context, 2);
    bench.submit(context);
    bench.parts.returns.preempt(bench.node());
    CHECK(bench.node().preempting);
    REQUIRE(bench.machine.preemptions.size() == 1);
    CHECK(bench.machine.preemptions[0].PreemptionFenceId == 1);
    bench.preempted(1, 0);
    CHECK_FALSE(bench.node().preempting);
    REQUIRE(context.preempted.size() == 2);
    CHECK(context.preempted[0].id == 1);
    CHECK(context.preempted[1].id == 2);
    CHECK(context.packets.size() == 1);
    CHECK(context.in_flight == 0);
    CHECK(context.buffers == 3);
  }));
}

TEST_CASE("a preemption completes buffers up to the one that it names") {
  ContextBench bench;
  CHECK(bench.run([&] {
    ContextQueue& context = bench.create(&first_process);
    bench.run_buffers(context, 2);
    bench.parts.returns.preempt(bench.node());
    bench.preempted(1, 1);
    CHECK(context.completed == 1);
    CHECK(context.preempted.size() == 1);
  }));
}

TEST_CASE("preempted buffers are lost where they are not submitted again") {
  PreemptionOptions options = ContextBench::preempting();
  options.resubmits = false;
  ContextBench bench(options);
  CHECK(bench.run([&] {
    ContextQueue& context = bench.create(&first_process);
    bench.run_buffers(context);
    bench.parts.returns.preempt(bench.node());
    bench.preempted(1, 0);
    CHECK(context.preempted.empty());
    CHECK(context.buffers == 0);
    CHECK(context.room.signaled);
  }));
}

TEST_CASE("a preemption that nobody asked for stops the machine") {
  ContextBench bench;
  bench.run([&] {
    bench.run_buffers(bench.create());
    CHECK(stop_of([&] { bench.preempted(0, 0); }) == fenceline::wddm::kSchedulerInvalidFenceId);
    bench.parts.returns.preempt(bench.node());
    CHECK(stop_of([&] { bench.preempted(2, 0); }) == fenceline::wddm::kSchedulerInvalidFenceId);
  });
}

TEST_CASE("an idle node is not asked and a context that was asked comes after others") {
  ContextBench bench;
  CHECK(bench.run([&] {
    ContextQueue& context = bench.create();
    ContextQueue& other = bench.create();
    bench.parts.returns.preempt(bench.node());
    CHECK(bench.machine.preemptions.empty());
    bench.run_buffers(context);
    bench.parts.returns.preempt(bench.node());
    CHECK(context.turn > other.turn);
  }));
}

TEST_CASE("a driver that does not preempt stops the machine") {
  ContextBench bench;
  bench.machine.preempt_status = STATUS_UNSUCCESSFUL;
  bench.run([&] {
    bench.run_buffers(bench.create());
    CHECK(stop_of([&] { bench.parts.returns.preempt(bench.node()); }) ==
          fenceline::wddm::kSchedulerSubmitFailed);
  });
}

TEST_CASE("a refused buffer counts as complete and puts its device in error") {
  ContextBench bench;
  bench.machine.submit_status = STATUS_INVALID_PARAMETER;
  CHECK(bench.run([&] {
    ContextQueue& context = bench.create(&first_process);
    bench.run_buffers(context);
    CHECK(context.completed == 1);
    CHECK(bench.node().in_flight.empty());
    CHECK(bench.parts.table.faulted == std::vector<const ContextQueue*>{&context});
    bench.parts.returns.refused(context, 9);  // it was taken back meanwhile
    CHECK(context.completed == 1);
  }));
}

TEST_CASE("a refused switch from a context puts its device in error and counts for no buffer") {
  ContextBench bench;
  bench.machine.submit_status = STATUS_INVALID_PARAMETER;
  CHECK(bench.run([&] {
    ContextQueue& context = bench.create(&first_process);
    context.leaving = true;
    CHECK(bench.parts.dispatch.run_leave(context));
    CHECK(context.buffers == 0);
    CHECK(context.completed == 0);
    CHECK_FALSE(context.leave_given);
    CHECK(bench.node().in_flight.empty());
    CHECK(bench.parts.table.faulted == std::vector<const ContextQueue*>{&context});
  }));
}

}  // namespace fenceline::os::test_buffer_returns
