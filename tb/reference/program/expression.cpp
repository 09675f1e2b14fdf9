#include "tb/reference/program/expression.h"

#include <cctype>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "models/abi/mutant.h"

namespace fenceline::reference {

namespace {

/// Reads an expression from left to right: terms joined by + and -, each a product of factors.
class ExpressionReader {
 public:
  ExpressionReader(const std::string& text, const Counters& counters)
      : text_(text), counters_(counters) {}

  std::uint64_t sum() {
    std::uint64_t value = product();
    while (true) {
      const char sign = next();
      if (sign == '\0') return value;
      if (sign != '+' && sign != '-') fail();
      ++at_;
      value = sign == '+' ? value + product() : value - product();
    }
  }

 private:
  std::uint64_t product() {
    std::uint64_t value = factor();
    while (next() == '*') {
      ++at_;
      value = abi::mutant(abi::Mutant::kProductIsSum) ? value + factor() : value * factor();
    }
    return value;
  }

  std::uint64_t factor() {
    if (next() == '$') return counter();
    if (text_.compare(at_, 3, "max") == 0) {
      at_ += 3;
      return UINT64_MAX;
    }
    if (std::isdigit(static_cast<unsigned char>(next())) == 0) fail();
    const bool hexadecimal = text_.compare(at_, 2, "0x") == 0;
    std::size_t length = 0;
    const std::uint64_t value = std::stoull(text_.substr(at_), &length, hexadecimal ? 16 : 10);
    at_ += length;
    return value;
  }

  std::uint64_t counter() {
    const std::size_t end = text_.find('}', at_);
    if (text_.compare(at_, 2, "${") != 0 || end == std::string::npos) fail();
    const auto found = counters_.find(text_.substr(at_ + 2, end - at_ - 2));
    if (found == counters_.end()) fail();
    at_ = end + 1;
    return found->second;
  }

  char next() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
    return at_ < text_.size() ? text_[at_] : '\0';
  }

  [[noreturn]] void fail() const { throw std::invalid_argument("bad expression: " + text_); }

  const std::string& text_;
  const Counters& counters_;
  std::size_t at_ = 0;
};

}  // namespace

std::uint64_t evaluate(const nlohmann::json& expression, const Counters& counters) {
  if (expression.is_number_unsigned()) return expression.get<std::uint64_t>();
  if (!expression.is_string()) throw std::invalid_argument("a value is a number or an expression");
  const auto text = expression.get<std::string>();
  return ExpressionReader(text, counters).sum();
}

std::uint64_t bytes_of(const nlohmann::json& size) {
  const auto text = size.get<std::string>();
  std::size_t length = 0;
  const std::uint64_t number = std::stoull(text, &length);
  const std::string unit = text.substr(length);
  if (unit == "B") return number;
  if (unit == "KiB") return number << 10U;
  if (unit == "MiB") return number << 20U;
  if (unit == "GiB") return number << 30U;
  throw std::invalid_argument("bad size: " + text);
}

double seconds_of(const std::string& duration) {
  std::size_t length = 0;
  const double number = std::stod(duration, &length);
  const std::string unit = duration.substr(length);
  if (unit == "s") return number;
  if (unit == "ms") return number * 1e-3;
  if (unit == "us") return number * 1e-6;
  if (unit == "ns") return number * 1e-9;
  if (unit == "ps") return number * 1e-12;
  throw std::invalid_argument("bad duration: " + duration);
}

}  // namespace fenceline::reference
