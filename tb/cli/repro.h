#pragma once

#include <string>

#include "tb/cli/run_job.h"
#include "tb/explore/explore.h"

namespace fenceline::cli {

/// repro.json of a counterexample of a free scenario: every choice of the run, with the state
/// before it. Empty if the run does not go well enough to tell.
std::string repro_of(const scenario::Scenario& free, const std::string& kmd,
                     const explore::Counterexample& found);

/// True if a repro.json has this verdict of a run that crashes or does not come to an end: nobody
/// should replay it in this process.
bool is_fatal(const std::string& verdict);
/// Replays such a run in a process of its own. Returns the verdict now; empty if it goes well.
std::string replay_contained(const Job& job, const Services& services);

}  // namespace fenceline::cli
