// I110: commands from the thread that records them to their end on the GPU.
#include <catch2/catch.hpp>

#include "tb/test/support/event_script.h"

namespace fenceline::check::test_submission {

namespace {

using S = EventScript;
using Ids = std::vector<std::string>;

constexpr S::Agent kOther = S::kCpu;  ///< another thread than kUser

/// A command of `hash` that ends at byte `end` of the ring of queue 1.
S& record(S& s, std::uint64_t hash, std::uint64_t end, S::Agent by = S::kUser) {
  return s.on(by, event::CommandRecorded{1, hash, end});
}
S& done(S& s, std::uint64_t hash, std::uint64_t end) {
  return s.on(S::kEngine, event::CommandDone{1, hash, end, 0, 1, 1});
}
S& end_submission(S& s, std::uint64_t position, S::Agent by = S::kUser) {
  return s.on(by, event::Submission{1, false, position});
}

/// Buffer `number` of context 2, submitted by `by` and given to engine 1 as submission `id`.
S& submit(S& s, std::uint64_t number, S::Agent by = S::kUser) {
  return s.on(by, event::ContextPacket{2, number, 0x1000, false, 1});
}
S& give(S& s, std::uint64_t number, std::uint64_t id) {
  return s.on(S::kCpu, event::ContextGiven{2, number, id, 1, 0, 1});
}
S& into(S& s, std::uint64_t hash, S::Agent by = S::kUser) {
  return s.on(by, event::CommandRecorded{2, hash, 0});
}
S& run(S& s, std::uint64_t hash, std::uint64_t id) {
  return s.on(S::kEngine, event::CommandDone{0, hash, 0, id, 1, 1});
}
S& end(S& s, std::uint64_t id) { return s.on(S::kEngine, event::BufferEnd{1, id, 1}); }

}  // namespace

TEST_CASE("I110: commands of a ring run once and in their places", "[check]") {
  S s;
  record(record(s, 7, 32), 8, 64, kOther);
  done(done(s, 7, 32), 8, 64).quiescent();
  CHECK(s.broken().empty());
  CHECK(s.checked("I110") == 2);
}

TEST_CASE("I110: two threads that write to one place of a ring", "[check]") {
  S foreign;  // the second one's bytes are there
  record(record(foreign, 7, 32), 8, 32, kOther);
  done(foreign, 8, 32);
  CHECK(foreign.broken() == Ids{"I110"});
  S alike;  // one of two equal commands is lost
  record(record(alike, 7, 32), 7, 32, kOther);
  done(alike, 7, 32).quiescent();
  CHECK(alike.broken() == Ids{"I110"});
}

TEST_CASE("I110: a command of a ring that runs twice or is passed over or that nobody submitted",
          "[check]") {
  S twice;
  record(twice, 7, 32);
  done(done(twice, 7, 32), 7, 32);
  CHECK(twice.broken() == Ids{"I110"});
  S passed;
  record(record(passed, 7, 32), 8, 64);
  done(passed, 8, 64);
  CHECK(passed.broken() == Ids{"I110"});
  S nobodys;
  record(nobodys, 7, 64);
  done(nobodys, 9, 32);
  CHECK(nobodys.broken() == Ids{"I110"});
}

TEST_CASE("I110: commands dropped by a reset or a thread are not missed", "[check]") {
  S reset;
  record(record(reset, 7, 32), 8, 64);
  reset.on(S::kEngine, event::CommandsDropped{1, 32});
  done(reset, 8, 64).quiescent();
  CHECK(reset.broken().empty());
  S kept;  // the place is used again
  end_submission(record(record(kept, 7, 32), 8, 64), 32);
  record(kept, 9, 64);
  done(done(kept, 7, 32), 9, 64).quiescent();
  CHECK(kept.broken().empty());
}

TEST_CASE("I110: commands of a buffer are those that its thread has recorded", "[check]") {
  S good;
  into(into(good, 7), 8, kOther);
  give(submit(give(submit(good, 1), 1, 5), 2, kOther), 2, 6);
  end(run(end(run(good, 7, 5), 5), 8, 6), 6).quiescent();
  CHECK(good.broken().empty());
  CHECK(good.checked("I110") == 2);
  S foreign;
  into(into(foreign, 7), 8, kOther);
  give(submit(foreign, 1), 1, 5);
  run(foreign, 8, 5);
  CHECK(foreign.broken() == Ids{"I110"});
  S more;
  give(submit(into(more, 7), 1), 1, 5);
  run(run(more, 7, 5), 8, 5);
  CHECK(more.broken() == Ids{"I110"});
}

TEST_CASE("I110: a buffer that ends early and parts that share what was recorded", "[check]") {
  S early;
  give(submit(into(into(early, 7), 8), 1), 1, 5);
  early.on(S::kUser, event::Submission{2, false, 0});
  end(run(early, 7, 5), 5).quiescent();
  CHECK(early.broken() == Ids{"I110"});
  S parts;
  give(submit(give(submit(into(into(parts, 7), 8), 1), 1, 5), 2), 2, 6);
  end(run(end(run(parts, 7, 5), 5), 8, 6), 6).quiescent();
  CHECK(parts.broken().empty());
}

TEST_CASE("I110: parts that still wait are not missing", "[check]") {
  S handed_over;
  submit(give(submit(into(into(handed_over, 7), 8), 1), 1, 5), 2);
  handed_over.on(S::kUser, event::Submission{2, false, 0});
  end(run(handed_over, 7, 5), 5).quiescent();
  CHECK(handed_over.broken().empty());
  S not_yet;  // its thread waits for room
  give(submit(into(into(not_yet, 7), 8), 1), 1, 5);
  end(run(not_yet, 7, 5), 5).quiescent();
  CHECK(not_yet.broken().empty());
}

TEST_CASE("I110: parts behind one that faulted are not judged", "[check]") {
  S parts;
  give(submit(give(submit(into(into(parts, 7), 8), 1), 1, 5), 2), 2, 6);
  parts.on(S::kEngine, event::BufferFaulted{1, 5, 0, 1, 0});
  end(run(parts, 8, 6), 6).quiescent();
  CHECK(parts.checked("I110") == 0);
}

TEST_CASE("I110: a preempted buffer goes on with another id", "[check]") {
  S s;
  give(submit(into(into(s, 7), 8), 1), 1, 5);
  run(s, 7, 5);
  end(run(give(s, 1, 9), 8, 9), 9).quiescent();
  CHECK(s.broken().empty());
  CHECK(s.checked("I110") == 2);
}

TEST_CASE("I110: contexts whose device is in error are not judged", "[check]") {
  S s;
  give(submit(into(s, 7), 1), 1, 5);
  s.on(S::kCpu, event::ContextEnded{2, 0});
  run(s, 8, 5).quiescent();
  CHECK(s.checked("I110") == 0);
}

}  // namespace fenceline::check::test_submission
