#pragma once

#include <vector>

#include "tb/app/cli/commands/commands.h"
#include "tb/app/cli/options.h"
#include "tb/campaign/bite.h"

namespace fenceline::cli {

/// The targets that the options choose: the driver of --kmd, or else every deliberate fault of the
/// program and every ordering switch at each value that is not safe. Throws UsageError for a name
/// of --only that is no target and no wrong part.
std::vector<campaign::Target> bite_targets(const Options& options);

/// Runs a campaign on each target until its fault is found. Goes on with one of the same settings
/// that was interrupted. Returns the exit code: 0 every fault was found, 1 one was not, 130
/// interrupted.
int run_bite(const Options& options, const Console& console);

}  // namespace fenceline::cli
