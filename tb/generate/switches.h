#pragma once

#include "tb/generate/constraints.h"
#include "tb/generate/draw.h"
#include "tb/scenario/scenario.h"

namespace fenceline::generate {

/// Gives one ordering switch another value, as the constraints say: one that is safe while all
/// others have their defaults, or one that is not. What that one may break is then expected.
void draw_switches(const Constraints& constraints, Draw& draw, scenario::Scenario& scenario);

}  // namespace fenceline::generate
