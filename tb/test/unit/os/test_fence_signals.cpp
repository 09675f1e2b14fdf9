// Signals of native fences by the CPU.
#include <catch2/catch.hpp>

#include "tb/test/support/os/fence_bench.h"

namespace fenceline::os::test_fence_signals {

using support::FenceBench;
using Flags = DXGK_UPDATECURRENTVALUESFROMCPU_FLAGS;
using Handles = std::vector<HANDLE>;
using Values = FenceBench::Values;

namespace {

OsOrdering lockless() {
  OsOrdering ordering;
  ordering.lockless_signal = true;
  ordering.on_change = false;
  return ordering;
}

/// Answer to a signal of a good fence and of a closed one.
NTSTATUS status_for_closed(const OsOrdering& ordering) {
  FenceBench bench(ordering);
  NTSTATUS status = STATUS_SUCCESS;
  CHECK(bench.run([&] {
    const auto good = bench.add();
    const auto closed = bench.add();
    const Waiter& waiter = bench.wait_for(good, 5);
    closed->usable = false;
    status = bench.scheduler().signal({{good, 5}, {closed, 5}}, 0);
    CHECK(bench.machine.signals.empty());
    CHECK_FALSE(waiter.satisfied);
    CHECK(bench.machine.cpu().irql() == PASSIVE_LEVEL);
  }));
  return status;
}

}  // namespace

TEST_CASE("the driver stores the values of a signal and then waiters are released") {
  FenceBench bench;
  CHECK(bench.run([&] {
    const auto first = bench.add();
    const auto second = bench.add();
    const Waiter& one = bench.wait_for(first, 5);
    const Waiter& other = bench.wait_for(second, 6);
    const Waiter& later = bench.wait_for(second, 7);
    bench.machine.on_signal = [&] {
      CHECK(first->named == 1);
      CHECK_FALSE(one.satisfied);
      bench.store(*first, 5);
      bench.store(*second, 6);
    };
    CHECK(bench.scheduler().signal({{first, 5}, {second, 6}}, 0) == STATUS_SUCCESS);
    REQUIRE(bench.machine.signals.size() == 1);
    CHECK(bench.machine.signals[0].fences == Handles{first.get(), second.get()});
    CHECK(bench.machine.signals[0].values == Values{5, 6});
    CHECK(bench.machine.signals[0].flags == 0);
    CHECK(first->named == 0);
    CHECK(one.satisfied);
    CHECK(other.satisfied);
    CHECK_FALSE(later.satisfied);
    CHECK(bench.handed(second) == Values{5, 6});
  }));
}

TEST_CASE("a fence that is always signalled releases all waiters from now on") {
  FenceBench bench;
  CHECK(bench.run([&] {
    const auto fence = bench.add();
    const auto other = bench.add();
    const Waiter& waiter = bench.wait_for(fence, 5);
    CHECK(bench.scheduler().signal({{fence, UINT64_MAX}}, Flags::kAlwaysSignaled) ==
          STATUS_SUCCESS);
    CHECK(bench.machine.signals[0].flags == Flags::kAlwaysSignaled);
    CHECK(waiter.satisfied);
    CHECK(fence->always_signaled);
    CHECK(bench.wait_for(fence, 9).satisfied);
    bench.scheduler().signal({{other, 5}}, 0);
    CHECK_FALSE(other->always_signaled);
    CHECK_FALSE(bench.wait_for(other, 9).satisfied);
  }));
}

TEST_CASE("a signal of a closed fence changes nothing") {
  CHECK(status_for_closed({}) == STATUS_INVALID_HANDLE);
}

TEST_CASE("a signal of a closed fence changes nothing without the lock either") {
  CHECK(status_for_closed(lockless()) == STATUS_INVALID_HANDLE);
}

TEST_CASE("a batch with a bad handle is no signal") {
  FenceBench bench;
  CHECK(bench.run([&] {
    const auto first = bench.add();
    const auto second = bench.add();
    const auto& signals = bench.machine.watch<event::CpuSignal>();
    const auto& bad = bench.machine.watch<event::BatchBad>();
    CHECK(bench.scheduler().signal({{first, 5}, {second, 6}}, 0, 1) == STATUS_SUCCESS);
    CHECK(bench.machine.signals[0].fences == Handles{first.get(), nullptr});
    CHECK(signals.empty());
    CHECK(bad.size() == 2);
    bench.scheduler().signal({{first, 5}}, 0);
    CHECK(signals.size() == 1);
    CHECK(bad.size() == 2);
  }));
}

TEST_CASE("a signal of another adapter is stored here and releases waiters") {
  FenceBench bench;
  CHECK(bench.run([&] {
    const auto fence = bench.add();
    const Waiter& waiter = bench.wait_for(fence, 5);
    CHECK(bench.scheduler().signaled_elsewhere({{fence, 5}}, false) == STATUS_SUCCESS);
    CHECK(bench.load(*fence) == 5);
    CHECK(waiter.satisfied);
    CHECK(bench.machine.signals.empty());
    CHECK(bench.scheduler().signaled_elsewhere({{fence, 6}}, true) == STATUS_SUCCESS);
    REQUIRE(bench.machine.signals.size() == 1);
    CHECK(bench.machine.signals[0].flags == Flags::kNotificationOnly);
    CHECK(bench.machine.signals[0].values.empty());
    fence->usable = false;
    CHECK(bench.scheduler().signaled_elsewhere({{fence, 7}}, true) == STATUS_INVALID_HANDLE);
    CHECK(bench.load(*fence) == 6);
  }));
}

TEST_CASE("a driver is notified of a signal elsewhere without a signal of its own") {
  FenceBench bench;
  CHECK(bench.run([&] {
    const auto fence = bench.add();
    const auto& signals = bench.machine.watch<event::CpuSignal>();
    bench.scheduler().signaled_elsewhere({{fence, 5}}, true);
    CHECK(signals.size() == 1);
  }));
}

TEST_CASE("a signal without the lock looks at the lists only if there are waiters") {
  FenceBench bench(lockless());
  CHECK(bench.run([&] {
    const auto fence = bench.add();
    bench.machine.on_signal = [&] { bench.store(*fence, 5); };
    CHECK(bench.scheduler().signal({{fence, 5}}, 0) == STATUS_SUCCESS);
    CHECK(bench.machine.monitored.empty());
    const Waiter& waiter = bench.wait_for(fence, 6);
    const std::size_t calls = bench.machine.monitored.size();
    bench.machine.on_signal = [&] { bench.store(*fence, 6); };
    CHECK(bench.scheduler().signal({{fence, 6}}, 0) == STATUS_SUCCESS);
    CHECK(waiter.satisfied);
    CHECK(bench.machine.monitored.size() == calls + 1);
    bench.scheduler().signal({{fence, 6}}, 0);  // now there is none
    CHECK(bench.machine.monitored.size() == calls + 1);
  }));
}

TEST_CASE("the counter of waiters falls when a wait gives up or a fence is closed") {
  FenceBench bench(lockless());
  CHECK(bench.run([&] {
    const auto fence = bench.add();
    const auto closed = bench.add();
    Waiter& waiter = bench.wait_for(fence, 5);
    bench.wait_for(closed, 5);
    bench.scheduler().cancel(waiter, {{fence, 5}});
    LocalObject local;
    bench.scheduler().close(*closed, local, true);
    bench.machine.monitored.clear();
    CHECK(bench.scheduler().signal({{fence, 5}}, 0) == STATUS_SUCCESS);
    CHECK(bench.machine.monitored.empty());
  }));
}

TEST_CASE("a signal under the lock always looks at the lists") {
  OsOrdering ordering = lockless();
  ordering.lockless_signal = false;
  FenceBench bench(ordering);
  CHECK(bench.run([&] {
    const auto fence = bench.add();
    bench.scheduler().signal({{fence, 5}}, 0);
    CHECK(bench.machine.monitored.size() == 1);
  }));
}

TEST_CASE("a driver that refuses a signal stops the machine") {
  FenceBench bench;
  bench.run([&] {
    const auto fence = bench.add();
    bench.machine.signal_status = STATUS_UNSUCCESSFUL;
    CHECK(support::stop_of([&] {
            bench.scheduler().signal({{fence, 5}}, 0);
          }) == fenceline::wddm::kSchedulerUpdateCurrentValuesFailed);
  });
}

}  // namespace fenceline::os::test_fence_signals
