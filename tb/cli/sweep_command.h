#pragma once

#include "tb/cli/commands.h"
#include "tb/cli/options.h"

namespace fenceline::cli {

/// Makes or resumes a sweep, or makes one of its shards. Returns the exit code.
int sweep_scenario(const Options& options, const Console& console);

}  // namespace fenceline::cli
