#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tb/app/cli/commands/commands.h"
#include "tb/app/cli/options.h"
#include "tb/app/cli/outputs/summary.h"

namespace fenceline::cli {

class Live;

/// Load request of `path` under these options: --set, then --policy and --seed.
LoadRequest load_request(const std::string& path, const Options& options);

/// One run to make.
struct Job {
  std::string file;                                    ///< file of the scenario
  std::shared_ptr<const scenario::Scenario> scenario;  ///< null: the scenario is invalid
  std::string error;                                   ///< the error in that case
  run::RunOptions request;
  std::string folder;             ///< output folder; empty: no files
  std::uint64_t kept_events = 0;  ///< events for `after`, independent of written files
  /// Optional. Called at the end of the run, in its process; may add to the outcome.
  std::function<void(const report::RunReport&, const report::Record&, Outcome&)> after;
};

/// Supervision of the processes of a command.
run::Watch watch_of(const Options& options);

/// Outcome of a run whose process died. @pre it crashed or made no progress.
Outcome outcome_of_death(const Job& job, const run::Ended& ended, const Options& options,
                         const Console& console);

/// Makes all runs, each in its own process, and writes their files. Errors of a run, also crashes,
/// are in its outcome. `made` gets the outcomes in the order of the jobs. Returns false after an
/// interrupt: runs that had not ended have no outcome and no folder. @param live page that shows
/// the runs
bool run_jobs(const std::vector<Job>& jobs, const Options& options, const Services& services,
              const Console& console, Live& live, const std::function<void(const Outcome&)>& made);
/// The same without a live page.
bool run_jobs(const std::vector<Job>& jobs, const Options& options, const Services& services,
              const Console& console, const std::function<void(const Outcome&)>& made);

}  // namespace fenceline::cli
