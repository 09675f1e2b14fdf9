// Fences that a DPC looks at, and the calls that end there.
#include <catch2/catch.hpp>

#include "tb/test/unit/os/deferred_bench.h"

namespace fenceline::os::deferred_bench::test_deferred_scans {

TEST_CASE("an interrupt releases waiters of the native fences that it names") {
  Bench bench;
  bench.run([&] {
    const auto named = bench.add_native(*bench.process[0]);
    const auto other = bench.add_native(*bench.process[0]);
    const Waiter& released = bench.wait_for(named, 5);
    const Waiter& waits = bench.wait_for(other, 5);
    bench.store(*named, 5);
    bench.store(*other, 5);
    FenceNotification told{};
    told.fences.push_back(named->os_handle());
    bench.follow(told);
    CHECK(released.satisfied);
    CHECK_FALSE(waits.satisfied);
    bench.follow({true, {}});
    CHECK(waits.satisfied);
  });
}

TEST_CASE("a fence signalled by a context needs no log where logs release waiters") {
  Bench bench(with_contexts(true));
  bench.run([&] {
    const auto named = bench.add_native(*bench.process[0]);
    const auto other = bench.add_native(*bench.process[0]);
    const Waiter& released = bench.wait_for(named, 5);
    const Waiter& waits = bench.wait_for(other, 5);
    bench.store(*named, 5);
    bench.store(*other, 5);
    FenceNotification told{};
    told.fences.push_back(named->os_handle());
    bench.follow(told);
    CHECK(released.satisfied);
    CHECK_FALSE(waits.satisfied);
    FenceNotification elsewhere{};
    elsewhere.nodes.push_back(1);
    bench.follow(elsewhere);
    CHECK_FALSE(waits.satisfied);
    FenceNotification here{};
    here.nodes.push_back(0);
    bench.follow(here);
    CHECK(waits.satisfied);
  });
}

TEST_CASE("only a process with a context or a queue without logs signals without a log") {
  Bench bench(with_contexts(true));
  bench.run([&] {
    bench.process[0]->contexts.clear();
    const auto fence = bench.add_native(*bench.process[0]);
    const Waiter& waiter = bench.wait_for(fence, 5);
    bench.store(*fence, 5);
    bench.follow({true, {}});
    CHECK_FALSE(waiter.satisfied);
    auto queue = std::make_unique<HwQueue>();
    queue->has_logs = true;
    queue->driver_handle = &bench;
    bench.process[0]->queues.push_back(std::move(queue));
    bench.follow({true, {}});
    CHECK_FALSE(waiter.satisfied);
    bench.process[0]->queues[0]->has_logs = false;
    FenceNotification told{};
    told.queues.push_back(&bench.woken);
    bench.follow(told);
    CHECK_FALSE(waiter.satisfied);
    told.queues.push_back(&bench);
    bench.follow(told);
    CHECK(waiter.satisfied);
    bench.process[0]->queues.clear();
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

TEST_CASE("waits elsewhere are those of fences of no adapter while the adapter is on") {
  Bench bench;
  bench.run([&] {
    DeferredCalls& calls = bench.machine.kernel().deferred_calls;
    const auto fence = bench.add_fence(*bench.process[0]);
    CHECK_FALSE(calls.waits_elsewhere(bench.machine.state()));
    bench.wait_for(fence, 5);
    CHECK(calls.waits_elsewhere(bench.machine.state()));
    CHECK(bench.machine.state().power->set(false) == STATUS_SUCCESS);
    CHECK_FALSE(calls.waits_elsewhere(bench.machine.state()));
  });
}

TEST_CASE("a fence that adapters share may be waited for by queues elsewhere") {
  Bench bench;
  bench.run([&] {
    DeferredCalls& calls = bench.machine.kernel().deferred_calls;
    const auto fence = bench.add_fence(*bench.process[0]);
    NativeFence here;
    here.adapter = &bench.machine.adapter();
    NativeFence there;
    fence->natives = {&here};
    CHECK_FALSE(calls.waits_elsewhere(bench.machine.state()));
    fence->natives = {&there, &there};
    CHECK_FALSE(calls.waits_elsewhere(bench.machine.state()));
    fence->natives = {&here, &there};
    CHECK(calls.waits_elsewhere(bench.machine.state()));
    fence->alive = false;
    CHECK_FALSE(calls.waits_elsewhere(bench.machine.state()));
    fence->natives.clear();
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

}  // namespace fenceline::os::deferred_bench::test_deferred_scans
