// I97 to I100: contexts of hardware queues that hardware schedules.
#include <catch2/catch.hpp>

#include "tb/test/support/event_script.h"

namespace fenceline::check::test_scheduling {

namespace {

using event::QueueStateKind;
using S = EventScript;
using Ids = std::vector<std::string>;

constexpr std::uint64_t kPending = 0x103;
constexpr std::uint64_t kNode = 1;

/// Queue 1 belongs to context 1, queue 2 to context 2, on the same engine.
S& contexts(S& s, std::uint64_t band_of_second = 1, bool runs_to_its_end = false) {
  const auto rank = [&](std::uint32_t number, std::uint64_t band) {
    s.on(S::kUser, event::ContextRank{1, number, band, 0, 7, number, 0, kNode});
    s.on(S::kUser, event::ScheduledQueue{number, number, 1, kNode, runs_to_its_end});
  };
  rank(1, 1);
  rank(2, band_of_second);
  return s.on(S::kUser, event::LogMade{1, 1, 84, 1});
}
S& state(S& s, std::uint32_t queue, QueueStateKind state) {
  return s.on(S::kEngine, event::QueueState{queue, state});
}
S& packet(S& s, std::uint32_t queue) {
  return s.on(S::kEngine, event::PacketBegin{queue, 2, 0, kNode});
}
S& call(S& s, std::uint64_t fence) {
  s.on(S::kUser, event::SuspendCall{1, 1, fence});
  return s.on(S::kUser, event::SuspendReturn{1, 1, fence, kPending});
}
S& told(S& s, std::uint64_t fence, bool counts = true) {
  return s.on(S::kDpc, event::ContextSuspended{1, 1, fence, counts});
}
S& resume(S& s) { return s.on(S::kUser, event::ResumeCall{1, 1}); }

}  // namespace

TEST_CASE("I97: a context that is gone when that is acknowledged", "[check]") {
  S s;
  state(contexts(s), 1, QueueStateKind::kRunning);
  packet(s, 1).begin(1, 5, 1).issue(1, 5, 1).visible(1, 5).end(1, 5, 1);
  state(s, 1, QueueStateKind::kReady);
  told(call(s, 1), 1);
  state(resume(s), 1, QueueStateKind::kRunning);
  packet(s, 1);
  CHECK(s.quiescent().broken().empty());
  CHECK(s.checked("I97") != 0);
  CHECK(s.checked("I98") == 1);
}

TEST_CASE("I97: what is under way when a suspension is acknowledged", "[check]") {
  S s;
  contexts(s).create();
  SECTION("a value") { s.begin(1, 5, 1).issue(1, 5, 1).end(1, 5, 1); }
  SECTION("a log entry") { s.on(S::kEngine, event::LogEntryIssued{1, 0, 5, 1}); }
  SECTION("work") { s.on(S::kEngine, event::WorkIssued{1, 7}); }
  SECTION("work that has only left the GPU") {
    s.on(S::kEngine, event::WorkIssued{1, 7}).on(S::kEngine, event::WorkVisible{1, 7, true});
  }
  SECTION("the queue runs") { state(s, 1, QueueStateKind::kRunning); }
  CHECK(told(call(s, 1), 1).broken() == Ids{"I97"});
}

TEST_CASE("I97: writes of another context do not count", "[check]") {
  S s;
  contexts(s).on(S::kEngine, event::WorkIssued{2, 7});
  CHECK(told(call(s, 1), 1).broken().empty());
}

TEST_CASE("I97: a suspended context does something", "[check]") {
  S s;
  told(call(contexts(s), 1), 1);
  SECTION("it runs") { state(s, 1, QueueStateKind::kRunning); }
  SECTION("a packet begins") { packet(s, 1); }
  SECTION("packets are read") { s.on(S::kEngine, event::RingFetched{1, 0x1000, 64}); }
  CHECK(s.broken() == Ids{"I97"});
}

TEST_CASE("I98: acknowledgements that count and that do not", "[check]") {
  S stale;
  call(resume(call(contexts(stale), 1)), 2);
  told(stale, 1, false);
  CHECK(told(stale, 2).quiescent().broken().empty());
  S taken;
  call(resume(call(contexts(taken), 1)), 2);
  CHECK(told(taken, 1).broken() == Ids{"I98"});
  S unasked;
  CHECK(told(contexts(unasked), 1).broken() == Ids{"I98"});
}

TEST_CASE("I98: a suspension without an acknowledgement", "[check]") {
  S never;
  CHECK(call(contexts(never), 1).quiescent().broken() == Ids{"I98"});
  S already;
  contexts(already).on(S::kUser, event::SuspendCall{1, 1, 1});
  already.on(S::kUser, event::SuspendReturn{1, 1, 1, 0});
  CHECK(already.quiescent().broken().empty());
  S lost;
  call(contexts(lost), 1).on(S::kUser, event::ContextLost{1, 1, 0, 0});
  CHECK(lost.quiescent().broken().empty());
}

TEST_CASE("I99: interrupts of an engine that is reset", "[check]") {
  const auto interrupt = [](S& s, std::uint64_t engine) -> S& {
    return s.on(S::kIsr, event::EngineNotify{1, 19, engine});
  };
  S s;
  interrupt(contexts(s), kNode).on(S::kUser, event::HwEngineReset{1, true, 0, kNode});
  CHECK(interrupt(s, kNode + 1).broken().empty());
  SECTION("before it goes on") { CHECK(interrupt(s, kNode).broken() == Ids{"I99"}); }
  SECTION("when it goes on") {
    s.on(S::kUser, event::HwEngineReset{1, false, 0, kNode});
    CHECK(interrupt(s, kNode).broken().empty());
  }
}

TEST_CASE("I100: packets of a lower band while a higher one is ready", "[check]") {
  S s;
  state(state(contexts(s, 2), 1, QueueStateKind::kRunning), 2, QueueStateKind::kReady);
  CHECK(packet(s, 1).broken().empty());  // the one at hand
  SECTION("the next one") { CHECK(packet(s, 1).broken() == Ids{"I100"}); }
  SECTION("the higher one runs") {
    CHECK(packet(state(s, 2, QueueStateKind::kRunning), 1).broken().empty());
  }
}

TEST_CASE("I100: bands alike and a grace period", "[check]") {
  S alike;
  state(state(contexts(alike), 1, QueueStateKind::kRunning), 2, QueueStateKind::kReady);
  CHECK(packet(packet(alike, 1), 1).broken().empty());
  S grace;
  contexts(grace, 2).on(S::kUser, event::BandGrace{1, 1, 1});  // 100 ns
  state(state(grace, 1, QueueStateKind::kRunning), 2, QueueStateKind::kReady);
  CHECK(packet(packet(grace, 1), 1).broken().empty());
}

namespace {

S& raised(S& s) { return s.on(S::kUser, event::ContextRank{1, 2, 2, 0, 7, 2, 0, kNode}); }
S& taken(S& s) { return s.on(S::kEngine, event::ContextRankTaken{2, 2, 0, 7}); }
/// Queue 1 runs, queue 2 of the same band is ready.
S& one_runs(S& s) {
  return state(state(contexts(s), 1, QueueStateKind::kRunning), 2, QueueStateKind::kReady);
}

}  // namespace

TEST_CASE("I100: a new priority counts when the device has it", "[check]") {
  S s;
  raised(one_runs(s));
  CHECK(packet(packet(s, 1), 1).broken().empty());  // the register write is under way
  taken(s);
  CHECK(packet(s, 1).broken().empty());  // the one at hand
  CHECK(packet(s, 1).broken() == Ids{"I100"});
}

TEST_CASE("I100: a priority that the device has before the call returns", "[check]") {
  S s;
  raised(taken(one_runs(s)));
  CHECK(packet(packet(s, 1), 1).broken() == Ids{"I100"});
}

TEST_CASE("I100: a node that leaves no queue with packets is not blamed", "[check]") {
  S s;
  contexts(s, 2, true);
  state(state(s, 1, QueueStateKind::kRunning), 2, QueueStateKind::kReady);
  CHECK(packet(packet(s, 1), 1).broken().empty());
}

}  // namespace fenceline::check::test_scheduling
