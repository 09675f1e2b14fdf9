#include "tb/app/cli/outputs/repro.h"

#include "tb/app/cli/commands/explored_runs.h"
#include "tb/explore/process/contained.h"
#include "tb/report/writers/write_run.h"

namespace fenceline::cli {

namespace {

constexpr std::size_t kMaxReplaySteps = 1'000'000;  ///< limit of a replay

/// Records the run of a counterexample up to `steps`, with the next choice; to its end if there is
/// none.
std::string record(const scenario::Scenario& free, const std::string& kmd,
                   const explore::Counterexample& found, std::size_t steps) {
  report::RunReport report = run_in_order(
      free, kmd, found.trace,
      [left = steps](const common::Candidate& /*step*/) mutable { return left-- > 0; });
  if (is_fatal(found.violation.invariant)) report.verdict = found.violation.invariant;
  return report::repro_json(report);
}

}  // namespace

bool is_fatal(const std::string& verdict) {
  return verdict == explore::kCrash || verdict == explore::kEndlessLoop;
}

std::string repro_of(const scenario::Scenario& free, const std::string& kmd,
                     const explore::Counterexample& found) {
  // The part after the counterexample may crash: then leave it out.
  const std::size_t length = found.trace.size();
  const bool fatal = is_fatal(found.violation.invariant);
  for (const std::size_t steps :
       {fatal ? length - 1 : kMaxReplaySteps, fatal ? length - 1 : length}) {
    const auto ended = explore::run_contained(
        {[&](explore::Flight& /*flight*/) { return record(free, kmd, found, steps); }}, {});
    if (ended[0].how == explore::Ended::How::kWell) return ended[0].result;
  }
  return {};
}

}  // namespace fenceline::cli
