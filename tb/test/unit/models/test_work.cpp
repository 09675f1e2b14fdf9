#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <rapidcheck.h>

#include "models/engine/work.h"

namespace fenceline::engine::test_work {

namespace {

using abi::ComputeGranularity;
using abi::GraphicsGranularity;
using common::kMicrosecond;
using common::kNanosecond;
using common::Time;

constexpr ComputeGranularity kCompute[]{ComputeGranularity::kBuffer, ComputeGranularity::kDispatch,
                                        ComputeGranularity::kThreadGroup,
                                        ComputeGranularity::kThread, ComputeGranularity::kShader};
constexpr GraphicsGranularity kGraphics[]{
    GraphicsGranularity::kBuffer, GraphicsGranularity::kPrimitive, GraphicsGranularity::kTriangle,
    GraphicsGranularity::kPixel, GraphicsGranularity::kShader};

/// Four units that hold two groups each: eight at once.
ChipConfig small_chip() {
  ChipConfig chip;
  chip.compute_units = 4;
  chip.groups_per_unit = 2;
  return chip;
}

abi::WorkPacket dispatch(std::uint32_t groups, Time mean, std::uint16_t variation = 0) {
  abi::WorkPacket packet{};
  packet.header = {abi::Opcode::kDispatch, 0, sizeof packet};
  packet.duration = mean;
  packet.units = groups;
  packet.threads = 256;
  packet.registers = 32;
  packet.shared_bytes = 4096;
  packet.variation = variation;
  packet.distribution = abi::GroupTimes::kLognormal;
  return packet;
}

abi::WorkPacket draw(std::uint32_t primitives, std::uint64_t triangles, std::uint64_t pixels) {
  abi::WorkPacket packet{};
  packet.header = {abi::Opcode::kDraw, 0, sizeof packet};
  packet.units = primitives;
  packet.triangles = triangles;
  packet.pixels = pixels;
  packet.registers = 40;
  return packet;
}

/// The oracle: what the groups of `grid` from `first` on have run at `time`, group by group.
Time executed(const Grid& grid, std::uint64_t first, Time time) {
  Time sum = 0;
  for (std::uint64_t i = first; i < first + grid.size(); ++i)
    if (grid.start(i) < time) sum += std::min(grid.group_time(i), time - grid.start(i));
  return sum;
}

std::uint64_t running(const Grid& grid, std::uint64_t first, Time time) {
  std::uint64_t count = 0;
  for (std::uint64_t i = first; i < first + grid.size(); ++i)
    if (grid.start(i) < time && grid.start(i) + grid.group_time(i) > time) ++count;
  return count;
}

abi::WorkPacket any_dispatch() {
  auto packet = dispatch(*rc::gen::inRange(1U, 200U), *rc::gen::inRange(1'000ULL, 50'000'000ULL),
                         *rc::gen::element<std::uint16_t>(0, 100, 300, 550, 1000));
  if (packet.variation <= 550 && *rc::gen::arbitrary<bool>())
    packet.distribution = abi::GroupTimes::kUniform;
  packet.threads = *rc::gen::inRange(1U, 1024U);
  packet.registers = *rc::gen::inRange(0U, 64U);
  return packet;
}

abi::WorkPacket any_draw() {
  const std::uint32_t primitives = *rc::gen::inRange(1U, 300U);
  return draw(primitives, primitives * *rc::gen::inRange(1ULL, 50ULL),
              *rc::gen::inRange(0ULL, 3'000'000ULL));
}

/// Any moment of the work, but for its end.
Time moment(Time duration) { return *rc::gen::inRange<Time>(0, duration); }

}  // namespace

TEST_CASE("groups on a unit are as many as its scarcest resource allows", "[engine][work]") {
  const ChipConfig chip;
  auto packet = dispatch(1, 1 * kMicrosecond);
  packet.registers = 0;
  packet.shared_bytes = 0;
  CHECK(groups_on_unit(chip, packet) == 8);  // 2,048 threads
  packet.registers = 64;
  CHECK(groups_on_unit(chip, packet) == 4);  // 65,536 registers
  packet.shared_bytes = 40'000;
  CHECK(groups_on_unit(chip, packet) == 2);  // 98,304 bytes
  packet.threads = 1;
  packet.registers = 1;
  packet.shared_bytes = 0;
  CHECK(groups_on_unit(chip, packet) == 32);  // groups
  packet.shared_bytes = 1U << 20U;
  CHECK(groups_on_unit(chip, packet) == 1);
}

TEST_CASE("a group has its registers by waves its shared memory and its waves saved",
          "[engine][work]") {
  const ChipConfig chip;
  auto packet = dispatch(1, 1 * kMicrosecond);
  packet.threads = 33;
  packet.registers = 10;
  packet.shared_bytes = 100;
  CHECK(group_bytes(chip, packet) == 4 * 64 * 10 + 100 + 2 * chip.wave_bytes);
}

TEST_CASE("a full context is registers and shared memory of all units", "[engine][work]") {
  // Source: GPreempt, context of an A100: 108 times 420 KiB, 44.3 MiB.
  ChipConfig chip;
  chip.compute_units = 108;
  chip.shared_memory_per_unit = 164 << 10;
  chip.wave_bytes = 0;
  auto packet = dispatch(108, 100 * kMicrosecond);
  packet.threads = 1024;
  packet.registers = 64;
  packet.shared_bytes = 164 << 10;
  const Stop stop = Work(packet, {}, chip).stop(ComputeGranularity::kShader, 51 * kMicrosecond);
  CHECK(stop.state_bytes - chip.command_bytes == 108ULL * 420 * 1024);
}

TEST_CASE("groups that take the same time run in waves", "[engine][work]") {
  const Work work(dispatch(20, 10 * kMicrosecond), {}, small_chip());
  CHECK(work.duration() == 30 * kMicrosecond);
  const Stop group = work.stop(ComputeGranularity::kThreadGroup, 12 * kMicrosecond);
  CHECK(group.after == 8 * kMicrosecond);
  CHECK(group.progress.units == 16);
  CHECK(group.progress.into == 0);
  CHECK_FALSE(group.finished);
  // 256 threads, 64 at once: a thread takes a quarter of the time of its group.
  const Stop thread = work.stop(ComputeGranularity::kThread, 11 * kMicrosecond);
  CHECK(thread.after == 1500 * kNanosecond);
  CHECK(thread.progress.into == 12500 * kNanosecond);
  const Stop instruction = work.stop(ComputeGranularity::kShader, 11 * kMicrosecond);
  CHECK(instruction.after == 600 * kNanosecond);
  CHECK(instruction.progress.into == 11 * kMicrosecond);
  CHECK(work.stop(ComputeGranularity::kDispatch, 12 * kMicrosecond).after == 18 * kMicrosecond);
  CHECK(work.stop(ComputeGranularity::kDispatch, 12 * kMicrosecond).finished);
}

TEST_CASE("a coarser boundary has less to save", "[engine][work]") {
  const Work work(dispatch(20, 10 * kMicrosecond), {}, small_chip());
  const std::uint64_t commands = ChipConfig().command_bytes;
  CHECK(work.stop(ComputeGranularity::kThreadGroup, 11 * kMicrosecond).state_bytes == commands);
  CHECK(work.stop(ComputeGranularity::kThread, 11 * kMicrosecond).state_bytes ==
        commands + 8 * (4096 + 8 * 128));
  CHECK(work.stop(ComputeGranularity::kShader, 11 * kMicrosecond).state_bytes ==
        commands + 8 * (4 * 32 * 256 + 4096 + 8 * 128));
  // In the last wave four groups are left.
  CHECK(work.stop(ComputeGranularity::kShader, 21 * kMicrosecond).state_bytes ==
        commands + 4 * (4 * 32 * 256 + 4096 + 8 * 128));
}

TEST_CASE("work without a shape runs as it always did", "[engine][work]") {
  auto packet = dispatch(4, 100 * kMicrosecond);
  packet.threads = 0;
  const Work work(packet, {}, small_chip());
  CHECK(work.duration() == 100 * kMicrosecond);
  CHECK(work.stop(ComputeGranularity::kThreadGroup, 30 * kMicrosecond).after == 20 * kMicrosecond);
  CHECK(work.stop(ComputeGranularity::kShader, 30 * kMicrosecond).after == 0);
  CHECK(work.stop(ComputeGranularity::kShader, 30 * kMicrosecond).state_bytes == 0);
}

TEST_CASE("durations of groups have the mean and the variation that are asked for",
          "[engine][work]") {
  for (const auto distribution : {abi::GroupTimes::kUniform, abi::GroupTimes::kLognormal}) {
    auto packet = dispatch(20'000, 10 * kMicrosecond, 500);
    packet.distribution = distribution;
    const Grid grid(small_chip(), packet, 0, 7);
    double sum = 0;
    double squares = 0;
    for (std::uint64_t i = 0; i < grid.size(); ++i) {
      const auto time = static_cast<double>(grid.group_time(i));
      sum += time;
      squares += time * time;
    }
    const double mean = sum / 20'000;
    CHECK(mean == Approx(1e7).epsilon(0.02));
    CHECK(std::sqrt(squares / 20'000 - mean * mean) / mean == Approx(0.5).epsilon(0.05));
  }
}

TEST_CASE("groups that vary take little longer than the work in them over the slots",
          "[engine][work]") {
  const auto packet = dispatch(4'000, 10 * kMicrosecond, 500);
  const Grid grid(small_chip(), packet, 0, 7);
  Time sum = 0;
  for (std::uint64_t i = 0; i < grid.size(); ++i) sum += grid.group_time(i);
  const double ideal = static_cast<double>(sum) / 8;
  CHECK(static_cast<double>(grid.length()) > 0.97 * ideal);
  CHECK(static_cast<double>(grid.length()) < 1.05 * ideal);
}

TEST_CASE("a grid agrees with a look at every group", "[engine][work]") {
  CHECK(rc::check("started, running and drained", [] {
    const auto packet = any_dispatch();
    const auto first = *rc::gen::inRange<std::uint64_t>(0, packet.units);
    const Grid grid(small_chip(), packet, first, 3);
    const Time time = moment(grid.length());
    std::uint64_t started = 0;
    Time last = time;
    Time end = 0;
    for (std::uint64_t i = first; i < first + grid.size(); ++i) {
      end = std::max(end, grid.start(i) + grid.group_time(i));
      if (i > first) RC_ASSERT(grid.start(i) >= grid.start(i - 1));
      if (grid.start(i) >= time) continue;
      ++started;
      last = std::max(last, grid.start(i) + grid.group_time(i));
    }
    RC_ASSERT(grid.started(time) == started);
    RC_ASSERT(grid.residents(time) == std::min(running(grid, first, time), grid.slots()));
    RC_ASSERT(grid.drain(time) == last - time);
    RC_ASSERT(grid.length() == end);
  }));
}

TEST_CASE("every group runs once and to its end whatever stops the dispatch", "[engine][work]") {
  CHECK(rc::check("work is conserved", [] {
    const auto packet = any_dispatch();
    const ChipConfig chip = small_chip();
    Time done = 0;
    Progress at;
    for (int stops = 0; stops < 30; ++stops) {
      const Work work(packet, at, chip, 5);
      const Grid grid = work.grid();
      if (work.duration() == 0) break;
      const ComputeGranularity level = *rc::gen::elementOf(
          std::vector<ComputeGranularity>(std::begin(kCompute), std::end(kCompute)));
      const Time elapsed = moment(work.duration());
      const Stop stop = work.stop(level, elapsed);
      const Time before = executed(grid, at.units, at.into);
      const bool drained = stop.progress.units != at.units || stop.finished;
      const Time ran = drained ? executed(grid, at.units, at.into + elapsed) : 0;
      RC_ASSERT(stop.progress.units >= at.units);
      if (!drained) RC_ASSERT(stop.progress.into >= at.into);
      if (drained) {
        // Those that ran come to their ends, and no other begins unless the work ends.
        for (std::uint64_t i = at.units; i < stop.progress.units; ++i) done += grid.group_time(i);
        done -= before;
        RC_ASSERT(done >= ran - before);
      } else {
        done += executed(grid, at.units, stop.progress.into) - before;
      }
      at = stop.progress;
      if (stop.finished) break;
    }
    const Work rest(packet, at, chip, 5);
    const Grid grid = rest.grid();
    done += executed(grid, at.units, grid.length() + 1) - executed(grid, at.units, at.into);
    Time all = 0;
    const Work fresh(packet, {}, chip, 5);
    for (std::uint64_t i = 0; i < packet.units; ++i) all += fresh.grid().group_time(i);
    RC_ASSERT(done == all);
  }));
}

TEST_CASE("a finer level stops no later", "[engine][work]") {
  CHECK(rc::check("of a dispatch", [] {
    const auto packet = any_dispatch();
    const Work work(packet, {}, small_chip(), 9);
    const Time elapsed = moment(work.duration());
    Time coarser = work.duration();
    for (const ComputeGranularity level : kCompute) {
      const Stop stop = work.stop(level, elapsed);
      RC_ASSERT(stop.after <= coarser);
      coarser = stop.after;
    }
  }));
  CHECK(rc::check("of a draw", [] {
    const Work work(any_draw());
    const Time elapsed = moment(work.duration());
    Time coarser = work.duration();
    for (const GraphicsGranularity level : kGraphics) {
      const Stop stop = work.stop(level, elapsed);
      RC_ASSERT(stop.after <= coarser);
      coarser = stop.after;
    }
  }));
}

TEST_CASE("a draw takes the time of its slowest stage and the depth of the pipeline",
          "[engine][work]") {
  ChipConfig chip;
  chip.clock_hertz = 1'000'000'000;
  const Time depth = chip.geometry_depth + chip.raster_depth + chip.pixel_depth;
  CHECK(Work(draw(10, 60, 128'000), {}, chip).duration() ==
        1 * kMicrosecond + depth);  // 128 pixels a clock
  CHECK(Work(draw(10, 12'000, 0), {}, chip).duration() == 2 * kMicrosecond + depth);  // 6 triangles
}

TEST_CASE("a draw stops at the boundary of its level", "[engine][work]") {
  ChipConfig chip;
  chip.clock_hertz = 1'000'000'000;
  // Ten primitives of 10 us, ten triangles each, of 1 us and 128,000 pixels.
  const Work work(draw(10, 100, 12'800'000), {}, chip);
  const Stop primitive = work.stop(GraphicsGranularity::kPrimitive, 14200 * kNanosecond);
  CHECK(primitive.after == 5800 * kNanosecond + 5500 * kNanosecond);
  CHECK(primitive.progress.units == 2);
  CHECK(primitive.progress.into == 0);
  const Stop triangle = work.stop(GraphicsGranularity::kTriangle, 14200 * kNanosecond);
  CHECK(triangle.after == 800 * kNanosecond + 3500 * kNanosecond);
  CHECK(triangle.progress.into == 15 * kMicrosecond);
  const Stop pixel = work.stop(GraphicsGranularity::kPixel, 14200 * kNanosecond);
  CHECK(pixel.after <= 1 * kNanosecond + 3 * kMicrosecond);
  const Stop shader = work.stop(GraphicsGranularity::kShader, 14200 * kNanosecond);
  CHECK(shader.after == 600 * kNanosecond);
  CHECK(shader.progress.into == 14200 * kNanosecond);
  CHECK(primitive.state_bytes < triangle.state_bytes);
  CHECK(triangle.state_bytes < pixel.state_bytes);
  CHECK(pixel.state_bytes < shader.state_bytes);
  // What was stopped has the pipeline to fill again.
  CHECK(Work(draw(10, 100, 12'800'000), primitive.progress, chip).duration() ==
        85500 * kNanosecond);
  CHECK(Work(draw(10, 100, 12'800'000), shader.progress, chip).duration() ==
        work.duration() - 14200 * kNanosecond);
}

TEST_CASE("a draw gets further with every stop", "[engine][work]") {
  CHECK(rc::check("and comes to its end", [] {
    const auto packet = any_draw();
    Progress at;
    for (int stops = 0; stops < 30; ++stops) {
      const Work work(packet, at);
      const Time elapsed = moment(work.duration());
      const Stop stop = work.stop(*rc::gen::elementOf(std::vector<GraphicsGranularity>(
                                      std::begin(kGraphics), std::end(kGraphics))),
                                  elapsed);
      if (stop.finished) return;
      const Time rest = Work(packet, stop.progress).duration();
      // No pixel is lost: at most the pipeline is filled again; none is done without time.
      RC_ASSERT(rest <= work.duration());
      RC_ASSERT(rest + elapsed + stop.after >= work.duration());
      at = stop.progress;
    }
  }));
}

TEST_CASE("a switch costs firmware and the dirty lines of work that is written back",
          "[engine][work]") {
  ChipConfig chip = small_chip();
  chip.firmware = 20 * kMicrosecond;
  chip.state_mbps = 1'000;
  chip.cache_bytes = 2'000;
  chip.dirty_permille = 500;
  auto packet = dispatch(20, 10 * kMicrosecond);
  CHECK(Work(packet, {}, chip).stop(ComputeGranularity::kShader, 5 * kMicrosecond).overhead ==
        20 * kMicrosecond);
  packet.write_bytes = 400;
  CHECK(Work(packet, {}, chip).stop(ComputeGranularity::kShader, 5 * kMicrosecond).overhead ==
        20400 * kNanosecond);
  packet.write_bytes = 1ULL << 30U;
  CHECK(Work(packet, {}, chip).stop(ComputeGranularity::kShader, 5 * kMicrosecond).overhead ==
        21 * kMicrosecond);
  packet.header.flags = abi::kWriteThrough;
  CHECK(Work(packet, {}, chip).stop(ComputeGranularity::kShader, 5 * kMicrosecond).overhead ==
        20 * kMicrosecond);
  CHECK(Work(packet, {}, chip).stop(ComputeGranularity::kDispatch, 5 * kMicrosecond).overhead == 0);
}

TEST_CASE("firmware varies as the chip says and the same each time", "[engine][work]") {
  ChipConfig chip = small_chip();
  chip.firmware_variation = 100;
  const Work work(dispatch(8, 1000 * kMicrosecond), {}, chip, 4);
  double sum = 0;
  double squares = 0;
  for (Time at = 1; at <= 1'000; ++at) {
    const Time took = work.stop(ComputeGranularity::kShader, at * 100 * kNanosecond).overhead;
    CHECK(took == Work(dispatch(8, 1000 * kMicrosecond), {}, chip, 4)
                      .stop(ComputeGranularity::kShader, at * 100 * kNanosecond)
                      .overhead);
    sum += static_cast<double>(took);
    squares += static_cast<double>(took) * static_cast<double>(took);
  }
  const double mean = sum / 1'000;
  CHECK(mean == Approx(static_cast<double>(chip.firmware)).epsilon(0.02));
  CHECK(std::sqrt(squares / 1'000 - mean * mean) / mean == Approx(0.1).epsilon(0.1));
}

TEST_CASE("a dispatch of many groups is stopped as quickly as one of few", "[engine][work]") {
  const ChipConfig chip = small_chip();
  const Work work(dispatch(2'000'000'000, 10 * kMicrosecond, 500), {}, chip, 1);
  Time sum = 0;
  for (Time i = 0; i < 1'000; ++i)
    sum += work.stop(ComputeGranularity::kThreadGroup, work.duration() / 1'001 * (i + 1)).after;
  CHECK(sum > 0);
}

}  // namespace fenceline::engine::test_work
