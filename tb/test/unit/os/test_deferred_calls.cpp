// DPCs: reports of interrupts, and the waiters and buffers that they are about.
#include <catch2/catch.hpp>

#include "tb/os/dxgk/deferred_calls.h"
#include "tb/test/support/os/dpc_bench.h"

namespace fenceline::os::test_deferred_calls {

using common::kMillisecond;
using Bench = support::DpcBench;
using support::completion;
using support::monitored_signal;

TEST_CASE("a completed buffer releases waiters of fences that its process may signal") {
  Bench bench;
  bench.run([&] {
    const auto mine = bench.add_fence(*bench.process[0]);
    const auto yours = bench.add_fence(*bench.process[1]);
    const auto silent = bench.add_fence(*bench.process[0], SynchronizationFlags::kNoSignal);
    const Waiter& released = bench.wait_for(mine, 5);
    const Waiter& other = bench.wait_for(yours, 5);
    const Waiter& refused = bench.wait_for(silent, 5);
    const Waiter& later = bench.wait_for(mine, 6);
    for (const auto& fence : {mine, yours, silent}) bench.store(*fence, 5);
    bench.submit(0);
    bench.follow(completion(1));
    CHECK(bench.context[0]->completed == 1);
    CHECK(released.satisfied);
    CHECK_FALSE(other.satisfied);
    CHECK_FALSE(refused.satisfied);
    CHECK_FALSE(later.satisfied);
  });
}

TEST_CASE("a completed buffer of the OS may have signalled any fence") {
  Bench bench;
  bench.run([&] {
    const Waiter& waiter = bench.wait_for(bench.add_fence(*bench.process[0]), 5);
    bench.store(*bench.process[0]->sync_objects.begin()->second.fence, 5);
    bench.context[0]->owner = nullptr;
    bench.submit(0);
    bench.follow(completion(1));
    CHECK(waiter.satisfied);
  });
}

TEST_CASE("a completed buffer may have signalled a fence that its process has closed") {
  Bench bench;
  bench.run([&] {
    const auto fence = bench.add_fence(*bench.process[0]);
    const Waiter& waiter = bench.wait_for(fence, 5);
    bench.store(*fence, 5);
    bench.process[0]->sync_objects.clear();
    Process::keep_closed(bench.process[0]->closed_fences, fence, {});
    bench.submit(0);
    bench.follow(completion(1));
    CHECK(waiter.satisfied);
  });
}

TEST_CASE("an interrupt of monitored fences may be about any of them") {
  Bench bench;
  bench.run([&] {
    const auto fence = bench.add_fence(*bench.process[0]);
    const Waiter& waiter = bench.wait_for(fence, 5);
    bench.store(*fence, 5);
    bench.follow({});
    CHECK_FALSE(waiter.satisfied);
    bench.follow(monitored_signal());
    CHECK(waiter.satisfied);
  });
}

TEST_CASE("a DPC counts the waiters that it has released") {
  Bench bench;
  bench.run([&] {
    const auto& ends = bench.machine.watch<event::DpcEnd>();
    const auto fence = bench.add_fence(*bench.process[0]);
    bench.wait_for(fence, 5);
    bench.wait_for(fence, 4);
    bench.store(*fence, 5);
    bench.follow(monitored_signal());
    REQUIRE(ends.size() == 1);
    CHECK(ends[0].released == 2);
  });
}

TEST_CASE("an interrupt that released nobody and reports nothing else is spurious") {
  Bench bench;
  bench.run([&] {
    CHECK(bench.spurious({}) == 1);
    CHECK(bench.spurious(monitored_signal()) == 1);
    const auto fence = bench.add_fence(*bench.process[0]);
    CHECK(bench.spurious({}) == 1);
    bench.wait_for(fence, 5);
    bench.store(*fence, 5);
    CHECK(bench.spurious(monitored_signal()) == 0);
    bench.submit(0);
    CHECK(bench.spurious(completion(1)) == 0);
    FenceNotification sync{};
    sync.syncs.push_back(0x1000);
    CHECK(bench.spurious(sync) == 0);
    FenceNotification timeout{};
    timeout.timeouts.push_back(0);
    CHECK(bench.spurious(timeout) == 0);
    FenceNotification suspension{};
    suspension.suspensions.push_back({nullptr, 0});
    CHECK(bench.spurious(suspension) == 0);
  });
}

TEST_CASE("a preemption returns buffers to their context and is not spurious") {
  Bench bench;
  bench.run([&] {
    bench.submit(0);
    ContextNode& node = bench.table().node_of(bench.machine.adapter(), 0);
    node.preempting = true;
    bench.context[0]->holds = 1;
    FenceNotification told{};
    told.preemptions.push_back({0, 0, 0});
    CHECK(bench.spurious(told) == 0);
    CHECK(bench.context[0]->preempted.size() == 1);
  });
}

TEST_CASE("a buffer that faulted puts its device in error") {
  Bench bench;
  bench.run([&] {
    bench.submit(0);
    bench.follow(completion(1, true));
    bench.machine.sleep(kMillisecond);
    CHECK(bench.process[0]->in_error);
    CHECK_FALSE(bench.process[1]->in_error);
  });
}

TEST_CASE("a vertical sync ends the flip that it shows and a completed buffer begins one") {
  Bench bench;
  bench.run([&] {
    FlipQueue& flips = *bench.machine.state().flips;
    bench.submit(0);
    flips.present(*bench.context[0], 0x1000, false, 9);
    flips.present(*bench.context[0], 0x2000, false, 9);
    CHECK(bench.machine.shown.empty());
    bench.follow(completion(1));
    CHECK(bench.machine.shown.size() == 1);
    FenceNotification sync{};
    sync.syncs.push_back(0x1000);
    bench.follow(sync);
    CHECK(bench.machine.shown.size() == 2);
  });
}

TEST_CASE("a preemption may have completed the buffer that draws a flip") {
  Bench bench;
  bench.run([&] {
    bench.submit(0);
    bench.machine.state().flips->present(*bench.context[0], 0x1000, false, 9);
    bench.table().node_of(bench.machine.adapter(), 0).preempting = true;
    FenceNotification told{};
    told.preemptions.push_back({0, 0, 1});
    bench.follow(told);
    CHECK(bench.machine.shown.size() == 1);
  });
}

TEST_CASE("after a reset all fences of the adapter are looked at") {
  Bench bench;
  bench.run([&] {
    const auto native = bench.add_native(*bench.process[0]);
    const auto monitored = bench.add_fence(*bench.process[1]);
    const Waiter& first = bench.wait_for(native, 5);
    const Waiter& second = bench.wait_for(monitored, 5);
    bench.store(*native, 5);
    bench.store(*monitored, 5);
    bench.machine.kernel().deferred_calls.look_at_all(bench.machine.adapter());
    CHECK(first.satisfied);
    CHECK(second.satisfied);
    CHECK(bench.machine.cpu().irql() == PASSIVE_LEVEL);
  });
}

TEST_CASE("a queued DPC of the adapter runs once") {
  Bench bench;
  bench.run([&] {
    const auto& calls = bench.machine.watch<event::DdiCall>();
    CHECK(bench.machine.adapter().queue_dpc());
    CHECK_FALSE(bench.machine.adapter().queue_dpc());
    bench.machine.sleep(kMillisecond);
    CHECK_FALSE(bench.machine.adapter().dpc_queued());
    std::size_t routines = 0;
    for (const auto& call : calls)
      if (call.ddi == static_cast<std::uint64_t>(Ddi::DxgkDdiDpcRoutine)) ++routines;
    CHECK(routines == 1);
  });
}

}  // namespace fenceline::os::test_deferred_calls
