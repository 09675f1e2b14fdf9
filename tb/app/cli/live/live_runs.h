#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "tb/app/cli/commands/run_job.h"
#include "tb/app/cli/live/live.h"
#include "tb/app/cli/live/live_run.h"

namespace fenceline::cli {

/// The live page of several runs, in the process of the command.
class LiveRuns {
 public:
  /// Both must outlive it.
  LiveRuns(Live& live, const std::vector<Job>& jobs);

  /// A run is about to begin.
  void begin(std::size_t number);
  /// In the process of the run: its observer. Null without --live.
  std::unique_ptr<LiveRun> observer(std::size_t number) const;
  /// A run has reached `now` [ps].
  void update(std::size_t number, std::uint64_t now);
  /// A run that had begun has ended.
  void end(std::size_t number);
  /// Its outcome, in the order of the jobs.
  void made(const Outcome& outcome);
  /// Shows the state after the last run.
  void finish();

 private:
  struct Run {
    std::unique_ptr<run::SharedText> text;
    std::uint64_t now = 0;  ///< [ps]
  };

  void add_failure(const Outcome& outcome);
  LiveView view() const;

  Live& live_;
  const std::vector<Job>& jobs_;
  std::map<std::size_t, Run> under_way_;
  std::uint64_t made_ = 0;
  std::uint64_t failed_ = 0;
  nlohmann::ordered_json failures_ = nlohmann::ordered_json::array();  ///< the first ones
  std::vector<nlohmann::ordered_json> last_;  ///< parts of the run that has ended last
};

}  // namespace fenceline::cli
