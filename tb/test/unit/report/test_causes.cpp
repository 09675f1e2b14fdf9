// Places of the scenario that slices and instants come from.
#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "models/abi/packets.h"
#include "tb/report/record.h"
#include "tb/report/rows/timeline_builder.h"
#include "tb/scenario/loader.h"

namespace fenceline::report::test_causes {

using common::ObjectKind;

namespace {

constexpr const char* kText = R"({
  "schema_version": 1, "name": "places",
  "processes": [{
    "name": "app",
    "fences": [{"name": "F"}],
    "queues": [
      {"name": "q", "engine": "gfx0"}]
  }],
  "programs": [
    {"thread": "T", "steps": [
      {"repeat": {"count": 2, "counter": "i", "steps": [
        {"submit": {"queue": "q", "commands": [
          {"repeat": {"count": "${i}+1", "commands": [
            {"dispatch": {"duration": "1us"}}]}},
          {"signal": {"fence": "F", "value": 1}}]}}]}},
      {"wait": {"fence": "F", "value": 1}}]}],
  "expect": {}
})";
constexpr std::uint32_t kRepeatLine = 11, kSubmitLine = 12, kDispatchLine = 14, kSignalLine = 15,
                        kWaitLine = 16;

/// A run of that scenario by hand.
struct Bench {
  Bench() : scenario(scenario::load_text(kText, "places.json")) {
    stream.set_clock([](const void* bench) { return static_cast<const Bench*>(bench)->now; }, this);
    stream.add_object(ObjectKind::kThread, "T");
    stream.add_object(ObjectKind::kQueue, "q");
    stream.add_object(ObjectKind::kFence, "F");
    record.attach(stream);
    by(event::ThreadState{1, event::ThreadStateKind::kRunning});
  }
  template <class E>
  void by(const E& event, common::AgentId agent = kThread) {
    ++now;
    stream.emit(agent, event);
  }
  void step() { by(event::ThreadStep{1, steps++}); }
  void command() {
    by(event::ThreadCommand{1, 1});
    by(event::CommandRecorded{1, 0, end += 64});
  }
  /// The queue comes to its next packet.
  void run_packet() {
    by(event::PacketBegin{{1, 5, 0, 0}}, kDevice);
    by(event::PacketEnd{{1, 5, 0, 0}}, kDevice);
    by(event::CommandDone{1, 0, done += 64, 0, 0, 0}, kDevice);
  }
  Timeline timeline() {
    record.names = Names::capture(stream);
    return build_timeline(record.recorder, record.names, 1000, &scenario);
  }
  /// Lines of the packets.
  std::vector<std::uint32_t> packets() {
    std::vector<std::uint32_t> lines;
    const Timeline all = timeline();
    for (const Slice& it : all.slices)
      if (it.kind == SliceKind::kPacket)
        lines.push_back(it.place == 0 ? 0 : all.places.at(it.place - 1).line);
    return lines;
  }

  static constexpr common::AgentId kThread = 3, kDevice = 7;
  scenario::Scenario scenario;
  std::uint64_t now = 0, steps = 0, end = 0, done = 0;
  common::EventStream stream;
  Record record;
};

}  // namespace

TEST_CASE("packets come from the lines of their commands in each round", "[report][causes]") {
  Bench bench;
  bench.step();  // the repeat
  for (int round = 0; round < 2; ++round) {
    bench.step();
    for (int i = 0; i < round + 2; ++i) bench.command();
    bench.by(event::ThreadStepEnd{1});
  }
  for (int i = 0; i < 5; ++i) bench.run_packet();
  CHECK(bench.packets() == std::vector<std::uint32_t>{kDispatchLine, kSignalLine, kDispatchLine,
                                                      kDispatchLine, kSignalLine});
}

TEST_CASE("a wait of a thread and its release come from the line of its step", "[report][causes]") {
  Bench bench;
  bench.step();
  for (int round = 0; round < 2; ++round) {
    bench.step();
    bench.by(event::ThreadStepEnd{1});
  }
  bench.step();
  bench.by(event::WaitAdd{1, 1, 1, event::ThreadId{1}, 0, 0});
  bench.by(event::WaitRelease{1, 1, 1, event::ThreadId{1}}, Bench::kDevice);
  bench.by(event::WaitDone{1, 1, 1, event::ThreadId{1}}, Bench::kDevice);
  const Timeline timeline = bench.timeline();
  REQUIRE(timeline.instants.size() == 1);
  CHECK(timeline.places.at(timeline.instants[0].place - 1).line == kWaitLine);
  std::size_t waits = 0;
  for (const Slice& it : timeline.slices) {
    if (it.kind == SliceKind::kCpuWait) ++waits;
    if (it.kind == SliceKind::kCpuWait) CHECK(it.place == timeline.instants[0].place);
    if (it.kind == SliceKind::kRunning) CHECK(it.place == 0);
  }
  CHECK(waits == 1);
}

TEST_CASE("places name the objects of a scenario and what they hold", "[report][causes]") {
  Bench bench;
  std::vector<std::pair<std::uint32_t, std::string>> found;
  for (const ScenarioPlace& it : bench.timeline().places) found.emplace_back(it.line, it.object);
  const std::vector<std::pair<std::uint32_t, std::string>> expected{
      {3, ""},           {5, "F"},          {7, "q"}, {10, "T"},
      {kRepeatLine, ""}, {kSubmitLine, ""}, {13, ""}, {kDispatchLine, ""},
      {kSignalLine, ""}, {kWaitLine, ""}};
  CHECK(found == expected);
}

TEST_CASE("a timeline without its scenario has no places", "[report][causes]") {
  Bench bench;
  bench.step();
  bench.command();
  bench.run_packet();
  bench.record.names = Names::capture(bench.stream);
  const Timeline timeline = build_timeline(bench.record.recorder, bench.record.names, 1000);
  CHECK(timeline.places.empty());
  for (const Slice& it : timeline.slices) CHECK(it.place == 0);
}

}  // namespace fenceline::report::test_causes
