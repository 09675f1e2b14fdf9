#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tb/scenario/scenario.h"
#include "tb/scenario/sweep_values.h"

namespace fenceline::sweep {

/// Points and runs of a sweep, by number. Each can be computed without the others: shards need no
/// communication.
class Design {
 public:
  /// @pre scenario::check_sweep_settings() has passed.
  explicit Design(const scenario::SweepSettings& settings);

  std::uint64_t points() const { return points_; }
  std::uint64_t runs() const { return points_ * settings_.seeds; }
  std::uint64_t repetitions() const { return settings_.seeds; }  ///< runs of each point
  std::uint64_t point_of(std::uint64_t run) const { return run / settings_.seeds; }
  /// Index of a run within its point, from 0.
  std::uint64_t repetition_of(std::uint64_t run) const { return run % settings_.seeds; }
  const std::vector<scenario::Variation>& variations() const { return settings_.vary; }
  /// JSON text of each variation's value at a point. In a cartesian design the last variation
  /// changes fastest.
  std::vector<std::string> values(std::uint64_t point) const;
  /// A point in the syntax of --set: "/json/pointer=value" each.
  std::vector<std::string> assignments(std::uint64_t point) const;

 private:
  std::uint64_t index(std::uint64_t point, std::size_t variation) const;

  const scenario::SweepSettings settings_;
  std::vector<scenario::VariedValues> values_;
  std::vector<std::uint64_t> strides_;  ///< points between two values of a cartesian design
  std::uint64_t points_;
};

}  // namespace fenceline::sweep
