#pragma once

#include <string>
#include <vector>

#include "tb/run/waiting.h"

namespace fenceline::run {

/// The threads that have not ended when nothing is left to do, a sentence each: the wait, the
/// values of its fences, and why the wait does not end.
std::vector<std::string> unended_threads(const ScenarioMachine& machine);

/// A sentence for each thread and queue that has not ended at the end of a run,
/// with the values of their fences and the times at which these were written.
std::vector<std::string> left_at_end(ScenarioMachine& machine, const RunHistory& history);

}  // namespace fenceline::run
