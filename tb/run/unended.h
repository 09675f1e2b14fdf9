#pragma once

#include <string>
#include <vector>

#include "tb/run/machine/scenario_machine.h"

namespace fenceline::run {

/// The threads that have not ended when nothing is left to do, a sentence each: the wait, the
/// values of its fences, and why the wait does not end.
std::vector<std::string> unended_threads(const ScenarioMachine& machine);

}  // namespace fenceline::run
