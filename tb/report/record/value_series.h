#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "models/common/events.h"
#include "tb/report/record/names.h"
#include "tb/report/record/recorder.h"

namespace fenceline::report {

/// A quantity that changes in steps: a value of a fence, or memory in use.
struct ValueSeries {
  std::string name;   ///< e.g. "app/frame CurrentValue"
  const char* group;  ///< heading: "Fence values" or "Memory"
  const char* unit;   ///< "" or "bytes"
  std::vector<std::pair<std::uint64_t, std::uint64_t>> points;  ///< time [ps], value from then on
};

/// The series of a run that change at all, by group and object. A MonitoredValue of 2^64-1 means
/// that nobody waits.
std::vector<ValueSeries> value_series(const Recorder& recorder, const Names& names);

}  // namespace fenceline::report
