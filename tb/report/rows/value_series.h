#pragma once

#include <vector>

#include "tb/report/record/names.h"
#include "tb/report/record/recorder.h"
#include "tb/report/record/timeline.h"

namespace fenceline::report {

/// The series of a run that change at all, by group and object. A MonitoredValue of 2^64-1 means
/// that nobody waits.
std::vector<ValueSeries> value_series(const Recorder& recorder, const Names& names);

}  // namespace fenceline::report
