#pragma once

#include <string>

#include "tb/app/cli/options.h"
#include "tb/app/sweep/plan.h"

namespace fenceline::cli {

/// The sweep requested by the command line and the scenario's own section. Throws
/// scenario::ScenarioError or UsageError for an impossible sweep. A single invalid value is
/// allowed, because its rows report it; a variation without any valid value is an error.
sweep::Plan plan_sweep(const std::string& file, const Options& options);

}  // namespace fenceline::cli
