#pragma once

#include "tb/generate/plan.h"

namespace fenceline::generate {

/// Draws which devices will be in error, after all their queues and fences are there. Their fences
/// lose NoSignalMaxValueOnTdr, with which waits for lost signals would never end.
void draw_errors(Plan& plan);

/// Plans the step that puts the devices in error, if the plan does not have it yet and a thread can
/// come after everything that the error must not change.
void plan_last_error(Plan& plan);

}  // namespace fenceline::generate
