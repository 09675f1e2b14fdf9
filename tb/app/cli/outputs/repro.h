#pragma once

#include <string>

#include "tb/app/cli/commands/run_job.h"
#include "tb/explore/explore.h"

namespace fenceline::cli {

/// repro.json of a counterexample of a free scenario: every choice of the run with the state before
/// it. Empty if the run fails.
std::string repro_of(const scenario::Scenario& free, const std::string& kmd,
                     const explore::Counterexample& found);

/// True for a finding whose run crashes or does not end.
bool is_fatal(const std::string& verdict);

}  // namespace fenceline::cli
