#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "tb/report/record/run_report.h"

namespace fenceline::report {

/// A set of durations with exact statistics. Equal values are stored once: a long run of a
/// deterministic model takes little memory. Adding a value is an append.
class Samples {
 public:
  void add(std::uint64_t value) {
    recent_.push_back(value);
    if (recent_.size() >= fold_at_) fold();
  }
  /// Count, minimum, mean (rounded down), nearest-rank percentiles and maximum.
  Latency summarise(std::string name, std::string meaning);

 private:
  static constexpr std::size_t kFoldAt = 65'536;

  /// Merges the recent values into the counted ones.
  void fold();
  /// The smallest value with at least `percent` % of all values not above it. @pre not empty.
  std::uint64_t percentile(std::uint64_t count, std::uint64_t percent) const;

  std::vector<std::uint64_t> recent_;
  std::vector<std::pair<std::uint64_t, std::uint64_t>> counted_;  ///< {value, count}, ascending
  std::size_t fold_at_ = kFoldAt;
};

}  // namespace fenceline::report
