#pragma once

#include "tb/cli/commands.h"
#include "tb/cli/options.h"

namespace fenceline::cli {

/// `fenceline step`: runs one scenario choice by choice. Who goes on is read from `console.in`, a
/// line a choice; where the lines end, the run ends in the default order. Prints what each step
/// did, and what the whole run came to as `run` does. Returns the exit code of such a run; 0 if
/// the user left before its end.
int step_scenario(const Options& options, const Services& services, const Console& console);

}  // namespace fenceline::cli
