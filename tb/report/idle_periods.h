#pragma once

#include <cstdint>
#include <vector>

#include "tb/report/recorder.h"

namespace fenceline::report {

/// A core slept in one C-state.
struct IdlePeriod {
  std::uint32_t core = 0;
  std::uint64_t state = 0;  ///< not 0
  std::uint64_t begin = 0;  ///< [ps]
  std::uint64_t end = 0;    ///< [ps]
};

/// Every sleep of every core; of one core in order. Power events may come when a core changes its
/// state, or all at once when it wakes: either way each says how long the state that it leaves
/// lasted. A core that still sleeps sleeps to `end_time`.
std::vector<IdlePeriod> idle_periods(const Recorder& recorder, std::uint64_t end_time);

}  // namespace fenceline::report
