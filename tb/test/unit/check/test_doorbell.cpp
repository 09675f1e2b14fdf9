// I101, I102 and I103: doorbells that queues share.
#include <catch2/catch.hpp>

#include "tb/test/support/event_script.h"

namespace fenceline::check::test_doorbell {

namespace {

using S = EventScript;
using Ids = std::vector<std::string>;

constexpr std::uint64_t kAdapter = 1;
constexpr std::uint64_t kConnected = 0;
constexpr std::uint64_t kRetry = 2;
constexpr std::uint64_t kAbort = 3;

S& lead(S& s, std::uint32_t queue, std::uint64_t doorbell) {
  return s.on(S::kCpu, event::DoorbellMapped{queue, doorbell, kAdapter});
}
S& ring(S& s, std::uint32_t queue, std::uint64_t doorbell, std::uint64_t pointer = 32) {
  return s.on(S::kUser, event::DoorbellRung{queue, pointer, doorbell, kAdapter});
}
S& arrive(S& s, std::uint32_t queue, std::uint64_t doorbell, std::uint64_t pointer = 32) {
  return s.on(S::kCmp, event::Doorbell{queue, pointer, doorbell, kAdapter});
}
S& scan(S& s, std::uint32_t queue, std::uint64_t pointer = 32) {
  return s.on(S::kCmp, event::RingScan{queue, pointer});
}
S& store(S& s, std::uint32_t queue, std::uint64_t status) {
  return s.on(S::kCpu, event::DoorbellStatus{queue, status});
}
S& visible(S& s, std::uint32_t queue, std::uint64_t status) {
  return s.on(S::kCpu, event::DoorbellStatusVisible{queue, status, 0});
}

}  // namespace

TEST_CASE("I101: rung work reaches the device by doorbell or by memory", "[check]") {
  S s;
  lead(s, 1, 3);
  arrive(ring(s, 1, 3), 1, 3);
  scan(ring(s, 1, 0, 64), 1, 64).quiescent();
  CHECK(s.broken().empty());
  CHECK(s.checked("I101") > 0);
}

TEST_CASE("I101: work rung in vain that the device never finds", "[check]") {
  S dummy;
  ring(dummy, 1, 0).quiescent();
  CHECK(dummy.broken() == Ids{"I101"});
  S early;  // the device looked before
  ring(scan(early, 1, 0), 1, 0).quiescent();
  CHECK(early.broken() == Ids{"I101"});
  S nobodys;  // it arrived when the doorbell was nobody's
  arrive(ring(nobodys, 1, 3), 0, 3).quiescent();
  CHECK(nobodys.broken() == Ids{"I101"});
}

TEST_CASE("I101: nothing is owed to a queue that is lost", "[check]") {
  S s;
  visible(store(ring(s, 1, 0), 1, kAbort), 1, kAbort).quiescent();
  CHECK(s.broken().empty());
}

TEST_CASE("I102: another queue is woken", "[check]") {
  S s;
  lead(s, 1, 3);
  arrive(ring(s, 1, 3), 2, 3);
  scan(s, 1).quiescent();
  CHECK(s.broken() == Ids{"I102"});
}

TEST_CASE("I102: two queues ring one doorbell in turn", "[check]") {
  S s;
  lead(s, 1, 3);
  ring(s, 1, 3);
  lead(s, 1, 0);
  arrive(s, 1, 3);
  lead(s, 2, 3);
  arrive(ring(s, 2, 3), 2, 3).quiescent();
  CHECK(s.broken().empty());
  CHECK(s.checked("I102") > 0);
}

TEST_CASE("I102: two addresses lead to one doorbell", "[check]") {
  S s;
  lead(s, 1, 3);
  lead(s, 2, 3);
  CHECK(s.broken() == Ids{"I102"});
}

TEST_CASE("I103: only the operating system stores the status", "[check]") {
  S good;
  visible(store(good, 1, kRetry), 1, kRetry);
  visible(store(good, 1, kConnected), 1, kConnected);
  CHECK(good.broken().empty());
  CHECK(good.checked("I103") == 2);
  S other;
  visible(other, 1, kConnected);
  CHECK(other.broken() == Ids{"I103"});
  S twice;
  visible(store(twice, 1, kConnected), 1, kConnected);
  visible(twice, 1, kConnected);
  CHECK(twice.broken() == Ids{"I103"});
}

TEST_CASE("pending doorbells distinguish states", "[check]") {
  S one;
  S other;
  ring(lead(one, 1, 3), 1, 3);
  ring(lead(other, 1, 3), 1, 3);
  CHECK(one.checkers.state_hash() == other.checkers.state_hash());
  arrive(one, 1, 3);
  CHECK(one.checkers.state_hash() != other.checkers.state_hash());
}

}  // namespace fenceline::check::test_doorbell
