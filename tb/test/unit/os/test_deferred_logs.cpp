// DPCs: which logs they read, and which fences they look at without a log.
#include <catch2/catch.hpp>

#include "tb/os/dxgk/deferred_calls.h"
#include "tb/test/support/os/dpc_bench.h"

namespace fenceline::os::test_deferred_logs {

using support::OsMachine;
using support::with_contexts;
using Objects = std::vector<std::uint32_t>;

namespace {

/// Interrupts name queues instead of fences.
OsMachine::Config optimized() {
  OsMachine::Config config = with_contexts();
  config.options.driver_caps.emplace_back();
  config.options.driver_caps[0].optimized_interrupt = true;
  return config;
}

struct Bench : support::DpcBench {
  using DpcBench::DpcBench;

  /// Empty logs of a queue. The object of the log of signals is `object`, that of waits the next.
  QueueLogs& add_logs(HANDLE queue, UINT node, std::uint32_t object, std::size_t owner = 0) {
    QueueLogs& added = *logs.emplace_back(std::make_unique<QueueLogs>());
    added.queue = queue;
    added.node = node;
    added.process = owner;
    for (FenceLog* log : {&added.signals, &added.waits}) {
      log->object = object++;
      log->entries = 8;
      log->backing = {false, machine.kernel().system.pages.allocate(kPage), kPage};
    }
    machine.state().logs->add(added);
    return added;
  }
  /// The logs of signals that are read for a notification.
  Objects read_for(const FenceNotification& told) {
    const auto& reads = machine.watch<event::LogHeaderRead>();
    follow(told);
    Objects result;
    for (const auto& read : reads)
      for (const auto& one : logs)
        if (one->signals.object == read.log) result.push_back(read.log);
    return result;
  }
  /// A queue of the first process that writes no log.
  HwQueue& add_silent_queue(HANDLE handle, UINT node) {
    HwQueue& queue = *process[0]->queues.emplace_back(std::make_unique<HwQueue>());
    queue.driver_handle = handle;
    queue.logs.node = node;
    return queue;
  }
  /// Whether a notification releases a waiter of a native fence of the first process.
  bool releases(const FenceNotification& told) {
    const auto fence = add_native(*process[0]);
    const Waiter& waiter = wait_for(fence, 5);
    store(*fence, 5);
    follow(told);
    const bool released = waiter.satisfied;
    follow({true, {}});
    return released;
  }

