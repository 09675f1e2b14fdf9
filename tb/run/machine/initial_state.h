#pragma once

#include <vector>

#include "models/common/events.h"
#include "tb/run/machine/scenario_machine.h"

namespace fenceline::run {

/// Events that stand for what fences, queues and allocations are when the programs start, for those
/// who did not see how it came about. They come from nobody, agent 0.
/// @pre the machine is set up and quiet.
std::vector<common::Event> initial_state(ScenarioMachine& machine);

}  // namespace fenceline::run
