#include <catch2/catch.hpp>

#include "tb/report/record/fence_timeline.h"

namespace fenceline::report_tests::test_fence_timeline {

using fenceline::report::FenceOperation;
using fenceline::report::FenceTimeline;
using fenceline::report::RunReport;
using fenceline::report::SliceKind;
using fenceline::report::Timeline;
using State = fenceline::report::FenceOperation::State;

namespace common = fenceline::common;
namespace event = fenceline::event;

namespace {

constexpr std::uint64_t kMicrosecond = 1'000'000;
constexpr std::uint32_t kQueue = 3, kFence = 7, kLog = 5, kAdapter = 1;
constexpr std::uint64_t kHandle = 9;

/// A session on a GPU whose clock of 1 MHz counts from 1,000 and runs twice as fast as it says.
class Session {
 public:
  explicit Session(bool calibrated = true) {
    if (!calibrated) return;
    happens(0, event::ClockCalibrated{kAdapter, 1'000, 0, kMicrosecond});
  }
  /// Compares the clocks a second time, at 100 us.
  void end() { happens(100, event::ClockCalibrated{kAdapter, 1'200, 1'000, kMicrosecond}); }
  /// The same a microsecond after the first: it may be two ticks of the CPU wrong.
  void compare_at_once() { happens(1, event::ClockCalibrated{kAdapter, 1'001, 12, kMicrosecond}); }
  void queued(bool wait, std::uint64_t us, std::uint64_t value) {
    if (wait)
      happens(us, event::WaitQueued{kFence, value, kHandle, kQueue});
    else
      happens(us, event::SignalQueued{kFence, value, kHandle, kQueue});
  }
  void read(bool wait, std::uint64_t value, std::uint64_t end, std::uint64_t observed = 0) {
    const std::uint32_t log = kLog + (wait ? 1 : 0);
    happens(90, event::LogEntryRead{log, 0, value, end});
    happens(90, event::LogEntryTimes{log, kHandle, wait ? 1U : 0U, observed, kQueue, kAdapter});
  }
  void lost(std::uint64_t count) { happens(90, event::LogOverrun{kLog, count}); }
  std::vector<FenceOperation> operations() const { return timeline_.join(); }
  const FenceTimeline& timeline() const { return timeline_; }

 private:
  /// @param us time of the CPU [us]
  template <class E>
  void happens(std::uint64_t us, const E& event) {
    timeline_.on_event(common::entry_of(us * kMicrosecond, 0, event));
  }
  FenceTimeline timeline_;
};

}  // namespace

TEST_CASE("log times come to the clock of the CPU by two comparisons", "[report]") {
  Session session;
  session.queued(true, 10, 1);
  session.end();
  session.read(true, 1, 1'100, 1'040);
  const auto all = session.operations();
  REQUIRE(all.size() == 1);
  CHECK(all[0].state == State::kLogged);
  CHECK(all[0].queued == 10 * kMicrosecond);
  CHECK(all[0].observed == 20 * kMicrosecond);
  CHECK(all[0].executed == 50 * kMicrosecond);
}

TEST_CASE("with one comparison the frequency is what the device says", "[report]") {
  Session session;
  session.queued(false, 10, 1);
  session.read(false, 1, 1'100);
  CHECK(session.operations().at(0).executed == 100 * kMicrosecond);
}

TEST_CASE("two comparisons that are close tell nothing of the frequency", "[report]") {
  Session session;
  session.queued(false, 10, 1);
  session.compare_at_once();
  session.read(false, 1, 1'100);
  CHECK(session.operations().at(0).executed == 100 * kMicrosecond);
}

TEST_CASE("without a session there is no timeline", "[report]") {
  Session session(false);
  session.queued(false, 10, 1);
  CHECK(session.operations().empty());
  RunReport report;
  session.timeline().add_counters(report);
  CHECK(report.counters.empty());
}

TEST_CASE("overrun entries are lost and unread entries are open", "[report]") {
  Session session;
  for (std::uint64_t value = 1; value <= 4; ++value) session.queued(false, value, value);
  session.lost(2);
  session.read(false, 3, 1'010);
  const auto all = session.operations();
  REQUIRE(all.size() == 4);
  CHECK(all[0].state == State::kLost);
  CHECK(all[1].state == State::kLost);
  CHECK(all[2].state == State::kLogged);
  CHECK(all[3].state == State::kOpen);
  RunReport report;
  session.timeline().add_counters(report);
  REQUIRE(report.counters.size() == 4);
  CHECK(report.counters[0].value == 1);
  CHECK(report.counters[1].value == 2);
  CHECK(report.counters[2].value == 1);
}

TEST_CASE("the same value twice is joined in order", "[report]") {
  Session session;
  session.queued(false, 1, 5);
  session.queued(false, 2, 5);
  session.read(false, 5, 1'010);
  session.read(false, 5, 1'020);
  const auto all = session.operations();
  REQUIRE(all.size() == 2);
  CHECK(all[0].executed < all[1].executed);
}

TEST_CASE("an entry without a time is joined and has none", "[report]") {
  Session session;
  session.queued(false, 1, 5);
  session.read(false, 5, 0);
  CHECK(session.operations().at(0).state == State::kLogged);
  CHECK_FALSE(session.operations().at(0).executed.has_value());
}

TEST_CASE("an entry without a record of user mode stands alone", "[report]") {
  Session session;
  session.read(false, 5, 1'010);
  CHECK(session.operations().at(0).fence == 0);
  CHECK_FALSE(session.operations().at(0).queued.has_value());
}

TEST_CASE("spans of a queue follow each other and lost ones are one", "[report]") {
  Session session;
  for (std::uint64_t value = 1; value <= 3; ++value) session.queued(false, 1, value);
  session.queued(true, 2, 3);
  session.lost(2);
  session.end();
  session.read(false, 3, 1'100);
  session.read(true, 3, 1'120, 1'110);
  const Timeline timeline = timeline_of(session.operations(), 100 * kMicrosecond);
  REQUIRE(timeline.slices.size() == 3);
  CHECK(timeline.slices[0].kind == SliceKind::kLost);
  CHECK(timeline.slices[0].detail == 2);
  CHECK(timeline.slices[1].kind == SliceKind::kSignal);
  CHECK(timeline.slices[1].begin >= timeline.slices[0].end);
  CHECK(timeline.slices[2].begin == 55 * kMicrosecond);
  REQUIRE(timeline.flows.size() == 1);
  CHECK(timeline.flows[0].signal == 1);
  CHECK(timeline.flows[0].wait == 2);
}

}  // namespace fenceline::report_tests::test_fence_timeline
