#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "models/common/time.h"

namespace fenceline::scenario {

/// A whole number in decimal digits; none for anything else.
std::optional<std::uint64_t> whole_number(std::string_view text);

// Quantities as scenario files write them: a decimal number, then a unit, without a space, e.g.
// "250ns" or "1.5us". A fraction must come out as a whole number of the base unit.
// Each parser throws std::invalid_argument with a message that names what is wrong.

/// "ps", "ns", "us", "ms" or "s" to [ps].
common::Time parse_duration(std::string_view text);
/// "B", "KiB", "MiB" or "GiB" to [bytes].
std::uint64_t parse_size(std::string_view text);
/// "MB/s", "GB/s" or "TB/s" (powers of ten) to [MB/s].
std::uint64_t parse_rate(std::string_view text);
/// "Hz", "kHz", "MHz" or "GHz" to [Hz].
std::uint64_t parse_frequency(std::string_view text);

// The inverse: the largest unit that keeps the number whole, e.g. 1500000 ps are "1500ns".
std::string format_duration(common::Time time);
std::string format_size(std::uint64_t bytes);
std::string format_rate(std::uint64_t megabytes_per_second);
std::string format_frequency(std::uint64_t hertz);

// Regular expressions (ECMA 262, as JSON Schema uses them) that accept what the parsers read.
constexpr const char* kDurationPattern = "^(0|[1-9][0-9]*)(\\.[0-9]+)?(ps|ns|us|ms|s)$";
constexpr const char* kSizePattern = "^(0|[1-9][0-9]*)(\\.[0-9]+)?(B|KiB|MiB|GiB)$";
constexpr const char* kRatePattern = "^(0|[1-9][0-9]*)(\\.[0-9]+)?(MB/s|GB/s|TB/s)$";
constexpr const char* kFrequencyPattern = "^(0|[1-9][0-9]*)(\\.[0-9]+)?(Hz|kHz|MHz|GHz)$";

}  // namespace fenceline::scenario
