#pragma once

#include "tb/app/cli/commands/commands.h"
#include "tb/app/cli/options.h"

namespace fenceline::cli {

/// Each function runs one command and returns its exit code. Throws scenario::ScenarioError,
/// UsageError, report::FolderError and report::WriteError if the whole command cannot continue.
int run_scenarios(const Options& options, const Services& services, const Console& console);
int replay_runs(const Options& options, const Services& services, const Console& console);

}  // namespace fenceline::cli
