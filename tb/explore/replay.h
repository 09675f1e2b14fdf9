#pragma once

#include <functional>
#include <string>
#include <vector>

#include "tb/explore/footprints.h"
#include "tb/explore/stage.h"

namespace fenceline::explore {

/// Follows a trace; stops where it ends, or where the agent cannot take the step.
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

/// The order in which nothing is delayed: what is on its way arrives first, then the CMP goes on,
/// the engines, threads, deferred procedure calls, interrupts.
class EagerPolicy : public common::Policy {
 public:
  explicit EagerPolicy(const common::Steps& steps);
  std::size_t pick(const std::vector<common::Candidate>& candidates,
                   const std::function<std::uint64_t()>& state) override;

 private:
  std::vector<int> rank_;  ///< by agent
};

/// A step of a replayed trace with what others may want to know of it.
struct ReplayedStep {
  common::OperationInstance instance;  ///< which step of its agent it is
  Touched touched;
  std::vector<common::Event> events;  ///< what happened
  bool choice = false;                ///< others could have gone on instead
  std::size_t possible = 0;           ///< after so many steps it could have been taken
};

/// Runs `trace` from the start, and eagerly to the end where it stops before, and tells what each
/// step did. In the body of a stage.
std::vector<ReplayedStep> replay(Stage& stage, const Trace& trace);

/// `hold` waits until `until` has happened: the order in which two steps were taken that do not
/// commute.
std::vector<common::HoldRule> orders_of(const std::vector<ReplayedStep>& steps);

/// Runs eagerly under `holds`; true if `invariant` breaks. In the body of a stage.
bool breaks(Stage& stage, const std::vector<common::HoldRule>& holds, const std::string& cause);

}  // namespace fenceline::explore
