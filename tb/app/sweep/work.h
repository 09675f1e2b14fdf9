#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "tb/app/sweep/design.h"
#include "tb/app/sweep/plan.h"
#include "tb/app/sweep/row.h"
#include "tb/run/process/journal.h"
#include "tb/run/process/pulse.h"

namespace fenceline::sweep {

/// Options for making runs.
struct WorkOptions {
  unsigned jobs = 1;                               ///< concurrent processes
  const std::atomic<bool>* interrupted = nullptr;  ///< true: stop
  std::function<void(std::uint64_t)> progress;     ///< gets the number of completed requested runs
  std::function<void(const std::string&)> made;    ///< gets each packed row; may be empty
};

/// Makes one run of a sweep in this process: loads the scenario with the values of the run's point
/// and simulates it. Errors are reported in the row. @pre build_of() is the plan's.
Row make_run(const Plan& plan, const Design& design, std::uint64_t run,
             run::Pulse* pulse = nullptr);

/// Runs of a shard; without a shard all runs.
std::vector<std::uint64_t> runs_of(const Plan& plan, std::optional<std::uint64_t> shard);

/// Makes the runs that are missing in the journals, each in its own process, and writes them to a
/// new journal. Returns false when interrupted. Throws report::WriteError.
bool make_missing(const Plan& plan, const WorkFolder& folder,
                  const std::vector<std::uint64_t>& runs, const std::string& label,
                  const WorkOptions& options);

}  // namespace fenceline::sweep
