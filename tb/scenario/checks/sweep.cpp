#include "tb/scenario/checks/checks.h"
#include "tb/scenario/sweep_values.h"

namespace fenceline::scenario {

void check_sweep(const Scenario& scenario, const Places& places) {
  try {
    check_sweep_settings(scenario.sweep);
  } catch (const SweepProblem& problem) {
    places.fail("/sweep" + problem.pointer, problem.what(), problem.expected, problem.hint);
  }
}

}  // namespace fenceline::scenario
