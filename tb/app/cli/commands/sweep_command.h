#pragma once

#include "tb/app/cli/commands/commands.h"
#include "tb/app/cli/options.h"

namespace fenceline::cli {

/// Makes or resumes a sweep, or makes one of its shards. Returns the exit code.
int sweep_scenario(const Options& options, const Console& console);

}  // namespace fenceline::cli
