#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <systemc>

#include "models/abi/keys.h"
#include "models/common/steps/steps.h"

namespace fenceline::common {

/// Kind of timestamps in the log entries of a GPU.
enum class LogTimestamps : std::uint8_t {
  kCounted,   ///< the counter at the write of the entry
  kSkipped,   ///< 0 in every second entry, like linked adapters that omit the write
  kRepeated,  ///< the counter in coarse steps: several entries share a time
  kBackwards  ///< broken: every second entry is older than the one before it
};
constexpr std::array<abi::Choice<LogTimestamps>, 4> kLogTimestamps{
    {{"counted", LogTimestamps::kCounted},
     {"skipped", LogTimestamps::kSkipped},
     {"repeated", LogTimestamps::kRepeated},
     {"backwards", LogTimestamps::kBackwards}}};

/// Parameters of a GPU's counter.
struct GpuClockConfig {
  std::uint64_t hertz = 100'000'000;  ///< divides 10^12
  std::uint64_t start = 0;
  std::uint64_t fast_ppm = 0;
  LogTimestamps log_timestamps = LogTimestamps::kCounted;

  template <class V, class T>
  static void keys(V& v, T& t) {
    v.frequency("clock", t.hertz, "Frequency of the timestamp counter.");
    v.number("clock_start", t.start, {0},
             "Timestamp counter at the start of the simulation, in ticks.");
    v.number("clock_fast_ppm", t.fast_ppm, {0, 10'000},
             "Deviation of the counter's real frequency from the reported one, in millionths.");
    v.choice("log_timestamps", t.log_timestamps, kLogTimestamps, "Timestamps in the log entries.");
  }
};

/// The GPU's timestamp counter. It is never 0, because 0 means "no timestamp".
class GpuClock {
 public:
  GpuClock(const Steps& steps, const GpuClockConfig& config)
      : steps_(steps), config_(config), period_(kSecond / config.hertz) {}

  std::uint64_t hertz() const { return config_.hertz; }
  /// Counter now. While exploring, it stands still like simulated time.
  std::uint64_t ticks() const {
    const std::uint64_t elapsed = steps_.simulated() / period_;
    return 1 + config_.start + elapsed + elapsed * config_.fast_ppm / kMillion;
  }
  /// Timestamp for the log entry with that index.
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
