#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "tb/explore/explore.h"

namespace fenceline::explore {

/// An ordering switch as a mechanism that is there or not.
struct Mechanism {
  std::string name;  ///< e.g. "cmp.recheck"
  std::string on;    ///< JSON of the value with the mechanism
  std::string off;   ///< and without
};
/// The strongest and the weakest value of the switch. Throws std::invalid_argument for a switch
/// whose values have no order.
Mechanism mechanism(const std::string& switch_name);

/// What one subset of the mechanisms comes to.
struct MatrixRow {
  std::uint32_t on = 0;  ///< bit i: mechanism i is there
  Verdict verdict = Verdict::kIncomplete;
  std::vector<std::string> broken;  ///< invariants
  std::uint64_t executions = 0;
  std::uint64_t runs = 0;  ///< hash of what the search has met: its runs, races and tests
  bool own_fault = false;  ///< a crash or an endless loop outside a driver of the user
};

/// Verdicts of all subsets of some mechanisms, the others being as the scenario has them.
struct Matrix {
  std::vector<Mechanism> mechanisms;
  std::vector<MatrixRow> rows;  ///< by `on`
  Bounds bounds;                ///< of all of them
  /// Smallest sets of mechanisms that suffice: PROVED, and no smaller one is.
  std::vector<std::uint32_t> sufficient;
  /// Smallest sets of mechanisms whose absence breaks something, all others being there. The
  /// members of one with several back each other up.
  std::vector<std::uint32_t> backups;
  /// Mechanisms that nothing depends on in any run: for every set of the others the search is the
  /// same with them and without. That nothing breaks without them says nothing of them.
  std::uint32_t not_exercised = 0;
};

/// Explores every subset, in several processes. @param max_processes at least 1.
Matrix explore_matrix(const std::vector<std::string>& switches, const Load& load,
                      const ExploreOptions& options, unsigned max_processes);

}  // namespace fenceline::explore
