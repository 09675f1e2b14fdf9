// Waits for native fences: how they enter and leave the lists.
#include <catch2/catch.hpp>
#include <set>

#include "tb/test/support/os/fence_bench.h"

namespace fenceline::os::test_fence_scheduler {

using support::FenceBench;
using Values = FenceBench::Values;

namespace {

constexpr UINT64 kNone = UINT64_MAX;

OsOrdering with_resample(Resample resample) {
  OsOrdering ordering;
  ordering.resample = resample;
  return ordering;
}
OsOrdering each_time() {
  OsOrdering ordering;
  ordering.on_change = false;
  return ordering;
}

/// Whether a wait ends whose value arrives in the driver call for it.
bool ends_by_resample(Resample resample) {
  FenceBench bench(with_resample(resample));
  bool satisfied = false;
  CHECK(bench.run([&] {
    const auto fence = bench.add();
    bench.machine.on_monitored = [&] { bench.store(*fence, 5); };
    satisfied = bench.wait_for(fence, 5).satisfied;
    bench.machine.on_monitored = nullptr;
  }));
  return satisfied;
}

/// The same where the driver is not called, since it has the MonitoredValue.
bool ends_without_call(Resample resample) {
  FenceBench bench(with_resample(resample));
  bool satisfied = false;
  CHECK(bench.run([&] {
    const auto fence = bench.add();
    bench.wait_for(fence, 5);
    bench.scheduler().on_waiting = [&](const auto&) { bench.store(*fence, 6); };
    satisfied = bench.wait_for(fence, 6).satisfied;
    CHECK(bench.machine.monitored.size() == (satisfied ? 2 : 1));
  }));
  return satisfied;
}

}  // namespace

TEST_CASE("a wait gives the driver the value below its own and stays in the list") {
  FenceBench bench;
  CHECK(bench.run([&] {
    const auto fence = bench.add();
    const Waiter& waiter = bench.wait_for(fence, 5);
    CHECK_FALSE(waiter.satisfied);
    CHECK(fence->waiters.size() == 1);
    CHECK(bench.handed(fence) == Values{4});
    CHECK(fence->monitored_value == 4);
    CHECK_FALSE(bench.woken.signaled);
    CHECK(bench.scheduler().waited_for());
    bench.wait_for(fence, 7);  // a later value needs no other MonitoredValue
    CHECK(bench.handed(fence) == Values{4});
  }));
}

TEST_CASE("a wait whose value is there ends at once and the driver is not called") {
  FenceBench bench(each_time());
  CHECK(bench.run([&] {
    const auto fence = bench.add();
    bench.store(*fence, 5);
    bench.scheduler().on_waiting = [](const auto&) { FAIL("it does not wait"); };
    CHECK(bench.wait_for(fence, 5).satisfied);
    CHECK(bench.woken.signaled);
    CHECK(fence->waiters.empty());
    CHECK(bench.machine.monitored.empty());
    CHECK_FALSE(bench.scheduler().waited_for());
    CHECK(bench.scheduler().released() == 1);
  }));
}

TEST_CASE("a wait for 0 and one for a fence that is always signalled need no read") {
  FenceBench bench(with_resample(Resample::kOff));
  CHECK(bench.run([&] {
    const auto fence = bench.add();
    CHECK(bench.wait_for(fence, 0).satisfied);
    CHECK_FALSE(bench.wait_for(fence, 9).satisfied);
    fence->always_signaled = true;
    CHECK(bench.wait_for(fence, 9).satisfied);
    CHECK(fence->waiters.empty());
    CHECK(bench.handed(fence) == Values{8, UINT64_MAX});  // the wait before has ended, too
  }));
}

TEST_CASE("a value that arrives in the driver call ends the wait if the OS always reads") {
  CHECK(ends_by_resample(Resample::kAlways));
}

TEST_CASE("a value that arrives in the driver call ends the wait if the OS reads after calls") {
  CHECK(ends_by_resample(Resample::kAfterDdi));
}

TEST_CASE("a value that arrives in the driver call is missed if the OS reads only before") {
  CHECK_FALSE(ends_by_resample(Resample::kBeforeDdi));
}

TEST_CASE("a value that arrives in the driver call is missed if the OS does not read") {
  CHECK_FALSE(ends_by_resample(Resample::kOff));
}

TEST_CASE("the OS always reads after a registration") {
  CHECK(ends_without_call(Resample::kAlways));
}

TEST_CASE("the OS reads after a registration only if it has called the driver") {
  CHECK_FALSE(ends_without_call(Resample::kAfterDdi));
}

TEST_CASE("a value that arrives before the driver call is seen by a read before it") {
  FenceBench bench(with_resample(Resample::kBeforeDdi));
  CHECK(bench.run([&] {
    const auto fence = bench.add();
    bench.store(*fence, 5);
    CHECK(bench.wait_for(fence, 5).satisfied);
    CHECK(bench.machine.monitored.empty());
  }));
}

TEST_CASE("the driver gets the next MonitoredValue when a wait ends by the second read") {
  FenceBench bench;
  CHECK(bench.run([&] {
    const auto fence = bench.add();
    bench.scheduler().on_waiting = [&](const auto&) { bench.store(*fence, 5); };
    CHECK(bench.wait_for(fence, 5).satisfied);
    CHECK(bench.handed(fence) == Values{4, kNone});
  }));
}

TEST_CASE("the first read of a wait may release others and then the driver is told") {
  FenceBench bench;
  CHECK(bench.run([&] {
    const auto fence = bench.add();
    const Waiter& other = bench.wait_for(fence, 4);
    bench.store(*fence, 5);
    CHECK(bench.wait_for(fence, 5).satisfied);
    CHECK(other.satisfied);
    CHECK(bench.handed(fence) == Values{3, kNone});
  }));
}

TEST_CASE("a wait for all fences ends with the last one") {
  FenceBench bench;
  CHECK(bench.run([&] {
    const auto first = bench.add();
    const auto second = bench.add();
    const Waiter& waiter = bench.wait_for({{first, 5}, {second, 6}});
    bench.store(*first, 5);
    CHECK(bench.scan({first}) == 1);
    CHECK_FALSE(waiter.satisfied);
    CHECK(first->waiters.empty());
    CHECK(second->waiters.size() == 1);
    bench.store(*second, 6);
    CHECK(bench.scan({second}) == 1);
    CHECK(waiter.satisfied);
  }));
}

TEST_CASE("a wait for any fence leaves the others and their MonitoredValue is undone") {
  FenceBench bench;
  CHECK(bench.run([&] {
    const auto first = bench.add();
    const auto second = bench.add();
    const Waiter& waiter = bench.wait_for({{first, 5}, {second, 6}}, true);
    CHECK(waiter.remaining == 1);
    bench.store(*second, 6);
    CHECK(bench.scan({second}) == 1);
    CHECK(waiter.satisfied);
    CHECK(first->waiters.empty());
    CHECK(bench.handed(first) == Values{4, kNone});
    CHECK(bench.handed(second) == Values{5, kNone});
  }));
}

TEST_CASE("a wait that ends by its first fence does not read the second") {
  FenceBench bench;
  CHECK(bench.run([&] {
    const auto first = bench.add();
    const auto second = bench.add();
    const Waiter& other = bench.wait_for(second, 6);
    bench.store(*first, 5);
    bench.store(*second, 6);
    CHECK(bench.wait_for({{first, 5}, {second, 7}}, true).satisfied);
    CHECK_FALSE(other.satisfied);
    CHECK(bench.handed(first).empty());
  }));
}

TEST_CASE("a wait through a closed handle or for a closed fence changes nothing") {
  FenceBench bench;
  CHECK(bench.run([&] {
    const auto good = bench.add();
    const auto fence = bench.add();
    const auto local = std::make_shared<LocalObject>();
    local->open = false;
    Waiter& waiter = bench.add_waiter();
    CHECK(bench.scheduler().wait(waiter, {{good, 5}, {fence, 5, local}}) == STATUS_INVALID_HANDLE);
    fence->usable = false;
    CHECK(bench.scheduler().wait(waiter, {{good, 5}, {fence, 5}}) == STATUS_INVALID_HANDLE);
    CHECK(good->waiters.empty());
    CHECK(bench.scheduler().waits() == 0);
    CHECK(bench.machine.monitored.empty());
    bench.wait_for(good, 5);
    CHECK(bench.scheduler().waits() == 1);
  }));
}

TEST_CASE("a wait that gives up leaves all lists and the driver is told") {
  FenceBench bench;
  CHECK(bench.run([&] {
    const auto first = bench.add();
    const auto second = bench.add();
    const std::vector<FenceBench::Point> points{{first, 5}, {second, 6}};
    Waiter& waiter = bench.wait_for(points);
    second->usable = false;  // in destruction: the driver does not get it any more
    CHECK(bench.scheduler().cancel(waiter, points));
    CHECK_FALSE(waiter.satisfied);
    CHECK(first->waiters.empty());
    CHECK(second->waiters.empty());
    CHECK(bench.handed(first) == Values{4, kNone});
    CHECK(bench.handed(second) == Values{5});
  }));
}

TEST_CASE("a wait that is over cannot be given up") {
  FenceBench bench;
  CHECK(bench.run([&] {
    const auto fence = bench.add();
    bench.store(*fence, 5);
    CHECK_FALSE(bench.scheduler().cancel(bench.wait_for(fence, 5), {{fence, 5}}));
  }));
}

TEST_CASE("the timer of lost interrupts hears of changes of the lists") {
  OsOrdering ordering;
  ordering.fallback_timer = true;
  FenceBench bench(ordering);
  CHECK(bench.run([&] {
    std::vector<bool> news;
    bench.scheduler().on_waits_changed = [&](bool some) { news.push_back(some); };
    const auto fence = bench.add();
    Waiter& waiter = bench.wait_for(fence, 5);
    CHECK(news == std::vector<bool>{true});
    bench.scheduler().cancel(waiter, {{fence, 5}});
    CHECK(news == std::vector<bool>{true, false});
    bench.wait_for(fence, 5);
    bench.store(*fence, 5);
    bench.scan({fence});
    CHECK(news == std::vector<bool>{true, false, true, true});
  }));
}

TEST_CASE("nobody hears of changes of the lists without that timer") {
  FenceBench bench;
  CHECK(bench.run([&] {
    bench.scheduler().on_waits_changed = [](bool) { FAIL("there is no timer"); };
    bench.wait_for(bench.add(), 5);
    CHECK_FALSE(bench.scheduler().news().there());
  }));
}

TEST_CASE("the hash of waits covers those up to a number") {
  FenceBench bench;
  CHECK(bench.run([&] {
    const auto fence = bench.add();
    bench.wait_for(fence, 5);
    const std::uint64_t first = bench.scheduler().waits_hash(1);
    bench.wait_for(fence, 6);
    CHECK(bench.scheduler().waits_hash(0) == 0);
    CHECK(bench.scheduler().waits_hash(1) == first);
    CHECK(bench.scheduler().waits_hash(2) != first);
  }));
}

TEST_CASE("the state of the scheduler tells fences and their waiters apart") {
  FenceBench bench;
  CHECK(bench.run([&] {
    std::set<std::uint64_t> states{bench.scheduler().state_hash()};
    const auto fence = bench.add();
    states.insert(bench.scheduler().state_hash());
    bench.wait_for(fence, 5);
    states.insert(bench.scheduler().state_hash());
    fence->monitored_value = 3;
    states.insert(bench.scheduler().state_hash());
    fence->always_signaled = true;
    states.insert(bench.scheduler().state_hash());
    CHECK(states.size() == 5);
  }));
}

}  // namespace fenceline::os::test_fence_scheduler
