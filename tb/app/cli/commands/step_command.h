#pragma once

#include "tb/app/cli/commands/commands.h"
#include "tb/app/cli/options.h"

namespace fenceline::cli {

/// `fenceline step`: runs one scenario choice by choice. Reads the next agent from `console.in`,
/// one line per choice. After the last line the run continues in the default order. Prints the
/// effects of each step and the result like `run`. Returns the exit code of such a run; 0 if the
/// user left before its end.
int step_scenario(const Options& options, const Services& services, const Console& console);

}  // namespace fenceline::cli
