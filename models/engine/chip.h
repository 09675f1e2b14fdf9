#pragma once

#include <cstdint>

#include "models/common/time.h"

namespace fenceline::engine {

/// Chip parameters that decide how long work runs, where it can stop and how much state must be
/// saved. Every GPU profile names a chip. The defaults are a GV100.
struct ChipConfig {
  std::uint32_t compute_units = 80;
  std::uint32_t registers_per_unit = 65'536;  ///< 32-bit registers
  std::uint32_t shared_memory_per_unit = 98'304;
  std::uint32_t threads_per_unit = 2'048;
  std::uint32_t groups_per_unit = 32;
  std::uint32_t lanes_per_unit = 64;          ///< threads per unit that execute at the same time
  std::uint32_t wave_threads = 32;            ///< threads that share a program counter
  std::uint32_t wave_bytes = 128;             ///< saved per wave without its registers; A-421
  std::uint64_t clock_hertz = 1'627'000'000;  ///< clock of units and pipeline
  common::Time instruction_drain = 600 * common::kNanosecond;  ///< A-422

  std::uint32_t primitives_per_clock = 2;
  std::uint32_t triangles_per_clock = 6;
  std::uint32_t pixels_per_clock = 128;
  common::Time geometry_depth = 2 * common::kMicrosecond;  ///< from a primitive to its triangles
  common::Time raster_depth = 500 * common::kNanosecond;   ///< from a triangle to its pixels
  common::Time pixel_depth = 3 * common::kMicrosecond;     ///< from a pixel to memory

  std::uint64_t command_bytes = 65'536;      ///< saved at every stop inside a buffer
  std::uint64_t geometry_bytes = 8'623'104;  ///< triangles between geometry and raster
  std::uint64_t tile_bytes = 1'048'576;      ///< a tile in rasterisation
  std::uint64_t cache_bytes = 6'291'456;     ///< last-level cache
  std::uint32_t dirty_permille = 500;        ///< dirty share of it after write-back work; A-424
  std::uint64_t state_mbps = 765'000;        ///< [MB/s] rate of state saves
  common::Time firmware = 24 * common::kMicrosecond;  ///< cost of a switch without state
  std::uint32_t firmware_variation = 0;  ///< coefficient of variation of `firmware`, in thousandths
};

}  // namespace fenceline::engine
