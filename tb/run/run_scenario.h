#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "models/common/steps/steps.h"
#include "tb/report/record.h"
#include "tb/report/record/run_report.h"
#include "tb/run/process/pulse.h"
#include "tb/scenario/scenario.h"

namespace fenceline::run {

class RunHistory;
class ScenarioMachine;

/// Follows a run from the inside.
class RunObserver {
 public:
  virtual ~RunObserver() = default;
  /// The machine is built, and its set-up is about to start. Must not take steps.
  virtual void built(ScenarioMachine& /*machine*/) {}
  /// The programs are about to start: the moment to subscribe to events. Must not take steps.
  virtual void ready(ScenarioMachine& machine) = 0;
  /// The programs run: called every few hundred steps. Must not take steps.
  virtual void passing(ScenarioMachine& /*machine*/, const RunHistory& /*history*/) {}
  /// The run has ended with `report`, which is not judged yet.
  virtual void ended(ScenarioMachine& machine, const report::RunReport& report) = 0;
};

/// Options of a run.
struct RunOptions {
  std::uint64_t seed = 1;
  scenario::PolicyKind policy = scenario::PolicyKind::kTiming;
  std::optional<std::uint64_t> stop_at;  ///< [ps] after the programs start
  std::string kmd;                      ///< shared library with the driver; empty: the built-in one
  std::vector<report::Choice> choices;  ///< not empty: replay these
  bool keep_choices = true;             ///< of random orders, for the report
  std::vector<std::string> trace;       ///< not empty: agents, in the order of their steps
  std::uint64_t max_steps = 1'000'000;  ///< of an exploring run
  /// Called before each step of an exploring run; the run ends before the step if it says false.
  std::function<bool(const common::Candidate&)> before_step;
  RunObserver* observer = nullptr;
  Pulse* pulse = nullptr;  ///< beats while the run comes along; once stopped, the run ends soon
};

/// Runs a scenario from power-on to its end in a simulation of its own, with all checkers on.
/// `record` gets every event from the start of the programs. Throws std::invalid_argument for
/// names that only the built machine can check (holds), std::runtime_error when the driver does
/// not start, HiddenNondeterminism for a replay that diverges.
report::RunReport run_scenario(const scenario::Scenario& scenario, const RunOptions& options,
                               report::Record& record);

}  // namespace fenceline::run
