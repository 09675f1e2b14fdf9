#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "tb/check/core/invariants.h"
#include "tb/explore/search/footprints.h"

namespace fenceline::explore {

/// Orders of pairs of steps that the runs of a search took, ways of its choices, and invariants
/// that the runs tested.
struct Coverage {
  /// Number of times each of two steps came first.
  struct Wins {
    std::uint64_t first = 0;
    std::uint64_t second = 0;

    bool both() const { return first > 0 && second > 0; }
  };
  using Pair = std::pair<std::string, std::string>;
  /// A way is a step that could be taken at a choice between several.
  struct Ways {
    std::uint64_t offered = 0;
    std::uint64_t taken = 0;  ///< the others lead to orders that were searched from another choice
  };
  /// By the two steps, each named by agent and operation, in the order of their names.
  std::map<Pair, Wins> races;
  /// By invariant: runs, cut short or not, that tested it after the set-up.
  std::array<std::uint64_t, check::kInvariantCount> tested{};
  std::array<Ways, common::kOperationCount> ways{};  ///< by operation

  /// A choice between these steps was met.
  void offer(const std::vector<common::Candidate>& steps);
  void take(const common::Candidate& step);
  /// Number of pairs that ran in both orders.
  std::size_t both_ways() const;
};

/// Adds the coverage of other runs of the same scenario.
void add(Coverage& all, const Coverage& later);

/// Finds the races of a run while it goes on: two steps of different agents race if both could be
/// taken, and they touch the same place, one of them to write.
///
/// A race is noted when the second of the two is taken, as only then it is known what both touch;
/// if that is more than 128 steps later it is not.
class RaceFinder {
 public:
  /// Step number `place` of the run, from 0, touched `touched` while the agents `enabled` could
  /// take a step. Drops what an earlier run did at `place` and later.
  void step(std::size_t place, const common::Candidate& step, const Touched& touched,
            const AgentSet& enabled);
  /// Drops the steps before `place`.
  void forget(std::size_t place);
  /// All races found, by name.
  std::map<Coverage::Pair, Coverage::Wins> races(const common::Steps& steps) const;

 private:
  struct Taken {
    common::AgentId agent{};
    common::Operation operation{};
    Touched touched;
    AgentSet enabled;
  };
  void note(const Taken& first, const Taken& second);

  std::vector<Taken> run_;
  /// By the numbers of the two steps, the lower one in the upper half.
  std::unordered_map<std::uint64_t, Coverage::Wins> wins_;
};

}  // namespace fenceline::explore
