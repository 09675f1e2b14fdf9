#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "models/common/steps/steps.h"
#include "tb/report/record/run_report.h"

namespace fenceline::run {

/// A step as people know it, agent and operation, as one number.
std::uint32_t step_number(common::AgentId agent, common::Operation operation);
/// Its name, such as "gpu0.cmp read_value".
std::string step_name(const common::Steps& steps, std::uint32_t number);

/// Counts who goes first where the order matters: two agents that could both take their step at one
/// choice race if the footprints of these steps conflict.
///
/// A race is decided, and counted, when one of the two is picked; whoever is left keeps waiting
/// with the same step, so no race is counted twice.
class Races {
 public:
  /// `candidates[picked]` goes before all others. @pre picked is an index of `candidates`
  void decide(const std::vector<common::Candidate>& candidates, std::size_t picked);

  /// The counts, by the names of agent and operation.
  std::vector<report::Race> by_name(const common::Steps& steps) const;

 private:
  /// How often each of a pair went first: the one with the lower number, the other one.
  struct Wins {
    std::uint64_t lower = 0;
    std::uint64_t upper = 0;
  };
  /// By the numbers of the two that raced, the lower one in the upper half.
  std::unordered_map<std::uint64_t, Wins> wins_;
};

}  // namespace fenceline::run
