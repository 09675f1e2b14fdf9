#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "tb/explore/explore.h"

namespace fenceline::explore {

/// An ordering switch used as a mechanism that is present or absent.
struct Mechanism {
  std::string name;       ///< e.g. "cmp.recheck"
  std::string on;         ///< JSON of the strongest value
  std::string off;        ///< JSON of the weakest value
  std::string on_means;   ///< behaviour of a machine with the strongest value
  std::string off_means;  ///< and with the weakest one
};
/// The strongest and the weakest value of the switch. Throws std::invalid_argument for a switch
/// whose values have no order.
Mechanism mechanism(const std::string& switch_name);

/// Result of one subset of the mechanisms.
struct MatrixRow {
  std::uint32_t on = 0;  ///< bit i: mechanism i is present
  Verdict verdict = Verdict::kIncomplete;
  std::vector<std::string> broken;  ///< invariants
  std::uint64_t executions = 0;
  std::uint64_t runs = 0;                        ///< hash of the report of the search
  std::optional<Counterexample> counterexample;  ///< of the first violation, explained in brief
  bool own_fault = false;  ///< a crash or an endless loop outside a driver of the user
};

/// Verdicts of all subsets of some mechanisms. All other switches keep the values of the scenario.
struct Matrix {
  std::vector<Mechanism> mechanisms;
  std::vector<MatrixRow> rows;  ///< by `on`
  Bounds bounds;                ///< of all searches
  /// Minimal sets of mechanisms with the verdict PROVED.
  std::vector<std::uint32_t> sufficient;
  /// Minimal sets of mechanisms whose absence breaks something while all others are present. The
  /// members of a set with several mechanisms back each other up.
  std::vector<std::uint32_t> backups;
  /// Mechanisms without influence on any run: for every set of the others the search is the same
  /// with and without them. The scenario does not show whether they are needed.
  std::uint32_t not_exercised = 0;
};

/// Explores every subset, in several processes. Without ExploreOptions::explain no counterexample
/// is explained. @param max_processes at least 1. @param done called for each row as it ends, with
/// the number of all rows; may be empty
Matrix explore_matrix(const std::vector<std::string>& switches, const Load& load,
                      const ExploreOptions& options, unsigned max_processes,
                      const std::function<void(const MatrixRow&, std::size_t)>& done = {});

}  // namespace fenceline::explore
