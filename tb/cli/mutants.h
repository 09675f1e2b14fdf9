#pragma once

#include "tb/cli/options.h"

namespace fenceline::cli {

/// Makes the program the mutant that the options name: puts a fault into the model, or sets
/// ordering switches of every scenario, or both. Throws UsageError for a name that is none. Only
/// programs with FENCELINE_MUTANTS call it; it is in no other.
void turn_on_mutant(Options& options);

}  // namespace fenceline::cli
