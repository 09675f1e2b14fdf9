// I97 to I100: contexts of hardware queues that hardware schedules.
#include <catch2/catch.hpp>

#include "tb/check/event_script.h"

namespace fenceline::check {

namespace {

using common::EventKind;
using common::QueueState;
using S = EventScript;
using Ids = std::vector<std::string>;

constexpr std::uint64_t kPending = 0x103;
constexpr std::uint64_t kNode = 1;

/// Queue 1 belongs to context 1, queue 2 to context 2, on the same engine.
S& contexts(S& s, std::uint64_t band_of_second = 1, std::uint64_t node = kNode) {
  const auto rank = [&](std::uint64_t number, std::uint64_t band) {
    s.on(EventKind::kScheduledQueue, S::kUser, static_cast<std::uint32_t>(number), number, 1, node);
    s.on(EventKind::kContextRank, S::kUser, 1, number, band | 7U << 16 | number << 32, kNode << 56);
  };
  rank(1, 1);
  rank(2, band_of_second);
  return s.on(EventKind::kLogMade, S::kUser, 1, 1, 84, 1);
}
S& state(S& s, std::uint32_t queue, QueueState state) {
  return s.on(EventKind::kQueueState, S::kEngine, queue, static_cast<std::uint64_t>(state));
}
S& packet(S& s, std::uint32_t queue) {
  return s.on(EventKind::kPacketBegin, S::kEngine, queue, 2, 0, kNode);
}
S& call(S& s, std::uint64_t fence) {
  s.on(EventKind::kSuspendCall, S::kUser, 1, 1, fence);
  return s.on(EventKind::kSuspendReturn, S::kUser, 1, 1, fence, kPending);
}
S& told(S& s, std::uint64_t fence, bool counts = true) {
  return s.on(EventKind::kContextSuspended, S::kDpc, 1, 1, fence, counts ? 1 : 0);
}
S& resume(S& s) { return s.on(EventKind::kResumeCall, S::kUser, 1, 1); }

}  // namespace

TEST_CASE("I97: a context that is gone when that is acknowledged", "[check]") {
  S s;
  state(contexts(s), 1, QueueState::kRunning);
  packet(s, 1).begin(1, 5, 1).issue(1, 5, 1).visible(1, 5).end(1, 5, 1);
  state(s, 1, QueueState::kReady);
  told(call(s, 1), 1);
  state(resume(s), 1, QueueState::kRunning);
  packet(s, 1);
  CHECK(s.quiescent().broken().empty());
  CHECK(s.checked("I97") != 0);
  CHECK(s.checked("I98") == 1);
}

TEST_CASE("I97: what is under way when a suspension is acknowledged", "[check]") {
  S s;
  contexts(s).create();
  SECTION("a value") { s.begin(1, 5, 1).issue(1, 5, 1).end(1, 5, 1); }
  SECTION("a log entry") { s.on(EventKind::kLogEntryIssued, S::kEngine, 1, 0, 5, 1); }
  SECTION("work") { s.on(EventKind::kWorkIssued, S::kEngine, 1, 7); }
  SECTION("work that has only left the GPU") {
    s.on(EventKind::kWorkIssued, S::kEngine, 1, 7).on(EventKind::kWorkVisible, S::kEngine, 1, 7, 1);
  }
  SECTION("the queue runs") { state(s, 1, QueueState::kRunning); }
  CHECK(told(call(s, 1), 1).broken() == Ids{"I97"});
}

TEST_CASE("I97: writes of another context do not count", "[check]") {
  S s;
  contexts(s).on(EventKind::kWorkIssued, S::kEngine, 2, 7);
  CHECK(told(call(s, 1), 1).broken().empty());
}

TEST_CASE("I97: a suspended context does something", "[check]") {
  S s;
  told(call(contexts(s), 1), 1);
  SECTION("it runs") { state(s, 1, QueueState::kRunning); }
  SECTION("a packet begins") { packet(s, 1); }
  SECTION("packets are read") { s.on(EventKind::kRingFetched, S::kEngine, 1, 0x1000, 64); }
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

TEST_CASE("I98: a suspension that nobody answers", "[check]") {
  S never;
  CHECK(call(contexts(never), 1).quiescent().broken() == Ids{"I98"});
  S already;
  contexts(already).on(EventKind::kSuspendCall, S::kUser, 1, 1, 1);
  already.on(EventKind::kSuspendReturn, S::kUser, 1, 1, 1, 0);
  CHECK(already.quiescent().broken().empty());
  S lost;
  call(contexts(lost), 1).on(EventKind::kContextLost, S::kUser, 1, 1);
  CHECK(lost.quiescent().broken().empty());
}

TEST_CASE("I99: interrupts of an engine that is reset", "[check]") {
  const auto interrupt = [](S& s, std::uint64_t engine) -> S& {
    return s.on(EventKind::kEngineNotify, S::kIsr, 1, 19, 0, engine);
  };
  S s;
  interrupt(contexts(s), kNode).on(EventKind::kHwEngineReset, S::kUser, 1, 1, 0, kNode);
  CHECK(interrupt(s, kNode + 1).broken().empty());
  SECTION("before it goes on") { CHECK(interrupt(s, kNode).broken() == Ids{"I99"}); }
  SECTION("when it goes on") {
    s.on(EventKind::kHwEngineReset, S::kUser, 1, 0, 0, kNode);
    CHECK(interrupt(s, kNode).broken().empty());
  }
}

TEST_CASE("I100: packets of a lower band while a higher one is ready", "[check]") {
  S s;
  state(state(contexts(s, 2), 1, QueueState::kRunning), 2, QueueState::kReady);
  CHECK(packet(s, 1).broken().empty());  // the one at hand
  SECTION("the next one") { CHECK(packet(s, 1).broken() == Ids{"I100"}); }
  SECTION("the higher one runs") {
    CHECK(packet(state(s, 2, QueueState::kRunning), 1).broken().empty());
  }
}

TEST_CASE("I100: bands alike and a grace period", "[check]") {
  S alike;
  state(state(contexts(alike), 1, QueueState::kRunning), 2, QueueState::kReady);
  CHECK(packet(packet(alike, 1), 1).broken().empty());
  S grace;
  contexts(grace, 2).on(EventKind::kBandGrace, S::kUser, 1, 1, 1);  // 100 ns
  state(state(grace, 1, QueueState::kRunning), 2, QueueState::kReady);
  CHECK(packet(packet(grace, 1), 1).broken().empty());
}

TEST_CASE("I100: a node that leaves no queue with packets is not blamed", "[check]") {
  S s;
  contexts(s, 2, kNode | common::kRunsToItsEnd);
  state(state(s, 1, QueueState::kRunning), 2, QueueState::kReady);
  CHECK(packet(packet(s, 1), 1).broken().empty());
}

}  // namespace fenceline::check
