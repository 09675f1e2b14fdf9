#pragma once

#include <string>
#include <vector>

#include "tb/generate/plan.h"

namespace fenceline::generate {

/// Waits that end when a process closes their fence, because no signal reaches their value.
struct EndedWaits {
  std::vector<std::string> events;  ///< which the close sets
  std::vector<AgentId> queues;      ///< which go on after the close
};

/// Plans such waits, all of them before the next step of `thread`, which has to close the fence.
/// @param fence with the handle of the process, which no other step uses any more. False if
/// `thread` cannot be made to come after them: then it must not close the fence.
bool plan_ended_waits(Plan& plan, AgentId thread, const FencePlan& fence, EndedWaits& waits);

/// Notes what the end of these waits tells, after the step of `thread` that closes the fence.
void note_ended_waits(Plan& plan, AgentId thread, const EndedWaits& waits);

}  // namespace fenceline::generate
