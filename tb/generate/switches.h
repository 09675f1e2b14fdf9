#pragma once

#include "tb/generate/draw.h"
#include "tb/user/ordering.h"

namespace fenceline::generate {

/// Gives one ordering switch another value that is safe while all others have their defaults.
void draw_safe_switch(Draw& draw, user::Ordering& ordering);

}  // namespace fenceline::generate
