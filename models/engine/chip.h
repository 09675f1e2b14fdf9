#pragma once

#include <cstdint>

#include "models/common/time.h"

namespace fenceline::engine {

/// What of a chip decides how long work runs, where it can stop and what has to be saved then.
/// Every profile of a GPU names a chip; the defaults are those of a GV100.
struct ChipConfig {
  std::uint32_t compute_units = 80;
  std::uint32_t registers_per_unit = 65'536;  ///< of 32 bits
  std::uint32_t shared_memory_per_unit = 98'304;
  std::uint32_t threads_per_unit = 2'048;
  std::uint32_t groups_per_unit = 32;
  std::uint32_t lanes_per_unit = 64;          ///< threads of a unit that execute at once
  std::uint32_t wave_threads = 32;            ///< threads that share a program counter
  std::uint32_t wave_bytes = 128;             ///< saved for a wave beside its registers; A-421
  std::uint64_t clock_hertz = 1'627'000'000;  ///< of units and pipeline
  common::Time instruction_drain = 600 * common::kNanosecond;  ///< A-422

  std::uint32_t primitives_per_clock = 2;
  std::uint32_t triangles_per_clock = 6;
  std::uint32_t pixels_per_clock = 128;
  common::Time geometry_depth = 2 * common::kMicrosecond;  ///< from a primitive to its triangles
  common::Time raster_depth = 500 * common::kNanosecond;   ///< from a triangle to its pixels
  common::Time pixel_depth = 3 * common::kMicrosecond;     ///< from a pixel to memory

  std::uint64_t command_bytes = 65'536;               ///< saved at every boundary inside a buffer
  std::uint64_t geometry_bytes = 8'623'104;           ///< triangles between geometry and raster
  std::uint64_t tile_bytes = 1'048'576;               ///< a tile that is being rasterised
  std::uint64_t cache_bytes = 6'291'456;              ///< of the last level
  std::uint32_t dirty_permille = 500;                 ///< of it, that write-back work leaves; A-424
  std::uint64_t state_mbps = 765'000;                 ///< [MB/s] at which state is saved
  common::Time firmware = 24 * common::kMicrosecond;  ///< a switch that moves nothing
  std::uint32_t firmware_variation = 0;  ///< its coefficient of variation, in thousandths
};

}  // namespace fenceline::engine
