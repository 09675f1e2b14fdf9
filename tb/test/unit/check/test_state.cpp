// What the checkers' state covers: facts on which a later verdict depends, and no others.
#include <catch2/catch.hpp>

#include "tb/test/support/pasts.h"

namespace fenceline::check::test_state {

namespace {

using event::Decider;
using event::Reader;
using S = EventScript;
constexpr std::uint64_t kMax = UINT64_MAX;

/// A signal of value 1 that an engine which read no MonitoredValue has kept to itself.
void silent_signal(S& s) {
  s.begin(1, 1, 1).issue(1, 1, 1).shadow_read(1, kMax).decide(1, 1, 1, false);
}
/// A signal that the CMP is told of, up to the raise of an interrupt.
void raised_signal(S& s) {
  s.begin(1, 1, 1).issue(1, 1, 1).shadow_read(1, 0).decide(1, 1, 1, true).notice(1, 1, 0);
}
void entry_issued(S& s, std::uint64_t k) {
  s.on(S::kEngine, event::LogEntryIssued{1, k % 4, k + 1, 1});
}
void header_issued(S& s, std::uint64_t count) {
  s.on(S::kEngine, event::LogHeaderIssued{1, (count / 4) << 32 | count % 4});
}
void header_visible(S& s, std::uint64_t count) {
  s.on(S::kEngine, event::LogHeaderVisible{1, (count / 4) << 32 | count % 4});
}
void header_read(S& s, std::uint64_t count) {
  s.on(S::kDpc, event::LogHeaderRead{1, (count / 4) << 32 | count % 4});
}
void logged(S& s, std::uint64_t k, std::uint64_t value) {
  entry_issued(s, k);
  header_issued(s, k + 1);
  s.on(S::kEngine, event::LogEntryVisible{1, k % 4, value});
  header_visible(s, k + 1);
}
void read_log(S& s, std::uint64_t from, std::uint64_t count) {
  s.dpc_begin();
  header_read(s, count);
  for (std::uint64_t k = from; k < count; ++k)
    s.on(S::kDpc, event::LogEntryRead{1, k % 4, k + 1, 100});
  s.dpc_end();
}
void add_waiter(S& s, std::uint64_t value, std::uint64_t number, std::uint32_t thread) {
  s.on(S::kUser, event::WaitAdd{1, value, number, thread, 1, 0});
}

}  // namespace

TEST_CASE("state: a fact that decides a verdict on waits counts", "[check]") {
  told_apart(
      "I1", [](S& s) { s.create().wait(1, 1, 1).cpu_signal(1, 1); },
      [](S& s) { s.create().wait(1, 1, 1).cpu_signal(1, 1).release(1, 1, 1); },
      [](S& s) { s.quiescent(); });
  told_apart(
      "I1", [](S& s) { s.create().wait(1, 1, 1).cpu_signal(1, 1); },
      [](S& s) { s.create().wait(1, 2, 1).cpu_signal(1, 1); }, [](S& s) { s.quiescent(); });
  told_apart(
      "I2", [](S& s) { s.create().gpu_wait(1, 1).cpu_signal(1, 1); },
      [](S& s) { s.create().gpu_wait(1, 1).cpu_signal(1, 1).unblock(1, 1); },
      [](S& s) { s.quiescent(); });
  told_apart(
      "I4", [](S& s) { s.create().cpu_signal(1, 1).wait(1, 5, 1); },
      [](S& s) { s.create().wait(1, 5, 1).cpu_signal(1, 5).cpu_signal(1, 1); },
      [](S& s) { s.release(1, 5, 1); });
  told_apart(
      "I4", [](S& s) { s.create().cpu_signal(1, 5).cpu_signal(1, 1).wait(1, 5, 1); },
      [](S& s) {
        s.create().cpu_signal(1, 5).cpu_signal(1, 1).wait(1, 5, 1);
        s.read(1, 5, Reader::kOsResample, S::kCpu);
      },
      [](S& s) { s.release(1, 5, 1); });
  told_apart(
      "I19", [](S& s) { s.create().cpu_signal(1, 5).cpu_signal(1, 1).gpu_wait(1, 5); },
      [](S& s) { s.create().gpu_wait(1, 5).cpu_signal(1, 5).cpu_signal(1, 1); },
      [](S& s) { s.unblock(1, 5); });
}

TEST_CASE("state: a fact that decides a verdict on updates counts", "[check]") {
  told_apart(
      "I5", [](S& s) { silent_signal(s.create()), s.call(1, 0, 1).ret(1, 0, 1); },
      [](S& s) { silent_signal(s.create()), s.call(1, 0, 1); }, [](S& s) { s.visible(1, 1); });
  // The order of the return and the write that becomes visible, judged when the engine decides.
  told_apart(
      "I5",
      [](S& s) {
        s.create().begin(1, 1, 1).issue(1, 1, 1).call(1, 0, 1).ret(1, 0, 1).visible(1, 1);
      },
      [](S& s) {
        s.create().begin(1, 1, 1).issue(1, 1, 1).call(1, 0, 1).visible(1, 1).ret(1, 0, 1);
      },
      [](S& s) { s.shadow_read(1, kMax).decide(1, 1, 1, false); });
  told_apart(
      "I6", [](S& s) { silent_signal(s.create()), s.call(1, 0, 1).shadow(1, 0).recheck(1, 0, 0); },
      [](S& s) { silent_signal(s.create()), s.call(1, 0, 1).shadow(1, 0); },
      [](S& s) { s.visible(1, 1); });
  // The CMP has read and not compared yet.
  told_apart(
      "I6",
      [](S& s) {
        silent_signal(s.create());
        s.call(1, 0, 1).shadow(1, 0).read(1, 0, Reader::kCmp, S::kCmp).visible(1, 1);
      },
      [](S& s) {
        silent_signal(s.create());
        s.call(1, 0, 1).shadow(1, 0).visible(1, 1).read(1, 1, Reader::kCmp, S::kCmp);
      },
      [](S& s) { s.cmp_decide(1, 0, 0, Decider::kMonitoredUpdate, false); });
}

TEST_CASE("state: a fact that decides a verdict on interrupts counts", "[check]") {
  const Events scan = [](S& s) { s.dpc_begin().scan(1, 0).dpc_end(); };
  told_apart(
      "I7", [](S& s) { raised_signal(s.create()), s.isr(1); },
      [](S& s) { raised_signal(s.create()), s.isr_begin().isr_end(); }, scan);
  // A DPC that began before the notification need not see the value.
  told_apart(
      "I7", [](S& s) { raised_signal(s.create()), s.isr(1).dpc_begin(); },
      [](S& s) { raised_signal(s.create()), s.dpc_begin().isr(1); },
      [](S& s) { s.scan(1, 0).dpc_end(); });
  const Events quiet = [](S& s) { s.quiescent(); };
  told_apart(
      "I9", [](S& s) { raised_signal(s.create()), s.visible(1, 1).end(1, 1, 1); },
      [](S& s) { raised_signal(s.create()), s.visible(1, 1).end(1, 1, 1).isr(1); }, quiet);
  told_apart(
      "I9", [](S& s) { s.create().notified_all().signal(1, 1, 1, 0); },
      [](S& s) { s.create().signal(1, 1, 1, 0).notified_all(); }, quiet);
  // A signal after the update that nobody was told of, and one that the update's own look finds.
  told_apart(
      "I9",
      [](S& s) {
        s.create().call(1, 0, 1).shadow(1, 0).ret(1, 0, 1).begin(1, 1, 1).issue(1, 1, 1);
        s.visible(1, 1).end(1, 1, 1);
      },
      [](S& s) {
        s.create().call(1, 0, 1).shadow(1, 0).begin(1, 1, 1).issue(1, 1, 1).visible(1, 1);
        s.ret(1, 0, 1).end(1, 1, 1);
      },
      quiet);
}

TEST_CASE("state: a fact that decides a verdict on orders counts", "[check]") {
  told_apart(
      "I12", [](S& s) { s.create().begin(1, 1, 1).begin(1, 2, 2).issue(1, 1, 1).issue(1, 2, 2); },
      [](S& s) { s.create().begin(1, 1, 1).begin(1, 2, 2).issue(1, 2, 2).issue(1, 1, 1); },
      [](S& s) { s.visible(1, 2).visible(1, 1); });
  const Events signals = [](S& s) { s.create().cpu_signal(1, 1).cpu_signal(1, 2); };
  const Events old_read = [](S& s) { s.read(1, 1, Reader::kUserPoll, S::kUser); };
  told_apart(
      "I12", [&](S& s) { signals(s), s.read(1, 2, Reader::kUserPoll, S::kUser); },
      [&](S& s) { signals(s), old_read(s); }, old_read, true);
  told_apart(
      "I20", [](S& s) { s.create().destroy(); }, [](S& s) { s.create(); }, [](S& s) { s.isr(1); });
  told_apart(
      "I20", [](S& s) { s.create().open().open(); }, [](S& s) { s.create().open(); },
      [](S& s) { s.close().destroy(); });
  told_apart(
      "I22", [](S& s) { s.create().call(1, 0, 1); },
      [](S& s) { s.create().call(1, 0, 1).ret(1, 0, 1); }, [](S& s) { s.isr_begin().notified(1); });
  told_apart(
      "I22",
      [](S& s) {
        s.create().isr_begin().on(S::kIsr, event::IsrAcknowledge{1, 0});
        s.call(1, 0, 1).ret(1, 0, 1);
      },
      [](S& s) {
        s.create().isr_begin().call(1, 0, 1).ret(1, 0, 1);
        s.on(S::kIsr, event::IsrAcknowledge{1, 0});
      },
      [](S& s) { s.notified(1); });
}

TEST_CASE("state: a fact that decides a verdict on logs counts", "[check]") {
  const Events entry = [](S& s) { entry_issued(s, 0); };
  told_apart(
      "I13", [](S& s) { s.create().begin(1, 1, 1).issue(1, 1, 1).decide(1, 1, 1, true); },
      [](S& s) { s.create().begin(1, 1, 1).issue(1, 1, 1); }, entry);
  const Events signal = [](S& s) {
    s.create().begin(1, 1, 1).issue(1, 1, 1);
    entry_issued(s, 0);
    header_issued(s, 1);
    s.decide(1, 1, 1, true).notice(1, 1, 0);
  };
  told_apart(
      "I13",
      [&](S& s) {
        signal(s), s.on(S::kCmp, event::MessageSent{1, 0});
      },
      [&](S& s) {
        signal(s), s.on(S::kCmp, event::MessageCoalesced{1, 0});
      },
      [](S& s) {
        s.on(S::kCmp, event::MessageDelivered{1, 0, 0});
      });
  told_apart(
      "I14", [](S& s) { entry_issued(s.create(), 0), header_issued(s, 1), header_visible(s, 1); },
      [](S& s) { logged(s.create(), 0, 1); }, [](S& s) { read_log(s, 0, 1); });
  told_apart(
      "I15", [&](S& s) { signal(s), s.isr(1); }, [&](S& s) { signal(s), s.isr_begin().isr_end(); },
      [](S& s) { read_log(s, 0, 0); });
}

TEST_CASE("state: lost and repeated log entries count", "[check]") {
  // Entries 4 and 5 overwrite 0 and 1, which were read in one past and not in the other.
  told_apart(
      "I17",
      [](S& s) {
        s.create();
        for (std::uint64_t k = 0; k < 6; ++k) logged(s, k, k + 1);
      },
      [](S& s) {
        s.create();
        for (std::uint64_t k = 0; k < 4; ++k) logged(s, k, k + 1);
        read_log(s, 0, 4);
        for (std::uint64_t k = 4; k < 6; ++k) logged(s, k, k + 1);
      },
      [](S& s) { s.dpc_begin(), header_read(s, 6), s.dpc_end(); });
  // After an overrun the fences have to be looked at for those who waited before.
  told_apart(
      "I17",
      [](S& s) {
        logged(s.create(), 0, 1);
        s.wait(1, 9, 1).dpc_begin();
      },
      [](S& s) {
        logged(s.create(), 0, 1);
        s.dpc_begin().wait(1, 9, 1);
      },
      [](S& s) {
        header_read(s, 1), s.on(S::kDpc, event::LogOverrun{1, 1}).dpc_end();
      });
  told_apart(
      "I19", [](S& s) { s.create().begin(1, 1, 1).issue(1, 1, 1), entry_issued(s, 0); },
      [](S& s) { s.create().begin(1, 1, 1).issue(1, 1, 1); },
      [](S& s) {
        s.on(S::kEngine, event::LogEntryIssued{1, 1, 1, 1});
      });
}

TEST_CASE("state: steps that commute lead to the same state", "[check]") {
  alike(  // signals in flight, whose numbers tell which began first
      [](S& s) { s.create().create(2).begin(1, 5, 1).begin(2, 6, 2, S::kEngine2).issue(1, 5, 1); },
      [](S& s) { s.create().create(2).begin(2, 6, 1, S::kEngine2).begin(1, 5, 2).issue(1, 5, 2); });
  alike(  // updates of two fences
      [](S& s) { s.create().create(2).call(1, 0, 1).call(2, 3, 2).shadow(1, 0).shadow(2, 3); },
      [](S& s) { s.create().create(2).call(2, 3, 1).call(1, 0, 2).shadow(2, 3).shadow(1, 0); });
  alike(  // notices of two queues
      [](S& s) { s.create().signal(1, 5, 1, 0).signal(1, 6, 2, 0, S::kEngine2); },
      [](S& s) { s.create().signal(1, 5, 2, 0).signal(1, 6, 3, 0, S::kEngine2); });
  alike(
      [](S& s) {
        s.create().begin(1, 5, 1).begin(1, 6, 2, S::kEngine2).decide(1, 5, 1, true);
        s.decide(1, 6, 2, true, S::kEngine2);
      },
      [](S& s) {
        s.create().begin(1, 6, 1, S::kEngine2).decide(1, 6, 1, true, S::kEngine2);
        s.begin(1, 5, 2).decide(1, 5, 2, true);
      });
  alike([](S& s) { s.create(), add_waiter(s, 5, 1, 1), add_waiter(s, 6, 2, 2); },
        [](S& s) { s.create(), add_waiter(s, 6, 1, 2), add_waiter(s, 5, 2, 1); });
  alike([](S& s) { s.create().gpu_wait(1, 1, 1).gpu_wait(1, 2, 2); },
        [](S& s) { s.create().gpu_wait(1, 2, 2).gpu_wait(1, 1, 1); });
  const Events one = [](S& s) { s.read(1, 1, Reader::kUserPoll, S::kUser); };
  const Events two = [](S& s) { s.read(1, 1, Reader::kOsResample, S::kCpu); };
  alike([&](S& s) { s.create().cpu_signal(1, 1), one(s), two(s); },
        [&](S& s) { s.create().cpu_signal(1, 1), two(s), one(s); }, true);
  alike([](S& s) { s.create().create(2).monitored(1, 4).monitored(2, 5); },
        [](S& s) { s.create().create(2).monitored(2, 5).monitored(1, 4); });
  alike([](S& s) { s.create().create(2).open(1).open(2).create(1, 0, 2); },
        [](S& s) { s.create(2).create(1).open(2).create(1, 0, 2).open(1); });
  alike(
      [](S& s) {
        s.create().call(1, 0, 1).on(S::kIsr, event::IsrBegin{2, 1});
      },
      [](S& s) {
        s.create().on(S::kIsr, event::IsrBegin{2, 1}).call(1, 0, 1);
      });
  const auto log = [](S& s, std::uint32_t number) {
    s.on(S::kEngine, event::LogEntryIssued{number, 0, 1, 2});
    s.on(S::kEngine, event::LogHeaderIssued{number, 1});
  };
  alike([&](S& s) { log(s, 1), log(s, 2); }, [&](S& s) { log(s, 2), log(s, 1); });
}

namespace {

/// All of it: update, signal, interrupt, DPC with its log, release, and the update back.
/// @param n signals, updates and waiters before; what was logged before
void whole_wait(S& s, std::uint64_t value, std::uint64_t n, bool signal_first) {
  const auto arm = [&] {
    s.wait(1, value, n + 1).call(1, value - 1, 2 * n + 1).monitored(1, value - 1);
    s.shadow(1, value - 1).recheck(1, value - 1, value - 1).ret(1, value - 1, 2 * n + 1);
  };
  if (!signal_first) arm();
  s.begin(1, value, n + 1);
  if (signal_first) arm();
  s.issue(1, value, n + 1).visible(1, value);
  logged(s, n, n + 1);
  s.shadow_read(1, value - 1).decide(1, value, n + 1, true).end(1, value, n + 1);
  s.notice(1, value, value - 1).message().isr(1).dpc_begin().scan(1, value);
  s.release(1, value, n + 1);
  header_read(s, n + 1);
  s.on(S::kDpc, event::LogEntryRead{1, n % 4, n + 1, 100});
  s.call(1, kMax, 2 * n + 2).monitored(1, kMax).shadow(1, kMax).recheck(1, value, kMax);
  s.ret(1, kMax, 2 * n + 2).dpc_end().done(1, value, n + 1);
}

void spurious_interrupt(S& s, std::uint64_t value) {
  s.cmp_decide(1, value, value - 1, Decider::kMonitoredUpdate, true).raise(1, value, 0);
  s.interrupt(1, value).on(S::kDpc, event::SpuriousInterrupt{1, 1});
}

}  // namespace

TEST_CASE("state: once all is settled its order and number do not count", "[check]") {
  const Events plain = [](S& s) {
    s.create(), whole_wait(s, 1, 0, false), whole_wait(s, 2, 1, false);
  };
  const Events other = [](S& s) {
    s.create(), whole_wait(s, 1, 0, true), whole_wait(s, 2, 1, true);
  };
  alike(plain, other);
  alike(plain, [](S& s) {
    s.create(), whole_wait(s, 1, 0, true), spurious_interrupt(s, 1), whole_wait(s, 2, 1, false);
    spurious_interrupt(s, 2), spurious_interrupt(s, 2);
  });
  alike(plain, [&](S& s) {
    s.time = 123456;
    plain(s);
  });
  // A value that nobody reads any more, and a fence that has been through more updates.
  alike([](S& s) { s.create().cpu_signal(1, 7).cpu_signal(1, 3).cpu_signal(1, 5); },
        [](S& s) { s.create().cpu_signal(1, 3).cpu_signal(1, 7).cpu_signal(1, 5); });
  alike(
      [](S& s) {
        s.create().update(1, 3, 1, 0).update(1, kMax, 2, 0).read(1, 0, Reader::kCmp, S::kCmp);
      },
      [](S& s) { s.create().update(1, kMax, 1, 0).read(1, 0, Reader::kCmp, S::kCmp); });
  CHECK(breaks(
            plain, [](S& s) { s.quiescent(); }, false)
            .empty());
}

TEST_CASE("state: many signals and waiters at once have a state too", "[check]") {
  const auto many = [](bool back) {
    return [back](S& s) {
      s.create();
      for (std::uint32_t k = 1; k <= 40; ++k) {
        const std::uint32_t v = back ? 41 - k : k;
        s.begin(1, v, 41 - k, static_cast<S::Agent>(10 + v)), add_waiter(s, v, k, v);
      }
    };
  };
  alike(many(false), many(true));
}

}  // namespace fenceline::check::test_state
