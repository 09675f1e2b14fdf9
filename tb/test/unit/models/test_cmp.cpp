// The CMP's decision to interrupt.
#include "tb/test/unit/models/test_cmp.h"

namespace fenceline::test_cmp {

using common::CmpValue;
using common::MonitoredBarrier;
using common::Recheck;

namespace {

Ordering with(Recheck recheck) {
  Ordering result;
  result.cmp.recheck = recheck;
  return result;
}
Ordering reread(bool clear_first) {
  Ordering result;
  result.cmp.value = CmpValue::kReread;
  result.cmp.clear_first = clear_first;
  return result;
}
Ordering with(MonitoredBarrier barrier) {
  Ordering result;
  result.cmp.mv_barrier = barrier;
  return result;
}

/// True if an update interrupts when it finds these values.
bool update_interrupts(Bench& bench, std::uint64_t current, std::uint64_t monitored) {
  bench.values(kSlot, current, monitored);
  bench.seen.clear();
  bench.events.all.clear();
  bench.store(abi::kMonitoredUpdate, kSlot);
  bench.settle();
  const bool raised = !bench.entries().empty();
  for (const auto& decision : bench.events.of<event::CmpDecision>())
    CHECK(decision.raised == raised);
  return raised;
}

}  // namespace

TEST_CASE("an update stores the shadow behind a barrier and then compares", "[cmp]") {
  Bench bench;
  bench.begin();
  bench.values(kSlot, 10, 20);
  bench.store(abi::kMonitoredUpdate, kSlot);
  bench.settle();
  CHECK(words(bench) == Words{"monitored", "shadow", "sync", "current"});
  CHECK(bench.seen[0].address == kMonitored + 8 * kSlot);
  CHECK(bench.seen[1].address == kShadows + 8 * kSlot);
  CHECK(bench.seen[1].value == 20);
  CHECK(barrier_is_bare(bench.seen[2]));
  CHECK(bench.load(abi::kMonitoredUpdatesDone) == 1);
  CHECK(bench.events.of<event::ShadowIssued>().size() == 1);
  REQUIRE(bench.events.of<event::CmpDecision>().size() == 1);
  CHECK_FALSE(bench.events.of<event::CmpDecision>()[0].raised);
}

TEST_CASE("the barrier of an update reaches as far as its switch says", "[cmp]") {
  Bench bench(with(MonitoredBarrier::kSelf));
  bench.begin();
  bench.store(abi::kMonitoredUpdate, kSlot);
  bench.settle();
  CHECK(words(bench) == Words{"monitored", "shadow", "self", "current"});
}

TEST_CASE("an update may drain the FIFOs of the engines only", "[cmp]") {
  Bench bench(with(MonitoredBarrier::kDrain));
  bench.begin();
  bench.store(abi::kMonitoredUpdate, kSlot);
  bench.settle();
  CHECK(words(bench) == Words{"monitored", "shadow", "drain", "current"});
}

TEST_CASE("without its barrier an update sends none", "[cmp]") {
  Bench bench(with(MonitoredBarrier::kNone));
  bench.begin();
  bench.store(abi::kMonitoredUpdate, kSlot);
  bench.settle();
  CHECK(words(bench) == Words{"monitored", "shadow", "current"});
}

TEST_CASE("the barrier of an update takes its own time and no more", "[cmp]") {
  cmp::CmpConfig config;
  config.update = 20 * common::kNanosecond;
  config.barrier = 10 * common::kNanosecond;
  Bench bench(with(Recheck::kOff), config);
  bench.begin();
  bench.store(abi::kMonitoredUpdate, kSlot);
  sc_core::sc_start(common::kernel_time(30 * common::kNanosecond));
  CHECK(bench.load(abi::kMonitoredUpdatesDone) == 0);
  sc_core::sc_start(common::kernel_time(1));
  CHECK(bench.load(abi::kMonitoredUpdatesDone) == 1);
}

TEST_CASE("after an update the CMP interrupts for a value above MonitoredValue", "[cmp]") {
  Bench bench;
  bench.begin();
  CHECK_FALSE(update_interrupts(bench, 19, 20));
  CHECK_FALSE(update_interrupts(bench, 20, 20));
  CHECK(update_interrupts(bench, 21, 20));
  REQUIRE(bench.entries().size() == 1);
  const abi::InterruptEntry entry = bench.entries()[0];
  CHECK(entry.cause == abi::InterruptCause::kFenceSignaled);
  CHECK(entry.engine == abi::kUnknownSlot);
  CHECK(entry.fence_slot == kSlot);
  CHECK(entry.queue_slot == abi::kUnknownSlot);
  CHECK(entry.value == 21);
  REQUIRE(bench.events.of<event::InterruptRaised>().size() == 1);
  CHECK(bench.events.of<event::InterruptRaised>()[0].queue == 0U);
}

TEST_CASE("the compare of an update can be left out", "[cmp]") {
  Bench bench(with(Recheck::kOff));
  bench.begin();
  CHECK_FALSE(update_interrupts(bench, 21, 20));
  CHECK(words(bench) == Words{"monitored", "shadow", "sync"});
}

TEST_CASE("the compare of an update can be turned round", "[cmp]") {
  Bench bench(with(Recheck::kBelow));
  bench.begin();
  CHECK(update_interrupts(bench, 19, 20));
  CHECK_FALSE(update_interrupts(bench, 20, 20));
  CHECK_FALSE(update_interrupts(bench, 21, 20));
}

TEST_CASE("the compare of an update can include the value itself", "[cmp]") {
  Bench bench(with(Recheck::kAtLeast));
  bench.begin();
  CHECK_FALSE(update_interrupts(bench, 19, 20));
  CHECK(update_interrupts(bench, 20, 20));
  CHECK(update_interrupts(bench, 21, 20));
}

TEST_CASE("an update of a slot without a fence is done at once", "[cmp]") {
  Bench bench;
  bench.begin();
  bench.store(abi::kMonitoredUpdate, 8);
  bench.settle();
  CHECK(bench.seen.empty());
  CHECK(bench.load(abi::kMonitoredUpdatesDone) == 1);
}

TEST_CASE("a notice interrupts for a value above the newest MonitoredValue", "[cmp]") {
  Bench bench;
  bench.begin();
  bench.monitor(kSlot, 20);
  bench.signaled(1, kSlot, 20, 6);
  bench.settle();
  CHECK(bench.entries().empty());
  REQUIRE(bench.events.of<event::CmpDecision>().size() == 1);
  CHECK_FALSE(bench.events.of<event::CmpDecision>()[0].raised);
  bench.signaled(1, kSlot, 21, 6);
  bench.settle();
  REQUIRE(bench.entries().size() == 1);
  const abi::InterruptEntry entry = bench.entries()[0];
  CHECK(entry.engine == 1);
  CHECK(entry.fence_slot == kSlot);
  CHECK(entry.queue_slot == 6);
  CHECK(entry.value == 21);
  REQUIRE(bench.events.of<event::InterruptRaised>().size() == 1);
  CHECK(bench.events.of<event::InterruptRaised>()[0].queue == 106U);
}

TEST_CASE("each notice of an engine that the CMP has served is followed by the next", "[cmp]") {
  Bench bench;
  bench.begin();
  bench.monitor(kSlot, 20);
  for (const std::uint64_t value : {21U, 19U, 22U}) {
    bench.signaled(0, kSlot, value);
    bench.settle();
  }
  CHECK(bench.entries().size() == 2);
  CHECK(bench.it.idle());
}

TEST_CASE("notices of one fence become one with the larger value", "[cmp]") {
  Bench bench;
  bench.begin();
  bench.monitor(kSlot, 20);
  bench.signaled(0, kSlot, 25);
  bench.signaled(0, kSlot, 22);
  bench.settle();
  REQUIRE(bench.entries().size() == 1);
  CHECK(bench.entries()[0].value == 25);
  CHECK(bench.entries()[0].queue_slot == 1);
  REQUIRE(bench.events.of<event::InterruptRaised>().size() == 1);
  CHECK(bench.events.of<event::InterruptRaised>()[0].queue == 101U);
  CHECK(bench.events.of<event::MessageCoalesced>().size() == 1);
}

TEST_CASE("notices of several queues become one that names no queue", "[cmp]") {
  Bench bench;
  bench.begin();
  bench.monitor(kSlot, 20);
  bench.signaled(0, kSlot, 21, 1);
  bench.signaled(0, kSlot, 22, 2);
  bench.settle();
  REQUIRE(bench.entries().size() == 1);
  CHECK(bench.entries()[0].fence_slot == kSlot);
  CHECK(bench.entries()[0].queue_slot == abi::kUnknownSlot);
  CHECK(bench.events.of<event::InterruptRaised>()[0].queue == 0U);
}

TEST_CASE("notices of several fences become one that names the engine only", "[cmp]") {
  Bench bench;
  bench.begin();
  bench.signaled(1, kSlot, 21);
  bench.signaled(1, kOtherSlot, 21);
  bench.settle();
  REQUIRE(bench.entries().size() == 1);
  const abi::InterruptEntry entry = bench.entries()[0];
  CHECK(entry.engine == 1);
  CHECK(entry.fence_slot == abi::kUnknownSlot);
  CHECK(entry.queue_slot == abi::kUnknownSlot);
  CHECK(entry.value == 0);
  CHECK(bench.events.of<event::InterruptRaised>()[0].queue == 0U);
  // The bit is clear again.
  bench.signaled(1, kSlot, 0);
  bench.settle();
  CHECK(bench.entries().size() == 1);
}

TEST_CASE("a notice of several fences is cleared also where bits are cleared late", "[cmp]") {
  Bench bench(reread(false));
  bench.begin();
  bench.signaled(1, kSlot, 21);
  bench.signaled(1, kOtherSlot, 21);
  bench.settle();
  CHECK(bench.entries().size() == 1);
  bench.signaled(1, kSlot, 0);
  bench.settle();
  CHECK(bench.entries().size() == 1);
}

TEST_CASE("notices of different engines stay apart", "[cmp]") {
  Bench bench;
  bench.begin();
  bench.monitor(kSlot, 20);
  bench.signaled(0, kSlot, 21);
  bench.signaled(1, kSlot, 22);
  bench.settle();
  REQUIRE(bench.entries().size() == 2);
  CHECK(bench.entries()[0].value == 21);
  CHECK(bench.entries()[1].value == 22);
}

TEST_CASE("a notice of a slot without a fence has no effect", "[cmp]") {
  Bench bench;
  bench.begin();
  bench.signaled(0, 8, 21);
  bench.settle();
  CHECK(bench.seen.empty());
  CHECK(bench.events.of<event::CmpDecision>().empty());
  bench.monitor(kSlot, 20);
  bench.signaled(0, kSlot, 21);
  bench.settle();
  CHECK(bench.entries().size() == 1);
}

TEST_CASE("with notices that carry no value the CMP reads CurrentValue", "[cmp]") {
  Bench bench(reread(true));
  bench.begin();
  bench.monitor(kSlot, 20);
  bench.values(kSlot, 30, 20);
  bench.signaled(0, kSlot, 21);
  bench.settle();
  REQUIRE(bench.entries().size() == 1);
  CHECK(bench.entries()[0].value == 30);
  CHECK(words(bench) == Words{"current", "entry", "message"});
}

TEST_CASE("notices with a value need no read of CurrentValue", "[cmp]") {
  Bench bench;
  bench.begin();
  bench.signaled(0, kSlot, 21);
  bench.settle();
  CHECK(words(bench).empty());
}

TEST_CASE("a bit that is cleared late hides the notice that comes in between", "[cmp]") {
  cmp::CmpConfig config;
  const common::Time decision = config.decision;
  Bench late(reread(false), config);
  late.begin();
  late.monitor(kSlot, 20);
  late.signaled(0, kSlot, 21);
  sc_core::sc_start(common::kernel_time(decision + decision / 2));  // the value has been read
  late.values(kSlot, 30, 20);
  late.signaled(0, kSlot, 30);
  late.settle();
  CHECK(late.entries().empty());
  late.signaled(0, kSlot, 31);  // the bit is clear all the same
  late.settle();
  CHECK(late.entries().size() == 1);
}

TEST_CASE("a bit that is cleared first leaves the notice that comes in between", "[cmp]") {
  Ordering ordering;
  ordering.cmp.clear_first = true;
  cmp::CmpConfig config;
  Bench bench(ordering, config);
  bench.begin();
  bench.monitor(kSlot, 20);
  bench.signaled(0, kSlot, 20);
  sc_core::sc_start(common::kernel_time(config.decision + config.decision / 2));
  bench.signaled(0, kSlot, 30);
  bench.settle();
  CHECK(bench.entries().size() == 1);
}

TEST_CASE("an update that reads CurrentValue serves the notices of its fence", "[cmp]") {
  Bench bench(reread(true));
  bench.begin();
  bench.values(kSlot, 30, 20);
  bench.store(abi::kMonitoredUpdate, kSlot);
  for (const std::uint32_t engine : {0U, 15U}) bench.signaled(engine, kSlot, 30);
  bench.settle();
  CHECK(bench.entries().size() == 1);
  CHECK(bench.it.idle());
  bench.signaled(0, kSlot, 30);  // the bit is clear
  bench.settle();
  CHECK(bench.entries().size() == 2);
}

TEST_CASE("an update that clears late serves the notices of its fence too", "[cmp]") {
  Bench bench(reread(false));
  bench.begin();
  bench.values(kSlot, 30, 20);
  bench.store(abi::kMonitoredUpdate, kSlot);
  bench.signaled(0, kSlot, 30);
  bench.settle();
  CHECK(bench.entries().size() == 1);
}

TEST_CASE("an update leaves the notices of other fences", "[cmp]") {
  Bench bench(reread(true));
  bench.begin();
  bench.monitor(kOtherSlot, 20);
  bench.values(kOtherSlot, 30, 20);
  bench.store(abi::kMonitoredUpdate, kSlot);
  bench.signaled(0, kOtherSlot, 30);
  bench.signaled(1, kSlot, 30);
  bench.signaled(1, kOtherSlot, 30);
  bench.settle();
  REQUIRE(bench.entries().size() == 2);
  CHECK(bench.entries()[0].fence_slot == kOtherSlot);
  CHECK(bench.entries()[1].fence_slot == abi::kUnknownSlot);
}

TEST_CASE("an update serves no notices that carry their value", "[cmp]") {
  Bench bench;
  bench.begin();
  bench.values(kSlot, 30, 20);
  bench.store(abi::kMonitoredUpdate, kSlot);
  bench.signaled(0, kSlot, 30);
  bench.settle();
  CHECK(bench.entries().size() == 2);
}

TEST_CASE("an update that clears late serves no notices with a value", "[cmp]") {
  Ordering ordering;
  ordering.cmp.clear_first = false;
  Bench bench(ordering);
  bench.begin();
  bench.values(kSlot, 30, 20);
  bench.store(abi::kMonitoredUpdate, kSlot);
  bench.signaled(0, kSlot, 30);
  bench.settle();
  CHECK(bench.entries().size() == 2);
}

}  // namespace fenceline::test_cmp
