#pragma once

#include "models/top/config.h"
#include "tb/scenario/profiles.h"
#include "tb/scenario/reader.h"

namespace fenceline::scenario {

struct FromProfile {
  static constexpr bool kFromProfile = true;  ///< the schema names no defaults
};

/// Values of a chip, and of a file under scenarios/profiles/chips. T is ChipConfig.
template <class V, class T>
void chip_fields(V& v, T& t) {
  constexpr std::uint64_t kMostState = 1ULL << 30U;
  v.field("compute_units", t.compute_units, IntegerCodec{1, 4096}, "SMs or CUs.");
  v.field("registers_per_unit", t.registers_per_unit, IntegerCodec{1, 1 << 24}, "Of 32 bits.");
  v.field("shared_memory_per_unit", t.shared_memory_per_unit, size(0, 1 << 24),
          "For the groups of a unit.");
  v.field("threads_per_unit", t.threads_per_unit, IntegerCodec{1, 1 << 16}, "Resident ones.");
  v.field("groups_per_unit", t.groups_per_unit, IntegerCodec{1, 4096}, "Resident ones.");
  v.field("lanes_per_unit", t.lanes_per_unit, IntegerCodec{1, 4096},
          "Threads of a unit that execute at once.");
  v.field("wave_threads", t.wave_threads, IntegerCodec{1, 128},
          "Threads that share a program counter.");
  v.field("wave_state", t.wave_bytes, size(0, 1 << 20), "Saved for one beside its registers.");
  v.field("clock", t.clock_hertz, frequency(), "Of units and pipeline.");
  v.field("instruction_drain", t.instruction_drain, duration(),
          "Until the instructions that run have ended.");
  v.field("primitives_per_clock", t.primitives_per_clock, IntegerCodec{1, 4096}, "Taken up.");
  v.field("triangles_per_clock", t.triangles_per_clock, IntegerCodec{1, 4096}, "Set up.");
  v.field("pixels_per_clock", t.pixels_per_clock, IntegerCodec{1, 65536}, "Shaded and stored.");
  v.field("geometry_depth", t.geometry_depth, duration(), "From a primitive to its triangles.");
  v.field("raster_depth", t.raster_depth, duration(), "From a triangle to its pixels.");
  v.field("pixel_depth", t.pixel_depth, duration(), "From a pixel to memory.");
  v.field("command_state", t.command_bytes, size(0, kMostState),
          "Saved wherever work stops inside a buffer.");
  v.field("geometry_state", t.geometry_bytes, size(0, kMostState),
          "And inside a primitive: what lies between geometry and raster.");
  v.field("tile_state", t.tile_bytes, size(0, kMostState), "And inside a triangle.");
  v.field("cache", t.cache_bytes, size(0, kMostState), "Last level.");
  v.field("dirty_permille", t.dirty_permille, IntegerCodec{0, 1000},
          "Of its lines, that written-back work leaves dirty.");
  v.field("state_bandwidth", t.state_mbps, rate(), "At which state is saved and restored.");
  v.field("firmware", t.firmware, duration(), "A switch that moves nothing.");
  v.field("firmware_variation", t.firmware_variation, IntegerCodec{0, 1000},
          "Coefficient of variation of that, in thousandths.");
}

/// The same of an adapter. T is GpuConfig.
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
