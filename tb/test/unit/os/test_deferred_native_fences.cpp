// DPCs: native fences, those that adapters share, and waits elsewhere.
#include <catch2/catch.hpp>

#include "tb/os/dxgk/deferred_calls.h"
#include "tb/test/support/os/dpc_bench.h"

namespace fenceline::os::test_deferred_native_fences {

using common::kMillisecond;
using Bench = support::DpcBench;
using support::completion;
using support::monitored_signal;
using support::OsMachine;
using support::with_contexts;

namespace {

/// Two fences get the values of their waiters, and an interrupt names only the first one.
/// @return the waiter of the second fence
const Waiter& name_one_of_two(Bench& bench) {
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
  return waits;
}

}  // namespace

TEST_CASE("an interrupt releases waiters of the native fences that it names") {
  Bench bench;
  bench.run([&] {
    const Waiter& waits = name_one_of_two(bench);
    CHECK_FALSE(waits.satisfied);
    bench.follow({true, {}});
    CHECK(waits.satisfied);
  });
}

TEST_CASE("a fence signalled by a context needs no log where logs release waiters") {
  Bench bench(with_contexts(true));
  bench.run([&] {
    const Waiter& waits = name_one_of_two(bench);
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

TEST_CASE("an interrupt may be about a fence that adapters share as far as it names it") {
  Bench bench;
  bench.run([&] {
    const auto origin = bench.add_fence(*bench.process[1]);
    const auto native = bench.share(origin);
    const auto unnamed = bench.add_native(*bench.process[0]);
    FenceNotification named{};
    named.fences.push_back(native->os_handle());
    FenceNotification other{};
    other.fences.push_back(unnamed->os_handle());
    FenceNotification queue{};
    queue.queues.push_back(&bench.woken);
    FenceNotification node{};
    node.nodes.push_back(0);
    const FenceNotification all{true, {}};
    std::uint64_t value = 0;
    for (const auto& told : {named, queue, node, all}) {
      const Waiter& waiter = bench.wait_for(origin, ++value);
      bench.store(*origin, value);
      bench.follow({});
      bench.follow(other);
      CHECK_FALSE(waiter.satisfied);
      bench.follow(told);
      CHECK(waiter.satisfied);
    }
  });
}

TEST_CASE("an interrupt of one adapter is not about a fence of another") {
  OsMachine::Config config = with_contexts();
  config.platform.gpus.emplace_back().name = "gpu1";
  Bench bench(config);
  bench.run([&] {
    const auto origin = bench.add_fence(*bench.process[1]);
    const auto native = bench.share(origin);
    native->adapter = &bench.machine.kernel().adapter(1);
    const Waiter& waiter = bench.wait_for(origin, 1);
    bench.store(*origin, 1);
    FenceNotification named{};
    named.fences.push_back(native->os_handle());
    bench.follow(named);
    bench.follow({true, {}});
    CHECK_FALSE(waiter.satisfied);
  });
}

TEST_CASE("a completed buffer may have signalled a shared fence that its process has open") {
  Bench bench;
  bench.run([&] {
    const auto origin = bench.add_fence(*bench.process[1]);
    const auto native = bench.add_native(*bench.process[0]);
    native->origin = origin;
    origin->natives.push_back(native.get());
    const Waiter& waiter = bench.wait_for(origin, 1);
    bench.store(*origin, 1);
    bench.submit(0);
    bench.follow(completion(1));
    CHECK(waiter.satisfied);
  });
}

TEST_CASE("a DPC is progress for the fallback timer while somebody waits elsewhere") {
  OsMachine::Config config = with_contexts();
  config.options.ordering.os.fallback_timer = true;
  Bench bench(config);
  bench.run([&] {
    WaitNews& news = bench.machine.state().scheduler->news();
    const auto fence = bench.add_fence(*bench.process[0]);
    news.take();
    bench.follow({});
    CHECK_FALSE(news.there());
    bench.wait_for(fence, 1);
    news.take();
    bench.follow({});
    CHECK(news.there());
  });
}

TEST_CASE("a DPC is no news without a fallback timer") {
  Bench bench;
  bench.run([&] {
    bench.wait_for(bench.add_fence(*bench.process[0]), 1);
    bench.follow({});
    CHECK_FALSE(bench.machine.state().scheduler->news().there());
  });
}

}  // namespace fenceline::os::test_deferred_native_fences
