// Scans of native fences after interrupts, and releases by log entries.
#include <catch2/catch.hpp>

#include "tb/test/support/os/fence_bench.h"

namespace fenceline::os::test_fence_scans {

using support::FenceBench;
using Values = FenceBench::Values;

namespace {

constexpr UINT64 kNone = UINT64_MAX;

FenceNotification naming(const std::shared_ptr<NativeFence>& fence) {
  FenceNotification told{};
  told.fences.push_back(fence->os_handle());
  return told;
}

}  // namespace

TEST_CASE("a scan releases the waiters of the fences that an interrupt names") {
  FenceBench bench;
  CHECK(bench.run([&] {
    const auto named = bench.add();
    const auto other = bench.add();
    const Waiter& released = bench.wait_for(named, 5);
    const Waiter& later = bench.wait_for(named, 6);
    const Waiter& elsewhere = bench.wait_for(other, 5);
    bench.store(*named, 5);
    bench.store(*other, 5);
    CHECK(bench.scan({named}) == 1);
    CHECK(released.satisfied);
    CHECK_FALSE(later.satisfied);
    CHECK_FALSE(elsewhere.satisfied);
    CHECK(bench.handed(named) == Values{4, 5});
    CHECK(bench.handed(other) == Values{4});
    CHECK(bench.scheduler().named(naming(other)) == FenceList{other});
  }));
}

TEST_CASE("an interrupt that may be about any fence concerns those with waiters") {
  FenceBench bench;
  CHECK(bench.run([&] {
    const auto idle = bench.add();
    const auto named = bench.add();
    const auto waited = bench.add();
    bench.wait_for(waited, 5);
    bench.store(*waited, 5);
    FenceList concerned;
    FenceNotification told = naming(named);
    const auto note = [&](const FenceList& fences) { concerned = fences; };
    CHECK(bench.scheduler().scan(told, note) == 0);
    CHECK(concerned == FenceList{named});
    told.all = true;
    CHECK(bench.scheduler().scan(told, note) == 1);
    CHECK(concerned == FenceList{named, waited});
  }));
}

TEST_CASE("work between the scan and the next MonitoredValue is under the lock") {
  FenceBench bench;
  CHECK(bench.run([&] {
    const auto fence = bench.add();
    const Waiter& waiter = bench.wait_for(fence, 5);
    bench.store(*fence, 5);
    bench.scheduler().scan(naming(fence), [&](const FenceList&) {
      CHECK(waiter.satisfied);
      CHECK(bench.handed(fence) == Values{4});
      CHECK(bench.machine.cpu().irql() == DISPATCH_LEVEL);
    });
    CHECK(bench.handed(fence) == Values{4, kNone});
  }));
}

TEST_CASE("without the lock the driver does not get a fence that is destroyed in between") {
  OsOrdering ordering;
  ordering.scan_atomic = ScanLock::kNone;
  FenceBench bench(ordering);
  CHECK(bench.run([&] {
    const auto fence = bench.add();
    const auto other = bench.add();
    bench.wait_for(fence, 5);
    bench.wait_for(other, 5);
    bench.scheduler().scan({true, {}}, [&](const FenceList& fences) {
      CHECK(fences.size() == 2);
      CHECK(bench.machine.cpu().irql() == PASSIVE_LEVEL);
      bench.store(*other, 5);
      LocalObject local;
      bench.scheduler().close(*fence, local, true);
    });
    CHECK(bench.handed(fence) == Values{4});
  }));
}

TEST_CASE("a scan goes on while the next MonitoredValue releases waiters") {
  FenceBench bench;
  CHECK(bench.run([&] {
    const auto fence = bench.add();
    for (const std::uint64_t value : {5, 6, 7}) bench.wait_for(fence, value);
    std::uint64_t next = 5;
    bench.store(*fence, next);
    bench.machine.on_monitored = [&] { bench.store(*fence, ++next); };
    CHECK(bench.scan({fence}) == 3);
    CHECK(bench.handed(fence) == Values{4, 5, 6, kNone});
  }));
}

TEST_CASE("a scan does not read again after the next MonitoredValue without a resample") {
  OsOrdering ordering;
  ordering.resample = Resample::kOff;
  FenceBench bench(ordering);
  CHECK(bench.run([&] {
    const auto fence = bench.add();
    bench.wait_for(fence, 5);
    bench.wait_for(fence, 6);
    bench.store(*fence, 5);
    bench.machine.on_monitored = [&] { bench.store(*fence, 6); };
    CHECK(bench.scan({fence}) == 1);
    CHECK(bench.handed(fence) == Values{4, 5});
  }));
}

TEST_CASE("the OS looks at fences that it chooses while they exist") {
  FenceBench bench;
  CHECK(bench.run([&] {
    const auto fence = bench.add();
    const auto other = bench.add();
    const auto closed = bench.add();
    bench.wait_for(fence, 5);
    const Waiter& elsewhere = bench.wait_for(other, 5);
    for (const auto& one : {fence, other}) bench.store(*one, 5);
    LocalObject local;
    bench.scheduler().close(*closed, local, true);
    CHECK(bench.scheduler().look({fence, closed}, false) == 1);
    CHECK_FALSE(elsewhere.satisfied);
    CHECK(bench.handed(closed).empty());
  }));
}

TEST_CASE("the OS looks at idle fences only if it wants to") {
  OsOrdering ordering;
  ordering.on_change = false;
  FenceBench bench(ordering);
  CHECK(bench.run([&] {
    const auto idle = bench.add();
    bench.scheduler().look({idle}, false);
    CHECK(bench.handed(idle).empty());
    bench.scheduler().look({idle}, true);
    CHECK(bench.handed(idle) == Values{kNone});
  }));
}

TEST_CASE("a log entry releases older waits and does not read the value") {
  FenceBench bench;
  CHECK(bench.run([&] {
    const auto fence = bench.add();
    const Waiter& older = bench.wait_for(fence, 5);
    bool doubtful = true;
    CHECK(bench.scheduler().release_logged(*fence, 5, 1, doubtful) == 1);
    CHECK(older.satisfied);
    CHECK_FALSE(doubtful);
    CHECK(bench.handed(fence) == Values{4, kNone});
  }));
}

TEST_CASE("a log entry that may be older than a wait releases it only with the value there") {
  FenceBench bench;
  CHECK(bench.run([&] {
    const auto fence = bench.add();
    const Waiter& younger = bench.wait_for(fence, 5);
    const Waiter& higher = bench.wait_for(fence, 9);
    bool doubtful = false;
    CHECK(bench.scheduler().release_logged(*fence, 5, 0, doubtful) == 0);
    CHECK(doubtful);
    CHECK_FALSE(younger.satisfied);
    bench.store(*fence, 5);
    CHECK(bench.scheduler().release_logged(*fence, 5, 0, doubtful) == 1);
    CHECK_FALSE(doubtful);
    CHECK(younger.satisfied);
    CHECK_FALSE(higher.satisfied);
  }));
}

TEST_CASE("a log entry about a closed fence does nothing") {
  FenceBench bench;
  CHECK(bench.run([&] {
    const auto fence = bench.add();
    const Waiter& waiter = bench.wait_for(fence, 5);
    fence->usable = false;
    bool doubtful = true;
    CHECK(bench.scheduler().release_logged(*fence, 5, 9, doubtful) == 0);
    CHECK_FALSE(doubtful);
    CHECK_FALSE(waiter.satisfied);
  }));
}

}  // namespace fenceline::os::test_fence_scans
