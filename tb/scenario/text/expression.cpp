#include "tb/scenario/text/expression.h"

#include <cstdio>
#include <limits>
#include <stdexcept>
#include <string_view>

#include "tb/scenario/text/characters.h"

namespace fenceline::scenario {

namespace {

constexpr std::uint64_t kLargest = std::numeric_limits<std::uint64_t>::max();
constexpr std::uint64_t kMaxDecimal = 1ULL << 53U;  // larger numbers are more readable in hex
constexpr std::size_t kMaxTerms = 64;

bool is_name(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '-' ||
         c == '.';
}

/// One term: factor * counter; a number if the counter is empty.
struct Term {
  std::string counter;
  std::uint64_t factor = 1;
};

class ExpressionParser {
 public:
  explicit ExpressionParser(std::string_view text) : text_(text) {}

  Expression expression() {
    std::uint64_t constant = 0;
    std::map<std::string, std::uint64_t> factors;
    bool negative = false;
    for (std::size_t count = 0;; ++count) {
      if (count == kMaxTerms) fail("too many terms");
      const Term term = this->term();
      const std::uint64_t factor = negative ? 0 - term.factor : term.factor;
      if (term.counter.empty())
        constant += factor;
      else
        factors[term.counter] += factor;
      skip_space();
      if (at_ == text_.size()) break;
      if (peek() != '+' && peek() != '-') fail("expected + or -");
      negative = peek() == '-';
      ++at_;
    }
    std::vector<std::pair<std::string, std::uint64_t>> terms;
    for (auto& [name, factor] : factors) {
      if (factor != 0) terms.emplace_back(name, factor);
    }
    return Expression(constant, std::move(terms));
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw std::invalid_argument(what + " at character " + std::to_string(at_ + 1));
  }
  char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  void skip_space() {
    while (peek() == ' ') ++at_;
  }

  Term term() {
    Term result;
    skip_space();
    if (peek() == '$')
      result.counter = counter();
    else
      result.factor = number();
    skip_space();
    if (peek() != '*') return result;
    ++at_;
    skip_space();
    if (!result.counter.empty()) {
      if (peek() == '$') fail("expected a number, counters cannot be multiplied with each other");
      result.factor = number();
    } else {
      if (peek() != '$') fail("expected a counter such as ${i}");
      result.counter = counter();
    }
    return result;
  }

  std::string counter() {
    if (text_.substr(at_, 2) != "${") fail("expected ${");
    at_ += 2;
    const std::size_t start = at_;
    while (is_name(peek())) ++at_;
    if (at_ == start) fail("expected the name of a counter");
    if (peek() != '}') fail("expected }");
    return std::string(text_.substr(start, at_++ - start));
  }

  std::uint64_t number() {
    if (text_.substr(at_, 3) == "max" && !is_name(at_ + 3 < text_.size() ? text_[at_ + 3] : ' ')) {
      at_ += 3;
      return kLargest;
    }
    const std::string_view prefix = text_.substr(at_, 2);
    const std::uint64_t base = prefix == "0x" || prefix == "0X" ? 16 : 10;
    const std::size_t first = at_;
    if (base == 16) at_ += 2;
    const std::size_t start = at_;
    std::uint64_t value = 0;
    for (;;) {
      const std::uint64_t digit = digit_value(peek());
      if (digit >= base) break;
      if (value > (kLargest - digit) / base) {
        at_ = first;
        fail("the number does not fit 64 bits");
      }
      value = value * base + digit;
      ++at_;
    }
    if (at_ == start) fail("expected a number or a counter such as ${i}");
    return value;
  }

  static std::uint64_t digit_value(char c) {
    if (is_digit(c)) return static_cast<std::uint64_t>(c - '0');
    if (c >= 'a' && c <= 'f') return static_cast<std::uint64_t>(c - 'a') + 10;
    if (c >= 'A' && c <= 'F') return static_cast<std::uint64_t>(c - 'A') + 10;
    return 16;
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

std::string number_text(std::uint64_t value) {
  if (value == kLargest) return "max";
  if (value <= kMaxDecimal) return std::to_string(value);
  char text[32];
  std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(value));
  return text;
}

}  // namespace

Expression Expression::parse(const std::string& text) {
  return ExpressionParser(text).expression();
}

std::string Expression::to_string() const {
  std::string text;
  for (const auto& [name, factor] : terms_) {
    const bool negative = factor > kLargest / 2 && !text.empty();
    const std::uint64_t size = negative ? 0 - factor : factor;
    text += text.empty() ? "" : negative ? "-" : "+";
    text += "${" + name + "}";
    if (size != 1) text += "*" + number_text(size);
  }
  if (text.empty()) return number_text(constant_);
  if (constant_ == 0) return text;
  const bool negative = constant_ > kLargest / 2;
  return text + (negative ? "-" : "+") + number_text(negative ? 0 - constant_ : constant_);
}

}  // namespace fenceline::scenario
