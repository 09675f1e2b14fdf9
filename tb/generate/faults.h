#pragma once

#include "tb/generate/constraints.h"
#include "tb/generate/draw.h"
#include "tb/scenario/scenario.h"

namespace fenceline::generate {

/// Draws faults of the hardware that lose nothing: messages that arrive twice or late, packets that
/// are sent again.
void draw_faults(const Constraints& constraints, Draw& draw, scenario::Scenario& scenario);

}  // namespace fenceline::generate
