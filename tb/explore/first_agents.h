#pragma once

#include <string>
#include <vector>

#include "tb/scenario/scenario.h"

namespace fenceline::explore {

/// Agents whose steps need be tried in one order only: before all others.
///
/// They submit what the programs of queues say. A doorbell that rings late makes a command
/// processor begin late, which it may do by itself; nothing else looks at it. So nothing is left
/// out where each engine has one such queue: of two, the one whose doorbell came first would go
/// first. Nor is a doorbell more than that where a core's stores may pass each other: there it is
/// no agent at all.
std::vector<std::string> first_agents(const scenario::Scenario& scenario);

}  // namespace fenceline::explore
