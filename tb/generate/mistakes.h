#pragma once

#include "tb/generate/plan.h"

namespace fenceline::generate {

/// Plans a call of the thread that fails, with the documented status. It changes nothing. False if
/// there is nothing to misuse.
bool plan_mistake(Plan& plan, AgentId thread);

}  // namespace fenceline::generate
