#pragma once

#include <string>
#include <vector>

#include "tb/scenario/scenario.h"

namespace fenceline::explore {

/// Agents whose steps are tried in one order only: before those of all other agents.
///
/// They submit the programs of queues. A late doorbell only makes the command processor begin late,
/// which it may do anyway, and nothing else depends on a doorbell. So no order is lost if each
/// engine has at most one such queue. With two queues the first doorbell decides which one runs
/// first: then there are no such agents. There are none either if stores of a core may pass each
/// other.
std::vector<std::string> first_agents(const scenario::Scenario& scenario);

}  // namespace fenceline::explore
