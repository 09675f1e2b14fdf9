#pragma once

#include "models/top/config.h"
#include "tb/scenario/scenario.h"

namespace fenceline::run {

/// The scenario's platform, in which goes wrong what the scenario wants to go wrong.
top::PlatformConfig with_faults(const scenario::Scenario& scenario);

}  // namespace fenceline::run
