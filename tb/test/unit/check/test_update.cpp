#include <catch2/catch.hpp>

#include "tb/test/support/event_script.h"

namespace fenceline::check::test_update {

namespace {
using Ids = std::vector<std::string>;
constexpr std::uint64_t kMax = UINT64_MAX;
}  // namespace

TEST_CASE("I5: a silenced signal that becomes visible after the return breaks it", "[check]") {
  EventScript s;
  s.create().begin(1, 1, 1).issue(1, 1, 1).shadow_read(1, kMax).decide(1, 1, 1, false);
  s.call(1, 0, 1).ret(1, 0, 1).visible(1, 1).end(1, 1, 1).stopped();
  REQUIRE(s.broken() == Ids{"I5"});
  CHECK(s.checkers.violations().front().message.find("signal 1 of value 1") != std::string::npos);
}

TEST_CASE("I5: the decision may come after the visible write", "[check]") {
  EventScript s;
  s.create().call(1, 0, 1).ret(1, 0, 1).begin(1, 1, 1).issue(1, 1, 1).visible(1, 1);
  s.shadow_read(1, kMax).decide(1, 1, 1, false).end(1, 1, 1).stopped();
  CHECK(s.broken() == Ids{"I5"});
}

TEST_CASE("I5: a silenced signal that is visible before the return is fine", "[check]") {
  EventScript s;
  s.create().begin(1, 1, 1).issue(1, 1, 1).shadow_read(1, kMax).decide(1, 1, 1, false);
  s.call(1, 0, 1).visible(1, 1).end(1, 1, 1).shadow(1, 0).ret(1, 0, 1).stopped();
  CHECK(s.broken().empty());
}

TEST_CASE("I5: a value that the update silences too is fine", "[check]") {
  EventScript s;
  s.create().begin(1, 1, 1).issue(1, 1, 1).shadow_read(1, kMax).decide(1, 1, 1, false);
  s.call(1, 1, 1).ret(1, 1, 1).visible(1, 1).end(1, 1, 1).stopped();
  CHECK(s.broken().empty());
}

TEST_CASE("I5: a signal that read the updated shadow is fine", "[check]") {
  EventScript s;
  s.create().call(1, 5, 1).shadow(1, 5).ret(1, 5, 1);
  s.begin(1, 4, 1).issue(1, 4, 1).shadow_read(1, 5).decide(1, 4, 1, false);
  s.visible(1, 4).end(1, 4, 1).stopped();
  CHECK(s.broken().empty());
}

TEST_CASE("I5: only the updates after the version that was read count", "[check]") {
  EventScript s;
  // Signal 1 reads version 1 (value 5); update 2 lowers it to 3 and returns too early.
  s.create().update(1, 5, 1, 0).begin(1, 4, 1).issue(1, 4, 1).shadow_read(1, 5);
  s.call(1, 3, 2).ret(1, 3, 2).decide(1, 4, 1, false).visible(1, 4).end(1, 4, 1).stopped();
  CHECK(s.broken() == Ids{"I5"});
}

TEST_CASE("I5: an update that the CMP skipped does not shift the versions", "[check]") {
  EventScript s;
  // The CMP sees only the newest of two posted updates; the engine then reads that.
  s.create().call(1, 3, 1).ret(1, 3, 1).call(1, 8, 2).ret(1, 8, 2).shadow(1, 8);
  s.begin(1, 7, 1).issue(1, 7, 1).shadow_read(1, 8).decide(1, 7, 1, false).visible(1, 7);
  s.end(1, 7, 1).stopped();
  CHECK(s.broken().empty());
}

TEST_CASE("I5: of equal updates the CMP holds the newest in memory", "[check]") {
  EventScript s;
  // Update 3 has the value of update 1; the CMP takes update 1 when update 3 is in memory.
  s.create().call(1, 8, 1).monitored(1, 8).ret(1, 8, 1).call(1, 3, 2).monitored(1, 3).ret(1, 3, 2);
  s.call(1, 8, 3).monitored(1, 8).ret(1, 8, 3).shadow(1, 8);
  s.begin(1, 7, 1).issue(1, 7, 1).shadow_read(1, 8).decide(1, 7, 1, false).visible(1, 7);
  s.end(1, 7, 1).stopped();
  CHECK(s.broken().empty());
}

TEST_CASE("I5: an update that is not in memory yet is not in the shadow", "[check]") {
  EventScript s;
  s.create().call(1, 8, 1).monitored(1, 8).ret(1, 8, 1).call(1, 3, 2).ret(1, 3, 2);
  s.call(1, 8, 3).ret(1, 8, 3).shadow(1, 8);
  s.begin(1, 7, 1).issue(1, 7, 1).shadow_read(1, 8).decide(1, 7, 1, false).visible(1, 7);
  s.end(1, 7, 1).stopped();
  CHECK(s.broken() == Ids{"I5"});
}

TEST_CASE("I11: a torn MonitoredValue that the CMP copies", "[check]") {
  EventScript s;
  s.create().call(1, 41, 1).shadow(1, 0xFFFFFFFF00000029).stopped();
  CHECK(s.broken() == Ids{"I11"});
}

TEST_CASE("I5: a stale copy of the shadow is an older version", "[check]") {
  EventScript s;
  s.create().update(1, 9, 1, 0).update(1, 3, 2, 0);
  s.begin(1, 7, 1).issue(1, 7, 1).visible(1, 7).shadow_read(1, 9).decide(1, 7, 1, false);
  s.end(1, 7, 1).stopped();
  CHECK(s.broken() == Ids{"I5", "I6"});
}

TEST_CASE("I5: other fences and other adapters are not concerned", "[check]") {
  EventScript s;
  s.create().create(2).begin(1, 1, 1).issue(1, 1, 1).shadow_read(1, kMax).decide(1, 1, 1, false);
  s.call(2, 0, 1).ret(2, 0, 1);
  s.on(EventScript::kCpu, event::UpdateMonitoredCall{1, 0, 2, 2});
  s.on(EventScript::kCpu, event::UpdateMonitoredReturn{1, 0, 2, 2});
  s.visible(1, 1).end(1, 1, 1).stopped();
  CHECK(s.broken().empty());
}

TEST_CASE("I6: the CMP must read what an older version silenced", "[check]") {
  EventScript s;
  s.create().begin(1, 1, 1).issue(1, 1, 1).shadow_read(1, kMax).decide(1, 1, 1, false);
  s.call(1, 0, 1).shadow(1, 0).recheck(1, 0, 0).visible(1, 1).end(1, 1, 1).ret(1, 0, 1).stopped();
  CHECK(s.broken() == Ids{"I6"});
}

TEST_CASE("I6: a read after the write is visible is fine", "[check]") {
  EventScript s;
  s.create().begin(1, 1, 1).issue(1, 1, 1).shadow_read(1, kMax).decide(1, 1, 1, false);
  s.call(1, 0, 1).shadow(1, 0).visible(1, 1).end(1, 1, 1).recheck(1, 1, 0).ret(1, 0, 1);
  s.interrupt(1, 1).quiescent();
  CHECK(s.broken().empty());
}

TEST_CASE("I6: a stale read by the CMP is noticed although the write was visible", "[check]") {
  EventScript s;
  s.create().signal(1, 1, 1, kMax).call(1, 0, 1).shadow(1, 0).recheck(1, 0, 0).ret(1, 0, 1);
  s.stopped();
  CHECK(s.broken() == Ids{"I6"});
}

TEST_CASE("I6: equal values are told apart by their order", "[check]") {
  EventScript s;
  // Both signals have the value 1; the second one is silenced and missed by the CMP's read.
  s.create().signal(1, 1, 1, kMax).begin(1, 1, 2).issue(1, 1, 2).shadow_read(1, kMax);
  s.decide(1, 1, 2, false).call(1, 0, 1).shadow(1, 0).recheck(1, 1, 0).visible(1, 1);
  s.end(1, 1, 2).ret(1, 0, 1).stopped();
  CHECK(s.broken() == Ids{"I6"});
}

TEST_CASE("I11: a torn shadow MonitoredValue is noticed", "[check]") {
  EventScript s;
  s.create().update(1, 41, 1, 0).shadow_read(1, 0xFFFFFFFF00000029).stopped();
  CHECK(s.broken() == Ids{"I11"});
}

TEST_CASE("I11: until its first write the shadow is that of an earlier fence", "[check]") {
  EventScript s;
  s.create().shadow_read(1, 8).shadow(1, kMax).shadow_read(1, kMax).stopped();
  CHECK(s.broken().empty());
  EventScript late;
  late.create().shadow(1, kMax).shadow_read(1, 8).stopped();
  CHECK(late.broken() == Ids{"I11"});
}

TEST_CASE("I11: initial and new and old shadow values are whole", "[check]") {
  EventScript s;
  s.create().create(2).shadow_read(1, kMax).shadow_read(2, 0).update(1, 41, 1, 0);
  s.shadow_read(1, 41).shadow_read(1, kMax).update(1, 42, 2, 0).shadow_read(1, 41).stopped();
  CHECK(s.broken().empty());
}

}  // namespace fenceline::check::test_update
