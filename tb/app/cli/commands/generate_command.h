#pragma once

#include "tb/app/cli/commands/commands.h"
#include "tb/app/cli/options.h"
#include "tb/generate/constraints.h"

namespace fenceline::cli {

/// Constraints that the options name. Throws UsageError or scenario::ScenarioError.
generate::Constraints constraints_for(const GenerateOptions& options);

/// Generates scenarios: one to stdout, or --count of them to files of the folder --out, or prints
/// the schema of constraint files. Returns the exit code.
int generate_scenarios(const Options& options, const Console& console);

}  // namespace fenceline::cli
