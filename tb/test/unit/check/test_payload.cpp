// I27: what a queue wrote before its signal.
#include <catch2/catch.hpp>

#include "tb/test/support/event_script.h"

namespace fenceline::check::test_payload {

namespace {

using S = EventScript;
using Ids = std::vector<std::string>;

/// Queue 1 writes `number` and it arrives: on the link, or at home.
void write(S& s, std::uint64_t number) { s.on(S::kEngine, event::WorkIssued{1, number}); }
void sent(S& s, std::uint64_t number) { s.on(S::kEngine, event::WorkVisible{1, number, true}); }
void home(S& s, std::uint64_t number) { s.on(S::kEngine, event::WorkVisible{1, number}); }

}  // namespace

TEST_CASE("I27: a thread is released before the work arrives", "[check]") {
  S s;
  write(s.create().wait(1, 1, 1), 1);
  s.signal(1, 1, 1, 0).release(1, 1, 1);
  home(s, 1);
  CHECK(s.broken() == Ids{"I27"});
  CHECK(s.checked("I27") == 1);
}

TEST_CASE("I27: work that arrives before the release is in time", "[check]") {
  S s;
  write(s.create().wait(1, 1, 1), 1);
  s.begin(1, 1, 1).issue(1, 1, 1).visible(1, 1).shadow_read(1, 0).decide(1, 1, 1, true);
  home(s.end(1, 1, 1), 1);
  s.release(1, 1, 1);
  CHECK(s.broken().empty());
  CHECK(s.checked("I27") == 1);
}

TEST_CASE("I27: work of an earlier signal of the queue is work before this one", "[check]") {
  S s;
  write(s.create().wait(1, 2, 1), 1);
  s.signal(1, 1, 1, UINT64_MAX).signal(1, 2, 2, 0).release(1, 2, 1);
  CHECK(s.broken() == Ids{"I27"});
}

TEST_CASE("I27: work behind the signal and of another queue is none of its own", "[check]") {
  S s;
  s.create().wait(1, 1, 1).on(S::kEngine2, event::WorkIssued{2, 1});
  s.signal(1, 1, 1, 0);
  write(s, 2);
  s.release(1, 1, 1);
  CHECK(s.broken().empty());
  CHECK(s.checked("I27") == 0);
}

TEST_CASE("I27: a queue goes on before the work arrives", "[check]") {
  S s;
  write(s.create().gpu_wait(1, 1, 2), 1);
  s.signal(1, 1, 1, UINT64_MAX).unblock(1, 1, 2);
  CHECK(s.broken() == Ids{"I27"});
}

TEST_CASE("I27: work on the link has arrived for a queue and not for a thread", "[check]") {
  S s;
  write(s.create().gpu_wait(1, 1, 2).wait(1, 1, 1), 1);
  sent(s, 1);
  s.signal(1, 1, 1, 0).unblock(1, 1, 2);
  CHECK(s.checkers.violations().empty());
  s.release(1, 1, 1);
  CHECK(s.broken() == Ids{"I27"});
}

TEST_CASE("I27: another signal of at least the value may have released", "[check]") {
  S s;
  write(s.create().wait(1, 1, 1).wait(1, 2, 2).cpu_signal(1, 1), 1);
  s.signal(1, 2, 1, 0).release(1, 1, 1);
  CHECK(s.checkers.violations().empty());
  s.release(1, 2, 2);
  CHECK(s.broken() == Ids{"I27"});
}

TEST_CASE("I27: a fence in error and one that lives anew", "[check]") {
  S s;
  write(s.create().create(2).wait(1, 1, 1), 1);
  s.signal(1, 1, 1, 0).on(S::kCpu, event::CpuSignal{1, 1, 1}).release(1, 1, 1);
  s.signal(2, 1, 2, 0).destroy(2).create(2, 1).wait(2, 1, 2).release(2, 1, 2);
  CHECK(s.broken().empty());
}

}  // namespace fenceline::check::test_payload
