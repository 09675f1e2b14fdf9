#include "models/engine/pipeline.h"

#include <algorithm>

#include "models/engine/grid.h"

namespace fenceline::engine {

using common::Time;
using Level = abi::GraphicsGranularity;

/// Time of a stage that handles `per_clock` items at once, in whole clocks.
Time Pipeline::time_of(std::uint64_t things, std::uint64_t per_clock) const {
  const std::uint64_t clocks = (things + per_clock - 1) / per_clock;
  const double picoseconds = 1e12 / static_cast<double>(chip_.clock_hertz);
  return static_cast<Time>(static_cast<double>(clocks) * picoseconds);
}

Pipeline::Pipeline(const ChipConfig& chip, const abi::WorkPacket& packet)
    : chip_(chip),
      packet_(packet),
      entering_(std::max({primitives(), time_of(primitives(), chip.primitives_per_clock),
                          time_of(packet.triangles, chip.triangles_per_clock),
                          time_of(packet.pixels, chip.pixels_per_clock)}) /
                primitives() * primitives()),
      primitive_(entering_ / primitives()) {}

Time Pipeline::drain(Level level) const {
  switch (level) {
    case Level::kTriangle:
      return chip_.raster_depth + chip_.pixel_depth;
    case Level::kPixel:
      return chip_.pixel_depth;
    case Level::kShader:
      return std::min(chip_.instruction_drain, chip_.pixel_depth);
    default:
      return depth();
  }
}

/// Triangles and pixels of a primitive follow each other at a constant pace.
Time Pipeline::next_of(std::uint64_t things, Time time) const {
  const Time into = time % primitive_;
  const std::uint64_t each = std::max<std::uint64_t>(things / primitives(), 1);
  const Time step = std::max<Time>(primitive_ / each, 1);
  const Time next = each == 1 ? primitive_ : (into + step - 1) / step * step;
  return into == 0 ? time : time - into + std::min(next, primitive_);
}

Time Pipeline::boundary(Level level, Time time) const {
  // The end of a triangle is also the end of a pixel, even if the pixels do not divide evenly.
  Time next = next_of(primitives(), time);
  if (level >= Level::kTriangle) next = std::min(next, next_of(packet_.triangles, time));
  if (level >= Level::kPixel) next = std::min(next, next_of(packet_.pixels, time));
  return next;
}

std::uint64_t Pipeline::state_bytes(Level level) const {
  std::uint64_t bytes = chip_.command_bytes;
  if (level >= Level::kTriangle) bytes += chip_.geometry_bytes;
  if (level >= Level::kPixel) bytes += chip_.tile_bytes;
  if (level < Level::kShader) return bytes;
  // Threads that shade pixels fill the units.
  abi::WorkPacket wave = packet_;
  wave.threads = chip_.wave_threads;
  wave.shared_bytes = 0;
  ChipConfig unlimited = chip_;
  unlimited.groups_per_unit = chip_.threads_per_unit;
  return bytes + group_bytes(chip_, wave) * groups_on_unit(unlimited, wave) * chip_.compute_units;
}

}  // namespace fenceline::engine
