// A process closes a native fence: which waits end, and what the driver still gets.
#include <catch2/catch.hpp>

#include "tb/test/support/os/fence_bench.h"

namespace fenceline::os::test_fence_closes {

using common::kMillisecond;
using support::FenceBench;
using Values = FenceBench::Values;

namespace {

constexpr UINT64 kNone = UINT64_MAX;

/// A fence that two processes have open, with a wait of each.
struct Bench : FenceBench {
  using FenceBench::FenceBench;

  void open() {
    fence = add();
    here = std::make_shared<LocalObject>();
    there = std::make_shared<LocalObject>();
    mine = &wait_for({{fence, 5, here}});
    other = &wait_for({{fence, 7, there}});
  }

  std::shared_ptr<NativeFence> fence;
  LocalPointer here, there;
  const Waiter* mine = nullptr;
  const Waiter* other = nullptr;
};

}  // namespace

TEST_CASE("a close ends the waits through its handle only") {
  Bench bench;
  CHECK(bench.run([&] {
    bench.open();
    bench.scheduler().close(*bench.fence, *bench.here, false);
    CHECK_FALSE(bench.here->open);
    CHECK(bench.there->open);
    CHECK(bench.mine->satisfied);
    CHECK(bench.mine->let_go);
    CHECK(bench.woken.signaled);
    CHECK_FALSE(bench.other->satisfied);
    CHECK(bench.fence->usable);
    CHECK(bench.scheduler().fences().size() == 1);
    CHECK(bench.handed(bench.fence) == Values{4, 6});
  }));
}

TEST_CASE("the last close ends all waits and the driver does not get the fence any more") {
  Bench bench;
  CHECK(bench.run([&] {
    bench.open();
    const auto remaining = bench.add();
    bench.scheduler().close(*bench.fence, *bench.here, true);
    CHECK(bench.mine->let_go);
    CHECK(bench.other->let_go);
    CHECK(bench.other->satisfied);
    CHECK_FALSE(bench.fence->usable);
    CHECK(bench.scheduler().fences() == FenceList{remaining});
    CHECK(bench.handed(bench.fence) == Values{4});
  }));
}

TEST_CASE("a close leaves the waits of a fence that keeps them and the last one does not") {
  Bench bench;
  CHECK(bench.run([&] {
    bench.open();
    bench.fence->unwaits_late = true;
    bench.scheduler().close(*bench.fence, *bench.here, false);
    CHECK_FALSE(bench.here->open);
    CHECK_FALSE(bench.mine->satisfied);
    bench.scheduler().close(*bench.fence, *bench.there, true);
    CHECK(bench.mine->let_go);
    CHECK(bench.other->let_go);
  }));
}

TEST_CASE("closes end no waits where that rule is removed") {
  OsOrdering ordering;
  ordering.unwait = false;
  Bench bench(ordering);
  CHECK(bench.run([&] {
    bench.open();
    bench.scheduler().close(*bench.fence, *bench.here, false);
    bench.scheduler().close(*bench.fence, *bench.there, true);
    CHECK_FALSE(bench.mine->satisfied);
    CHECK_FALSE(bench.other->satisfied);
    CHECK_FALSE(bench.fence->usable);
  }));
}

TEST_CASE("a close that ends no wait does not call the driver") {
  OsOrdering ordering;
  ordering.on_change = false;
  Bench bench(ordering);
  CHECK(bench.run([&] {
    const auto fence = bench.add();
    LocalObject local;
    bench.scheduler().close(*fence, local, false);
    CHECK(bench.machine.monitored.empty());
  }));
}

TEST_CASE("a wait for any fence that a close ends leaves its other fence") {
  Bench bench;
  CHECK(bench.run([&] {
    bench.open();
    const auto second = bench.add();
    const Waiter& both = bench.wait_for({{bench.fence, 9, bench.here}, {second, 3}}, true);
    bench.scheduler().close(*bench.fence, *bench.here, false);
    CHECK(both.let_go);
    CHECK(second->waiters.empty());
    CHECK(bench.handed(second) == Values{2, kNone});
  }));
}

TEST_CASE("the last close waits for a driver call that names the fence") {
  OsOrdering ordering;
  ordering.lockless_signal = true;
  FenceBench bench(ordering);
  std::shared_ptr<NativeFence> fence;
  common::Time closed = 0;
  bench.machine.on_signal = [&] { bench.machine.steps().elapse(2 * kMillisecond); };
  bench.machine.add("closes", [&] {
    fence = bench.add();
    bench.machine.sleep(kMillisecond);
    CHECK(fence->named == 1);
    LocalObject local;
    bench.scheduler().close(*fence, local, true);
    CHECK(fence->named == 0);
    closed = bench.machine.steps().simulated();
  });
  CHECK(bench.run([&] {
    bench.machine.sleep(kMillisecond / 2);
    CHECK(bench.scheduler().signal({{fence, 5}}, 0) == STATUS_SUCCESS);
  }));
  CHECK(closed >= 2 * kMillisecond);
}

}  // namespace fenceline::os::test_fence_closes
