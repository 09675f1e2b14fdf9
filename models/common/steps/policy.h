#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "models/common/events.h"
#include "models/common/steps/operations.h"

namespace fenceline::common {

/// An agent that a policy can choose.
struct Candidate {
  AgentId agent;
  Operation operation;
  Footprint footprint;        ///< locations of the step, as declared by the agent
  std::uint64_t history = 0;  ///< hash of the agent's knowledge
};

/// Chooses which ready agent runs next.
class Policy {
 public:
  /// Returned by `pick`: no agent runs; control returns to the controller.
  static constexpr std::size_t kStop = ~std::size_t{0};

  virtual ~Policy() = default;
  /// Returns an index into `candidates` (at least one, in order of agent numbers) or kStop. Called
  /// before every step, even with one candidate. Runs in the process of the agent that stepped
  /// last. `state` computes the hash of the whole state.
  virtual std::size_t pick(const std::vector<Candidate>& candidates,
                           const std::function<std::uint64_t()>& state) = 0;
};

/// When a timer may fire while exploring.
enum class Fires : std::uint8_t {
  kAnyTime,  ///< at any choice
  kLast      ///< only when no other agent can run: the timeout is much longer than everything else
};

/// An operation of one agent, counted from the end of the set-up.
struct OperationInstance {
  AgentId agent = 0;
  Operation operation = Operation::kAny;  ///< kAny: every operation of the agent counts
  std::uint32_t nth = 1;                  ///< 1-based
};
/// `operation` must not happen before `until`.
struct HoldRule {
  OperationInstance operation;
  OperationInstance until;
};

}  // namespace fenceline::common
