#pragma once

#include <cstddef>

#include "tb/generate/plan.h"

namespace fenceline::generate {

/// Draws the adapters that steps send to D3.
void draw_power(Plan& plan);

/// The adapter of the process is one of them.
bool sleeps(Plan& plan, std::size_t process);

}  // namespace fenceline::generate
