#pragma once

#include "tb/app/cli/commands/commands.h"
#include "tb/app/cli/options.h"

namespace fenceline::cli {

/// `fenceline shrink`: makes a scenario that fails as small as possible. Returns the exit code.
/// Throws UsageError if the scenario does not fail. Other exceptions: see run_command.h.
int shrink_scenario(const Options& options, const Console& console);

}  // namespace fenceline::cli
