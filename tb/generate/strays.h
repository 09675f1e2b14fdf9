#pragma once

#include "tb/generate/draw.h"
#include "tb/scenario/scenario.h"

namespace fenceline::generate {

/// Puts up to three stray actions into a scenario that races: a thread closes a fence that others
/// use, or polls, or a buffer of a context waits. They are in no order with the rest, so a wait may
/// never end, and a call may find a closed handle.
void draw_strays(Draw& draw, scenario::Scenario& scenario);

}  // namespace fenceline::generate
