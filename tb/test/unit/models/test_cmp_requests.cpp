// Requests of the driver besides updates: flushes of logs, and retired fences.
#include "tb/test/unit/models/test_cmp.h"

namespace fenceline::test_cmp::test_cmp_requests {

namespace {

/// Signals without a barrier of their own.
Ordering with_bare_signals() {
  Ordering result;
  result.gpu.signal_barrier = common::SignalBarrier::kOff;
  return result;
}

}  // namespace

TEST_CASE("a flush waits for the log writes of its queue", "[cmp]") {
  Bench bench;
  bench.begin();
  bench.store(abi::kLogFlush, 6);
  bench.settle();
  REQUIRE(words(bench) == Words{"logs"});
  CHECK(barrier_is_bare(bench.seen[0]));
  CHECK(bench.seen[0].attributes.log_queue == 7);
  CHECK(bench.seen[0].attributes.reach == common::BarrierReach::kHost);
  CHECK(bench.load(abi::kLogFlushesDone) == 1);
}

TEST_CASE("a flush that covers CurrentValue waits for all writes", "[cmp]") {
  Ordering ordering;
  ordering.cmp.flush_covers_cv = true;
  Bench bench(ordering);
  bench.begin();
  bench.store(abi::kLogFlush, 6);
  bench.settle();
  CHECK(words(bench) == Words{"drain"});
}

TEST_CASE("a fence is retired when its packets are stale and its stores have arrived", "[cmp]") {
  Bench bench(with_bare_signals());
  bench.begin();
  bench.store(abi::kFenceRetire, kSlot);
  bench.settle();
  REQUIRE(words(bench) == Words{"rescans", "drain", "engine0", "engine1"});
  CHECK(bench.seen[0].address == kSlot);
  CHECK(bench.seen[0].value == abi::kKickRetired);
  CHECK(barrier_is_bare(bench.seen[1]));
  CHECK(bench.seen[1].attributes.reach == common::BarrierReach::kHost);
  CHECK(bench.seen[2].address == abi::kFenceRetire);
  CHECK(bench.seen[2].value == kSlot);
  CHECK(bench.load(abi::kFenceRetiresDone) == 1);
  CHECK(bench.fences.of(kSlot) == 0);
  bench.seen.clear();
  bench.store(abi::kMonitoredUpdate, kSlot);
  bench.settle();
  CHECK(bench.seen.empty());
}

TEST_CASE("where each signal has a barrier a fence is retired without one", "[cmp]") {
  Bench bench;
  bench.begin();
  bench.store(abi::kFenceRetire, kSlot);
  bench.settle();
  CHECK(words(bench) == Words{"rescans", "engine0", "engine1"});
}

TEST_CASE("a pending notice of a fence that is retired names no fence", "[cmp]") {
  Bench bench;
  bench.begin();
  bench.monitor(kOtherSlot, 20);
  bench.store(abi::kFenceRetire, kSlot);
  bench.signaled(0, kSlot, 30);
  bench.signaled(1, kOtherSlot, 30);
  bench.settle();
  REQUIRE(bench.entries().size() == 2);
  CHECK(bench.entries()[0].fence_slot == abi::kUnknownSlot);
  CHECK(bench.entries()[1].fence_slot == kOtherSlot);
}

TEST_CASE("a notice that was served before its fence is retired does not come back", "[cmp]") {
  Bench bench;
  bench.begin();
  bench.monitor(kSlot, 20);
  bench.signaled(0, kSlot, 21);
  bench.settle();
  bench.store(abi::kFenceRetire, kSlot);
  bench.settle();
  bench.make(kSlot);
  bench.monitor(kSlot, 20);
  bench.signaled(0, kSlot, 22);
  bench.settle();
  REQUIRE(bench.entries().size() == 1);
  CHECK(bench.entries()[0].fence_slot == kSlot);
}

TEST_CASE("where an engine may hang the CMP works on while a fence is retired", "[cmp]") {
  cmp::CmpConfig config;
  config.engines_hang = true;
  Bench bench(with_bare_signals(), config);
  bench.begin();
  bench.memory.busy = 2 * kLong;
  bench.store(abi::kFenceRetire, kSlot);
  bench.store(abi::kLogFlush, 6);
  bench.settle();
  CHECK(bench.load(abi::kLogFlushesDone) == 1);
  CHECK(bench.load(abi::kFenceRetiresDone) == 0);
  CHECK_FALSE(bench.it.idle());
  bench.settle();
  bench.settle();
  CHECK(bench.load(abi::kFenceRetiresDone) == 1);
  CHECK(bench.it.idle());
}

TEST_CASE("where no engine hangs the CMP waits until a fence is retired", "[cmp]") {
  Bench bench(with_bare_signals());
  bench.begin();
  bench.memory.busy = 2 * kLong;
  bench.store(abi::kFenceRetire, kSlot);
  bench.store(abi::kLogFlush, 6);
  bench.settle();
  CHECK(bench.load(abi::kLogFlushesDone) == 0);
  CHECK(bench.simulation.steps.find_agent("cmp.retire") == 0);
}

/// Two agents write entries: the CMP, and the write of the acknowledgement.
TEST_CASE("entries of the interrupt ring have their own numbers if a write takes time", "[cmp]") {
  Bench bench;
  common::Steps& steps = bench.simulation.steps;
  common::Gate gate(steps);
  bool acknowledges = false;
  steps.add_agent("isr", [&] {
    steps.wait_until(gate, [&] { return acknowledges; });
    bench.store(abi::kInterruptAcknowledge, 2);
  });
  bench.begin();
  bench.monitor(kSlot, 20);
  for (std::uint64_t value = 21; value <= 21 + kRingEntries; ++value) {
    bench.signaled(0, kSlot, value);
    bench.settle();
  }
  REQUIRE(bench.entries().size() == kRingEntries);
  REQUIRE(bench.it.interrupt_ring().owes());
  bench.host.on_write = [&] { steps.elapse(common::kMicrosecond); };
  acknowledges = true;
  gate.open();
  bench.signaled(0, kSlot, 30);
  bench.settle();
  std::vector<std::uint64_t> numbers;
  for (const abi::InterruptEntry& entry : bench.entries()) numbers.push_back(entry.sequence);
  CHECK(numbers == std::vector<std::uint64_t>{1, 2, 3, 4, 5, 6});
  CHECK(bench.it.interrupt_ring().count() == 6);
}

}  // namespace fenceline::test_cmp::test_cmp_requests
