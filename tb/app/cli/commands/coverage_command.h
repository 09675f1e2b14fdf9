#pragma once

#include "tb/app/cli/commands/commands.h"
#include "tb/app/cli/options.h"

namespace fenceline::cli {

/// `fenceline coverage`: adds up the coverage of campaigns. Throws UsageError for a folder without
/// it.
int print_coverage(const Options& options, const Console& console);

}  // namespace fenceline::cli
