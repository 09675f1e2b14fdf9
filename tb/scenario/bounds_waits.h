#pragma once

#include "tb/scenario/scenario.h"

namespace fenceline::scenario {

/// Ends programs before waits whose signals have been cut: waits without a time limit that could
/// end in `whole` and for which `cut`, made of it, has too small a value, or nothing that sets the
/// event. What `whole` leaves waiting stays.
void end_before_lost_waits(const Scenario& whole, Scenario& cut);

}  // namespace fenceline::scenario
