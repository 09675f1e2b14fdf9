#pragma once

#include "tb/cli/commands.h"
#include "tb/cli/options.h"

namespace fenceline::cli {

/// `fenceline explore`: searches all orders of each scenario, or every subset of its mechanisms
/// with --matrix, and prints what it found. Returns the exit code.
int explore_scenarios(const Options& options, const Services& services, const Console& console);

}  // namespace fenceline::cli
