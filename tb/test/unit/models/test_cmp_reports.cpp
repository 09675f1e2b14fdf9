// Reports of the CMP to the driver: entries of the interrupt ring, messages, reports of engines.
#include "models/abi/bus.h"
#include "tb/test/unit/models/test_cmp.h"

namespace fenceline::test_cmp::test_cmp_reports {

using abi::InterruptCause;
using Kind = common::SignalNotice::Kind;

namespace {

struct Entry {
  InterruptCause cause;
  std::uint32_t engine, fence_slot, queue_slot;
  std::uint64_t value;
};
bool operator==(const Entry& one, const abi::InterruptEntry& other) {
  return one.cause == other.cause && one.engine == other.engine &&
         one.fence_slot == other.fence_slot && one.queue_slot == other.queue_slot &&
         one.value == other.value;
}
constexpr std::uint32_t kNone = abi::kUnknownSlot;

void report(Bench& bench, Kind kind, std::uint64_t value, std::uint32_t engine = 2,
            std::uint32_t fence_slot = 0, std::uint32_t queue_slot = 0) {
  bench.notice({engine, fence_slot, queue_slot, 0, value, kind});
}
/// The ISR has read that many entries in all.
void acknowledge(Bench& bench, std::uint64_t read) {
  bench.seen.clear();
  bench.events.all.clear();
  bench.store(abi::kInterruptAcknowledge, read);
  bench.settle();
}
/// Fills the ring with completions of engine 9.
void fill(Bench& bench) {
  for (std::uint64_t id = 1; id <= kRingEntries; ++id) {
    report(bench, Kind::kBufferCompleted, id, 9);
    bench.settle();
  }
  bench.seen.clear();
  bench.events.all.clear();
}
void check_only(const Bench& bench, const std::vector<Entry>& expected) {
  const auto entries = bench.entries();
  REQUIRE(entries.size() == expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    INFO("entry " << i);
    CHECK(expected[i] == entries[i]);
  }
}

}  // namespace

TEST_CASE("each report of an engine has a cause of its own", "[cmp]") {
  Bench bench;
  bench.begin();
  report(bench, Kind::kFenceWritten, 0);
  bench.settle();
  acknowledge(bench, 1);
  report(bench, Kind::kBufferCompleted, 5);
  report(bench, Kind::kPreempted, 6);
  report(bench, Kind::kVerticalSync, 7);
  report(bench, Kind::kTimedOut, 0, 2, 0, 8);
  bench.settle();
  check_only(bench, {{InterruptCause::kBufferCompleted, 2, kNone, kNone, 5},
                     {InterruptCause::kPreempted, 2, kNone, kNone, 6},
                     {InterruptCause::kVerticalSync, 2, kNone, kNone, 7},
                     {InterruptCause::kEngineTimeout, 2, kNone, 8, 0}});
  CHECK(bench.messages() == 1);
  CHECK(bench.events.of<event::EngineInterrupt>().size() == 4);
}

TEST_CASE("a monitored fence that was written is reported by its engine", "[cmp]") {
  Bench bench;
  bench.begin();
  report(bench, Kind::kFenceWritten, 0);
  bench.settle();
  check_only(bench, {{InterruptCause::kFenceWritten, 2, kNone, kNone, 0}});
  CHECK(bench.events.of<event::MonitoredFenceTold>().size() == 1);
}

TEST_CASE("with one cause for fences a monitored fence is reported as any fence", "[cmp]") {
  Bench bench;
  bench.begin();
  bench.store(abi::kOneFenceCause, 1);
  report(bench, Kind::kFenceWritten, 0);
  bench.settle();
  check_only(bench, {{InterruptCause::kFenceSignaled, 2, kNone, kNone, 0}});
  REQUIRE(bench.events.of<event::InterruptRaised>().size() == 1);
  CHECK(bench.events.of<event::InterruptRaised>()[0].both_kinds);
  CHECK(bench.it.idle());
}

TEST_CASE("with one cause for fences an interrupt names no fence", "[cmp]") {
  Bench bench;
  bench.begin();
  bench.store(abi::kOneFenceCause, 1);
  bench.monitor(kSlot, 20);
  bench.signaled(1, kSlot, 21);
  bench.settle();
  check_only(bench, {{InterruptCause::kFenceSignaled, 1, kNone, kNone, 0}});
  REQUIRE(bench.events.of<event::InterruptRaised>().size() == 1);
  CHECK(bench.events.of<event::InterruptRaised>()[0].fence == 0U);
  CHECK(bench.events.of<event::InterruptRaised>()[0].queue == 0U);
}

TEST_CASE("the event of an interrupt names the fence that the entry names", "[cmp]") {
  Bench bench;
  bench.begin();
  bench.monitor(kSlot, 20);
  bench.signaled(1, kSlot, 21);
  bench.settle();
  REQUIRE(bench.events.of<event::InterruptRaised>().size() == 1);
  CHECK(bench.events.of<event::InterruptRaised>()[0].fence == kFenceObject + kSlot);
  CHECK_FALSE(bench.events.of<event::InterruptRaised>()[0].both_kinds);
}

TEST_CASE("a newer completion and preemption replace older ones", "[cmp]") {
  Bench bench;
  bench.begin();
  report(bench, Kind::kBufferCompleted, 5);
  report(bench, Kind::kBufferCompleted, 6);
  report(bench, Kind::kPreempted, 1);
  report(bench, Kind::kPreempted, 2);
  bench.settle();
  check_only(bench, {{InterruptCause::kBufferCompleted, 2, kNone, kNone, 6},
                     {InterruptCause::kPreempted, 2, kNone, kNone, 2}});
  CHECK(bench.events.of<event::MessageCoalesced>().size() == 4);  // three notices, one entry
}

TEST_CASE("reports of one engine come together and those of another behind them", "[cmp]") {
  Bench bench;
  bench.begin();
  report(bench, Kind::kBufferCompleted, 5, 1);
  report(bench, Kind::kBufferCompleted, 6, 3);
  report(bench, Kind::kPreempted, 7, 1);
  bench.settle();
  check_only(bench, {{InterruptCause::kBufferCompleted, 1, kNone, kNone, 5},
                     {InterruptCause::kPreempted, 1, kNone, kNone, 7},
                     {InterruptCause::kBufferCompleted, 3, kNone, kNone, 6}});
}

TEST_CASE("a fault comes behind the completions before it and in front of later ones", "[cmp]") {
  Bench bench;
  bench.begin();
  report(bench, Kind::kBufferCompleted, 5);
  report(bench, Kind::kBufferFaulted, 0xABC000, 2, 6, 3);
  report(bench, Kind::kBufferCompleted, 7);
  bench.settle();
  check_only(bench, {{InterruptCause::kBufferCompleted, 2, kNone, kNone, 5},
                     {InterruptCause::kBufferFaulted, 2, 6, 3, 0xABC000},
                     {InterruptCause::kBufferCompleted, 2, kNone, kNone, 7}});
}

TEST_CASE("a log without a translation is a page fault once", "[cmp]") {
  Bench bench;
  bench.begin();
  report(bench, Kind::kLogUnmapped, 0x1000, 2, 0, 8);
  report(bench, Kind::kLogUnmapped, 0x2000, 2, 0, 9);
  bench.settle();
  check_only(bench, {{InterruptCause::kPageFault, 2, kNone, 8, 0x1000}});
  REQUIRE(bench.events.of<event::GpuFault>().size() == 1);
  CHECK(bench.events.of<event::GpuFault>()[0].slot == 8U);
  CHECK(bench.events.of<event::GpuFault>()[0].log);
}

TEST_CASE("a suspension is reported with its context and its fence", "[cmp]") {
  Bench bench;
  bench.begin();
  report(bench, Kind::kSuspended, 77, 2, 12);
  report(bench, Kind::kSuspended, 78, 3, 13);
  bench.settle();
  check_only(bench, {{InterruptCause::kContextSuspended, 2, kNone, 12, 77},
                     {InterruptCause::kContextSuspended, 3, kNone, 13, 78}});
}

TEST_CASE("what finds no room in the ring is reported when there is room", "[cmp]") {
  Bench bench;
  bench.begin();
  fill(bench);
  report(bench, Kind::kFenceWritten, 0);
  report(bench, Kind::kBufferCompleted, 5);
  report(bench, Kind::kPreempted, 6);
  report(bench, Kind::kVerticalSync, 7);
  report(bench, Kind::kTimedOut, 0, 2, 0, 8);
  report(bench, Kind::kLogUnmapped, 0x1000, 2, 0, 9);
  bench.settle();
  CHECK(bench.entries().empty());
  acknowledge(bench, kRingEntries);
  check_only(bench, {{InterruptCause::kFenceWritten, 2, kNone, kNone, 0},
                     {InterruptCause::kBufferCompleted, 2, kNone, kNone, 5},
                     {InterruptCause::kPreempted, 2, kNone, kNone, 6},
                     {InterruptCause::kVerticalSync, 2, kNone, kNone, 7}});
  acknowledge(bench, 2 * kRingEntries);
  check_only(bench, {{InterruptCause::kEngineTimeout, 2, kNone, 8, 0},
                     {InterruptCause::kPageFault, 2, kNone, 9, 0x1000}});
  acknowledge(bench, 2 * kRingEntries + 2);
  CHECK(bench.entries().empty());
  CHECK(bench.it.idle());
}

TEST_CASE("an acknowledgement repeats each report that found no room and no other", "[cmp]") {
  Bench bench;
  bench.begin();
  fill(bench);
  report(bench, Kind::kBufferCompleted, 5, 0);
  bench.settle();
  bench.store(abi::kInterruptAcknowledge, kRingEntries);
  CHECK_FALSE(bench.it.idle());
  const std::uint64_t state = bench.it.state_hash();
  bench.store(abi::kInterruptAcknowledge, kRingEntries);
  CHECK(bench.it.state_hash() == state);
  bench.settle();
  check_only(bench, {{InterruptCause::kBufferCompleted, 0, kNone, kNone, 5}});
  bench.store(abi::kInterruptAcknowledge, kRingEntries + 1);
  CHECK(bench.it.idle());
}

TEST_CASE("what was put back does not replace what has come since", "[cmp]") {
  Bench bench;
  bench.begin();
  fill(bench);
  for (const std::uint64_t round : {10U, 20U}) {
    report(bench, Kind::kBufferCompleted, round + 1);
    report(bench, Kind::kPreempted, round + 2);
    report(bench, Kind::kVerticalSync, round + 3);
    report(bench, Kind::kTimedOut, 0, 2, 0, static_cast<std::uint32_t>(round) + 4);
    // The second round comes while the CMP is at the first.
    if (round == 10) sc_core::sc_start(common::kernel_time(cmp::CmpConfig().decision / 2));
  }
  bench.settle();
  acknowledge(bench, kRingEntries);
  check_only(bench, {{InterruptCause::kBufferCompleted, 2, kNone, kNone, 21},
                     {InterruptCause::kPreempted, 2, kNone, kNone, 22},
                     {InterruptCause::kVerticalSync, 2, kNone, kNone, 23},
                     {InterruptCause::kEngineTimeout, 2, kNone, 24, 0}});
}

TEST_CASE("faults that find no room stay in order with completions", "[cmp]") {
  Bench bench;
  bench.begin();
  fill(bench);
  report(bench, Kind::kBufferCompleted, 5);
  report(bench, Kind::kBufferFaulted, 0x1000, 2, 6, 3);
  report(bench, Kind::kBufferFaulted, 0x2000, 2, 7, 3);
  report(bench, Kind::kBufferCompleted, 8);
  bench.settle();
  acknowledge(bench, 1);
  check_only(bench, {{InterruptCause::kBufferCompleted, 2, kNone, kNone, 5}});
  acknowledge(bench, 2);
  check_only(bench, {{InterruptCause::kBufferFaulted, 2, 6, 3, 0x1000}});
  acknowledge(bench, 6);
  check_only(bench, {{InterruptCause::kBufferFaulted, 2, 7, 3, 0x2000},
                     {InterruptCause::kBufferCompleted, 2, kNone, kNone, 8}});
}

TEST_CASE("a fault that found no room comes before one that has come since", "[cmp]") {
  Bench bench;
  bench.begin();
  fill(bench);
  report(bench, Kind::kBufferCompleted, 4);
  report(bench, Kind::kBufferFaulted, 0x1000, 2, 5, 3);
  bench.settle();
  report(bench, Kind::kBufferFaulted, 0x2000, 2, 6, 3);
  bench.settle();
  acknowledge(bench, kRingEntries);
  check_only(bench, {{InterruptCause::kBufferCompleted, 2, kNone, kNone, 4},
                     {InterruptCause::kBufferFaulted, 2, 5, 3, 0x1000},
                     {InterruptCause::kBufferFaulted, 2, 6, 3, 0x2000}});
}

TEST_CASE("suspensions that find no room are reported when there is room", "[cmp]") {
  Bench bench;
  bench.begin();
  fill(bench);
  for (const std::uint32_t slot : {12U, 13U}) report(bench, Kind::kSuspended, 60 + slot, 2, slot);
  bench.settle();
  CHECK(bench.entries().empty());
  acknowledge(bench, 1);
  check_only(bench, {{InterruptCause::kContextSuspended, 2, kNone, 12, 72}});
  acknowledge(bench, 3);
  check_only(bench, {{InterruptCause::kContextSuspended, 2, kNone, 13, 73}});
  acknowledge(bench, 6);
  CHECK(bench.entries().empty());
}

TEST_CASE("a signal that finds no room is told without a name when there is room", "[cmp]") {
  Bench bench;
  bench.begin();
  fill(bench);
  bench.monitor(kSlot, 20);
  bench.signaled(0, kSlot, 21);
  bench.settle();
  CHECK(bench.entries().empty());
  CHECK(bench.events.of<event::MessageCoalesced>().size() == 1);
  acknowledge(bench, kRingEntries);
  check_only(bench, {{InterruptCause::kFenceSignaled, kNone, kNone, kNone, 0}});
  CHECK(bench.messages() == 1);
  CHECK(bench.events.of<event::InterruptRaised>()[0].queue == 0U);
}

TEST_CASE("entries are numbered and lie one behind the other in the ring", "[cmp]") {
  Bench bench;
  bench.begin();
  report(bench, Kind::kBufferCompleted, 5, 1);
  report(bench, Kind::kBufferCompleted, 5, 2);
  bench.settle();
  REQUIRE(bench.entries().size() == 2);
  CHECK(bench.entries()[0].sequence == 1);
  CHECK(bench.entries()[1].sequence == 2);
  const auto host = bench.to("host");
  CHECK(host[0].address == kRing);
  CHECK(host[0].attributes.posted);
  CHECK_FALSE(host[0].attributes.relaxed);
  CHECK(host[1].address == abi::kVectorWindow);
  CHECK(host[1].attributes.posted);
  CHECK_FALSE(host[1].attributes.relaxed);
  CHECK(host[2].address == kRing + sizeof(abi::InterruptEntry));
}

TEST_CASE("an acknowledgement that is behind is answered with a message", "[cmp]") {
  Bench bench;
  bench.begin();
  report(bench, Kind::kBufferCompleted, 5, 1);
  report(bench, Kind::kBufferCompleted, 5, 2);
  bench.settle();
  CHECK(bench.messages() == 1);
  CHECK(bench.events.of<event::MessageCoalesced>().size() == 1);
  acknowledge(bench, 1);
  CHECK(bench.messages() == 1);
  CHECK(bench.entries().empty());
  acknowledge(bench, 2);
  CHECK(bench.messages() == 0);
}

TEST_CASE("a ring that is not enabled gets no entries", "[cmp]") {
  Bench bench;
  bench.begin();
  bench.store(abi::kInterruptEnable, 0);
  bench.monitor(kSlot, 20);
  bench.signaled(0, kSlot, 21);
  report(bench, Kind::kBufferCompleted, 5);
  report(bench, Kind::kSuspended, 77, 2, 12);
  bench.memory.unmapped = {kCurrent + 8 * kOtherSlot};
  bench.store(abi::kMonitoredUpdate, kOtherSlot);
  bench.settle();
  CHECK(bench.to("host").empty());
  CHECK(bench.events.of<event::GpuFault>().size() == 1);
  CHECK(bench.it.idle());
  bench.store(abi::kInterruptEnable, 1);
  acknowledge(bench, 0);
  CHECK(bench.entries().empty());
}

TEST_CASE("values without a translation are reported and count as no signal", "[cmp]") {
  Bench bench;
  bench.begin();
  bench.memory.unmapped = {kCurrent + 8 * kSlot};
  bench.store(abi::kMonitoredUpdate, kSlot);
  bench.settle();
  check_only(bench, {{InterruptCause::kPageFault, kNone, kSlot, kNone, kCurrent + 8 * kSlot}});
  REQUIRE(bench.events.of<event::GpuFault>().size() == 1);
  CHECK_FALSE(bench.events.of<event::GpuFault>()[0].log);
  REQUIRE(bench.events.of<event::CmpDecision>().size() == 1);
  CHECK(bench.events.of<event::CmpDecision>()[0].current == 0);
}

TEST_CASE("a MonitoredValue without a translation has no waiter", "[cmp]") {
  Bench bench;
  bench.begin();
  bench.memory.unmapped = {kMonitored + 8 * kSlot};
  bench.values(kSlot, 30, 20);
  bench.store(abi::kMonitoredUpdate, kSlot);
  bench.settle();
  CHECK(bench.memory.words[kShadows + 8 * kSlot] == ~0ULL);
  check_only(bench, {{InterruptCause::kPageFault, kNone, kSlot, kNone, kMonitored + 8 * kSlot}});
}

TEST_CASE("a fault that finds no room in the ring is not reported", "[cmp]") {
  Bench bench;
  bench.begin();
  fill(bench);
  bench.memory.unmapped = {kCurrent + 8 * kSlot};
  bench.store(abi::kMonitoredUpdate, kSlot);
  bench.settle();
  CHECK(bench.entries().empty());
  acknowledge(bench, kRingEntries);
  CHECK(bench.entries().empty());
}

}  // namespace fenceline::test_cmp::test_cmp_reports
