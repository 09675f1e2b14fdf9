#pragma once

#include <cstdint>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "tb/campaign/compare.h"
#include "tb/campaign/observer.h"
#include "tb/coverage/collector.h"
#include "tb/run/process/pulse.h"
#include "tb/run/process/watched_process.h"
#include "tb/scenario/scenario.h"

namespace fenceline::campaign {

/// Something that is wrong with a run.
struct Failure {
  /// The same for the same failure of another scenario: an invariant such as "I1", "hang",
  /// "livelock", "stopped", "bug check NAME", "difference order", "expectation TEXT", "says less",
  /// "crash WHERE".
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

/// Size and end of a search of all orders.
struct Searched {
  bool complete = false;  ///< every order was looked at, within the bounds
  std::uint64_t states = 0;
  std::uint64_t executions = 0;
  std::uint64_t races = 0;  ///< pairs of steps that were taken in both orders
};

/// Result of a run that came to its end, or of a search.
struct Evaluation {
  std::vector<Failure> failures;           ///< the most serious first
  Coverage statements;                     ///< of the prediction
  std::string silent;                      ///< reason for which it says nothing; empty: it speaks
  std::optional<Searched> searched;        ///< empty: the scenario was run once
  std::optional<coverage::Hits> coverage;  ///< empty: it was not collected
  std::uint64_t time = 0;    ///< simulated [ps]; steps under a policy that chooses orders
  std::uint64_t events = 0;  ///< of the run; 0: it did not come to its end
};

/// Says what must come out of an effective scenario: reference::predict().
using Predict = std::function<reference::Outcome(const nlohmann::json&)>;

/// Bounds of a search; it gives up where the first of them is reached.
struct SearchBounds {
  std::uint64_t executions = 200'000;
  std::uint64_t states = 100'000;
  std::uint64_t fallback = 200;  ///< runs with random priorities after it has given up
};

/// Settings of the runs of one command.
struct RunSettings {
  std::string kmd;  ///< shared library with the driver; empty: the built-in one
  Predict predict;  ///< empty: runs are judged by invariants and expectations alone
  /// What `predict` has to say. A run fails if it says less, and is not made if it says the same: a
  /// correct machine shows no difference then. Empty: `predict` is judged by the run alone.
  Predict full;
  bool covers = false;                 ///< the points that a run hits are collected
  std::optional<SearchBounds> search;  ///< after its run, all orders of a scenario are searched
};

/// The prediction for a scenario; it says nothing without RunSettings::predict.
reference::Outcome predict_for(const scenario::Scenario& scenario, const RunSettings& settings);
/// Words of allocations that a prediction is about.
Observer::Wanted words_of(const reference::Outcome& outcome);

/// Runs a scenario, or searches it, and says what is wrong. A run is made in this process. Throws
/// as run::run_scenario().
Evaluation evaluate(const scenario::Scenario& scenario, const RunSettings& settings,
                    run::Pulse* pulse);

/// The failure of a run whose process died. @pre it crashed or was stuck
Failure failure_of_death(const run::Ended& ended);

// Evaluations as bytes, to send them from one process to another.
std::string to_bytes(const Evaluation& evaluation);
/// Throws std::exception for bytes of something else.
Evaluation evaluation_of(const std::string& bytes);

}  // namespace fenceline::campaign
