#include "tb/scenario/text/units.h"

#include <array>
#include <charconv>
#include <limits>
#include <numeric>
#include <stdexcept>

#include "tb/scenario/text/characters.h"

namespace fenceline::scenario {

namespace {

struct Unit {
  std::string_view name;
  std::uint64_t factor;  ///< base units per unit
};

// Smallest first.
constexpr std::array<Unit, 5> kDurationUnits{{{"ps", 1},
                                              {"ns", common::kNanosecond},
                                              {"us", common::kMicrosecond},
                                              {"ms", common::kMillisecond},
                                              {"s", common::kSecond}}};
constexpr std::array<Unit, 4> kSizeUnits{
    {{"B", 1}, {"KiB", 1ULL << 10}, {"MiB", 1ULL << 20}, {"GiB", 1ULL << 30}}};
constexpr std::array<Unit, 3> kRateUnits{{{"MB/s", 1}, {"GB/s", 1'000}, {"TB/s", 1'000'000}}};
constexpr std::array<Unit, 4> kFrequencyUnits{
    {{"Hz", 1}, {"kHz", 1'000}, {"MHz", 1'000'000}, {"GHz", 1'000'000'000}}};

constexpr std::uint64_t kMax = std::numeric_limits<std::uint64_t>::max();
constexpr std::size_t kMaxDecimals = 18;  // 10^18 still fits 64 bits

std::string_view take_digits(std::string_view& rest) {
  std::size_t length = 0;
  while (length < rest.size() && is_digit(rest[length])) ++length;
  const std::string_view digits = rest.substr(0, length);
  rest.remove_prefix(length);
  return digits;
}

std::uint64_t to_number(std::string_view digits) {
  std::uint64_t value = 0;
  for (const char c : digits) {
    const auto digit = static_cast<std::uint64_t>(c - '0');
    if (value > (kMax - digit) / 10) throw std::invalid_argument("the number is too large");
    value = value * 10 + digit;
  }
  return value;
}

template <std::size_t N>
const Unit& find_unit(const std::array<Unit, N>& units, std::string_view name) {
  for (const Unit& unit : units) {
    if (unit.name == name) return unit;
  }
  std::string known;
  for (const Unit& unit : units) known += (known.empty() ? "" : ", ") + std::string(unit.name);
  if (name.empty()) throw std::invalid_argument("the unit is missing; units are " + known);
  throw std::invalid_argument("the unit is not one of " + known);
}

/// `decimals` of one unit, in base units. Throws if the result is not a whole number.
std::uint64_t fraction(std::string_view decimals, std::uint64_t factor) {
  while (!decimals.empty() && decimals.back() == '0') decimals.remove_suffix(1);
  if (decimals.empty()) return 0;
  if (decimals.size() > kMaxDecimals) throw std::invalid_argument("too many decimals");
  const std::uint64_t numerator = to_number(decimals);
  std::uint64_t denominator = 1;
  for (std::size_t i = 0; i < decimals.size(); ++i) denominator *= 10;
  const std::uint64_t common_divisor = std::gcd(numerator, denominator);
  denominator /= common_divisor;
  if (factor % denominator != 0) {
    throw std::invalid_argument("the fraction is no whole number of the smallest unit");
  }
  return numerator / common_divisor * (factor / denominator);
}

template <std::size_t N>
std::uint64_t parse(std::string_view text, const std::array<Unit, N>& units) {
  std::string_view rest = text;
  const std::string_view whole = take_digits(rest);
  if (whole.empty()) throw std::invalid_argument("it does not start with a number");
  if (whole.size() > 1 && whole[0] == '0') throw std::invalid_argument("it has leading zeros");
  std::string_view decimals;
  if (!rest.empty() && rest[0] == '.') {
    rest.remove_prefix(1);
    decimals = take_digits(rest);
    if (decimals.empty()) throw std::invalid_argument("no digit follows the decimal point");
  }
  if (!rest.empty() && rest[0] == ' ') {
    throw std::invalid_argument("a space stands between number and unit");
  }
  const std::uint64_t factor = find_unit(units, rest).factor;
  const std::uint64_t value = to_number(whole);
  const std::uint64_t part = fraction(decimals, factor);
  if (value > (kMax - part) / factor) throw std::invalid_argument("the number is too large");
  return value * factor + part;
}

template <std::size_t N>
std::string format(std::uint64_t value, const std::array<Unit, N>& units) {
  std::size_t best = 0;
  for (std::size_t i = 0; i < N; ++i) {
    if (value != 0 && value % units[i].factor == 0) best = i;
  }
  return std::to_string(value / units[best].factor) + std::string(units[best].name);
}

}  // namespace

std::optional<std::uint64_t> whole_number(std::string_view text) {
  std::uint64_t value = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || stop != end) return std::nullopt;
  return value;
}

common::Time parse_duration(std::string_view text) { return parse(text, kDurationUnits); }
std::uint64_t parse_size(std::string_view text) { return parse(text, kSizeUnits); }
std::uint64_t parse_rate(std::string_view text) { return parse(text, kRateUnits); }
std::uint64_t parse_frequency(std::string_view text) { return parse(text, kFrequencyUnits); }

std::string format_duration(common::Time time) { return format(time, kDurationUnits); }
std::string format_size(std::uint64_t bytes) { return format(bytes, kSizeUnits); }
std::string format_rate(std::uint64_t megabytes_per_second) {
  return format(megabytes_per_second, kRateUnits);
}
std::string format_frequency(std::uint64_t hertz) { return format(hertz, kFrequencyUnits); }

}  // namespace fenceline::scenario
