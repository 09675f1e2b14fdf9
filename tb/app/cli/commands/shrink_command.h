#pragma once

#include <optional>
#include <string>

#include "tb/app/cli/commands/commands.h"
#include "tb/app/cli/options.h"
#include "tb/campaign/evaluation.h"

namespace fenceline::cli {

/// `fenceline shrink`: makes a scenario that fails as small as possible. Returns the exit code.
/// Throws UsageError if the scenario does not fail. Other exceptions: see run_command.h.
int shrink_scenario(const Options& options, const Console& console);

/// The command that repeats the failure of a scenario file.
std::string repeat_command(const Options& options, const campaign::Failure& failure,
                           const std::string& file);
/// Bounds of the searches that the options ask for; none: scenarios are run.
std::optional<campaign::SearchBounds> search_bounds(const Options& options);

}  // namespace fenceline::cli
