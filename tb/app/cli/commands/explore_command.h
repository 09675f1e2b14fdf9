#pragma once

#include "tb/app/cli/commands/commands.h"
#include "tb/app/cli/options.h"

namespace fenceline::cli {

/// `fenceline explore`: searches all orders of each scenario, or with --matrix every subset of its
/// mechanisms, and prints the results. Returns the exit code.
int explore_scenarios(const Options& options, const Services& services, const Console& console);

}  // namespace fenceline::cli
