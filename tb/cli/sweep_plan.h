#pragma once

#include <string>

#include "tb/cli/options.h"
#include "tb/sweep/plan.h"

namespace fenceline::cli {

/// The sweep that the command line and the scenario's own section ask for. What cannot be is found
/// here: throws scenario::ScenarioError or UsageError. A single value that is not valid is none of
/// that, since it makes rows that say so; a variation of which no value is valid is.
sweep::Plan plan_sweep(const std::string& file, const Options& options);

}  // namespace fenceline::cli
