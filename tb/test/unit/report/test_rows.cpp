// Rows of contexts, engines, displays and memory in a timeline, and depths of queues.
#include <catch2/catch.hpp>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "tb/test/unit/report/rows_bench.h"

namespace fenceline::report_tests::test_rows {

using common::ObjectKind;
using report::Lane;
using rows_bench::Bench;
using rows_bench::kContext;
using rows_bench::kDispatch;
using rows_bench::kEngine;
using rows_bench::kImage;
using rows_bench::kKernel;
using rows_bench::kQueue;
using rows_bench::kStill;

namespace {

using Words = std::vector<std::string>;

}  // namespace

TEST_CASE("the documentation says where a timeline shows each kind of object", "[report][rows]") {
  std::ifstream file(FENCELINE_SOURCE_DIR "/docs/reference/outputs.md");
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  for (auto kind = std::size_t{1}; kind < static_cast<std::size_t>(ObjectKind::kCount); ++kind) {
    const report::ObjectRows rows = report::rows_of(static_cast<ObjectKind>(kind));
    INFO(rows.kind);
    CHECK(text.find("| " + std::string(rows.kind) + " | " + rows.rows + " |") != std::string::npos);
  }
}

TEST_CASE("a buffer lies on the row of its context and on that of its engine", "[report][rows]") {
  Bench bench;
  bench.begin_buffer();
  bench.at(12, event::PacketBegin{{kKernel, kDispatch, 0, kEngine}});
  bench.at(30, event::PacketEnd{{kKernel, kDispatch, 0, kEngine}});
  bench.at(40, event::BufferEnd{1, 70, 2});
  CHECK(bench.slices(Lane::kQueue, kContext) == Words{"10-40 buffer 7"});
  CHECK(bench.slices(Lane::kEngine, kEngine) ==
        Words{"10-40 buffer 7 of draw (game)", "12-30 DISPATCH draw (game)"});
}

TEST_CASE("work of a hardware queue names the queue on its engine", "[report][rows]") {
  Bench bench;
  bench.begin_buffer();
  bench.at(20, event::BufferEnd{1, 70, 2});
  bench.at(25, event::PacketBegin{{kQueue, kDispatch, 0, kEngine}});
  bench.at(30, event::PacketEnd{{kQueue, kDispatch, 0, kEngine}});
  CHECK(bench.slices(Lane::kEngine, kEngine).back() == "25-30 DISPATCH user");
}

TEST_CASE("draws and dispatches and copies look like work", "[report][rows]") {
  using abi::Opcode;
  const auto style_of = [](Opcode opcode) {
    report::Slice slice;
    slice.detail = static_cast<std::uint64_t>(opcode);
    return std::string(report::style(slice));
  };
  for (const Opcode opcode : {Opcode::kDraw, Opcode::kDispatch, Opcode::kCopy})
    CHECK(style_of(opcode) == "work");
  CHECK(style_of(Opcode::kWait) == "packet");
}

TEST_CASE("a preempted buffer is two slices with the stop and the saved state between",
          "[report][rows]") {
  Bench bench;
  bench.begin_buffer();
  bench.at(20, event::PreemptCall{1, 5, 2});
  bench.at(25, event::BufferStopped{{1, 70, 1234, 2}});
  bench.at(26, event::ContextSaved{{1, 4096, 1, 1, 2, 512}});
  bench.at(28, event::Preempted{1, 5, 0, 2});
  bench.at(40, event::ContextGiven{kContext, 7, 71, 2, 0, 1});
  bench.at(50, event::ContextRestored{{1, 4096, 1, 1, 2, 512}});
  bench.at(50, event::BufferBegin{{1, 71, 1234, 2}});
  CHECK(bench.slices(Lane::kQueue, kContext) ==
        Words{"10-25 buffer 7, preempted between packets", "50-1000 buffer 7 open"});
  CHECK(bench.slices(Lane::kEngine, kEngine).at(1) == "20-28 preemption 5, between packets");
  CHECK(bench.instants(Lane::kEngine, kEngine) ==
        Words{"25 buffer stopped 7", "26 state saved 512 B", "50 state restored 512 B"});
  CHECK(bench.instants(Lane::kQueue, kContext) == Words{"25 buffer stopped 7"});
}

TEST_CASE("work that is preempted says at which level of its granularity", "[report][rows]") {
  using abi::Opcode;
  const auto stops = [](Opcode opcode, abi::Granularity granularity, bool done = false) {
    Bench bench;
    bench.scenario.platform.gpus = {{}};
    bench.scenario.platform.gpus[0].name = "gpu0";
    bench.scenario.platform.gpus[0].preemption.granularity = granularity;
    bench.begin_buffer();
    const auto code = static_cast<std::uint64_t>(opcode);
    bench.at(15, event::PacketBegin{{3, code, 0, kEngine}});
    bench.at(20, event::PreemptCall{1, 5, 2});
    bench.at(25, event::PacketEnd{{3, code, 0, kEngine}});
    if (done) bench.at(25, event::CommandDone{0, 0, 0, 70, 2, 1});
    bench.at(25, event::BufferStopped{{1, 70, 1234, 2}});
    bench.at(28, event::Preempted{1, 5, 0, 2});
    const Words slices = bench.slices(Lane::kEngine, kEngine);
    const std::string& words = slices.back();
    for (const std::string& it : bench.slices(Lane::kQueue, kContext))
      CHECK(it.find(", preempted" + words.substr(words.find(',') + 1)) != std::string::npos);
    return words;
  };
  using Graphics = abi::GraphicsGranularity;
  using Compute = abi::ComputeGranularity;
  const std::string start = "20-28 preemption 5, ";
  CHECK(stops(Opcode::kDraw, {Graphics::kPrimitive, {}}) == start + "at a primitive boundary");
  CHECK(stops(Opcode::kDraw, {Graphics::kTriangle, {}}) == start + "at a triangle boundary");
  CHECK(stops(Opcode::kDraw, {Graphics::kPixel, {}}) == start + "at a pixel boundary");
  CHECK(stops(Opcode::kDraw, {Graphics::kShader, {}}) == start + "at a shader boundary");
  CHECK(stops(Opcode::kDispatch, {{}, Compute::kThreadGroup}) ==
        start + "at a thread group boundary");
  CHECK(stops(Opcode::kDispatch, {{}, Compute::kThread}) == start + "at a thread boundary");
  CHECK(stops(Opcode::kDispatch, {{}, Compute::kShader}) == start + "at a shader boundary");
  CHECK(stops(Opcode::kDraw, {}, true) == start + "between packets");
  CHECK(stops(Opcode::kCopy, {}) == start + "within a packet");
}

TEST_CASE("a preemption without a stop was between buffers and a reset is no preemption",
          "[report][rows]") {
  Bench bench;
  bench.at(20, event::PreemptCall{1, 5, 2});
  bench.at(28, event::Preempted{1, 5, 0, 2});
  CHECK(bench.slices(Lane::kEngine, kEngine) == Words{"20-28 preemption 5, between buffers"});
  Bench reset;
  reset.begin_buffer();
  reset.at(20, event::PreemptCall{1, 5, 2});
  reset.at(25, event::BufferStopped{{1, 70, 1234, 2}});
  reset.at(26, event::HwEngineReset{1, true, 0, 2});
  for (const std::string& it : reset.slices(Lane::kEngine, kEngine))
    CHECK(it.find("preempted") == std::string::npos);
}

TEST_CASE("queues with one name have their process behind it in charts", "[report][rows]") {
  Bench bench;
  bench.add(ObjectKind::kQueue, {"draw"});  // of the other process
  bench.at(1, event::ContextPacket{1, 1, 0, false, 1});
  bench.at(2, event::ContextPacket{4, 1, 0, false, 2});
  bench.at(3, event::CommandRecorded{kQueue, 0, 100});
  Words names;
  for (const report::ValueSeries& it : bench.timeline().series) names.push_back(it.name);
  CHECK(names == Words{"draw (game)", "user", "draw (other)"});
}

TEST_CASE("a reset ends the preemption that an engine did not acknowledge", "[report][rows]") {
  using event::RecoveryStage;
  for (const RecoveryStage stage : {RecoveryStage::kEngineReset, RecoveryStage::kAdapterReset}) {
    Bench bench;
    bench.at(5, event::EngineFault{kQueue, 1, 1});
    bench.at(20, event::PreemptCall{1, 5, 2});
    bench.at(90, event::Recovery{1, RecoveryStage::kTimeout, 5, 2});
    bench.at(95, event::Recovery{1, stage, 70, 2});
    CHECK(bench.slices(Lane::kEngine, kEngine) == Words{"20-95 preemption 5"});
    CHECK(bench.instants(Lane::kEngine, kEngine) == Words{"5 engine hangs", "95 reset"});
  }
}

TEST_CASE("a packet that an engine cannot execute has a mark", "[report][rows]") {
  Bench bench;
  bench.at(5, event::PacketFault{kQueue, 1, 1});
  CHECK(bench.instants(Lane::kEngine, kEngine) == Words{"5 packet cannot be executed"});
}

TEST_CASE("each thread in a DDI has a span of its own", "[report][rows]") {
  Bench bench;
  bench.at(10, event::DdiCall{1, 3, 0}, 1);
  bench.at(20, event::DdiCall{1, 3, 0}, 2);
  bench.at(30, event::DdiReturn{1, 3, 0, 0}, 1);
  bench.at(40, event::DdiReturn{1, 3, 0, 0}, 2);
  CHECK(bench.slices(Lane::kDriver, 1) == Words{"10-30 ddi3", "20-40 ddi3"});
}

TEST_CASE("a buffer that faults ends there", "[report][rows]") {
  Bench bench;
  bench.begin_buffer();
  bench.at(20, event::BufferFaulted{1, 70, 4096, 2, 3});
  CHECK(bench.slices(Lane::kQueue, kContext) == Words{"10-20 buffer 7"});
  CHECK(bench.instants(Lane::kEngine, kEngine) ==
        Words{"20 buffer faulted: a read without translation"});
}

TEST_CASE("a suspended queue has a slice until it may go on", "[report][rows]") {
  using event::QueueStateKind;
  Bench bench;
  bench.at(10, event::QueueState{kQueue, QueueStateKind::kSuspended});
  bench.at(30, event::QueueState{kQueue, QueueStateKind::kReady});
  CHECK(bench.slices(Lane::kQueue, kQueue) == Words{"10-30 suspended"});
}

TEST_CASE("a display has frames and flips in rows of their own", "[report][rows]") {
  Bench bench;
  bench.at(10, event::VerticalSync{1, 4096, 1});
  bench.at(12, event::FlipCall{1, 3, 8192, false});
  bench.at(20, event::FlipEffective{1, 8192, false, 2});
  bench.at(20, event::VerticalSync{1, 8192, 2});
  bench.at(25, event::FlipDone{1, 3, 8192});
  CHECK(bench.slices(Lane::kDisplay, 1) == Words{"10-20 frame 1", "20-1000 frame 2 open"});
  CHECK(bench.slices(Lane::kFlips, 1) == Words{"12-25 flip to image 3"});
  CHECK(bench.instants(Lane::kDisplay, 1) == Words{"20 scan-out changes"});
}

TEST_CASE("charts of memory have what each place holds from the start of the run",
          "[report][rows]") {
  using event::Placement;
  using Points = std::vector<std::pair<std::uint64_t, std::uint64_t>>;
  Bench bench;
  bench.at(0, event::AllocationCreated{kImage, 0, 4096, 0, 1});
  bench.at(0, event::AllocationPlaced{kImage, Placement::kVram, 0, 0});
  bench.at(0, event::AllocationCreated{kStill, 0, 8192, 0, 1});
  bench.at(0, event::AllocationPlaced{kStill, Placement::kVram, 0, 0});
  bench.at(30, event::AllocationPlaced{kImage, Placement::kAperture, 0, 0});
  bench.at(40, event::AllocationDestroyed{kStill, false});
  bench.at(90, event::AllocationPlaced{kImage, Placement::kAperture, 0, 0});
  const std::vector<report::ValueSeries> series = bench.timeline().series;
  REQUIRE(series.size() == 2);  // nothing was ever evicted
  CHECK(series[0].name == "gpu0 managed allocations in a memory segment");
  CHECK(series[0].unit == std::string("bytes"));
  CHECK(series[0].points == Points{{0, 12288}, {30, 8192}, {40, 0}});
  CHECK(series[1].name == "gpu0 managed allocations in the aperture");
  CHECK(series[1].points == Points{{30, 4096}});
  CHECK(bench.slices(Lane::kAllocation, kStill).empty());
}

TEST_CASE("only allocations that move or are locked have a row", "[report][rows]") {
  using event::Placement;
  Bench bench;
  bench.at(10, event::AllocationPlaced{kImage, Placement::kVram, 0, 0});
  bench.at(10, event::AllocationPlaced{kStill, Placement::kVram, 0, 0});
  bench.at(30, event::AllocationPlaced{kImage, Placement::kSystem, 0, 0});
  bench.at(40, event::AllocationLocked{kImage, 0, 0, 0});
  bench.at(50, event::AllocationUnlocked{kImage});
  bench.at(60, event::CacheMaintained{kImage, 0, 64, {}});
  bench.at(70, event::AllocationDestroyed{kImage, false});
  bench.at(80, event::AllocationPlaced{kStill, Placement::kVram, 1, 0});  // its content changed
  CHECK(bench.slices(Lane::kAllocation, kImage) ==
        Words{"10-30 in a memory segment", "30-70 evicted", "40-50 locked"});
  CHECK(bench.instants(Lane::kAllocation, kImage) == Words{"60 caches flushed 64 B"});
  CHECK(bench.slices(Lane::kAllocation, kStill).empty());
}

TEST_CASE("a lock that fails is no slice", "[report][rows]") {
  Bench bench;
  bench.at(40, event::AllocationLocked{kImage, 0xC0000001, 0, 0});
  CHECK(bench.slices(Lane::kAllocation, kImage).empty());
}

TEST_CASE("write-combined stores that leave a core take time", "[report][rows]") {
  Bench bench;
  bench.at(40, event::CombiningDrained{1, {}, 15});
  CHECK(bench.slices(Lane::kCore, 1) == Words{"25-40 write-combined stores leave"});
}

TEST_CASE("the depth of a queue counts commands and that of a context buffers", "[report][rows]") {
  using Points = std::vector<std::pair<std::uint64_t, std::uint64_t>>;
  Bench bench;
  bench.at(1, event::CommandRecorded{kQueue, 0, 100});
  bench.at(2, event::CommandRecorded{kQueue, 0, 200});
  bench.at(3, event::CommandRecorded{kQueue, 0, 300});
  bench.at(10, event::CommandDone{kQueue, 0, 100, 0, 0, 0});
  bench.at(20, event::CommandsDropped{kQueue, 300});
  bench.begin_buffer();
  bench.at(30, event::ContextPacket{kContext, 8, 0, false, 1});
  bench.at(40, event::BufferEnd{1, 70, 2});
  bench.at(50, event::ContextEnded{kContext, 1});
  const std::vector<report::ValueSeries> series = bench.timeline().series;
  REQUIRE(series.size() == 2);
  CHECK(series[0].name == "draw");
  CHECK(series[0].unit == std::string("buffers"));
  CHECK(series[0].points == Points{{0, 0}, {1, 1}, {30, 2}, {40, 1}, {50, 0}});
  CHECK(series[1].name == "user");
  CHECK(series[1].unit == std::string("commands"));
  CHECK(series[1].points == Points{{0, 0}, {1, 1}, {2, 2}, {3, 3}, {10, 2}, {20, 0}});
}

}  // namespace fenceline::report_tests::test_rows
