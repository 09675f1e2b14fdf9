#pragma once

#include "tb/explore/explore.h"
#include "tb/report/record.h"
#include "tb/report/record/run_report.h"
#include "tb/report/record/timeline.h"

namespace fenceline::explore {

/// Timeline of the counterexample as it ran on the cycle timeline, with a mark for every line of
/// its story that happened in that run, too. @param run its end and its scenario
report::Timeline timeline_with_story(const Counterexample& found, const report::Record& record,
                                     const report::RunReport& run);

}  // namespace fenceline::explore
