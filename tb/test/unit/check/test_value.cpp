#include <catch2/catch.hpp>

#include "tb/test/support/event_script.h"

namespace fenceline::check::test_value {

namespace {
using Ids = std::vector<std::string>;
using event::Reader;
using S = EventScript;
}  // namespace

TEST_CASE("I11: a value that nobody wrote as a whole is torn", "[check]") {
  EventScript s;
  s.create(1, 0x0FFFFFFFF).begin(1, 0x100000000, 1).issue(1, 0x100000000, 1);
  s.read(1, 0x1FFFFFFFF, Reader::kOsDpcScan, S::kDpc).visible(1, 0x100000000).stopped();
  CHECK(s.broken() == Ids{"I11"});
  CHECK(s.checkers.violations()[0].message.find("read 0x1ffffffff as CurrentValue") !=
        std::string::npos);
}

TEST_CASE("I11: old and new values are whole and so is the own write in flight", "[check]") {
  EventScript s;
  s.create(1, 0x0FFFFFFFF).begin(1, 0x100000000, 1).issue(1, 0x100000000, 1);
  s.read(1, 0x0FFFFFFFF, Reader::kUserPoll, S::kUser);
  s.read(1, 0x100000000, Reader::kQueueWait, S::kEngine).visible(1, 0x100000000);
  s.read(1, 0x100000000, Reader::kUserPoll, S::kUser).stopped();
  CHECK(s.broken().empty());
  CHECK(s.checked("I11") == 3);
}

TEST_CASE("I12: the FIFO that delivers may name itself", "[check]") {
  EventScript s;
  s.create().begin(1, 1, 1).issue(1, 1, 1);
  s.on(S::kCpu, event::CurrentValueVisible{{1, 1, 0}, 1}).shadow_read(1, UINT64_MAX);
  s.decide(1, 1, 1, false).end(1, 1, 1).call(1, 0, 1).ret(1, 0, 1);
  s.read(1, 1, Reader::kUserPoll, S::kUser).stopped();
  CHECK(s.broken().empty());
  s.begin(1, 3, 2).issue(1, 3, 2).call(1, 1, 2).ret(1, 1, 2);
  s.on(S::kCpu, event::CurrentValueVisible{{1, 3, 0}, 2});
  s.shadow_read(1, UINT64_MAX).decide(1, 3, 2, false);
  CHECK(s.checkers.violations().size() == 1);  // visible after the return: I5
}

TEST_CASE("I12: the number of the signal tells equal writes apart", "[check]") {
  for (const std::uint64_t first : {1ULL, 2ULL}) {
    EventScript s;
    s.create().begin(1, 5, 1).issue(1, 5, 1).shadow_read(1, UINT64_MAX).decide(1, 5, 1, false);
    s.begin(1, 5, 2, S::kEngine2).issue(1, 5, 2, S::kEngine2);
    s.on(S::kCpu, event::CurrentValueVisible{{1, 5, 0}, first}).call(1, 0, 1).ret(1, 0, 1);
    s.on(S::kCpu, event::CurrentValueVisible{{1, 5, 0}, 3 - first}).stopped();
    CHECK(s.broken() == (first == 1 ? Ids{} : Ids{"I5"}));
  }
}

TEST_CASE("I12: a write passes an older one of its value by another engine", "[check]") {
  EventScript s;
  s.create().begin(1, 4, 1).issue(1, 4, 1).begin(1, 5, 2).issue(1, 5, 2);
  s.begin(1, 5, 3, S::kEngine2).issue(1, 5, 3, S::kEngine2);
  s.on(S::kCmp, event::CurrentValueVisible{{1, 5, 0}, 3}).visible(1, 4).visible(1, 5).stopped();
  CHECK(s.broken().empty());
}

TEST_CASE("I12: a store of a CPU is not the write of an engine with the same value", "[check]") {
  EventScript s;
  s.create().begin(1, 4, 1).issue(1, 4, 1).begin(1, 5, 2).issue(1, 5, 2);
  s.on(S::kCpu, event::CpuSignal{1, 5, 0}).on(S::kCpu, event::CurrentValueVisible{{1, 5, 0}});
  s.visible(1, 4).visible(1, 5).stopped();
  CHECK(s.broken().empty());
}

TEST_CASE("I11: a write that no event issued is whole", "[check]") {
  EventScript s;
  s.create().visible(1, 7, S::kCpu).read(1, 7, Reader::kOsDpcScan, S::kDpc).stopped();
  CHECK(s.broken().empty());
}

TEST_CASE("I11: a fence whose creation was not seen has an unknown initial value", "[check]") {
  EventScript s;
  s.read(1, 77, Reader::kUserPoll, S::kUser).stopped();
  CHECK(s.broken().empty());
}

TEST_CASE("I12: a reader that goes back in the coherence order", "[check]") {
  EventScript s;
  s.create().cpu_signal(1, 1).cpu_signal(1, 2).read(1, 2, Reader::kUserPoll, S::kUser);
  s.read(1, 1, Reader::kUserPoll, S::kUser).stopped();
  CHECK(s.broken() == Ids{"I12"});
}

TEST_CASE("I12: values may fall when software signals lower ones", "[check]") {
  EventScript s;
  s.create().cpu_signal(1, 9).read(1, 9, Reader::kUserPoll, S::kUser).cpu_signal(1, 2);
  s.read(1, 2, Reader::kUserPoll, S::kUser).cpu_signal(1, 9).cpu_signal(1, 2);
  s.read(1, 9, Reader::kUserPoll, S::kUser).read(1, 2, Reader::kUserPoll, S::kUser).stopped();
  CHECK(s.broken().empty());
}

TEST_CASE("I12: another reader may be behind", "[check]") {
  EventScript s;
  s.create().cpu_signal(1, 1).read(1, 1, Reader::kUserPoll, S::kUser);
  s.read(1, 0, Reader::kCmp, S::kCmp).stopped();
  CHECK(s.broken().empty());
}

TEST_CASE("I12: writes of one agent that pass each other", "[check]") {
  EventScript s;
  s.create().begin(1, 1, 1).issue(1, 1, 1).begin(1, 2, 2).issue(1, 2, 2);
  s.visible(1, 2).visible(1, 1).stopped();
  CHECK(s.broken() == Ids{"I12"});
}

TEST_CASE("I12: writes of two agents come in either order", "[check]") {
  EventScript s;
  s.create().begin(1, 1, 1).issue(1, 1, 1).begin(1, 2, 2, S::kEngine2);
  s.issue(1, 2, 2, S::kEngine2).visible(1, 2, S::kEngine2).visible(1, 1).stopped();
  CHECK(s.broken().empty());
}

TEST_CASE("I12: a long run keeps its readers", "[check]") {
  EventScript s;
  s.create();
  for (std::uint64_t v = 1; v <= 2000; ++v) {
    s.cpu_signal(1, v);
    if (v % 500 == 0) s.read(1, v, Reader::kUserPoll, S::kUser);
  }
  s.stopped();
  CHECK(s.broken().empty());
}

TEST_CASE("I20: a notification of a destroyed fence", "[check]") {
  EventScript s;
  s.create().destroy().isr(1).stopped();
  CHECK(s.broken() == Ids{"I20"});
}

TEST_CASE("I20: the CMP touches a destroyed fence", "[check]") {
  for (int how = 0; how < 3; ++how) {
    EventScript s;
    s.create().destroy();
    if (how == 0) s.shadow(1, 0);
    if (how == 1) s.read(1, 0, Reader::kCmp, S::kCmp);
    if (how == 2) s.raise(1, 1);
    s.stopped();
    CHECK(s.broken() == Ids{"I20"});
  }
}

TEST_CASE("I20: destroyed while a second process has it open", "[check]") {
  EventScript s;
  s.create().open(1, 1, 1).open(1, 1, 2).close(1, 1, 1).destroy().stopped();
  CHECK(s.broken() == Ids{"I20"});
}

TEST_CASE("I20: use between create and destroy and after the first close and anew", "[check]") {
  EventScript s;
  s.create().open(1, 1, 1).open(1, 1, 2).close(1, 1, 1).isr(1).close(1, 1, 2).destroy();
  s.create().isr(1).destroy().stopped();
  CHECK(s.broken().empty());
}

TEST_CASE("I20: a fence that lives on another adapter or was never created is not judged",
          "[check]") {
  EventScript s;
  s.create(1, 0, 1).create(1, 0, 2).destroy(1, 2).isr(1).isr(3).stopped();
  CHECK(s.broken().empty());
  s.on(S::kIsr, event::Notify{1, 19, 2, 1});
  CHECK(s.broken() == Ids{"I20"});
}

TEST_CASE("I20: what hardware and driver report themselves", "[check]") {
  EventScript s;
  s.create().on(S::kIsr, event::HandleViolation{1}).stopped();
  CHECK(s.broken() == Ids{"I20"});
}

TEST_CASE("I22: an ISR that reports during an update", "[check]") {
  EventScript s;
  s.create().isr_begin().call(1, 0, 1).notified(1).ret(1, 0, 1).isr_end().stopped();
  CHECK(s.broken() == Ids{"I22"});
}

TEST_CASE("I22: an update within an ISR that reports", "[check]") {
  for (int how = 0; how < 2; ++how) {
    EventScript s;
    s.create().isr_begin();
    if (how == 0) s.on(S::kIsr, event::IsrAcknowledge{1, 0});
    if (how == 1) s.notified(1);
    s.call(1, 0, 1).ret(1, 0, 1).notified(1).isr_end().stopped();
    CHECK(s.broken() == Ids{"I22"});
  }
}

TEST_CASE("I22: an update between ISRs or beside one that reports nothing", "[check]") {
  EventScript s;
  s.create().isr(1).call(1, 0, 1).isr_begin().isr_end().ret(1, 0, 1).isr(1);
  s.notified(1).call(1, 1, 2).ret(1, 1, 2).stopped();
  CHECK(s.broken().empty());
}

TEST_CASE("I22: an update between two looks at the ring outside an ISR is free", "[check]") {
  EventScript s;
  s.create().on(S::kCpu, event::IsrAcknowledge{1, 0});
  s.call(1, 0, 1).ret(1, 0, 1).notified(1).stopped();
  CHECK(s.broken().empty());
}

TEST_CASE("I22: another adapter and its ISR is free", "[check]") {
  EventScript s;
  s.create().call(1, 0, 1).on(S::kIsr, event::IsrBegin{2, 1});
  s.on(S::kIsr, event::Notify{1, 19, 2, 1}).ret(1, 0, 1).stopped();
  CHECK(s.broken().empty());
}

TEST_CASE("I22: a wrong IRQL that the OS reports", "[check]") {
  EventScript s;
  s.on(S::kCpu, event::IrqlViolation{1, 3, 0, 2}).stopped();
  CHECK(s.broken() == Ids{"I22"});
}

}  // namespace fenceline::check::test_value
