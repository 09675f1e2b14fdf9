#pragma once

#include <cstdint>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "tb/campaign/compare.h"
#include "tb/run/process/pulse.h"
#include "tb/run/process/watched_process.h"
#include "tb/scenario/scenario.h"

namespace fenceline::campaign {

/// Something that is wrong with a run.
struct Failure {
  /// The same for the same failure of another scenario: an invariant such as "I1", "hang",
  /// "livelock", "stopped", "bug check NAME", "difference order", "expectation TEXT", "crash
  /// WHERE".
  std::string cause;
  std::string place;   ///< JSON pointer of the step or command; empty: none
  std::string reason;  ///< one sentence
  /// The sentence without names and numbers, and the kind of step or command: failures of different
  /// scenarios with the same cause and shape have the same origin, as far as one can tell.
  std::string shape = {};
  std::string rule = {};  ///< of the reference, one sentence; empty: it is no difference

  /// Failures with the same key form a group.
  std::string key() const { return cause + "\n" + shape; }
};

/// Cause of a failure that is a difference from the prediction.
std::string cause_of(DifferenceKind kind);
/// True if the run does not come to its end, and no prediction says that it must.
bool is_no_end(const Failure& failure);

/// Result of a run that came to its end.
struct Evaluation {
  std::vector<Failure> failures;  ///< the most serious first
  Coverage statements;            ///< of the prediction
  std::string silent;             ///< reason for which it says nothing; empty: it speaks
};

/// Says what must come out of an effective scenario: reference::predict().
using Predict = std::function<reference::Outcome(const nlohmann::json&)>;

/// Settings of the runs of one command.
struct RunSettings {
  std::string kmd;  ///< shared library with the driver; empty: the built-in one
  Predict predict;  ///< empty: runs are judged by invariants and expectations alone
};

/// Runs a scenario in this process and says what is wrong. Throws as run::run_scenario().
Evaluation evaluate(const scenario::Scenario& scenario, const RunSettings& settings,
                    run::Pulse* pulse);

/// The failure of a run whose process died. @pre it crashed or was stuck
Failure failure_of_death(const run::Ended& ended);

// Evaluations as bytes, to send them from one process to another.
std::string to_bytes(const Evaluation& evaluation);
/// Throws std::exception for bytes of something else.
Evaluation evaluation_of(const std::string& bytes);

}  // namespace fenceline::campaign
