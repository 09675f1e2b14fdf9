// Waits of queues in the fence unit: when a queue goes on, and when it parks.
#include "tb/test/unit/models/test_fence_unit.h"

namespace fenceline::test_command_processor::test_fence_unit {

using Bench = FenceBench;
using event::QueueStateKind;

namespace {

common::Ordering without_park_check() {
  common::Ordering ordering;
  ordering.gpu.park_check = false;
  return ordering;
}
common::Ordering with(common::Rescan rescan) {
  common::Ordering ordering = without_park_check();
  ordering.gpu.rescan = rescan;
  return ordering;
}

/// True if a request that comes before the queue is parked makes it look again.
bool reaches_early(common::Rescan rule, std::uint64_t request) {
  Bench bench(with(rule));
  bench.memory.on_read = [&] { bench.unit.rescan(kFenceSlot, request); };
  bench.run([&] { CHECK_FALSE(bench.wait(5)); });
  CHECK_FALSE(bench.user.latched);
  return bench.user.retry;
}

}  // namespace

TEST_CASE("a wait goes on at once when its value is reached", "[fence_unit]") {
  Bench bench;
  bench.store(5);
  bench.run([&] { CHECK(bench.wait(5)); });
  CHECK_FALSE(bench.user.waiting);
  CHECK_FALSE(bench.user.parked);
  CHECK_FALSE(bench.user.latched);
  CHECK(bench.user.observed == 0);
  CHECK(bench.unit.wait_reads() == 1);
  CHECK(bench.count<event::GpuWaitPark>() == 0);
  const auto begins = bench.events.of<event::GpuWaitBegin>();
  REQUIRE(begins.size() == 1);
  CHECK(begins[0].fence == Bench::kFenceObject);
  const auto ends = bench.events.of<event::GpuWaitUnblock>();
  REQUIRE(ends.size() == 1);
  CHECK(ends[0].value == 5);
  CHECK(ends[0].signal == 0);
}

TEST_CASE("a queue that waits for a higher value reads it twice and parks", "[fence_unit]") {
  Bench bench;
  bench.store(4);
  bench.run([&] {
    bench.simulation.steps.elapse(common::kMicrosecond);
    CHECK_FALSE(bench.wait(5));
    CHECK(bench.user.observed == bench.clock.ticks());
  });
  CHECK(bench.user.waiting);
  CHECK(bench.user.parked);
  CHECK_FALSE(bench.user.retry);
  CHECK(bench.user.state == QueueStateKind::kParked);
  CHECK(bench.user.value == 5);
  CHECK(bench.unit.wait_reads() == 2);
  CHECK(bench.count<event::GpuWaitPark>() == 1);
  CHECK(bench.count<event::GpuWaitUnblock>() == 0);
}

TEST_CASE("a parked wait that looks again keeps its begin and its stall", "[fence_unit]") {
  Bench bench;
  bench.run([&] {
    CHECK_FALSE(bench.wait(5));
    const std::uint64_t stall = bench.user.observed;
    CHECK(stall != 0);
    bench.simulation.steps.elapse(common::kMicrosecond);
    bench.user.retry = true;
    CHECK_FALSE(bench.wait(5));
    CHECK(bench.user.observed == stall);
    CHECK_FALSE(bench.user.retry);
    bench.user.retry = true;
    bench.store(5);
    CHECK(bench.wait(5));
    CHECK_FALSE(bench.user.parked);
    CHECK_FALSE(bench.user.retry);
    CHECK(bench.wait(3));
    CHECK(bench.user.observed == 0);  // another wait, which did not stall
  });
  CHECK(bench.count<event::GpuWaitBegin>() == 2);
  CHECK(bench.count<event::GpuWaitPark>() == 2);
}

TEST_CASE("a value that comes while its queue parks lets the queue go on", "[fence_unit]") {
  Bench bench;
  bench.memory.on_read = [&] {
    bench.unit.rescan(kFenceSlot, abi::kKickFromCpu);
    bench.store(5);
  };
  bench.run([&] { CHECK(bench.wait(5)); });
  CHECK(bench.unit.wait_reads() == 3);
  CHECK_FALSE(bench.user.waiting);
  CHECK_FALSE(bench.user.parked);
  CHECK_FALSE(bench.user.retry);
  CHECK(bench.user.state == QueueStateKind::kRunning);
  CHECK(bench.count<event::GpuWaitPark>() == 1);
}

TEST_CASE("a value that comes while its queue parks is missed without a check", "[fence_unit]") {
  Bench bench(without_park_check());
  bench.memory.on_read = [&] { bench.store(5); };
  bench.run([&] { CHECK_FALSE(bench.wait(5)); });
  CHECK(bench.unit.wait_reads() == 1);
  CHECK(bench.user.parked);
}

TEST_CASE("a queue that is about to park hears a kick of the CPU", "[fence_unit]") {
  CHECK(reaches_early(common::Rescan::kLatched, abi::kKickFromCpu));
}

TEST_CASE("a queue that is about to park does not hear a signal", "[fence_unit]") {
  CHECK_FALSE(reaches_early(common::Rescan::kLatched, 0));
}

TEST_CASE("a queue that is about to park hears no kick that is for parked ones", "[fence_unit]") {
  CHECK_FALSE(reaches_early(common::Rescan::kParkedOnly, abi::kKickFromCpu));
}

TEST_CASE("a queue that is about to park hears of the end of its fence", "[fence_unit]") {
  CHECK(reaches_early(common::Rescan::kParkedOnly, abi::kKickRetired));
}

TEST_CASE("a wait that was preempted looks at its value when it resumes", "[fence_unit]") {
  Bench bench;
  bench.user.resumed = true;
  bench.run([&] { CHECK_FALSE(bench.wait(5)); });
  CHECK(bench.user.parked);
}

TEST_CASE("a wait has the slot of the fence that its packet names", "[fence_unit]") {
  Bench bench;
  bench.run([&] {
    bench.unit.rescan(kFenceSlot, abi::kKickNamed | std::uint64_t{9} << abi::kKickTagShift);
    CHECK_FALSE(bench.wait(5, abi::fence_name(kFenceSlot, 9)));
  });
  CHECK(bench.user.fence_slot == kFenceSlot);
  CHECK(bench.unit.is_stale(abi::fence_name(kFenceSlot, 0)));
  CHECK_FALSE(bench.unit.is_stale(abi::fence_name(kFenceSlot, 9)));
}

TEST_CASE("a wait for a fence that counts as signaled reads nothing", "[fence_unit]") {
  Bench bench;
  bench.run([&] {
    bench.unit.rescan(kFenceSlot, abi::kKickAlwaysSignaled);
    CHECK(bench.wait(5));
    CHECK(bench.unit.wait_reads() == 0);
    CHECK_FALSE(bench.wait(5, Bench::kOtherFence));
  });
}

TEST_CASE("a stale wait ends without a look at its value", "[fence_unit]") {
  Bench bench;
  bench.park(bench.user, kFenceSlot);
  bench.user.latched = bench.user.retry = true;
  bench.run([&] {
    bench.unit.rescan(kFenceSlot, abi::kKickRetired);
    CHECK(bench.wait(5));
  });
  CHECK_FALSE(bench.user.waiting);
  CHECK_FALSE(bench.user.parked);
  CHECK_FALSE(bench.user.latched);
  CHECK_FALSE(bench.user.retry);
  CHECK(bench.unit.wait_reads() == 0);
  CHECK(bench.count<event::GpuWaitUnblock>() == 0);
  const auto stale = bench.events.of<event::StalePacket>();
  REQUIRE(stale.size() == 1);
  CHECK(stale[0].queue == Bench::kUserObject);
  CHECK(stale[0].wait);
  CHECK_FALSE(stale[0].executed);
}

TEST_CASE("a wait ends without its value when its fence is destroyed meanwhile", "[fence_unit]") {
  Bench bench;
  bench.memory.on_read = [&] { bench.unit.rescan(kFenceSlot, abi::kKickRetired); };
  bench.run([&] { CHECK(bench.wait(5)); });
  CHECK_FALSE(bench.user.waiting);
  CHECK_FALSE(bench.user.parked);
  CHECK(bench.unit.wait_reads() == 1);
  CHECK(bench.count<event::GpuWaitUnblock>() == 0);
  const auto stale = bench.events.of<event::StalePacket>();
  REQUIRE(stale.size() == 1);
  CHECK(stale[0].wait);
}

TEST_CASE("a stale wait waits for the value where the device does not look at tags",
          "[fence_unit]") {
  common::Ordering ordering;
  ordering.gpu.fence_tag = false;
  Bench bench(ordering);
  bench.park(bench.user, kFenceSlot);
  bench.run([&] {
    bench.unit.rescan(kFenceSlot, abi::kKickRetired);
    CHECK_FALSE(bench.user.retry);
    CHECK_FALSE(bench.unit.is_stale(kFenceSlot));
    CHECK_FALSE(bench.wait(5));
    CHECK(bench.user.waiting);
    bench.store(5);
    CHECK(bench.wait(5));
  });
  CHECK(bench.count<event::GpuWaitUnblock>() == 1);
  for (const auto& stale : bench.events.of<event::StalePacket>()) CHECK(stale.executed);
}

TEST_CASE("a wait of user mode for a value that is not mapped goes on waiting", "[fence_unit]") {
  Bench bench;
  bench.memory.mapped = false;
  bench.run([&] { CHECK_FALSE(bench.wait(0)); });
  CHECK(bench.user.waiting);
  CHECK(bench.shared.faults == 2);
}

TEST_CASE("a buffer that waits for a value that is not mapped is given up", "[fence_unit]") {
  Bench bench;
  bench.memory.mapped = false;
  bench.driver.in_buffer = true;
  bench.run([&] { CHECK(bench.unit.run_wait(bench.node, bench.driver, Bench::packet(5))); });
  CHECK_FALSE(bench.driver.waiting);
  CHECK_FALSE(bench.driver.parked);
  CHECK(bench.driver.fault == abi::FaultCode::kPageRead);
  CHECK(bench.driver.fault_address == kFence);
  CHECK(bench.count<event::GpuWaitUnblock>() == 0);
}

}  // namespace fenceline::test_command_processor::test_fence_unit
