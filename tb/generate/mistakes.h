#pragma once

#include "tb/generate/plan.h"

namespace fenceline::generate {

/// Plans a call of the thread that fails, with the documented status. It changes nothing. False if
/// there is nothing to misuse.
bool plan_mistake(Plan& plan, AgentId thread);

/// The same for a call with the name of a fence that its process has closed. It is more frequent
/// after a close, because later fences take the names.
bool plan_use_of_closed(Plan& plan, AgentId thread);
/// Percent of the closes after which it is planned.
std::uint32_t percent_of_closes(const Constraints& constraints);

}  // namespace fenceline::generate
