#pragma once

#include "tb/app/cli/commands/commands.h"
#include "tb/app/cli/options.h"

namespace fenceline::cli {

/// `fenceline diff`: prints the differences of two runs. Returns kExitFailed if there are any.
/// Throws UsageError for a folder without a run.
int print_diff(const Options& options, const Console& console);

}  // namespace fenceline::cli
