#pragma once

#include "tb/generate/plan.h"

namespace fenceline::generate {

/// Draws the adapters that steps send to D3.
void draw_power(Plan& plan);

}  // namespace fenceline::generate
