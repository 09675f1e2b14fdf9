// Monitored fences: waiters, values, signals by the CPU, and fences of engines with 32 bits.
#include <catch2/catch.hpp>
#include <set>

#include "tb/test/support/os/fence_bench.h"

namespace fenceline::os::test_monitored_fences {

using Flags = DXGK_UPDATECURRENTVALUESFROMCPU_FLAGS;

namespace {

constexpr std::uint64_t kTurn = 1ULL << 32;  ///< distance of values with the same low half
constexpr std::uint64_t kReach = 0x7FFFFFFF;

struct Bench : support::FenceBench {
  using FenceBench::FenceBench;
  using Point = MonitoredFences::Point;

  MonitoredFences& fences() { return machine.kernel().system.monitored; }
  std::shared_ptr<MonitoredFence> add_monitored(bool narrow = false) {
    auto fence = std::make_shared<MonitoredFence>();
    fence->adapter = &machine.adapter();
    fence->object = machine.simulation().events.add_object(common::ObjectKind::kFence, "fence");
    fence->current = {false, machine.kernel().system.pages.allocate(kPage), kPage};
    fence->narrow = narrow;
    return fences().add(fence);
  }
  /// Its native fence on the adapter.
  std::shared_ptr<NativeFence> attach(MonitoredFence& to) {
    auto native = add();
    fences().attach(to, *native);
    return native;
  }
  Waiter& wait_for(const std::vector<Point>& points, bool any = false) {
    Waiter& waiter = add_waiter(any);
    CHECK(fences().wait(waiter, points) == STATUS_SUCCESS);
    return waiter;
  }
  std::size_t scan(const MonitoredScan& what) {
    return machine.dispatched([&] { return fences().scan(what); });
  }
};

OsOrdering with_wrap(Wrap32 wrap) {
  OsOrdering ordering;
  ordering.wrap32 = wrap;
  return ordering;
}

MonitoredScan everything() {
  MonitoredScan scan;
  scan.all = true;
  return scan;
}

}  // namespace

TEST_CASE("a wait for a monitored fence ends when the CPU signals its value") {
  Bench bench;
  CHECK(bench.run([&] {
    const auto fence = bench.add_monitored();
    const Waiter& waiter = bench.wait_for({{fence, 5}});
    const Waiter& later = bench.wait_for({{fence, 6}});
    CHECK(bench.fences().waited_for());
    CHECK_FALSE(waiter.satisfied);
    CHECK(bench.fences().signal({{fence, 5}}, nullptr) == STATUS_SUCCESS);
    CHECK(bench.load(*fence) == 5);
    CHECK(waiter.satisfied);
    CHECK_FALSE(later.satisfied);
    CHECK(bench.wait_for({{fence, 5}}).satisfied);
    CHECK(fence->waiters.size() == 1);
    bench.fences().signal({{fence, 6}}, nullptr);
    CHECK_FALSE(bench.fences().waited_for());
  }));
}

TEST_CASE("a wait for several monitored fences needs all or any of them") {
  Bench bench;
  CHECK(bench.run([&] {
    const auto first = bench.add_monitored();
    const auto second = bench.add_monitored();
    const Waiter& all = bench.wait_for({{first, 5}, {second, 5}});
    const Waiter& any = bench.wait_for({{first, 5}, {second, 5}}, true);
    bench.fences().signal({{second, 5}}, nullptr);
    CHECK(any.satisfied);
    CHECK_FALSE(all.satisfied);
    CHECK(first->waiters.size() == 1);
    bench.fences().signal({{first, 5}}, nullptr);
    CHECK(all.satisfied);
  }));
}

TEST_CASE("the value of a monitored fence is not read by a wait without a resample") {
  OsOrdering ordering;
  ordering.resample = Resample::kOff;
  Bench bench(ordering);
  CHECK(bench.run([&] {
    const auto fence = bench.add_monitored();
    bench.store(*fence, 5);
    CHECK_FALSE(bench.wait_for({{fence, 5}}).satisfied);
  }));
}

TEST_CASE("waits and signals of a closed monitored fence change nothing") {
  Bench bench;
  CHECK(bench.run([&] {
    const auto fence = bench.add_monitored();
    const auto local = std::make_shared<LocalObject>();
    Waiter& waiter = bench.add_waiter();
    local->open = false;
    CHECK(bench.fences().wait(waiter, {{fence, 5, local}}) == STATUS_INVALID_HANDLE);
    CHECK(bench.fences().signal({{fence, 5, local}}, nullptr) == STATUS_INVALID_HANDLE);
    local->open = true;
    fence->usable = false;
    CHECK(bench.fences().wait(waiter, {{fence, 5, local}}) == STATUS_INVALID_HANDLE);
    CHECK(fence->waiters.empty());
    CHECK(bench.load(*fence) == 0);
    CHECK(bench.fences().signal({{fence, 5}}, nullptr) == STATUS_SUCCESS);  // by a queue
    CHECK(bench.load(*fence) == 5);
  }));
}

TEST_CASE("a waiter of monitored fences that gives up leaves all lists") {
  Bench bench;
  CHECK(bench.run([&] {
    const auto first = bench.add_monitored();
    const auto second = bench.add_monitored();
    Waiter& waiter = bench.wait_for({{first, 5}, {second, 5}});
    CHECK(bench.fences().cancel(waiter));
    CHECK(first->waiters.empty());
    CHECK(second->waiters.empty());
    bench.store(*first, 5);
    CHECK_FALSE(bench.fences().cancel(bench.wait_for({{first, 5}})));
  }));
}

TEST_CASE("a close of a monitored fence ends the waits through its handle") {
  Bench bench;
  CHECK(bench.run([&] {
    const auto fence = bench.add_monitored();
    const auto here = std::make_shared<LocalObject>();
    const auto there = std::make_shared<LocalObject>();
    const Waiter& mine = bench.wait_for({{fence, 5, here}});
    const Waiter& other = bench.wait_for({{fence, 5, there}});
    const Waiter& of_queue = bench.wait_for({{fence, 5}});
    bench.fences().close(*fence, *here, false);
    CHECK_FALSE(here->open);
    CHECK(mine.satisfied);
    CHECK_FALSE(other.satisfied);
    CHECK(fence->usable);
    bench.fences().close(*fence, *there, true);
    CHECK(other.satisfied);
    CHECK_FALSE(of_queue.satisfied);
    CHECK_FALSE(fence->usable);
    CHECK_FALSE(fence->alive);
    bench.fences().signal({{fence, 5}}, nullptr);  // work from before still signals it
    CHECK(of_queue.satisfied);
    bench.fences().forget(*fence);
    CHECK(bench.fences().all().empty());
  }));
}

TEST_CASE("a monitored fence that keeps its waiters loses them with the last close") {
  Bench bench;
  CHECK(bench.run([&] {
    const auto fence = bench.add_monitored();
    fence->unwaits_late = true;
    const auto local = std::make_shared<LocalObject>();
    const Waiter& waiter = bench.wait_for({{fence, 5, local}});
    bench.fences().close(*fence, *local, false);
    CHECK_FALSE(waiter.satisfied);
    bench.fences().close(*fence, *local, true);
    CHECK(waiter.satisfied);
  }));
}

TEST_CASE("closes of monitored fences end no waits where that rule is removed") {
  OsOrdering ordering;
  ordering.unwait = false;
  Bench bench(ordering);
  CHECK(bench.run([&] {
    const auto fence = bench.add_monitored();
    const auto local = std::make_shared<LocalObject>();
    const Waiter& waiter = bench.wait_for({{fence, 5, local}});
    bench.fences().close(*fence, *local, true);
    CHECK_FALSE(waiter.satisfied);
  }));
}

TEST_CASE("a driver with a native fence for it stores the value that its adapter signals") {
  Bench bench;
  CHECK(bench.run([&] {
    const auto fence = bench.add_monitored();
    const auto native = bench.attach(*fence);
    native->current = fence->current;
    bench.machine.on_signal = [&] { bench.store(*fence, 5); };
    const Waiter& waiter = bench.wait_for({{fence, 5}});
    bench.fences().signal({{fence, 5}}, &bench.machine.adapter());
    REQUIRE(bench.machine.signals.size() == 1);
    CHECK(bench.machine.signals[0].flags == 0);
    CHECK(bench.machine.signals[0].values == std::vector<UINT64>{5});
    CHECK(waiter.satisfied);
  }));
}

TEST_CASE("a driver is notified of a signal that it has not made") {
  Bench bench;
  CHECK(bench.run([&] {
    const auto fence = bench.add_monitored();
    const auto native = bench.attach(*fence);
    bench.fences().signal({{fence, 5}}, nullptr);
    CHECK(bench.load(*fence) == 5);
    REQUIRE(bench.machine.signals.size() == 1);
    CHECK(bench.machine.signals[0].flags == Flags::kNotificationOnly);
    bench.fences().detach(*fence, *native);
    bench.fences().signal({{fence, 6}}, nullptr);
    CHECK(bench.machine.signals.size() == 1);
  }));
}

TEST_CASE("a fence of a device in error satisfies every wait") {
  Bench bench;
  CHECK(bench.run([&] {
    const auto fence = bench.add_monitored();
    const Waiter& waiter = bench.wait_for({{fence, 5}});
    bench.fences().give_up(fence, nullptr);
    CHECK(waiter.satisfied);
    CHECK(fence->always_signaled);
    CHECK(bench.load(*fence) == UINT64_MAX);
    bench.store(*fence, 0);
    CHECK(bench.wait_for({{fence, 5}}).satisfied);
    const auto closed = bench.add_monitored();
    closed->usable = false;
    bench.fences().give_up(closed, nullptr);
    CHECK_FALSE(closed->always_signaled);
    CHECK(bench.load(*closed) == 0);
  }));
}

TEST_CASE("the highest value of a 32-bit fence of a device in error is in reach") {
  Bench bench;
  CHECK(bench.run([&] {
    const auto fence = bench.add_monitored(true);
    bench.store(*fence, 5);
    bench.fences().give_up(fence, nullptr);
    CHECK(fence->last == 5 + kReach);
    CHECK(bench.wait_for({{fence, kTurn * 4}}).satisfied);
  }));
}

TEST_CASE("a device in error signals through its own driver") {
  Bench bench;
  CHECK(bench.run([&] {
    const auto fence = bench.add_monitored();
    bench.attach(*fence);
    bench.fences().give_up(fence, &bench.machine.adapter());
    REQUIRE(bench.machine.signals.size() == 1);
    CHECK(bench.machine.signals[0].flags == Flags::kAlwaysSignaled);
    CHECK(bench.load(*fence) == 0);
  }));
}

TEST_CASE("the OS keeps the upper half of the value of a 32-bit fence") {
  Bench bench;
  CHECK(bench.run([&] {
    const auto fence = bench.add_monitored(true);
    fence->last = 3 * kTurn + 0xFFFFFFF0;
    CHECK(bench.fences().whole(*fence, 0xFFFFFFF8) == 3 * kTurn + 0xFFFFFFF8);
    CHECK(bench.fences().whole(*fence, 4) == 4 * kTurn + 4);  // it has wrapped
    CHECK(bench.fences().whole(*fence, 0xFFFFFFE0) == 3 * kTurn + 0xFFFFFFE0);
    bench.store(*fence, 0xFFFFFFF0);
    const Waiter& waiter = bench.wait_for({{fence, 4 * kTurn + 4}});
    CHECK_FALSE(waiter.satisfied);
    bench.fences().signal({{fence, 4 * kTurn + 4}}, nullptr);
    CHECK(bench.load(*fence) == 4);
    CHECK(waiter.satisfied);
    const auto wide = bench.add_monitored();
    CHECK(bench.fences().whole(*wide, kTurn + 5) == kTurn + 5);
  }));
}

TEST_CASE("a value of a 32-bit fence that is too far from the last one is refused") {
  Bench bench;
  CHECK(bench.run([&] {
    const auto fence = bench.add_monitored(true);
    const auto wide = bench.add_monitored();
    CHECK(bench.fences().check({{fence, kReach}}) == STATUS_SUCCESS);
    CHECK(bench.fences().check({{fence, kReach + 1}}) == STATUS_INVALID_PARAMETER);
    CHECK(bench.fences().check({{wide, kReach + 1}}) == STATUS_SUCCESS);
    Waiter& waiter = bench.add_waiter();
    CHECK(bench.fences().wait(waiter, {{wide, 5}, {fence, kReach + 1}}) ==
          STATUS_INVALID_PARAMETER);
    CHECK(wide->waiters.empty());
    CHECK(bench.fences().signal({{wide, 5}, {fence, kReach + 1}}, nullptr) ==
          STATUS_INVALID_PARAMETER);
    CHECK(bench.load(*wide) == 0);
  }));
}

TEST_CASE("far values of a 32-bit fence are accepted where they are not checked") {
  Bench bench(with_wrap(Wrap32::kUnchecked));
  CHECK(bench.run([&] {
    const auto fence = bench.add_monitored(true);
    CHECK(bench.fences().check({{fence, kReach + 1}}) == STATUS_SUCCESS);
  }));
}

TEST_CASE("only lower halves are compared where wraps are ignored") {
  Bench bench(with_wrap(Wrap32::kIgnored));
  CHECK(bench.run([&] {
    const auto fence = bench.add_monitored(true);
    bench.store(*fence, 5);
    CHECK(bench.wait_for({{fence, kTurn + 4}}).satisfied);
    CHECK_FALSE(bench.wait_for({{fence, 6}}).satisfied);
    const auto wide = bench.add_monitored();
    CHECK_FALSE(bench.wait_for({{wide, kTurn}}).satisfied);
  }));
}

TEST_CASE("a scan releases waiters of the fences that it is about") {
  Bench bench;
  CHECK(bench.run([&] {
    const auto named = bench.add_monitored();
    const auto written = bench.add_monitored();
    const auto other = bench.add_monitored();
    const Waiter* waiters[] = {&bench.wait_for({{named, 5}}), &bench.wait_for({{written, 5}}),
                               &bench.wait_for({{other, 5}})};
    for (const auto& fence : {named, written, other}) bench.store(*fence, 5);
    CHECK(bench.scan({}) == 0);
    MonitoredScan scan;
    scan.named = {named.get()};
    scan.written = {written.get()};
    CHECK(bench.scan(scan) == 2);
    CHECK(waiters[0]->satisfied);
    CHECK(waiters[1]->satisfied);
    CHECK_FALSE(waiters[2]->satisfied);
    CHECK(bench.scan(everything()) == 1);
  }));
}

TEST_CASE("the state of monitored fences tells them apart") {
  Bench bench;
  CHECK(bench.run([&] {
    std::set<std::uint64_t> states{bench.fences().state_hash()};
    const auto note = [&] { states.insert(bench.fences().state_hash()); };
    const auto fence = bench.add_monitored();
    note();
    fence->last = 7;  // of a fence of 64 bits it is in memory
    note();
    fence->narrow = true;
    note();
    fence->alive = false;
    note();
    fence->always_signaled = true;
    note();
    fence->rings = true;
    note();
    CHECK(states.size() == 6);
  }));
}

}  // namespace fenceline::os::test_monitored_fences
