#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace fenceline::scenario {

/// Values of the counters of enclosing repeats, each from 0.
using Counters = std::map<std::string, std::uint64_t>;

/// An unsigned 64-bit number, or a linear expression of counters such as "${i}*2+1".
/// Arithmetic wraps modulo 2^64.
class Expression {
 public:
  Expression() = default;
  explicit Expression(std::uint64_t constant) : constant_(constant) {}
  Expression(std::uint64_t constant, std::vector<std::pair<std::string, std::uint64_t>> terms)
      : constant_(constant), terms_(std::move(terms)) {}

  /// Parses `text`: terms joined by + or -. A term is a number (decimal, 0x... or "max" for
  /// 2^64-1), "${name}", "${name}*number" or "number*${name}". Terms of the same counter are added.
  /// Throws std::invalid_argument with the error and its character position.
  static Expression parse(const std::string& text);

  /// @pre `counters` has every counter of the expression; otherwise std::out_of_range.
  std::uint64_t evaluate(const Counters& counters) const {
    std::uint64_t value = constant_;
    for (const auto& [name, factor] : terms_) value += counters.at(name) * factor;
    return value;
  }
  const std::vector<std::pair<std::string, std::uint64_t>>& terms() const { return terms_; }
  bool is_constant() const { return terms_.empty(); }
  /// The constant part.
  std::uint64_t constant() const { return constant_; }
  /// The shortest text that parse() reads as this expression: "max", "0x1ffffffff", "${i}*2+1".
  std::string to_string() const;

 private:
  std::uint64_t constant_ = 0;
  std::vector<std::pair<std::string, std::uint64_t>> terms_;  ///< {counter, factor}
};

}  // namespace fenceline::scenario
