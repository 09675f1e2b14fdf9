#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <optional>

namespace fenceline::campaign {

/// Time in which failures are shrunk. It is divided evenly among those that are left.
class ShrinkTime {
 public:
  using Clock = std::chrono::steady_clock;
  using Time = std::chrono::milliseconds;

  /// @param time for all of them; none: no limit. @param failures number of them
  ShrinkTime(std::optional<Time> time, std::size_t failures, Clock::time_point now)
      : limited_(time.has_value()), end_(now + time.value_or(Time::zero())), left_(failures) {}

  /// For the next failure; none: no limit.
  std::optional<Time> next(Clock::time_point now) {
    if (!limited_) return std::nullopt;
    const auto rest = std::max(end_ - now, Clock::duration::zero());
    const std::size_t failures = left_ > 1 ? left_-- : 1;
    return std::chrono::duration_cast<Time>(rest) / failures;
  }

 private:
  const bool limited_;
  const Clock::time_point end_;
  std::size_t left_;
};

}  // namespace fenceline::campaign
