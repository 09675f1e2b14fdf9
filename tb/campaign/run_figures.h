#pragma once

#include <cstddef>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "tb/campaign/evaluation.h"
#include "tb/report/record/output.h"

namespace fenceline::campaign {

/// Figures of a run, for charts.
struct RunFigures {
  std::uint64_t seed = 0;
  std::string cause;         ///< of its first failure; empty: it passed
  std::uint64_t time = 0;    ///< simulated [ps]; number of steps if the policy chooses orders
  std::uint64_t events = 0;  ///< 0: the run did not come to its end
  std::optional<Searched> searched;
  std::vector<bool> features;  ///< by feature_names(): it had such a step or command
};

RunFigures figures_of(std::uint64_t seed, const Evaluation& evaluation);
/// Steps of threads and commands of queues: "step wait", "command signal".
std::vector<std::string> feature_names();

/// runs.csv: a line for each run. @param timed the policy is that of the timing
void write_runs_csv(const std::vector<RunFigures>& runs, bool timed, report::Output& out);

constexpr std::size_t kMaxShownRuns = 20'000;  ///< in a page
/// The runs by column, for the page. Of more than `most` it leaves out runs at regular distances,
/// but no run that failed. Features that all runs have, or none, are left out.
nlohmann::ordered_json runs_document(const std::vector<RunFigures>& runs,
                                     std::size_t most = kMaxShownRuns);

}  // namespace fenceline::campaign
