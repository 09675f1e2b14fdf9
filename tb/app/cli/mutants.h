#pragma once

#include "tb/app/cli/options.h"

namespace fenceline::cli {

/// Turns the program into the mutant named in the options: enables a fault of the model, ordering
/// switches of every scenario, or both. Throws UsageError for an unknown name. Only programs with
/// FENCELINE_MUTANTS contain it.
void turn_on_mutant(Options& options);

}  // namespace fenceline::cli
