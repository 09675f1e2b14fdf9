#pragma once

#include "tb/generate/constraints.h"
#include "tb/generate/draw.h"
#include "tb/scenario/scenario.h"

namespace fenceline::generate {

/// Holds operations of the hardware, of threads and of interrupts, each until a thread of its own
/// has slept. These threads have a core of their own and wait for nothing, so each hold ends. Comes
/// after all other programs.
void draw_holds(const Constraints& constraints, Draw& draw, scenario::Scenario& scenario);

}  // namespace fenceline::generate
