#pragma once

#include "tb/generate/plan.h"

namespace fenceline::generate {

/// Draws displays of adapters, and what is shown on them.
void draw_displays(Plan& plan);

}  // namespace fenceline::generate
