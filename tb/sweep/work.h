#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "tb/run/pulse.h"
#include "tb/sweep/design.h"
#include "tb/sweep/journal.h"
#include "tb/sweep/plan.h"
#include "tb/sweep/row.h"

namespace fenceline::sweep {

/// How runs are made.
struct WorkOptions {
  unsigned jobs = 1;                               ///< processes at once
  const std::atomic<bool>* interrupted = nullptr;  ///< true: stop
  std::function<void(std::uint64_t)> progress;     ///< how many of the runs asked for are there
};

/// Makes one run of a sweep in this process: loads the scenario with the values of the run's point,
/// and simulates it. What goes wrong is in the row. @pre build_of() is the plan's.
Row make_run(const Plan& plan, const Design& design, std::uint64_t run,
             run::Pulse* pulse = nullptr);

/// The runs of a shard; of the whole sweep without one.
std::vector<std::uint64_t> runs_of(const Plan& plan, std::optional<std::uint64_t> shard);

/// Makes those of `runs` that no journal has, each in a process of its own, and puts them into a
/// new journal. Returns false when interrupted. Throws report::WriteError.
bool make_missing(const Plan& plan, const WorkFolder& folder,
                  const std::vector<std::uint64_t>& runs, const std::string& label,
                  const WorkOptions& options);

}  // namespace fenceline::sweep
