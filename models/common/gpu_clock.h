#pragma once

#include <cstdint>
#include <systemc>

#include "models/common/steps.h"

namespace fenceline::common {

/// The GPU's timestamp counter. Never 0, so that 0 can mean "no timestamp".
class GpuClock {
 public:
  /// @param hertz divides 10^12: periods are whole picoseconds.
  GpuClock(const Steps& steps, std::uint64_t hertz)
      : steps_(steps), hertz_(hertz), period_(kSecond / hertz) {}

  std::uint64_t hertz() const { return hertz_; }
  /// Counter now; while exploring it stands still, as time does.
  std::uint64_t ticks() const { return 1 + steps_.simulated() / period_; }

 private:
  const Steps& steps_;
  std::uint64_t hertz_;
  Time period_;
};

}  // namespace fenceline::common
