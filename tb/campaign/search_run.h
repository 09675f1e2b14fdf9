#pragma once

#include <string>

#include "tb/campaign/evaluation.h"

namespace fenceline::campaign {

/// Explores all orders of a scenario, within the bounds of the settings, and adds what is wrong
/// with them to `result`: broken invariants, and differences of an order from `outcome`.
/// @pre settings.search
void add_search(const scenario::Scenario& scenario, const RunSettings& settings,
                const reference::Outcome& outcome, run::Pulse* pulse, Evaluation& result);

/// The counterexamples of such a search, explained: holds and story, as `fenceline explore` prints
/// them. Throws as explore::explore().
std::string counterexamples(const scenario::Scenario& scenario, const RunSettings& settings);

}  // namespace fenceline::campaign
