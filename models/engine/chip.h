#pragma once

#include <cstdint>

#include "models/common/steps/time.h"

namespace fenceline::engine {

/// Chip parameters that decide how long work runs, where it can stop and how much state must be
/// saved. Every GPU profile names a chip. The defaults are a GV100.
struct ChipConfig {
  std::uint32_t compute_units = 80;
  std::uint32_t registers_per_unit = 65'536;
  std::uint32_t shared_memory_per_unit = 98'304;
  std::uint32_t threads_per_unit = 2'048;
  std::uint32_t groups_per_unit = 32;
  std::uint32_t lanes_per_unit = 64;
  std::uint32_t wave_threads = 32;
  std::uint32_t wave_bytes = 128;  ///< A-421
  std::uint64_t clock_hertz = 1'627'000'000;
  common::Time instruction_drain = 600 * common::kNanosecond;  ///< A-422

  std::uint32_t primitives_per_clock = 2;
  std::uint32_t triangles_per_clock = 6;
  std::uint32_t pixels_per_clock = 128;
  common::Time geometry_depth = 2 * common::kMicrosecond;
  common::Time raster_depth = 500 * common::kNanosecond;
  common::Time pixel_depth = 3 * common::kMicrosecond;

  std::uint64_t command_bytes = 65'536;
  std::uint64_t geometry_bytes = 8'623'104;
  std::uint64_t tile_bytes = 1'048'576;
  std::uint64_t cache_bytes = 6'291'456;
  std::uint32_t dirty_permille = 500;  ///< A-424
  std::uint64_t state_mbps = 765'000;
  common::Time firmware = 24 * common::kMicrosecond;
  std::uint32_t firmware_variation = 0;

  template <class V, class T>
  static void keys(V& v, T& t) {
    constexpr std::uint64_t kMaxState = 1ULL << 30U;
    v.number("compute_units", t.compute_units, {1, 4096}, "SMs or CUs.");
    v.number("registers_per_unit", t.registers_per_unit, {1, 1 << 24},
             "32-bit registers per unit.");
    v.size("shared_memory_per_unit", t.shared_memory_per_unit, {0, 1 << 24},
           "Shared memory per unit.");
    v.number("threads_per_unit", t.threads_per_unit, {1, 1 << 16}, "Resident threads per unit.");
    v.number("groups_per_unit", t.groups_per_unit, {1, 4096}, "Resident groups per unit.");
    v.number("lanes_per_unit", t.lanes_per_unit, {1, 4096},
             "Threads per unit that execute at the same time.");
    v.number("wave_threads", t.wave_threads, {1, 128}, "Threads that share a program counter.");
    v.size("wave_state", t.wave_bytes, {0, 1 << 20}, "State per wave without its registers.");
    v.frequency("clock", t.clock_hertz, "Clock of units and pipeline.");
    v.duration("instruction_drain", t.instruction_drain,
               "Time until running instructions have ended.");
    v.number("primitives_per_clock", t.primitives_per_clock, {1, 4096},
             "Primitives accepted per clock.");
    v.number("triangles_per_clock", t.triangles_per_clock, {1, 4096},
             "Triangles set up per clock.");
    v.number("pixels_per_clock", t.pixels_per_clock, {1, 65536},
             "Pixels shaded and stored per clock.");
    v.duration("geometry_depth", t.geometry_depth, "Time from a primitive to its triangles.");
    v.duration("raster_depth", t.raster_depth, "Time from a triangle to its pixels.");
    v.duration("pixel_depth", t.pixel_depth, "Time from a pixel to memory.");
    v.size("command_state", t.command_bytes, {0, kMaxState},
           "State saved at every stop inside a buffer.");
    v.size("geometry_state", t.geometry_bytes, {0, kMaxState},
           "Additional state inside a primitive: data between geometry and raster.");
    v.size("tile_state", t.tile_bytes, {0, kMaxState}, "Additional state inside a triangle.");
    v.size("cache", t.cache_bytes, {0, kMaxState}, "Size of the last-level cache.");
    v.number("dirty_permille", t.dirty_permille, {0, 1000},
             "Share of cache lines that write-back work leaves dirty, in thousandths.");
    v.rate("state_bandwidth", t.state_mbps, "Bandwidth of state saves and restores.");
    v.duration("firmware", t.firmware, "Time of a context switch that moves no state.");
    v.number("firmware_variation", t.firmware_variation, {0, 1000},
             "Coefficient of variation of the time of a context switch, in thousandths.");
  }
};

}  // namespace fenceline::engine
