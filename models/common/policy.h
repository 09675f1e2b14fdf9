#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "models/common/events.h"
#include "models/common/operations.h"

namespace fenceline::common {

/// An agent as a policy sees it at a choice.
struct Candidate {
  AgentId agent;
  Operation operation;
  Footprint footprint;        ///< what the step is about, as far as the agent has told
  std::uint64_t history = 0;  ///< hash of what the agent knows
};

/// Decides which of the agents that could go on goes on.
class Policy {
 public:
  /// Returned by `pick`: nobody goes on, the controller does.
  static constexpr std::size_t kStop = ~std::size_t{0};

  virtual ~Policy() = default;
  /// Returns an index into `candidates` (at least one, in the order of agent numbers) or kStop.
  /// Called before every step, also when there is one candidate only; runs in the process of
  /// whoever stepped last. `state` computes the hash of the whole state.
  virtual std::size_t pick(const std::vector<Candidate>& candidates,
                           const std::function<std::uint64_t()>& state) = 0;
};

/// When a timer may fire while exploring.
enum class Fires : std::uint8_t {
  kAnyTime,  ///< at any choice
  kLast      ///< when nobody else can go on: it is far longer than all else
};

/// A condition on an operation of one agent, counted from the end of the set-up.
struct OperationInstance {
  AgentId agent = 0;
  Operation operation = Operation::kAny;  ///< kAny: every operation of the agent counts
  std::uint32_t nth = 1;                  ///< 1-based
};
/// `operation` does not happen before `until` has.
struct HoldRule {
  OperationInstance operation;
  OperationInstance until;
};

}  // namespace fenceline::common
