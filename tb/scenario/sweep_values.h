#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "tb/scenario/json_document.h"
#include "tb/scenario/scenario.h"

namespace fenceline::scenario {

/// A sweep that cannot be.
struct SweepProblem : std::runtime_error {
  SweepProblem(std::string at, const std::string& message, std::string should = {},
               std::string help = {})
      : std::runtime_error(message),
        pointer(std::move(at)),
        expected(std::move(should)),
        hint(std::move(help)) {}

  std::string pointer;   ///< below /sweep, such as "/vary/0/to"
  std::string expected;  ///< what may stand there; may be empty
  std::string hint;      ///< may be empty
};

/// The values of one variation, by number.
class VariedValues {
 public:
  /// Throws SweepProblem for a range that cannot be; its pointer is below the variation.
  explicit VariedValues(const Variation& variation);

  std::uint64_t count() const { return count_; }
  /// The JSON text of a value. @pre index < count().
  std::string at(std::uint64_t index) const;
  /// A range without step or factor: only random designs draw from it.
  bool continuous() const { return values_.empty() && step_ == 0 && factor_ == 0; }

 private:
  enum class Kind : std::uint8_t { kNumber, kDuration, kSize, kRate, kFrequency };
  struct Quantity {
    Kind kind = Kind::kNumber;
    std::uint64_t value = 0;  ///< in base units
  };

  static Quantity parse(const std::string& json, const std::string& key);
  void read_range(const Variation& variation);
  void count_range(const Variation& variation, std::uint64_t to);

  std::vector<std::string> values_;
  Quantity from_;
  std::uint64_t step_ = 0;
  std::uint64_t factor_ = 0;
  std::uint64_t count_ = 0;
};

/// Most runs that a sweep may have.
constexpr std::uint64_t kMostSweepRuns = 1'000'000;

/// Points of a checked sweep, each with its runs counted once.
std::uint64_t sweep_points(const SweepSettings& sweep);

/// Throws SweepProblem at the first thing that is wrong.
void check_sweep_settings(const SweepSettings& sweep);

/// The text of a value, without spaces.
std::string json_of(const JsonValue& value);

/// A value as tables show it: a string without its quotes, anything else as its JSON text.
std::string plain_text(const std::string& json);

}  // namespace fenceline::scenario
