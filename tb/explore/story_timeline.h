#pragma once

#include "tb/explore/explore.h"
#include "tb/report/record.h"
#include "tb/report/timeline.h"

namespace fenceline::explore {

/// The timeline of a run of the counterexample in time, with its story in it: every line of the
/// story that also happened there.
report::Timeline timeline_with_story(const Counterexample& found, const report::Record& record,
                                     std::uint64_t end_time);

}  // namespace fenceline::explore
