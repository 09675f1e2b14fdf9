#pragma once

#include <cstdint>
#include <vector>

#include "tb/report/record/recorder.h"

namespace fenceline::report {

/// A sleep of a core in one C-state.
struct IdlePeriod {
  std::uint32_t core = 0;
  std::uint64_t state = 0;  ///< not 0
  std::uint64_t begin = 0;  ///< [ps]
  std::uint64_t end = 0;    ///< [ps]
};

/// All sleeps of all cores; those of one core in order. Power events may come at each change of
/// state or all at once when the core wakes: each has the residency in the state that it leaves. A
/// core that never wakes sleeps until `end_time`.
std::vector<IdlePeriod> idle_periods(const Recorder& recorder, std::uint64_t end_time);

}  // namespace fenceline::report
