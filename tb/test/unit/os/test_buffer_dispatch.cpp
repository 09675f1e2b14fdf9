// The way of buffers to their nodes: which must wait, and what the driver gets.
#include <catch2/catch.hpp>

#include "tb/os/allocations/allocation.h"
#include "tb/test/support/os/context_bench.h"
#include "tb/test/support/os/fence_bench.h"

namespace fenceline::os::test_buffer_dispatch {

using common::kMillisecond;
using support::ContextBench;
using support::stop_of;
using Flags = DXGK_SUBMITCOMMANDFLAGS;
using Packet = ContextQueue::Packet;

namespace {

/// A context whose state memory the GPU reaches or not.
struct StateBench : ContextBench {
  using ContextBench::ContextBench;
  ContextQueue& create_with_state(bool reached) {
    ContextQueue& context = create();
    state.reached = reached;
    context.states = {&state};
    parts.dispatch.on_state_needed = [this](ContextQueue& of) { asked.push_back(&of); };
    return context;
  }
  Allocation state{machine.steps()};
  std::vector<ContextQueue*> asked;
};

/// The flags that the driver gets with a buffer that was preempted as number 7.
DXGKARG_SUBMITCOMMANDVIRTUAL given_again(bool paging, bool paging_first) {
  PreemptionOptions options = ContextBench::preempting();
  options.paging_first = paging_first;
  ContextBench bench(options);
  DXGKARG_SUBMITCOMMANDVIRTUAL result{};
  CHECK(bench.run([&] {
    ContextQueue& context = bench.create();
    context.paging = paging;
    Packet packet;
    packet.id = 7;
    CHECK(bench.parts.dispatch.run_buffer(context, packet));
    result = bench.machine.submits[0];
  }));
  return result;
}

}  // namespace

TEST_CASE("a buffer goes to the driver with the next number of its node") {
  ContextBench bench;
  CHECK(bench.run([&] {
    ContextQueue& context = bench.create(nullptr, 1);
    bench.submit(context, 0x2000);
    bench.machine.steps().elapse(kMillisecond);
    CHECK(bench.give(context));
    REQUIRE(bench.machine.submits.size() == 1);
    const DXGKARG_SUBMITCOMMANDVIRTUAL& given = bench.machine.submits[0];
    CHECK(given.hContext == context.driver_handle);
    CHECK(given.DmaBufferVirtualAddress == 0x2000);
    CHECK(given.DmaBufferSize == 64);
    CHECK(given.NodeOrdinal == 1);
    CHECK(given.SubmissionFenceId == 1);
    CHECK(given.Flags.Value == 0);
    CHECK(context.in_flight == 1);
    CHECK(context.last_id == 1);
    const common::Time since = bench.node(1).since;
    CHECK(since >= kMillisecond);
    bench.submit(context);
    bench.machine.steps().elapse(kMillisecond);
    CHECK(bench.give(context));
    CHECK(bench.machine.submits[1].SubmissionFenceId == 2);
    CHECK(bench.node(1).since == since);  // the first one is still there
  }));
}

TEST_CASE("a node has two buffers at the driver at most") {
  ContextBench bench;
  CHECK(bench.run([&] {
    ContextQueue& context = bench.create();
    bench.run_buffers(context, 2);
    bench.submit(context);
    CHECK_FALSE(bench.give(context));
    CHECK(context.packets.size() == 1);
    bench.completed(1);
    CHECK(bench.give(context));
  }));
}

TEST_CASE("a buffer waits while its context is held or ended or its node is preempted") {
  ContextBench bench;
  CHECK(bench.run([&] {
    ContextQueue& context = bench.create();
    bench.submit(context);
    context.holds = 1;
    CHECK_FALSE(bench.give(context));
    context.holds = 0;
    context.ended = true;
    CHECK_FALSE(bench.give(context));
    context.ended = false;
    context.lost = true;
    CHECK_FALSE(bench.give(context));
    context.lost = false;
    bench.node().preempting = true;
    CHECK_FALSE(bench.give(context));
    bench.node().preempting = false;
    CHECK(context.in_flight == 0);
    CHECK(bench.give(context));
  }));
}

TEST_CASE("a buffer waits for the preemption of work of lower priority") {
  ContextBench bench;
  CHECK(bench.run([&] {
    bench.run_buffers(bench.create());
    ContextQueue& higher = bench.create(nullptr, 0, 1);
    bench.submit(higher);
    CHECK_FALSE(bench.give(higher));
    bench.completed(1);
    CHECK(bench.give(higher));
  }));
}

TEST_CASE("the state of a context is asked for once until it is there") {
  StateBench bench;
  CHECK(bench.run([&] {
    ContextQueue& context = bench.create_with_state(false);
    bench.submit(context);
    CHECK_FALSE(bench.give(context));
    CHECK_FALSE(bench.give(context));
    CHECK(bench.asked == std::vector<ContextQueue*>{&context});
    bench.parts.table.work.clear();
    bench.parts.dispatch.state_returned(context);
    CHECK_FALSE(context.state_asked);
    CHECK(bench.parts.table.work.signaled);
    bench.state.reached = true;
    CHECK(bench.give(context));
    CHECK(bench.node().holds(context));
    CHECK(bench.asked.size() == 1);
  }));
}

TEST_CASE("the state of a context that is held is not asked for") {
  StateBench bench;
  CHECK(bench.run([&] {
    ContextQueue& context = bench.create_with_state(false);
    bench.submit(context);
    context.holds = 1;
    CHECK_FALSE(bench.give(context));
    CHECK(bench.asked.empty());
    CHECK_FALSE(context.state_asked);
  }));
}

TEST_CASE("a buffer does not wait for the state of its context where that rule is removed") {
  PreemptionOptions options = ContextBench::preempting();
  options.awaits_memory = false;
  StateBench bench(options);
  CHECK(bench.run([&] {
    ContextQueue& context = bench.create_with_state(false);
    bench.submit(context);
    CHECK(bench.give(context));
    CHECK(bench.asked.empty());
  }));
}

TEST_CASE("a preempted paging buffer keeps its number") {
  const auto given = given_again(true, true);
  CHECK(given.SubmissionFenceId == 7);
  CHECK(given.Flags.Value == Flags::kPaging);
}

TEST_CASE("another preempted buffer gets a new number and is marked") {
  const auto given = given_again(false, true);
  CHECK(given.SubmissionFenceId == 1);
  CHECK(given.Flags.Value == Flags::kResubmission);
}

TEST_CASE("a preempted paging buffer gets a new number where that rule is removed") {
  const auto given = given_again(true, false);
  CHECK(given.SubmissionFenceId == 1);
  CHECK(given.Flags.Value == (Flags::kPaging | Flags::kResubmission));
}

TEST_CASE("a buffer of a present says what it does") {
  ContextBench bench;
  CHECK(bench.run([&] {
    ContextQueue& context = bench.create();
    bench.parts.submission.submit_flip(context, 0x1000, 64);
    CHECK(bench.give(context));
    CHECK(bench.machine.submits[0].Flags.Value == (Flags::kPresent | Flags::kFlip));
  }));
}

TEST_CASE("a buffer that the driver refuses as invalid puts its device in error") {
  ContextBench bench;
  bench.machine.submit_status = STATUS_INVALID_PARAMETER;
  CHECK(bench.run([&] {
    ContextQueue& context = bench.create();
    bench.run_buffers(context);
    CHECK(bench.node().in_flight.empty());
    CHECK(bench.parts.table.faulted.size() == 1);
  }));
}

TEST_CASE("a driver that fails to take a buffer stops the machine") {
  ContextBench bench;
  bench.machine.submit_status = STATUS_UNSUCCESSFUL;
  bench.run([&] {
    ContextQueue& context = bench.create();
    CHECK(stop_of([&] { bench.run_buffers(context); }) == fenceline::wddm::kSchedulerSubmitFailed);
  });
}

TEST_CASE("work that lists allocations is announced before the driver has it") {
  ContextBench bench;
  CHECK(bench.run([&] {
    std::size_t begun = 0;
    bench.parts.table.on_listed = [&](const Adapter&, const auto& listed, ListedWork work) {
      CHECK(work == ListedWork::kBegins);
      CHECK(listed.size() == 1);
      CHECK(bench.machine.submits.size() == begun);
      ++begun;
    };
    ContextQueue& context = bench.create();
    Allocation allocation(bench.machine.steps());
    bench.parts.submission.submit(context, 0x1000, 64, {&allocation});
    CHECK(bench.give(context));
    CHECK(begun == 1);
    CHECK(context.lists.size() == 1);
    bench.submit(context);  // it lists nothing
    CHECK(bench.give(context));
    CHECK(begun == 1);
    CHECK(context.lists.size() == 2);
  }));
}

TEST_CASE("a node is made to leave a context once and only if VidMm waits for it") {
  StateBench bench;
  CHECK(bench.run([&] {
    ContextQueue& context = bench.create_with_state(true);
    CHECK_FALSE(bench.parts.dispatch.run_leave(context));
    context.leaving = true;
    bench.node().preempting = true;
    CHECK_FALSE(bench.parts.dispatch.run_leave(context));
    bench.node().preempting = false;
    CHECK(bench.parts.dispatch.run_leave(context));
    REQUIRE(bench.machine.submits.size() == 1);
    CHECK(bench.machine.submits[0].Flags.Value == Flags::kContextSwitch);
    CHECK(bench.machine.submits[0].DmaBufferSize == 0);
    CHECK(context.leave_given);
    CHECK(context.in_flight == 0);
    CHECK_FALSE(bench.node().holds(context));
    CHECK_FALSE(bench.parts.dispatch.run_leave(context));
  }));
}

TEST_CASE("the buffer that makes a node leave waits for room at the node") {
  ContextBench bench;
  CHECK(bench.run([&] {
    ContextQueue& other = bench.create();
    ContextQueue& context = bench.create();
    context.leaving = true;
    bench.run_buffers(other, 2);
    CHECK_FALSE(bench.parts.dispatch.run_leave(context));
    CHECK_FALSE(context.leave_given);
    bench.completed(1);
    CHECK(bench.parts.dispatch.run_leave(context));
  }));
}

TEST_CASE("VidMm waits until the node has left a context that it may hold") {
  StateBench bench;
  common::Time left = 0;
  ContextQueue* context = nullptr;
  bench.machine.add("vidmm", [&] {
    bench.machine.sleep(kMillisecond);
    bench.parts.dispatch.leave(*context);
    left = bench.machine.steps().simulated();
  });
  CHECK(bench.run([&] {
    context = &bench.create_with_state(true);
    bench.run_buffers(*context);
    bench.completed(1);
    bench.parts.table.work.clear();
    bench.machine.sleep(2 * kMillisecond);
    CHECK(context->leaving);
    CHECK(bench.parts.table.work.signaled);
    CHECK(bench.parts.dispatch.run_leave(*context));
    bench.machine.sleep(kMillisecond);
    CHECK(left == 0);
    bench.completed(2);
  }));
  CHECK(left >= 3 * kMillisecond);
  CHECK_FALSE(context->leaving);
}

TEST_CASE("VidMm does not wait for a node that holds no state of the context") {
  ContextBench bench;
  CHECK(bench.run([&] {
    ContextQueue& context = bench.create();
    bench.run_buffers(context);
    bench.parts.dispatch.leave(context);
    CHECK_FALSE(context.leaving);
  }));
}

}  // namespace fenceline::os::test_buffer_dispatch
