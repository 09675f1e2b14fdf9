#pragma once

#include <algorithm>
#include <cstdint>
#include <systemc>

#include "models/common/steps.h"

namespace fenceline::common {

/// What time stamps the log entries of a GPU carry.
enum class LogTimestamps : std::uint8_t {
  kCounted,   ///< the counter when the entry is written
  kSkipped,   ///< 0 in every second entry, as where a linked adapter leaves the write out
  kRepeated,  ///< the counter in coarse steps, so that entries share a time
  kBackwards  ///< broken: every second entry is older than the one before
};

/// How the counter of a GPU runs.
struct GpuClockConfig {
  std::uint64_t hertz = 100'000'000;  ///< [Hz] that the device reports; divides 10^12
  std::uint64_t start = 0;            ///< [ticks] when the simulation begins
  std::uint64_t fast_ppm = 0;         ///< how much faster it really runs, in millionths
  LogTimestamps log_timestamps = LogTimestamps::kCounted;
};

/// The GPU's timestamp counter. Never 0, so that 0 can mean "no timestamp".
class GpuClock {
 public:
  GpuClock(const Steps& steps, const GpuClockConfig& config)
      : steps_(steps), config_(config), period_(kSecond / config.hertz) {}

  std::uint64_t hertz() const { return config_.hertz; }
  /// Counter now; while exploring it stands still, as time does.
  std::uint64_t ticks() const {
    const std::uint64_t elapsed = steps_.simulated() / period_;
    return 1 + config_.start + elapsed + elapsed * config_.fast_ppm / kMillion;
  }
  /// Time stamp for the log entry with that index.
  std::uint64_t log_timestamp(std::uint32_t index) const {
    constexpr std::uint64_t kCoarse = 1024;
    const std::uint64_t now = ticks();
    switch (config_.log_timestamps) {
      case LogTimestamps::kCounted:
        return now;
      case LogTimestamps::kSkipped:
        return index % 2 == 0 ? now : 0;
      case LogTimestamps::kRepeated:
        return std::max<std::uint64_t>(1, now / kCoarse * kCoarse);
      case LogTimestamps::kBackwards:
        break;
    }
    return index % 2 == 0 ? now : std::max<std::uint64_t>(1, now / 2);
  }

 private:
  static constexpr std::uint64_t kMillion = 1'000'000;

  const Steps& steps_;
  const GpuClockConfig config_;
  Time period_;
};

}  // namespace fenceline::common
