// Every event of models/common/events has a place in a timeline, or a reason to have none.
#include <algorithm>
#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "models/common/events.h"
#include "tb/report/record/shown_events.h"
#include "tb/report/record/timeline_words.h"
#include "tb/test/unit/report/rows_bench.h"

namespace fenceline::report_tests::test_shown_events {

using common::EventKind;
using common::ObjectKind;
using report::Lane;
using rows_bench::Bench;

namespace {

using Words = std::vector<std::string>;

std::vector<EventKind> all_kinds() {
  std::vector<EventKind> kinds;
  for (std::size_t kind = 0; kind < event::All::kCount; ++kind)
    kinds.push_back(static_cast<EventKind>(kind));
  return kinds;
}

/// An event whose fields are 0, but for objects and engines, which are the first of their kind.
common::Event first_of_all(EventKind kind) {
  event::Record record{};
  const event::Description& of = common::description(kind);
  for (std::size_t i = 0; i < of.count; ++i)
    if (of.fields[i].object != ObjectKind::kNone || of.fields[i].name == "engine")
      record[of.fields[i].place.word] |= 1ULL << of.fields[i].place.shift;
  return {10, kind, 1, static_cast<std::uint32_t>(record[0]), record[1], record[2], record[3]};
}

}  // namespace

TEST_CASE("each kind of event has a span or a mark or a reason to have neither", "[report][rows]") {
  const std::vector<EventKind> drawn = report::TimelineBuilder::drawn();
  for (const EventKind kind : all_kinds()) {
    INFO(common::event_name(kind));
    const bool shown = report::event_mark(kind) != nullptr ||
                       std::find(drawn.begin(), drawn.end(), kind) != drawn.end();
    CHECK(shown == (report::reason_for_no_row(kind) == nullptr));
  }
}

TEST_CASE("each event that is a mark lies on the row of its object under its own name",
          "[report][rows]") {
  for (const EventKind kind : all_kinds()) {
    const report::EventMark* const mark = report::event_mark(kind);
    if (mark == nullptr) continue;
    INFO(common::event_name(kind));
    Bench bench;
    for (const ObjectKind object : {ObjectKind::kFence, ObjectKind::kLog, ObjectKind::kLink,
                                    ObjectKind::kThread, ObjectKind::kCallSite})
      bench.add(object, {"one"});
    bench.add(ObjectKind::kAgent, {"gpu0.compute0"});
    const common::Event event = first_of_all(kind);
    bench.record.recorder.on_event(event);
    const Words marks = bench.instants(mark->lane, 1);
    REQUIRE(!marks.empty());
    const std::uint64_t time =
        mark->time.name.empty() ? event.time : mark->time.place.of(event.record());
    CHECK(marks.back().find(std::to_string(time) + " " + report::event_words(kind)) == 0);
  }
}

TEST_CASE("a mark has the words of its value or a number as the sentence writes it",
          "[report][rows]") {
  using event::LinkFaultKind;
  using event::RecoveryStage;
  Bench bench;
  bench.add(ObjectKind::kFence, {"F"});
  bench.add(ObjectKind::kLink, {"gpu0.up"});
  bench.at(1, event::LinkFault{1, LinkFaultKind::kMessageLate, 3, 0, 1});
  bench.at(2, event::GpuFault{1, 0x1000, 1, 0, false});
  bench.at(3, event::BugCheck{1, 0x116, 0, 0});
  bench.at(4, event::Recovery{1, RecoveryStage::kAdapterReset, 0, 0});
  bench.at(5, event::BatchBad{1, 7, 0});
  bench.at(6, event::SpuriousInterrupt{{1, 1}});
  bench.at(7, event::HwEngineReset{1, true, 0, 2});
  bench.at(8, event::Notify{1, 0, 1, 0});
  CHECK(bench.instants(Lane::kLink, 1) == Words{"1 link fault: a message is late"});
  CHECK(bench.instants(Lane::kCmp, 1) == Words{"2 gpu fault 0x1000"});
  CHECK(bench.instants(Lane::kDriver, 1) ==
        Words{"3 bug check 0x116", "4 recovery: the adapter was reset", "8 notify F"});
  CHECK(bench.instants(Lane::kFence, 1) == Words{"5 batch bad 7"});
  CHECK(bench.instants(Lane::kCore, 1) == Words{"6 spurious interrupt"});
  CHECK(bench.instants(Lane::kEngine, 2) == Words{"4 reset", "7 hw engine reset: is reset"});
}

TEST_CASE("work of queues has one category however it is scheduled", "[report][perfetto]") {
  using report::Category;
  using report::SliceKind;
  report::Slice slice;
  for (const SliceKind kind :
       {SliceKind::kPacket, SliceKind::kBuffer, SliceKind::kPreemption, SliceKind::kSuspended}) {
    slice.kind = kind;
    CHECK(category(slice) == Category::kPacket);
  }
  slice.kind = SliceKind::kCpuSignal;
  CHECK(category(slice) == Category::kSignal);
  report::Instant mark;
  CHECK(category(mark) == Category::kWait);
  mark.kind = report::InstantKind::kEvent;
  mark.lane = Lane::kDriver;
  CHECK(category(mark) == Category::kInterrupt);
}

TEST_CASE("a compare for a fence that the CMP does not know says so", "[report][rows]") {
  Bench bench;
  bench.at(10, event::CmpDecision{0, 5, 3, false, event::Decider::kSignalNotice});
  CHECK(bench.instants(Lane::kCmp, 1) == Words{"10 not above MonitoredValue (unknown fence) 5"});
}

TEST_CASE("an adapter below D0 has a span for each of its states", "[report][rows]") {
  Bench bench;
  bench.at(10, event::AdapterPower{1, 3, 0, false});
  bench.at(30, event::AdapterPower{1, 1, 0, false});
  bench.at(40, event::AdapterPower{1, 0, 0, false});
  CHECK(bench.slices(Lane::kPower, 1) == Words{"10-30 D3", "30-40 D1"});
}

TEST_CASE("a wait for several fences has a span for each", "[report][rows]") {
  Bench bench;
  bench.add(ObjectKind::kFence, {"F", "G"});
  bench.add(ObjectKind::kThread, {"T"});
  bench.at(10, event::WaitAdd{1, 5, 1, 1U, 2, 0});
  bench.at(10, event::WaitAdd{2, 6, 1, 1U, 2, 0});
  bench.at(20, event::WaitRelease{{2, 6, 1, 1U}});
  bench.at(30, event::WaitRelease{{1, 5, 1, 1U}});
  bench.at(40, event::WaitDone{{1, 5, 1, 1U}});
  bench.at(40, event::WaitDone{{2, 6, 1, 1U}});
  CHECK(bench.slices(Lane::kThread, 1) == Words{"10-40 wait F >= 5", "10-40 wait G >= 6"});
  CHECK(bench.instants(Lane::kThread, 1) == Words{"20 released G >= 6", "30 released F >= 5"});
}

TEST_CASE("a wait that sets an event ends when it is satisfied", "[report][rows]") {
  Bench bench;
  bench.add(ObjectKind::kFence, {"F"});
  bench.add(ObjectKind::kThread, {"T"});
  bench.at(10, event::WaitAdd{1, 5, 1, 1U, 0, 0});
  bench.at(30, event::WaitRelease{{1, 5, 1, 1U}});
  CHECK(bench.slices(Lane::kThread, 1) == Words{"10-30 wait F >= 5"});
}

TEST_CASE("a wait whose fence is closed ends with that", "[report][rows]") {
  Bench bench;
  bench.add(ObjectKind::kFence, {"F"});
  bench.add(ObjectKind::kThread, {"T"});
  bench.at(10, event::WaitAdd{1, 5, 1, 1U, 0, 0});
  bench.at(30, event::WaitLetGo{1, 5, 1, 1U});
  CHECK(bench.slices(Lane::kThread, 1) == Words{"10-30 wait F >= 5"});
  CHECK(bench.instants(Lane::kThread, 1) == Words{"30 wait let go F 5"});
}

TEST_CASE("a fault of a link lies on the transfer that it befalls", "[report][rows]") {
  using event::LinkFaultKind;
  using event::TlpKind;
  Bench bench;
  bench.add(ObjectKind::kLink, {"gpu0.up"});
  const auto transfer = [&](TlpKind kind, std::uint64_t begin) {
    bench.at(10, event::PcieTransfer{1, 4, kind, begin, 5});
  };
  transfer(TlpKind::kPostedWrite, 10);
  transfer(TlpKind::kMessageSignaledInterrupt, 15);
  bench.at(10, event::LinkFault{1, LinkFaultKind::kMessageLost, 3, 1, 15});
  bench.at(10, event::LinkFault{1, LinkFaultKind::kReplay, 9, 2, 20});
  transfer(TlpKind::kPostedWrite, 20);
  transfer(TlpKind::kPostedWrite, 25);
  CHECK(bench.slices(Lane::kLink, 1) ==
        Words{"10-15 posted write 4 B", "15-20 MSI-X write: a message is lost 4 B",
              "20-25 posted write: a packet is sent again 4 B", "25-30 posted write 4 B"});
  CHECK(bench.instants(Lane::kLink, 1) ==
        Words{"15 link fault: a message is lost", "20 link fault: a packet is sent again"});
  CHECK(report::style(bench.timeline().slices[1]) == std::string("suspect"));
}

}  // namespace fenceline::report_tests::test_shown_events
