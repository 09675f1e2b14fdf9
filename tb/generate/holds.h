#pragma once

#include "tb/generate/constraints.h"
#include "tb/generate/draw.h"
#include "tb/scenario/scenario.h"

namespace fenceline::generate {

/// Holds an operation of an engine until a thread of its own has slept. That thread has a core of
/// its own and waits for nothing, so each hold ends. Comes after all other programs.
void draw_holds(const Constraints& constraints, Draw& draw, scenario::Scenario& scenario);

}  // namespace fenceline::generate
