#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "tb/check/core/violation.h"
#include "tb/report/record/run_report.h"
#include "tb/run/machine/scenario_machine.h"

namespace fenceline::explore {

/// Judges the runs of a search, in addition to the invariants. It lies in the arena of its stage:
/// what it notes during a run is forgotten when the search goes back.
class RunJudge {
 public:
  virtual ~RunJudge() = default;
  /// The programs are about to start: the moment to subscribe to events.
  virtual void ready(run::ScenarioMachine& machine) = 0;
  /// Findings on a run that has ended without a bug check. Each `invariant` is the name of a
  /// finding.
  virtual std::vector<check::Violation> judge(run::ScenarioMachine& machine,
                                              const report::RunReport& report) = 0;
};

/// Makes the judge of a stage.
using MakeJudge = std::function<std::unique_ptr<RunJudge>()>;

}  // namespace fenceline::explore
