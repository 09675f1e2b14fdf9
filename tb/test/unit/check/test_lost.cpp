#include <catch2/catch.hpp>

#include "tb/test/support/event_script.h"

namespace fenceline::check::test_lost {

namespace {
using Ids = std::vector<std::string>;
constexpr std::uint64_t kMax = UINT64_MAX;
}  // namespace

TEST_CASE("I1: a waiter whose value is there is lost at quiescence", "[check]") {
  EventScript s;
  // The shadow is still queued when the engine reads it, CurrentValue when the OS resamples.
  s.create().wait(1, 1, 1).call(1, 0, 1).begin(1, 1, 1).issue(1, 1, 1);
  s.read(1, 0, event::Reader::kOsResample, EventScript::kCpu);
  s.visible(1, 1).shadow_read(1, kMax).decide(1, 1, 1, false).end(1, 1, 1).shadow(1, 0);
  s.ret(1, 0, 1).quiescent();
  REQUIRE(s.broken() == Ids{"I1"});
  const Violation& lost = s.checkers.violations().front();
  CHECK(lost.name == "NO_LOST_WAITER");
  CHECK(lost.fence == 1);
  CHECK(lost.message.find("'alpha'") != std::string::npos);
  CHECK(lost.message.find("CurrentValue is 1") != std::string::npos);
}

TEST_CASE("I1: a waiter above CurrentValue may stay", "[check]") {
  EventScript s;
  s.create().update(1, 1, 1, 0).wait(1, 2, 1).signal(1, 1, 1, 1).quiescent();
  CHECK(s.broken().empty());
  CHECK(s.checked("I1") == 1);
}

TEST_CASE("I1: the initial value counts", "[check]") {
  EventScript s;
  s.create(1, 5).wait(1, 5, 1).quiescent();
  CHECK(s.broken() == Ids{"I1"});
}

TEST_CASE("I1: a run that was stopped is not judged", "[check]") {
  EventScript s;
  s.create(1, 5).wait(1, 5, 1).stopped();
  CHECK(s.broken().empty());
  CHECK(s.checked("I1") == 0);
}

TEST_CASE("I1: released and resumed and timed out waiters are not lost", "[check]") {
  EventScript s;
  s.create(1, 5).wait(1, 5, 1).wait(1, 5, 2).wait(1, 5, 3);
  s.release(1, 5, 1).done(1, 5, 2).timeout(1, 5, 3).quiescent();
  CHECK(s.broken().empty());
  CHECK(s.checked("I1") == 3);
}

TEST_CASE("I1: every waiter that a fence had is counted", "[check]") {
  EventScript s;
  s.create().create(2);
  for (std::uint64_t w = 1; w <= 4; ++w)
    s.wait(1, w, w).cpu_signal(1, w).release(1, w, w).done(1, w, w);
  s.wait(1, 9, 5).wait(2, 9, 6, 1).wait(1, 9, 6, 1).quiescent();
  CHECK(s.broken().empty());
  CHECK(s.checked("I1") == 7);
}

TEST_CASE("I1 and I2: a run that was stopped counts no wait that ended either", "[check]") {
  EventScript s;
  s.create(1, 5).wait(1, 5, 1).done(1, 5, 1).gpu_wait(1, 5).unblock(1, 5).stopped();
  CHECK(s.broken().empty());
  CHECK(s.checked("I1") == 0);
  CHECK(s.checked("I2") == 0);
}

TEST_CASE("I1: a value passed only for a moment need not release", "[check]") {
  EventScript s;
  s.create().wait(1, 5, 1).cpu_signal(1, 7).cpu_signal(1, 3).quiescent();
  CHECK(s.broken().empty());
}

TEST_CASE("I1: waiters of a destroyed fence are not judged", "[check]") {
  EventScript s;
  s.create(1, 5).wait(1, 5, 1).destroy().quiescent();
  CHECK(s.broken().empty());
  CHECK(s.checked("I1") == 0);
}

TEST_CASE("I1: a wait for any fence is lost as soon as one has its value", "[check]") {
  EventScript s;
  s.create(1, 5).create(2, 0).wait(1, 5, 1, 1).wait(2, 5, 1, 1).quiescent();
  CHECK(s.broken() == Ids{"I1"});
}

TEST_CASE("I1: a wait for all fences may stay while one has not its value", "[check]") {
  EventScript s;
  s.create(1, 5).create(2, 0).wait(1, 5, 1, 2).wait(2, 5, 1, 2).quiescent();
  CHECK(s.broken().empty());
}

TEST_CASE("I1: a wait for all fences is lost once they all have their value", "[check]") {
  EventScript s;
  s.create(1, 5).create(2, 5).wait(1, 5, 1, 2).wait(2, 5, 1, 2).release(1, 5, 1).quiescent();
  CHECK(s.broken() == Ids{"I1"});
}

TEST_CASE("I1: without its kind a half satisfied wait is counted and not judged", "[check]") {
  EventScript s;
  s.create(1, 5).create(2, 0).wait(1, 5, 1).wait(2, 5, 1).quiescent();
  CHECK(s.broken().empty());
  CHECK(s.checkers.unjudged() == 1);
}

TEST_CASE("I1: without its kind a wait is lost once all fences have their value", "[check]") {
  EventScript s;
  s.create(1, 5).create(2, 5).wait(1, 5, 1).wait(2, 5, 1).quiescent();
  CHECK(s.broken() == Ids{"I1"});
}

TEST_CASE("I2: a queue that parked after the scan is lost", "[check]") {
  EventScript s;
  s.create().gpu_wait(1, 1).read(1, 0, event::Reader::kQueueWait, EventScript::kEngine);
  s.signal(1, 1, 1, kMax, EventScript::kEngine2);
  s.on(EventScript::kEngine, event::GpuWaitPark{1, 1, 1}).quiescent();
  CHECK(s.broken() == Ids{"I2"});
}

TEST_CASE("I2: unblocked and unsatisfied and suspended queues are not lost", "[check]") {
  EventScript s;
  s.create().create(2).gpu_wait(1, 1).signal(1, 1, 1, kMax, EventScript::kEngine2).unblock(1, 1);
  s.gpu_wait(1, 2);
  s.gpu_wait(2, 1, 2).on(EventScript::kEngine2,
                         event::QueueState{2, event::QueueStateKind::kSuspended});
  s.cpu_signal(2, 1).quiescent();
  CHECK(s.broken().empty());
  CHECK(s.checked("I2") == 2);
}

TEST_CASE("I2: waits that a reset or the end of the fence dropped are not counted", "[check]") {
  EventScript s;
  s.create().create(2).gpu_wait(1, 1).gpu_wait(2, 1, 2);
  s.on(EventScript::kEngine, event::QueueState{1, event::QueueStateKind::kIdle});
  s.destroy(2).quiescent();
  CHECK(s.broken().empty());
  CHECK(s.checked("I2") == 0);
}

TEST_CASE("I3: the longest release is reported and breaks only a configured bound", "[check]") {
  for (const std::uint64_t bound : {0U, 100U, 50U}) {
    CheckOptions options;
    options.release_bound = bound;
    EventScript s(options);
    s.create().wait(1, 1, 1).cpu_signal(1, 1);
    s.time += 60;
    s.done(1, 1, 1).quiescent();
    CHECK(s.broken() == (bound == 50 ? Ids{"I3"} : Ids{}));
    CHECK(s.checkers.max_release() == 70);
  }
}

TEST_CASE("I3: a release counts from the wait if the value was there before", "[check]") {
  EventScript s;
  s.create(1, 5);
  s.time += 1000;
  s.wait(1, 5, 1).done(1, 5, 1).quiescent();
  CHECK(s.broken().empty());
  CHECK(s.checkers.max_release() == 10);
}

TEST_CASE("I3: a value that fell again does not start the clock", "[check]") {
  EventScript s;
  s.create().wait(1, 5, 1).cpu_signal(1, 7).cpu_signal(1, 3);
  s.time += 1000;
  s.cpu_signal(1, 6).done(1, 5, 1).quiescent();
  CHECK(s.broken().empty());
  CHECK(s.checkers.max_release() == 10);
}

TEST_CASE("I4: a waiter released by a torn value is early", "[check]") {
  EventScript s;
  s.create(1, 0x0FFFFFFFF).wait(1, 0x180000000, 1).cpu_signal(1, 0x100000000);
  s.release(1, 0x180000000, 1).done(1, 0x180000000, 1).quiescent();
  CHECK(s.broken() == Ids{"I4"});
}

TEST_CASE("I4: a signal or the initial value or AlwaysSignaled justifies a release", "[check]") {
  EventScript s;
  s.create(1, 5).create(2).create(3).wait(1, 5, 1).done(1, 5, 1);
  s.wait(2, 3, 2).begin(2, 3, 1).issue(2, 3, 1).release(2, 3, 2).done(2, 3, 2);
  s.wait(3, 9, 3).on(EventScript::kCpu, event::CpuSignal{3, 0xFFFFFFFF, 1});
  s.done(3, 9, 3).done(1, 4, 4).visible(2, 3).quiescent();
  CHECK(s.broken().empty());
  CHECK(s.checked("I4") == 5);
}

TEST_CASE("I4: the OS may read a value that was there before the wait", "[check]") {
  const auto ends = [](std::uint64_t read, event::Reader reader, std::uint64_t waited) {
    EventScript s;
    s.create().cpu_signal(1, 6).cpu_signal(1, 5).wait(1, waited, 1);
    s.read(1, read, reader, EventScript::kCpu).release(1, waited, 1).done(1, waited, 1);
    return s.broken();
  };
  CHECK(ends(6, event::Reader::kOsResample, 6).empty());
  CHECK(ends(6, event::Reader::kOsDpcScan, 6).empty());
  CHECK(ends(5, event::Reader::kOsResample, 6) == Ids{"I4"});
  CHECK(ends(6, event::Reader::kUserPoll, 6) == Ids{"I4"});
  EventScript before;
  before.create().cpu_signal(1, 6).cpu_signal(1, 5);
  before.read(1, 6, event::Reader::kOsResample, EventScript::kCpu).wait(1, 6, 1);
  CHECK(before.release(1, 6, 1).broken() == Ids{"I4"});
}

TEST_CASE("I4: a wait for any fence ends on all of them", "[check]") {
  EventScript s;
  s.create(1, 5).create(2, 0).wait(2, 5, 1, 1).wait(1, 5, 1, 1);
  s.done(2, 5, 1).done(1, 5, 1).quiescent();
  CHECK(s.broken().empty());
}

TEST_CASE("I4: a wait for all fences is early while one has not its value", "[check]") {
  EventScript s;
  s.create(1, 5).create(2, 0).wait(2, 5, 1, 2).wait(1, 5, 1, 2);
  s.done(2, 5, 1).done(1, 5, 1).quiescent();
  CHECK(s.broken() == Ids{"I4"});
}

TEST_CASE("I10: MonitoredValue must be the lowest waited value minus 1", "[check]") {
  for (const std::uint64_t monitored :
       {kMax, std::uint64_t{0}, std::uint64_t{4}, std::uint64_t{6}}) {
    EventScript s;
    s.create()
        .wait(1, 7, 1)
        .wait(1, 5, 2)
        .update(1, monitored, 1, 0)
        .monitored(1, monitored)
        .quiescent();
    CHECK(s.broken() == (monitored == 4 ? Ids{} : Ids{"I10"}));
  }
}

TEST_CASE("I10: it is UINT64_MAX without waiters", "[check]") {
  for (const std::uint64_t monitored : {kMax, std::uint64_t{4}}) {
    EventScript s;
    s.create().wait(1, 5, 1).update(1, 4, 1, 0).timeout(1, 5, 1);
    s.update(1, monitored, 2, 0).monitored(1, monitored).quiescent();
    CHECK(s.broken() == (monitored == kMax ? Ids{} : Ids{"I10"}));
  }
}

TEST_CASE("I10: it is 0 for life on a cross-adapter fence", "[check]") {
  for (const std::uint64_t monitored : {std::uint64_t{0}, std::uint64_t{4}}) {
    EventScript s;
    s.create().create(1, 0, 2).wait(1, 5, 1);
    s.monitored(1, monitored, 2).quiescent();
    CHECK(s.broken() == (monitored == 0 ? Ids{} : Ids{"I10"}));
  }
}

TEST_CASE("I10: a wait for 0 does not arm", "[check]") {
  EventScript s;
  s.create()
      .wait(1, 0, 1)
      .release(1, 0, 1)
      .wait(1, 5, 2)
      .update(1, 4, 1, 0)
      .monitored(1, 4)
      .quiescent();
  CHECK(s.broken().empty());
}

}  // namespace fenceline::check::test_lost
