// MonitoredValues: what the driver gets, and in how many calls.
#include <catch2/catch.hpp>

#include "tb/os/objects/monitored_fences.h"
#include "tb/test/support/os/fence_bench.h"

namespace fenceline::os::test_monitored_value_updates {

using support::FenceBench;
using Values = FenceBench::Values;

namespace {

constexpr UINT64 kNone = UINT64_MAX;

support::OsMachine::Config batched(Resample resample = Resample::kAlways) {
  support::OsMachine::Config config;
  config.options.adapter.system.batched_updates = true;
  config.options.ordering.os.resample = resample;
  return config;
}

/// A wait for two fences whose values arrive in the driver call for them.
bool ends_in_batch(Resample resample) {
  FenceBench bench(batched(resample));
  bool satisfied = false;
  CHECK(bench.run([&] {
    const auto first = bench.add();
    const auto second = bench.add();
    bench.machine.on_monitored = [&] {
      for (const auto& fence : {first, second}) bench.store(*fence, 5);
    };
    satisfied = bench.wait_for({{first, 5}, {second, 5}}).satisfied;
    CHECK(bench.machine.monitored.front().fences.size() == 2);
    CHECK(bench.handed(first) == (satisfied ? Values{4, kNone} : Values{4}));
  }));
  return satisfied;
}

}  // namespace

TEST_CASE("the driver gets a MonitoredValue only if it has changed") {
  FenceBench bench;
  CHECK(bench.run([&] {
    const auto fence = bench.add();
    bench.wait_for(fence, 5);
    bench.wait_for(fence, 5);
    CHECK(bench.scan({fence}) == 0);
    CHECK(bench.handed(fence) == Values{4});
    bench.wait_for(fence, 3);
    CHECK(bench.handed(fence) == Values{4, 2});
  }));
}

TEST_CASE("the driver gets a MonitoredValue each time where that rule is removed") {
  OsOrdering ordering;
  ordering.on_change = false;
  FenceBench bench(ordering);
  CHECK(bench.run([&] {
    const auto fence = bench.add();
    bench.wait_for(fence, 5);
    bench.wait_for(fence, 5);
    CHECK(bench.handed(fence) == Values{4, 4});
  }));
}

TEST_CASE("a fence that holds up no wait needs no MonitoredValue for it") {
  OsOrdering ordering;
  ordering.on_change = false;
  FenceBench bench(ordering);
  CHECK(bench.run([&] {
    const auto always = bench.add();
    const auto zero = bench.add();
    const auto fence = bench.add();
    always->always_signaled = true;
    CHECK_FALSE(bench.wait_for({{always, 3}, {zero, 0}, {fence, 5}}).satisfied);
    CHECK(bench.handed(always).empty());
    CHECK(bench.handed(zero).empty());
    CHECK(bench.handed(fence) == Values{4});
  }));
}

TEST_CASE("the MonitoredValue of a waiter for 0 is 0") {
  OsOrdering ordering;
  ordering.resample = Resample::kOff;
  FenceBench bench(ordering);
  CHECK(bench.run([&] {
    const auto fence = bench.add();
    bench.add_waiter().enter(fence->waiters, 0, 0, {}, 1);  // as without the lock
    bench.wait_for(fence, 5);
    CHECK(bench.handed(fence) == Values{0});
  }));
}

TEST_CASE("waiters of one adapter do not decide the MonitoredValue of a shared fence") {
  FenceBench bench;
  CHECK(bench.run([&] {
    const auto fence = bench.add();
    fence->origin = std::make_shared<MonitoredFence>();
    bench.wait_for(fence, 5);
    CHECK(bench.handed(fence).empty());
    bench.machine.dispatched([&] { bench.scheduler().hand_monitored(*fence, 0); });
    CHECK(bench.handed(fence) == Values{0});
  }));
}

TEST_CASE("a driver call names its fences until it returns") {
  FenceBench bench;
  CHECK(bench.run([&] {
    const auto fence = bench.add();
    bench.machine.on_monitored = [&] {
      CHECK(fence->named == 1);
      CHECK(bench.machine.cpu().irql() == DEVICE_LEVEL);
    };
    bench.wait_for(fence, 5);
    CHECK(fence->named == 0);
  }));
}

TEST_CASE("a driver that refuses a MonitoredValue stops the machine") {
  FenceBench bench;
  bench.run([&] {
    const auto fence = bench.add();
    bench.machine.monitored_status = STATUS_UNSUCCESSFUL;
    CHECK(support::stop_of([&] {
            bench.scheduler().wait(bench.add_waiter(), {{fence, 5}});
          }) == fenceline::wddm::kSchedulerUpdateMonitoredValuesFailed);
  });
}

TEST_CASE("a wait for several fences is one driver call where calls are batched") {
  FenceBench bench(batched());
  CHECK(bench.run([&] {
    const auto always = bench.add();
    const auto first = bench.add();
    const auto second = bench.add();
    const auto known = bench.add();
    always->always_signaled = true;
    bench.wait_for(known, 5);
    CHECK_FALSE(bench.wait_for({{always, 3}, {first, 4}, {second, 5}, {known, 6}}).satisfied);
    REQUIRE(bench.machine.monitored.size() == 2);
    CHECK(bench.machine.monitored[1].fences == std::vector<HANDLE>{first.get(), second.get()});
    CHECK(bench.machine.monitored[1].values == Values{3, 4});
    CHECK(first->monitored_value == 3);
  }));
}

TEST_CASE("a wait for several fences is a call for each where calls are not batched") {
  FenceBench bench;
  CHECK(bench.run([&] {
    bench.wait_for({{bench.add(), 4}, {bench.add(), 5}});
    CHECK(bench.machine.monitored.size() == 2);
  }));
}

TEST_CASE("values that arrive in a batched call end the wait if the OS always reads") {
  CHECK(ends_in_batch(Resample::kAlways));
}

TEST_CASE("values that arrive in a batched call end the wait if the OS reads after calls") {
  CHECK(ends_in_batch(Resample::kAfterDdi));
}

TEST_CASE("values that arrive in a batched call are missed if the OS does not read") {
  CHECK_FALSE(ends_in_batch(Resample::kOff));
}

TEST_CASE("a wait for one fence still reads before its call where calls are batched") {
  FenceBench bench(batched(Resample::kBeforeDdi));
  CHECK(bench.run([&] {
    const auto fence = bench.add();
    bench.store(*fence, 5);
    CHECK(bench.wait_for(fence, 5).satisfied);
  }));
}

TEST_CASE("a batched call has at most 64 fences") {
  FenceBench bench(batched());
  CHECK(bench.run([&] {
    std::vector<FenceBench::Point> points;
    for (int i = 0; i < 65; ++i) points.push_back({bench.add(), 5});
    bench.wait_for(points);
    REQUIRE(bench.machine.monitored.size() == 2);
    CHECK(bench.machine.monitored[0].fences.size() == 64);
    CHECK(bench.machine.monitored[1].fences.size() == 1);
  }));
}

TEST_CASE("a scan of several fences gives their next MonitoredValues in one call") {
  FenceBench bench(batched());
  CHECK(bench.run([&] {
    const auto first = bench.add();
    const auto second = bench.add();
    const auto same = bench.add();
    for (const auto& fence : {first, second, same}) bench.wait_for(fence, 5);
    bench.wait_for(second, 6);
    for (const auto& fence : {first, second}) bench.store(*fence, 5);
    bench.machine.monitored.clear();
    bench.machine.on_monitored = [&] {
      if (bench.machine.monitored.size() == 1) bench.store(*second, 6);
    };
    CHECK(bench.scan({first, second, same}) == 3);
    REQUIRE(bench.machine.monitored.size() == 2);
    CHECK(bench.machine.monitored[0].fences == std::vector<HANDLE>{first.get(), second.get()});
    CHECK(bench.machine.monitored[0].values == Values{kNone, 5});
    CHECK(bench.machine.monitored[1].fences == std::vector<HANDLE>{second.get()});
    CHECK(bench.machine.monitored[1].values == Values{kNone});
  }));
}

TEST_CASE("a scan with batched calls does not read again without a resample") {
  FenceBench bench(batched(Resample::kOff));
  CHECK(bench.run([&] {
    const auto first = bench.add();
    const auto second = bench.add();
    for (const std::uint64_t value : {5, 6})
      for (const auto& fence : {first, second}) bench.wait_for(fence, value);
    for (const auto& fence : {first, second}) bench.store(*fence, 5);
    bench.machine.on_monitored = [&] { bench.store(*second, 6); };
    CHECK(bench.scan({first, second}) == 2);
  }));
}

}  // namespace fenceline::os::test_monitored_value_updates
