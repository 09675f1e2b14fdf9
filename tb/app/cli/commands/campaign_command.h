#pragma once

#include "tb/app/cli/commands/commands.h"
#include "tb/app/cli/options.h"

namespace fenceline::cli {

/// Runs generated scenarios, whose programs come to an end and break no invariant, and makes one
/// scenario of each group of failures small. Goes on with a campaign of the same settings that was
/// interrupted. Returns the exit code: 0 clean, 1 something was found, 130 interrupted.
int run_campaign(const Options& options, const Console& console);

}  // namespace fenceline::cli
