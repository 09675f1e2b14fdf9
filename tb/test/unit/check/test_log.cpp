#include <catch2/catch.hpp>

#include "tb/test/support/log_script.h"

namespace fenceline::check::test_log {

namespace {

using Ids = std::vector<std::string>;
using S = EventScript;

}  // namespace

TEST_CASE("logs: signals in order are clean also after the log has wrapped", "[check]") {
  LogScript s;
  for (std::uint64_t k = 0; k < 10; ++k) {
    s.logged_signal(k, k + 1, k + 1);
    s.notice(1, k + 1, 0).message().isr(1);
    s.dpc(k, k + 1);
  }
  s.scan(1, 10).quiescent();
  CHECK(s.broken().empty());
  CHECK(s.checked("I13") > 10);
  CHECK(s.checked("I14") == 10);
  CHECK(s.checked("I15") == 10);
  CHECK(s.checked("I16") == 10);
  CHECK(s.checked("I18") == 10);
  CHECK(s.checked("I19") == 10);
}

TEST_CASE("logs: entries that are visible before they are said to be issued", "[check]") {
  LogScript s;
  for (std::uint64_t k = 0; k < 9; ++k) {
    s.begin(1, k + 1, k + 1).issue(1, k + 1, k + 1).visible(1, k + 1);
    s.entry_visible(k, k + 1);
    s.on(S::kEngine, event::LogEntryIssued{1, k % 4, k + 1, 0});  // names no fence
    s.header_visible(k + 1);
    s.header(k + 1);
    s.shadow_read(1, 0).decide(1, k + 1, k + 1, true).end(1, k + 1, k + 1);
    s.notice(1, k + 1, 0).message().isr(1);
    s.dpc(k, k + 1);
  }
  s.quiescent();
  CHECK(s.broken().empty());
  CHECK(s.checked("I15") == 9);
}

TEST_CASE("I13: an entry before its CurrentValue", "[check]") {
  LogScript s;
  s.begin(1, 1, 1);
  s.entry(0, 1);
  s.issue(1, 1, 1).stopped();
  CHECK(s.broken() == Ids{"I13"});
}

TEST_CASE("I13: an index before its entry", "[check]") {
  LogScript s;
  s.begin(1, 1, 1).issue(1, 1, 1);
  s.header(1);
  s.entry(0, 1);
  s.stopped();
  CHECK(s.broken() == Ids{"I13"});
}

TEST_CASE("I13: the CMP is told before the index or before the entry", "[check]") {
  for (const bool entry_first : {true, false}) {
    LogScript s;
    s.begin(1, 1, 1).issue(1, 1, 1).visible(1, 1);
    if (entry_first) s.entry(0, 1);
    s.shadow_read(1, 0).decide(1, 1, 1, true);
    if (!entry_first) s.entry(0, 1);
    s.header(1);
    s.stopped();
    CHECK(s.broken() == Ids{"I13"});
  }
}

TEST_CASE("I13: the interrupt is delivered before the index or the value is visible", "[check]") {
  for (const bool value_late : {true, false}) {
    LogScript s;
    s.begin(1, 1, 1).issue(1, 1, 1);
    if (!value_late) s.visible(1, 1);
    s.entry(0, 1);
    s.header(1);
    s.shadow_read(1, 0).decide(1, 1, 1, true).notice(1, 1, 0).message();
    s.header_visible(1);
    s.stopped();
    CHECK(s.broken() == Ids{"I13"});
  }
}

TEST_CASE("I13: a message of an earlier signal promises nothing for a later one", "[check]") {
  LogScript s;
  s.logged_signal(0, 1, 1);
  s.notice(1, 1, 0).on(S::kCmp, event::MessageSent{1, 0});
  s.begin(1, 2, 2).issue(1, 2, 2);
  s.entry(1, 2);
  s.header(2);
  s.shadow_read(1, 0).decide(1, 2, 2, true).notice(1, 2, 0);
  s.on(S::kCmp, event::MessageCoalesced{1, 0}).on(S::kCmp, event::MessageDelivered{1, 0, 0});
  s.visible(1, 2).stopped();
  CHECK(s.broken().empty());
}

TEST_CASE("I13 I14: the index is visible and the entry is not", "[check]") {
  LogScript s;
  s.logged(0, 1);
  s.entry(1, 2);
  s.header(2);
  s.header_visible(2);
  s.dpc(0, 2);
  s.entry_visible(1, 2);
  s.stopped();
  CHECK(s.broken() == Ids{"I13", "I14"});
}

TEST_CASE("I14: a flush between index and entries makes them whole", "[check]") {
  LogScript s;
  s.entry(0, 1);
  s.header(1);
  s.header_visible(1);
  s.dpc_begin();
  s.header_read(1);
  s.on(S::kCpu, event::LogFlushCall{1});
  s.entry_visible(0, 1);
  s.on(S::kCpu, event::LogFlushReturn{1});
  s.entry_read(0, 1);
  s.dpc_end().quiescent();
  CHECK(s.broken().empty());
}

TEST_CASE("I14: a wrong value and a torn entry unless an overrun is flagged", "[check]") {
  for (const bool torn : {true, false}) {
    for (const bool flagged : {true, false}) {
      LogScript s;
      s.logged(0, 1);
      s.dpc_begin();
      s.header_read(1);
      if (torn)
        s.on(S::kDpc, event::LogEntryTorn{1, 0, 9});
      else
        s.on(S::kDpc, event::LogEntryRead{1, 0, 9, 0});
      if (flagged) s.overrun();
      s.dpc_end().stopped();
      CHECK(s.broken() == (flagged ? Ids{} : Ids{"I14"}));
    }
  }
}

TEST_CASE("I14: a DPC that a stopped run cuts short is not judged", "[check]") {
  LogScript s;
  s.logged(0, 1);
  s.dpc_begin();
  s.header_read(1);
  s.entry_read(0, 9);
  s.stopped();
  CHECK(s.broken().empty());
}

TEST_CASE("I15: the DPC of a notified signal reads an index without it", "[check]") {
  LogScript s;
  s.begin(1, 1, 1).issue(1, 1, 1).visible(1, 1);
  s.entry(0, 1);
  s.header(1);
  s.entry_visible(0, 1);
  s.shadow_read(1, 0).decide(1, 1, 1, true).end(1, 1, 1).notice(1, 1, 0).isr(1);
  s.dpc(0, 0);
  s.stopped();
  CHECK(s.broken() == Ids{"I15"});
}

TEST_CASE("I15: a DPC that does not read the log or that began before is not judged", "[check]") {
  LogScript s;
  s.logged_signal(0, 1, 1);
  s.notice(1, 1, 0).dpc_begin();
  s.header_read(0);
  s.isr(1).dpc_end(0).dpc_begin().scan(1, 1).dpc_end();
  s.dpc(0, 1);
  s.quiescent();
  CHECK(s.broken().empty());
}

TEST_CASE("I15: an entry below the index that is never read", "[check]") {
  LogScript s;
  s.logged_signal(0, 1, 1);
  s.notice(1, 1, 0).isr(1).dpc_begin();
  s.header_read(1);
  s.dpc_end().stopped();
  CHECK(s.broken() == Ids{"I15"});
}

TEST_CASE("I16: a header that goes back and an index out of range", "[check]") {
  LogScript s;
  for (std::uint64_t k = 0; k < 4; ++k) s.logged(k, k + 1);
  s.dpc(0, 4);
  s.logged(4, 5);
  s.dpc(4, 5);
  s.header_read(3);
  s.stopped();
  CHECK(s.broken() == Ids{"I16"});
  LogScript t;
  t.logged(0, 1);
  t.on(S::kDpc, event::LogHeaderRead{1, 4}).stopped();
  CHECK(t.broken() == Ids{"I11", "I16"});
}

TEST_CASE("I11: a header whose halves come apart is torn", "[check]") {
  LogScript s;
  for (std::uint64_t k = 0; k < 3; ++k) s.logged(k, k + 1);
  s.dpc(0, 3);
  s.entry(3, 4);
  s.header(4);
  s.on(S::kDpc, event::LogHeaderRead{1, (std::uint64_t{1} << 32) | 3}).stopped();
  CHECK(s.broken() == Ids{"I11"});
}

TEST_CASE("I16: a header of 0 starts the log again", "[check]") {
  LogScript s;
  s.logged(0, 1);
  s.dpc(0, 1);
  s.header(0);
  s.header_visible(0);
  s.header_read(0);
  s.logged(0, 1);
  s.dpc(0, 1);
  s.quiescent();
  CHECK(s.broken().empty());
}

TEST_CASE("I17: an overrun without a flag", "[check]") {
  for (const bool flagged : {true, false}) {
    LogScript s;
    for (std::uint64_t k = 0; k < 6; ++k) s.logged(k, k + 1);
    s.dpc_begin();
    s.header_read(6);
    if (flagged) s.overrun();
    s.dpc_end().stopped();
    CHECK(s.broken() == (flagged ? Ids{} : Ids{"I17"}));
  }
}

TEST_CASE("I17: a full log is no overrun", "[check]") {
  LogScript s;
  for (std::uint64_t k = 0; k < 4; ++k) s.logged(k, k + 1);
  s.dpc(0, 4);
  s.quiescent();
  CHECK(s.broken().empty());
}

TEST_CASE("I17: a newer entry taken for the old one", "[check]") {
  for (const bool flagged : {true, false}) {
    LogScript s;
    s.logged(0, 1);
    s.dpc_begin();
    s.header_read(1);
    for (std::uint64_t k = 1; k < 5; ++k) s.logged(k, k + 1);
    s.entry_read(0, 5);
    if (flagged) s.overrun();
    s.dpc_end().stopped();
    CHECK(s.broken() == (flagged ? Ids{} : Ids{"I17"}));
  }
}

TEST_CASE("I17: after an overrun the fences of the log that have waiters are read", "[check]") {
  for (const bool scanned : {true, false}) {
    LogScript s;
    s.wait(1, 9, 1);
    for (std::uint64_t k = 0; k < 6; ++k) s.logged(k, k + 1);
    s.dpc_begin();
    s.header_read(6);
    s.overrun();
    if (scanned) s.scan(1, 0);
    s.dpc_end().stopped();
    CHECK(s.broken() == (scanned ? Ids{} : Ids{"I17"}));
  }
}

TEST_CASE("I17: a reader outside a DPC may meet an overrun at its second look", "[check]") {
  LogScript s;
  for (std::uint64_t k = 0; k < 4; ++k) s.logged(k, k + 1);
  s.header_read(4);
  s.logged(4, 5);
  s.entry_read(0, 5);
  s.header_read(5), s.overrun();
  CHECK(s.on(S::kDpc, event::LogReadDone{1}).stopped().broken().empty());
}

TEST_CASE("I17: a reader that has read only the header has lost nothing", "[check]") {
  for (const bool reads : {true, false}) {
    LogScript s;
    for (std::uint64_t k = 0; k < 6; ++k) s.logged(k, k + 1);
    s.header_read(6);
    if (reads) s.entry_read(1, 6);
    CHECK(s.quiescent().broken() == (reads ? Ids{"I17"} : Ids{}));
  }
}

TEST_CASE("I17: a DPC that ends answers for its own reading only", "[check]") {
  for (const bool other : {true, false}) {
    LogScript s;
    s.logged(0, 1);
    s.dpc_begin();
    s.header_read(1);
    s.entry_read(0, 1, 100);
    s.on(S::kDpc, event::LogReadDone{1});
    for (std::uint64_t k = 1; k < 6; ++k) s.logged(k, k + 1);
    // Somebody finds an overrun and has not flagged it yet.
    const common::AgentId reader = other ? S::kUser : S::kDpc;
    s.on(reader, event::LogHeaderRead{1, LogScript::packed(6)});
    s.dpc_end();
    if (other) s.on(reader, event::LogOverrun{1, 1});
    CHECK(s.stopped().broken() == (other ? Ids{} : Ids{"I17"}));
  }
}

TEST_CASE("I18: 4 after 5 runs backwards but 0 after 5 and 5 after 5 do not", "[check]") {
  for (const std::uint64_t last : {0U, 4U, 5U, 6U}) {
    LogScript s;
    for (std::uint64_t k = 0; k < 3; ++k) s.logged(k, k + 1);
    s.dpc_begin();
    s.header_read(3);
    s.entry_read(0, 1, 5);
    s.entry_read(1, 2, 0);
    s.entry_read(2, 3, last);
    s.dpc_end().stopped();
    CHECK(s.broken() == (last == 4 ? Ids{"I18"} : Ids{}));
  }
}

TEST_CASE("I18: a wait that was observed before the end of an earlier entry", "[check]") {
  for (const std::uint64_t observed : {0U, 4U, 5U, 6U}) {
    LogScript s;
    for (std::uint64_t k = 0; k < 2; ++k) s.logged(k, k + 1);
    s.dpc_begin();
    s.header_read(2);
    s.entry_read(0, 1, 5);
    s.on(S::kDpc, event::LogEntryTimes{1, 0x40, 1, 3, 1U, 1U});
    s.entry_read(1, 2, 7);
    s.on(S::kDpc, event::LogEntryTimes{1, 0x40, 1, observed, 1U, 1U});
    s.on(S::kDpc, event::LogReadDone{1});
    s.dpc_end().stopped();
    CHECK(s.broken() == (observed == 4 ? Ids{"I18"} : Ids{}));
  }
}

TEST_CASE("I19: a second entry of one signal", "[check]") {
  LogScript s;
  s.begin(1, 1, 1).issue(1, 1, 1);
  s.logged(0, 1);
  s.logged(1, 1);
  s.stopped();
  CHECK(s.broken() == Ids{"I19"});
}

TEST_CASE("I19: two signals of the same value write an entry each", "[check]") {
  LogScript s;
  s.begin(1, 1, 1).issue(1, 1, 1);
  s.logged(0, 1);
  s.begin(1, 1, 2).issue(1, 1, 2);
  s.logged(1, 1);
  s.stopped();
  CHECK(s.broken().empty());
}

TEST_CASE("I19: a wait that was unblocked and logged is replayed after preemption", "[check]") {
  for (const std::uint64_t cookie : {7U, 8U}) {
    LogScript s;
    s.cpu_signal(1, 5).on(S::kEngine, event::PacketBegin{1, 0, 7, 1});
    s.gpu_wait(1, 5).unblock(1, 5);
    s.logged(0, 5);
    s.on(S::kEngine, event::QueueState{1, event::QueueStateKind::kSuspended});
    s.on(S::kEngine, event::PacketBegin{1, 0, cookie, 1}).gpu_wait(1, 5).unblock(1, 5);
    s.logged(1, 5);
    s.stopped();
    CHECK(s.broken() == (cookie == 7 ? Ids{"I19"} : Ids{}));
  }
}

TEST_CASE("I19: a wait that is unblocked without its value", "[check]") {
  EventScript s;
  s.create().gpu_wait(1, 1).begin(1, 1, 1, S::kEngine2).issue(1, 1, 1, S::kEngine2);
  s.unblock(1, 1).visible(1, 1, S::kEngine2).stopped();
  CHECK(s.broken() == Ids{"I19"});
}

TEST_CASE("I19: a value that was there for a moment unblocks and so does AlwaysSignaled",
          "[check]") {
  EventScript s;
  s.create().create(2).gpu_wait(1, 5).cpu_signal(1, 6).cpu_signal(1, 2).unblock(1, 5);
  s.gpu_wait(2, 5).on(S::kCpu, event::CpuSignal{2, 0xFFFFFFFF, 1}).unblock(2, 5).stopped();
  CHECK(s.broken().empty());
}

}  // namespace fenceline::check::test_log
