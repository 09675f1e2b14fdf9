#pragma once

#include <cstdint>

#include "models/common/time.h"

namespace fenceline::memory {

using common::Time;

/// Video memory: interleaved channels, each with its own bandwidth.
struct VramConfig {
  std::uint64_t size_bytes = 256ULL << 20;  ///< [bytes] a multiple of 4 KiB
  std::uint32_t channels = 8;               ///< 1 to 64
  std::uint32_t interleave_bytes =
      256;  ///< [bytes] per channel before the next channel; a power of two
  std::uint64_t channel_mbps = 112'000;      ///< [MB/s] per channel; assumption A-30
  Time latency = 300 * common::kNanosecond;  ///< from load to use at the pins; A-31
};

/// Host memory behind the root complex.
struct SystemMemoryConfig {
  std::uint64_t size_bytes = 1ULL << 30;    ///< [bytes] a multiple of 4 KiB
  std::uint64_t bandwidth_mbps = 50'000;    ///< [MB/s]; A-32
  Time latency = 80 * common::kNanosecond;  ///< A-33
};

}  // namespace fenceline::memory
