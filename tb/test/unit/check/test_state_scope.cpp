// What the checkers' state covers of work under way, of addresses and of logs given back.
#include "tb/test/support/pasts.h"

namespace fenceline::check::test_state_scope {

namespace {

using S = EventScript;

S& issue(S& s, std::uint64_t number) { return s.on(S::kEngine, event::WorkIssued{1, number}); }
S& arrive(S& s, std::uint64_t number, bool on_link = false) {
  return s.on(S::kEngine, event::WorkVisible{1, number, on_link});
}
void release(S& s) { s.release(1, 1, 1); }

}  // namespace

TEST_CASE("state: work under way counts", "[check]") {
  told_apart(
      "I27", [](S& s) { issue(s.create().wait(1, 1, 1), 1).signal(1, 1, 1, 0); },
      [](S& s) { arrive(issue(s.create().wait(1, 1, 1), 1).signal(1, 1, 1, 0), 1); }, release);
  told_apart(
      "I27", [](S& s) { issue(s.create().wait(1, 1, 1), 1); },
      [](S& s) { arrive(issue(s.create().wait(1, 1, 1), 1), 1); },
      [](S& s) { s.signal(1, 1, 1, 0).release(1, 1, 1); });
  told_apart(
      "I27", [](S& s) { issue(s.create().gpu_wait(1, 1, 2), 1); },
      [](S& s) { arrive(issue(s.create().gpu_wait(1, 1, 2), 1), 1, true); },
      [](S& s) { s.signal(1, 1, 1, 9).unblock(1, 1, 2); });
}

TEST_CASE("state: which signal work belongs to counts", "[check]") {
  told_apart(
      "I27", [](S& s) { issue(s.create().wait(1, 1, 1), 1).begin(1, 1, 1).issue(1, 1, 1); },
      [](S& s) { issue(s.create().wait(1, 1, 1).begin(1, 1, 1).issue(1, 1, 1), 1); },
      [](S& s) { s.visible(1, 1).release(1, 1, 1); });
  told_apart(
      "I27", [](S& s) { issue(s.create().wait(1, 1, 1), 1).signal(1, 1, 1, 0); },
      [](S& s) { issue(s.create().wait(1, 1, 1).signal(1, 1, 1, 0), 1); }, release);
}

TEST_CASE("state: a value that has fallen since may have released", "[check]") {
  told_apart(
      "I27", [](S& s) { s.create().wait(1, 3, 1).cpu_signal(1, 1); },
      [](S& s) { s.create().wait(1, 3, 1).cpu_signal(1, 3).cpu_signal(1, 1); },
      [](S& s) { issue(s, 1).signal(1, 3, 1, 0).release(1, 3, 1); });
}

TEST_CASE("state: work that has arrived is forgotten", "[check]") {
  alike([](S& s) { arrive(issue(s.create(), 1), 1).signal(1, 1, 1, 0); },
        [](S& s) { s.create().signal(1, 1, 1, 0); });
  alike([](S& s) { arrive(issue(s.create(), 1).signal(1, 1, 1, 0), 1); },
        [](S& s) { s.create().signal(1, 1, 1, 0); });
}

TEST_CASE("state: calls under way and logs given back count", "[check]") {
  told_apart(
      "I21", [](S& s) { s.create().update(1, 0, 1, 0); },
      [](S& s) { s.create().call(1, 0, 1).shadow(1, 0).recheck(1, 0, 0); },
      [](S& s) {
        s.on(S::kCpu, event::MonitoredValueStored{1, 0, 1});
      });
  told_apart(
      "I28", [](S& s) { s.on(S::kCpu, event::LogRetired{1}); }, [](S&) {},
      [](S& s) {
        s.on(S::kEngine, event::LogEntryVisible{1, 0, 1});
      });
}

}  // namespace fenceline::check::test_state_scope
