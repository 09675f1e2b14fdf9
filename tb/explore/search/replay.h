#pragma once

#include <functional>
#include <string>
#include <vector>

#include "tb/explore/search/footprints.h"
#include "tb/explore/search/stage.h"

namespace fenceline::explore {

/// Follows a trace; stops at its end, or where the agent cannot take the next step.
class TracePolicy : public common::Policy {
 public:
  explicit TracePolicy(const Trace& trace) : trace_(trace) {}
  std::size_t pick(const std::vector<common::Candidate>& candidates,
                   const std::function<std::uint64_t()>& state) override;
  bool followed() const { return next_ == trace_.size(); }

 private:
  const Trace& trace_;
  std::size_t next_ = 0;
};

/// The order in which nothing is delayed. Priorities, highest first: writes on their way, the CMP,
/// engines, threads, deferred procedure calls, interrupts.
class EagerPolicy : public common::Policy {
 public:
  explicit EagerPolicy(const common::Steps& steps);
  std::size_t pick(const std::vector<common::Candidate>& candidates,
                   const std::function<std::uint64_t()>& state) override;

 private:
  std::vector<int> rank_;  ///< by agent
};

/// A step of a replayed trace.
struct ReplayedStep {
  common::OperationInstance instance;  ///< agent, operation, and how many times before
  common::Footprint declared;          ///< what it was to touch
  Touched touched;
  std::vector<common::Event> events;  ///< that the step emitted
  bool choice = false;                ///< another agent could have taken the step
  std::size_t possible = 0;  ///< number of steps after which it could have been taken first
};

/// Runs `trace` from the start, then eagerly to the end of the run. Returns all steps. In the body
/// of a stage. @param at_end called at the end of the run
std::vector<ReplayedStep> replay(Stage& stage, const Trace& trace,
                                 const std::function<void()>& at_end = {});

/// One rule per pair of steps that do not commute: the later one is held until the earlier one has
/// happened.
std::vector<common::HoldRule> orders_of(const std::vector<ReplayedStep>& steps);

/// Both name one step.
bool same(const common::OperationInstance& a, const common::OperationInstance& b);
/// Number of the step in the run, from 1; 0: it does not happen.
std::size_t number_of(const std::vector<ReplayedStep>& steps,
                      const common::OperationInstance& instance);

/// Runs eagerly under `holds`; true if `invariant` breaks. In the body of a stage.
bool breaks(Stage& stage, const std::vector<common::HoldRule>& holds, const std::string& cause);

}  // namespace fenceline::explore
