#pragma once

#include "tb/cli/commands.h"
#include "tb/cli/options.h"

namespace fenceline::cli {

/// Makes a sweep, goes on with one, or makes a shard of one; returns the exit code.
int sweep_scenario(const Options& options, const Console& console);

}  // namespace fenceline::cli
