#pragma once

#include "tb/scenario/scenario.h"

namespace fenceline::scenario {

/// Cuts programs before lost waits: waits without a time limit that could end in `whole`, but in
/// `cut` have no signal of a sufficient value or no step that sets the event. Waits that could not
/// end in `whole` either stay.
void end_before_lost_waits(const Scenario& whole, Scenario& cut);

}  // namespace fenceline::scenario
