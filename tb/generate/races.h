#pragma once

#include "tb/generate/constraints.h"
#include "tb/generate/draw.h"
#include "tb/scenario/scenario.h"

namespace fenceline::generate {

/// Lets some waits end too early: for lower values than in the plan. What they kept in order races
/// then, so the outcome depends on the order of events, and the scenario may hang. Returns false if
/// nothing races. Comes after all other programs.
bool draw_races(const Constraints& constraints, Draw& draw, scenario::Scenario& scenario);

}  // namespace fenceline::generate