  std::vector<std::unique_ptr<QueueLogs>> logs;
};

FenceNotification about_queue(HANDLE queue) {
  FenceNotification told{};
  told.queues.push_back(queue);
  return told;
}
FenceNotification about_node(UINT node) {
  FenceNotification told{};
  told.nodes.push_back(node);
  return told;
}

}  // namespace

TEST_CASE("an interrupt that names queues or nodes has their logs read", "[deferred_calls]") {
  Bench bench(optimized());
  CHECK(bench.run([&] {
    int first = 0, second = 0;
    bench.add_logs(&first, 0, 101);
    bench.add_logs(&second, 1, 201);
    CHECK(bench.read_for(about_queue(&first)) == Objects{101});
    CHECK(bench.read_for(about_queue(&second)) == Objects{201});
    CHECK(bench.read_for(about_node(1)) == Objects{201});
    CHECK(bench.read_for(about_node(2)).empty());
    FenceNotification both = about_queue(&first);
    both.nodes.push_back(1);
    CHECK(bench.read_for(both) == Objects{101, 201});
  }));
}

TEST_CASE("an interrupt that names fences has the logs of their devices read", "[deferred_calls]") {
  Bench bench(with_contexts(true));
  CHECK(bench.run([&] {
    bench.add_logs(nullptr, 0, 101, 0);
    bench.add_logs(nullptr, 0, 201, 1);
    FenceNotification told{};
    told.fences.push_back(bench.add_native(*bench.process[1])->os_handle());
    CHECK(bench.read_for(told) == Objects{201});
    CHECK(bench.read_for({true, {}}) == Objects{101, 201});
    CHECK(bench.read_for(support::monitored_signal()).empty());
  }));
}

TEST_CASE("an interrupt about all fences is about more than those that it names",
          "[deferred_calls]") {
  Bench bench(with_contexts(true));
  CHECK(bench.run([&] {
    FenceNotification told{true, {bench.add_native(*bench.process[0])->os_handle()}};
    CHECK(bench.releases(told));
  }));
}

TEST_CASE("a queue without logs is known by its handle or its node", "[deferred_calls]") {
  Bench bench(with_contexts(true));
  CHECK(bench.run([&] {
    int silent = 0, logged = 0;
    bench.process[0]->contexts.clear();
    bench.add_silent_queue(&silent, 3);
    bench.add_silent_queue(&logged, 4).has_logs = true;
    CHECK(bench.releases(about_queue(&silent)));
    CHECK(bench.releases(about_node(3)));
    CHECK(bench.releases({true, {}}));
    CHECK_FALSE(bench.releases(about_queue(&logged)));
    CHECK_FALSE(bench.releases(about_node(4)));
    CHECK_FALSE(bench.releases(about_node(0)));
    bench.process[0]->queues.clear();
  }));
}

TEST_CASE("any context of a process may have signalled its fences", "[deferred_calls]") {
  Bench bench(with_contexts(true));
  CHECK(bench.run([&] {
    ContextQueue& second = bench.table().create(bench.machine.adapter(), "second", 1, nullptr);
    bench.process[0]->contexts.push_back(&second);
    for (const UINT node : {0U, 1U}) CHECK(bench.releases(about_node(node)));
    CHECK_FALSE(bench.releases(about_node(2)));
  }));
}

TEST_CASE("a fence without waiters is not read where logs release waiters", "[deferred_calls]") {
  Bench bench(with_contexts(true));
  CHECK(bench.run([&] {
    const auto idle = bench.add_native(*bench.process[0]);
    const auto fence = bench.add_native(*bench.process[0]);
    bench.wait_for(fence, 5);
    const auto& reads = bench.machine.watch<event::CurrentValueRead>();
    bench.follow({true, {}});
    REQUIRE(reads.size() == 1);
    CHECK(reads[0].fence == fence->object);
    CHECK(reads[0].reader == event::Reader::kOsDpcScan);
    bench.store(*fence, 5);
    bench.follow({true, {}});
  }));
}

TEST_CASE("an interrupt is not about fences of processes on another adapter", "[deferred_calls]") {
  OsMachine::Config config = with_contexts(true);
  config.platform.gpus.emplace_back().name = "gpu1";
  Bench bench(config);
  CHECK(bench.run([&] {
    Process& there = bench.machine.kernel().devices.create_process("there", 1);
    there.contexts.push_back(
        &bench.table().create(bench.machine.kernel().adapter(1), "there", 0, nullptr));
    const auto fence = bench.add_native(there);
    AdapterState& state = bench.machine.kernel().system.adapters[1];
    Waiter waiter;
    waiter.event = &bench.woken;
    REQUIRE(state.scheduler->wait(waiter, {{fence, 5}}) == STATUS_SUCCESS);
    bench.store(*fence, 5);
    bench.follow({true, {}});
    CHECK_FALSE(waiter.satisfied);
    bench.machine.dispatched([&] {
      bench.machine.kernel().deferred_calls.follow(state, {true, {}});
    });
    CHECK(waiter.satisfied);
  }));
}

TEST_CASE("a DPC of an adapter without a display reports no flip", "[deferred_calls]") {
  OsMachine::Config config;
  config.options.contexts = true;
  Bench bench(config);
  CHECK(bench.run([&] {
    REQUIRE(bench.machine.state().flips == nullptr);
    FenceNotification told{};
    told.syncs.push_back(0x1000);
    CHECK(bench.spurious(told) == 0);
  }));
}

}  // namespace fenceline::os::test_deferred_logs
