#include <catch2/catch.hpp>

#include "tb/test/support/event_script.h"

namespace fenceline::check::test_interrupt {

namespace {
using Ids = std::vector<std::string>;
using event::Decider;
using event::Reader;
constexpr std::uint64_t kMax = UINT64_MAX;
using S = EventScript;
}  // namespace

TEST_CASE("I7: an interrupt that overtakes CurrentValue", "[check]") {
  EventScript s;
  s.create().update(1, 0, 1, 0).begin(1, 1, 1).issue(1, 1, 1).shadow_read(1, 0);
  s.decide(1, 1, 1, true).notice(1, 1, 0).message().isr(1).dpc_begin().scan(1, 0).dpc_end(0);
  s.visible(1, 1).end(1, 1, 1).stopped();
  CHECK(s.broken() == Ids{"I7"});
}

TEST_CASE("I7: a write that is visible before the DPC reads is fine", "[check]") {
  EventScript s;
  s.create().update(1, 0, 1, 0).begin(1, 1, 1).issue(1, 1, 1).shadow_read(1, 0);
  s.decide(1, 1, 1, true).notice(1, 1, 0).message().isr(1).dpc_begin().visible(1, 1).end(1, 1, 1);
  s.scan(1, 1).dpc_end().quiescent();
  CHECK(s.broken().empty());
  CHECK(s.checked("I7") == 1);
}

TEST_CASE("I7: a stale read of a visible write breaks it", "[check]") {
  EventScript s;
  s.create().update(1, 0, 1, 0).signal(1, 1, 1, 0).notice(1, 1, 0).interrupt(1, 0).stopped();
  CHECK(s.broken() == Ids{"I7"});
}

TEST_CASE("I7: a DPC that began before the notification proves nothing", "[check]") {
  EventScript s;
  s.create().update(1, 0, 1, 0).begin(1, 1, 1).issue(1, 1, 1).shadow_read(1, 0);
  s.decide(1, 1, 1, true).notice(1, 1, 0).message().dpc_begin().isr(1).scan(1, 0).dpc_end(0);
  s.visible(1, 1).end(1, 1, 1).dpc_begin().scan(1, 1).dpc_end().quiescent();
  CHECK(s.broken().empty());
}

TEST_CASE("I7: a value that fell since or a newer one is at or after the write", "[check]") {
  EventScript s;
  s.create().update(1, 0, 1, 0).signal(1, 5, 1, 0).notice(1, 5, 0).cpu_signal(1, 2);
  s.interrupt(1, 2).signal(1, 6, 2, 0).notice(1, 6, 0).signal(1, 7, 3, 0).interrupt(1, 7);
  s.quiescent();
  CHECK(s.broken().empty());
}

TEST_CASE("I7: an equal value written before does not stand for the write", "[check]") {
  EventScript s;
  s.create().update(1, 0, 1, 0).signal(1, 1, 1, 0).notice(1, 1, 0).interrupt(1, 1);
  s.cpu_signal(1, 0).begin(1, 1, 2).issue(1, 1, 2).shadow_read(1, 0).decide(1, 1, 2, true);
  s.notice(1, 1, 0).message().isr(1).dpc_begin().scan(1, 0).dpc_end(0).stopped();
  CHECK(s.broken() == Ids{"I7"});
}

TEST_CASE("I7: merged payload entries match in order", "[check]") {
  EventScript s;
  // Two entries, one notification; the second write is visible only after it.
  s.create().update(1, 0, 1, 0).signal(1, 1, 1, 0).notice(1, 1, 0);
  s.begin(1, 2, 2).issue(1, 2, 2).shadow_read(1, 0).decide(1, 2, 2, true).notice(1, 2, 0);
  s.message().isr(1).dpc_begin().scan(1, 1).dpc_end().visible(1, 2).end(1, 2, 2).isr(1);
  s.dpc_begin().scan(1, 2).dpc_end().quiescent();
  CHECK(s.broken().empty());
}

TEST_CASE("I7: the acknowledged pointer ends what a NULL array covered", "[check]") {
  EventScript s;
  s.create().update(1, 0, 1, 0).signal(1, 1, 1, 0).notice(1, 1, 0).message().isr_begin();
  s.on(S::kIsr, event::IsrAcknowledge{1, 1}).notified_all().isr_end();
  s.begin(1, 2, 2).issue(1, 2, 2).shadow_read(1, 0).decide(1, 2, 2, true).notice(1, 2, 0);
  s.message().isr(1).dpc_begin().scan(1, 1).dpc_end(0).stopped();
  CHECK(s.broken() == Ids{"I7"});
}

TEST_CASE("I8: interrupts that release nobody are counted and never fail", "[check]") {
  EventScript s;
  s.create().update(1, 0, 1, 0).signal(1, 1, 1, 0).notice(1, 1, 0).interrupt(1, 1);
  s.on(S::kDpc, event::SpuriousInterrupt{1, 1});
  s.isr(1).dpc_begin().scan(1, 1).dpc_end(0).on(S::kDpc, event::SpuriousInterrupt{1, 1});
  s.update(1, kMax, 2, 1).quiescent();
  CHECK(s.broken().empty());
  CHECK(s.checkers.spurious() == 2);
  CHECK(s.checked("I8") == 2);
}

TEST_CASE("I9: a signal above MonitoredValue without a notification", "[check]") {
  EventScript s;
  s.create().create(2).signal(1, 1, 1, 0).signal(2, 1, 2, 0).notice(1, 1, 0).notice(2, 1, 0);
  s.message().isr(1).quiescent();  // fence 2 was dropped when the notices were coalesced
  REQUIRE(s.broken() == Ids{"I9"});
  CHECK(s.checkers.violations().front().fence == 2);
}

TEST_CASE("I9: an engine that keeps a value above MonitoredValue to itself", "[check]") {
  EventScript s;
  s.create().begin(1, 5, 1).issue(1, 5, 1).visible(1, 5).shadow_read(1, 0);
  s.decide(1, 5, 1, false).end(1, 5, 1).quiescent();
  CHECK(s.broken() == Ids{"I9"});
}

TEST_CASE("I9: a close drains what would notify if no native fence is left to be told", "[check]") {
  const auto broken = [](bool shared, bool other) {
    EventScript s;
    s.create();
    if (shared) s.on(EventScript::kCpu, event::CrossAdapterFence{1, false, 1});
    if (other) s.on(EventScript::kCpu, event::CrossAdapterFence{1, false, 2});
    s.signal(1, 1, 1, 0).close().quiescent();
    return s.broken();
  };
  CHECK(broken(true, false).empty());
  CHECK(broken(true, true) == Ids{"I23", "I9"});
  CHECK(broken(false, false) == Ids{"I9"});  // another process may wait
}

TEST_CASE("I9: after a reset of the adapter the OS signals what was not notified", "[check]") {
  using event::RecoveryStage;
  const auto broken = [](std::uint32_t adapter, RecoveryStage stage, bool signals) {
    EventScript s;
    s.create().signal(1, 1, 1, 0).on(EventScript::kCpu, event::Recovery{adapter, stage});
    if (signals) s.on(EventScript::kCpu, event::CpuSignal{1, kMax, 0});
    s.quiescent();
    return s.broken();
  };
  CHECK(broken(1, RecoveryStage::kAdapterReset, true).empty());
  CHECK(broken(1, RecoveryStage::kAdapterReset, false) == Ids{"I9"});
  CHECK(broken(2, RecoveryStage::kAdapterReset, true) == Ids{"I9"});
  CHECK(broken(1, RecoveryStage::kRestart, true) == Ids{"I9"});
}

TEST_CASE("I9: the own comparison needs a notification too", "[check]") {
  EventScript s;
  s.create(1, 5).update(1, 0, 1, 5).message().isr_begin().isr_end().quiescent();
  CHECK(s.broken() == Ids{"I9"});
}

TEST_CASE("I9: a NULL array and a NULL queue and the name of the queue cover the fence",
          "[check]") {
  for (int how = 0; how < 4; ++how) {
    EventScript s;
    s.create().on(S::kEngine, event::PacketBegin{1, 0, 0, 1});
    s.signal(1, 1, 1, 0).notice(1, 1, 0).message();
    if (how == 0) s.notified_all();
    if (how == 1) s.notified(0, 2).notified_all(1);
    if (how == 2) s.notified(0, 1);
    if (how == 3) s.notified_all(2);  // an array, not a queue, is NULL: the engine says nothing
    s.quiescent();
    CHECK(s.broken().empty());
  }
}

TEST_CASE("I9: another engine and its NULL queue and another queue do not", "[check]") {
  for (int how = 0; how < 2; ++how) {
    EventScript s;
    s.create().on(S::kEngine, event::PacketBegin{1, 0, 0, 1});
    s.signal(1, 1, 1, 0).notice(1, 1, 0).message();
    s.notified(0, 2);
    if (how == 1) s.notified_all(2);
    s.quiescent();
    CHECK(s.broken() == Ids{"I9"});
  }
}

TEST_CASE("I9: the CMP may silence it with a newer MonitoredValue", "[check]") {
  EventScript s;
  s.create().update(1, 0, 1, 0).begin(1, 1, 1).issue(1, 1, 1).visible(1, 1).shadow_read(1, 0);
  s.update(1, kMax, 2, 1).decide(1, 1, 1, true).end(1, 1, 1);
  s.cmp_decide(1, 1, kMax, Decider::kSignalNotice, false).quiescent();
  CHECK(s.broken().empty());
}

TEST_CASE("I9: the CMP may not silence it with a MonitoredValue below", "[check]") {
  EventScript s;
  s.create().signal(1, 5, 1, 0).cmp_decide(1, 5, 4, Decider::kSignalNotice, false).quiescent();
  CHECK(s.broken() == Ids{"I9"});
}

TEST_CASE("I9: a CMP that reads CurrentValue again may find a lower one", "[check]") {
  EventScript s;
  s.create().update(1, 4, 1, 0).signal(1, 5, 1, 4).cpu_signal(1, 3);
  s.read(1, 3, Reader::kCmp, S::kCmp).cmp_decide(1, 3, 4, Decider::kSignalNotice, false);
  s.quiescent();
  CHECK(s.broken().empty());
}

TEST_CASE("I9: a read before the write settles nothing", "[check]") {
  EventScript s;
  // The CMP clears its pending bit after the read: the second notice is lost with it.
  s.create().update(1, 1, 1, 0).signal(1, 1, 1, 0).read(1, 1, Reader::kCmp, S::kCmp);
  s.signal(1, 2, 2, 1).cmp_decide(1, 1, 1, Decider::kSignalNotice, false).quiescent();
  CHECK(s.broken() == Ids{"I9"});
}

TEST_CASE("I9: one notification covers several signals and those of timed out waiters", "[check]") {
  EventScript s;
  s.create().wait(1, 1, 1).update(1, 0, 1, 0).signal(1, 1, 1, 0).signal(1, 2, 2, 0);
  s.timeout(1, 1, 1).notice(1, 2, 0).interrupt(1, 2).update(1, kMax, 2, 2).quiescent();
  CHECK(s.broken().empty());
}

TEST_CASE("I9: a notice of a destroyed fence may be dropped and a stopped run is not judged",
          "[check]") {
  EventScript s;
  s.create().create(2).signal(1, 1, 1, 0).destroy(1).quiescent();
  CHECK(s.broken().empty());
  EventScript t;
  t.create().signal(1, 1, 1, 0).stopped();
  CHECK(t.broken().empty());
}

TEST_CASE("I9b: a silent signal after the update returned", "[check]") {
  EventScript s;
  s.create().call(1, 0, 1).shadow(1, 0).ret(1, 0, 1);
  s.begin(1, 1, 1).issue(1, 1, 1).visible(1, 1).end(1, 1, 1).quiescent();
  CHECK(s.broken() == Ids{"I9"});
}

TEST_CASE("I9b: an OS read or a notification or a later update settles it", "[check]") {
  for (int how = 0; how < 4; ++how) {
    EventScript s;
    s.create().call(1, 0, 1).shadow(1, 0).ret(1, 0, 1);
    s.begin(1, 1, 1).issue(1, 1, 1).visible(1, 1).end(1, 1, 1);
    if (how == 0) s.read(1, 1, Reader::kOsResample, S::kCpu);
    if (how == 1) s.isr(1);
    if (how == 2) s.notified_all();
    if (how == 3) s.call(1, kMax, 2).shadow(1, kMax).ret(1, kMax, 2);
    s.quiescent();
    CHECK(s.broken().empty());
  }
}

TEST_CASE("I9b: a poll by user mode or an older value does not settle it", "[check]") {
  for (int how = 0; how < 2; ++how) {
    EventScript s;
    s.create().call(1, 0, 1).shadow(1, 0).ret(1, 0, 1);
    s.begin(1, 1, 1).issue(1, 1, 1).visible(1, 1).end(1, 1, 1);
    s.read(1, how == 0 ? 1 : 0, how == 0 ? Reader::kUserPoll : Reader::kOsResample, S::kCpu);
    s.quiescent();
    CHECK(s.broken() == Ids{"I9"});
  }
}

}  // namespace fenceline::check::test_interrupt
