#pragma once

#include <cstdint>

#include "models/common/steps/time.h"

namespace fenceline::memory {

using common::Time;

/// Video memory: interleaved channels, each with its own bandwidth.
struct VramConfig {
  static constexpr const char* kName = "vram";
  std::uint64_t size_bytes = 256ULL << 20;
  std::uint32_t channels = 8;
  std::uint32_t interleave_bytes = 256;
  std::uint64_t channel_mbps = 112'000;      ///< A-30
  Time latency = 300 * common::kNanosecond;  ///< A-31

  template <class V, class T>
  static void keys(V& v, T& t) {
    v.size("size", t.size_bytes, {1 << 20, 1ULL << 40U, 4096}, "Capacity.");
    v.number("channels", t.channels, {1, 64}, "Interleaved memory channels.");
    v.size("interleave", t.interleave_bytes, {64, 1 << 20, 1, true},
           "Bytes per channel before the next channel.");
    v.rate("channel_bandwidth", t.channel_mbps, "Bandwidth per channel.");
    v.duration("latency", t.latency, "Latency from load to use at the pins.");
  }
};

/// Host memory behind the root complex.
struct SystemMemoryConfig {
  static constexpr const char* kName = "system_memory";
  std::uint64_t size_bytes = 1ULL << 30;
  std::uint64_t bandwidth_mbps = 50'000;    ///< A-32
  Time latency = 80 * common::kNanosecond;  ///< A-33

  template <class V, class T>
  static void keys(V& v, T& t) {
    v.size("size", t.size_bytes, {1 << 20, 1ULL << 40U, 4096}, "Capacity.");
    v.rate("bandwidth", t.bandwidth_mbps, "Bandwidth of the whole memory.");
    v.duration("latency", t.latency, "Latency from load to use.");
  }
};

}  // namespace fenceline::memory
