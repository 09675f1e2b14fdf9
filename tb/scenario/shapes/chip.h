#pragma once

#include "models/top/config.h"
#include "tb/scenario/profiles.h"
#include "tb/scenario/shapes/reader.h"

namespace fenceline::scenario {

struct FromProfile {
  static constexpr bool kFromProfile = true;  ///< the schema has no defaults
};

/// Fields of a chip, and of a file under scenarios/profiles/chips. T is ChipConfig.
template <class V, class T>
void chip_fields(V& v, T& t) {
  constexpr std::uint64_t kMaxState = 1ULL << 30U;
  v.field("compute_units", t.compute_units, IntegerCodec{1, 4096}, "SMs or CUs.");
  v.field("registers_per_unit", t.registers_per_unit, IntegerCodec{1, 1 << 24},
          "32-bit registers per unit.");
  v.field("shared_memory_per_unit", t.shared_memory_per_unit, size(0, 1 << 24),
          "Shared memory per unit.");
  v.field("threads_per_unit", t.threads_per_unit, IntegerCodec{1, 1 << 16},
          "Resident threads per unit.");
  v.field("groups_per_unit", t.groups_per_unit, IntegerCodec{1, 4096}, "Resident groups per unit.");
  v.field("lanes_per_unit", t.lanes_per_unit, IntegerCodec{1, 4096},
          "Threads per unit that execute at the same time.");
  v.field("wave_threads", t.wave_threads, IntegerCodec{1, 128},
          "Threads that share a program counter.");
  v.field("wave_state", t.wave_bytes, size(0, 1 << 20), "State per wave without its registers.");
  v.field("clock", t.clock_hertz, frequency(), "Clock of units and pipeline.");
  v.field("instruction_drain", t.instruction_drain, duration(),
          "Time until running instructions have ended.");
  v.field("primitives_per_clock", t.primitives_per_clock, IntegerCodec{1, 4096},
          "Primitives accepted per clock.");
  v.field("triangles_per_clock", t.triangles_per_clock, IntegerCodec{1, 4096},
          "Triangles set up per clock.");
  v.field("pixels_per_clock", t.pixels_per_clock, IntegerCodec{1, 65536},
          "Pixels shaded and stored per clock.");
  v.field("geometry_depth", t.geometry_depth, duration(),
          "Time from a primitive to its triangles.");
  v.field("raster_depth", t.raster_depth, duration(), "Time from a triangle to its pixels.");
  v.field("pixel_depth", t.pixel_depth, duration(), "Time from a pixel to memory.");
  v.field("command_state", t.command_bytes, size(0, kMaxState),
          "State saved at every stop inside a buffer.");
  v.field("geometry_state", t.geometry_bytes, size(0, kMaxState),
          "Additional state inside a primitive: data between geometry and raster.");
  v.field("tile_state", t.tile_bytes, size(0, kMaxState), "Additional state inside a triangle.");
  v.field("cache", t.cache_bytes, size(0, kMaxState), "Size of the last-level cache.");
  v.field("dirty_permille", t.dirty_permille, IntegerCodec{0, 1000},
          "Share of cache lines that write-back work leaves dirty, in thousandths.");
  v.field("state_bandwidth", t.state_mbps, rate(), "Bandwidth of state saves and restores.");
  v.field("firmware", t.firmware, duration(), "Time of a context switch that moves no state.");
  v.field("firmware_variation", t.firmware_variation, IntegerCodec{0, 1000},
          "Coefficient of variation of the time of a context switch, in thousandths.");
}

/// The same fields for an adapter. T is GpuConfig.
struct ChipShape : FromProfile {
  using Type = top::GpuConfig;
  static constexpr const char* kName = "chip";
  template <class V, class T>
  static void fields(V& v, T& t) {
    v.field("profile", t.chip_profile, WordCodec{profile_names("chips")},
            "Values that are not given here come from this profile.");
    v.on_read(t, [](auto& target) { load_chip_profile(target.chip_profile, target.chip); });
    chip_fields(v, t.chip);
  }
};

struct ChipProfileShape : FromProfile {
  using Type = engine::ChipConfig;
  static constexpr const char* kName = "chip_profile";
  template <class V, class T>
  static void fields(V& v, T& t) {
    chip_fields(v, t);
  }
};

}  // namespace fenceline::scenario
