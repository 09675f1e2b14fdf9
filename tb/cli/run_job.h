#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tb/cli/commands.h"
#include "tb/cli/options.h"
#include "tb/cli/summary.h"

namespace fenceline::cli {

/// What to load for `path` under these options: --set, then --policy and --seed.
LoadRequest load_request(const std::string& path, const Options& options);

/// One run to be made.
struct Job {
  std::string file;                                    ///< that the scenario is from
  std::shared_ptr<const scenario::Scenario> scenario;  ///< null: it is not valid
  std::string error;                                   ///< why, then
  RunRequest request;
  std::string folder;             ///< where its files go; empty: nowhere
  std::uint64_t kept_events = 0;  ///< for `after`, whatever files are written
  /// May be empty. Called when the run is over, in its process; adds to the outcome.
  std::function<void(const report::RunReport&, const report::Record&, Outcome&)> after;
};

/// How the processes of a command are watched.
run::Watch watch_of(const Options& options);

/// What is to be said of a run whose process died. @pre it has crashed, or did not come along.
Outcome outcome_of_death(const Job& job, const run::Ended& ended, const Options& options,
                         const Console& console);

/// Makes all runs, each contained in a process of its own, and writes their files. What goes wrong
/// with a run is in its outcome, a crash included. `made` gets the outcomes in the order of the
/// jobs. Returns false after an interrupt: those that were not over have no outcome and no folder.
bool run_jobs(const std::vector<Job>& jobs, const Options& options, const Services& services,
              const Console& console, const std::function<void(const Outcome&)>& made);

}  // namespace fenceline::cli
