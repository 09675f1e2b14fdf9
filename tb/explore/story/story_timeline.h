#pragma once

#include "tb/explore/explore.h"
#include "tb/report/record.h"
#include "tb/report/record/timeline.h"

namespace fenceline::explore {

/// Timeline of the counterexample as it ran on the cycle timeline, with a mark for every line of
/// its story that happened in that run, too.
report::Timeline timeline_with_story(const Counterexample& found, const report::Record& record,
                                     std::uint64_t end_time);

}  // namespace fenceline::explore
