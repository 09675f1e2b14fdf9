#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "tb/scenario/scenario.h"
#include "tb/scenario/text/json_document.h"

namespace fenceline::scenario {

/// An invalid sweep.
struct SweepProblem : std::runtime_error {
  SweepProblem(std::string at, const std::string& message, std::string should = {},
               std::string help = {})
      : std::runtime_error(message),
        pointer(std::move(at)),
        expected(std::move(should)),
        hint(std::move(help)) {}

  std::string pointer;   ///< below /sweep, such as "/vary/0/to"
  std::string expected;  ///< what is allowed there; may be empty
  std::string hint;      ///< may be empty
};

/// The values of one variation by number.
class VariedValues {
 public:
  /// Throws SweepProblem for an invalid range; its pointer is below the variation.
  explicit VariedValues(const Variation& variation);

  std::uint64_t count() const { return count_; }
  /// JSON text of a value. @pre index < count().
  std::string at(std::uint64_t index) const;
  /// True for a range without step or factor; only random designs can use it.
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

/// Maximum number of runs of a sweep.
constexpr std::uint64_t kMaxSweepRuns = 1'000'000;

/// Number of points of a checked sweep.
std::uint64_t sweep_points(const SweepSettings& sweep);

/// Throws SweepProblem at the first error.
void check_sweep_settings(const SweepSettings& sweep);

/// JSON text of a value, without spaces.
std::string json_of(const JsonValue& value);

/// False for JSON with a number such as 1e999, which most programs cannot represent.
bool can_be_kept(const std::string& json);

/// A value for tables: a string without quotes, anything else as JSON text.
std::string plain_text(const std::string& json);

}  // namespace fenceline::scenario
