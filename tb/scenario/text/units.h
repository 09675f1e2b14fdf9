#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "models/common/steps/time.h"

namespace fenceline::scenario {

/// A whole number in decimal digits; none for other text.
std::optional<std::uint64_t> whole_number(std::string_view text);

// Quantities in scenario files: a decimal number and a unit without a space, e.g. "250ns" or
// "1.5us". A fraction must be a whole number of base units. Each parser throws
// std::invalid_argument that names the error.

/// "ps", "ns", "us", "ms" or "s" to [ps].
common::Time parse_duration(std::string_view text);
/// "B", "KiB", "MiB" or "GiB" to [bytes].
std::uint64_t parse_size(std::string_view text);
/// "MB/s", "GB/s" or "TB/s" (powers of ten) to [MB/s].
std::uint64_t parse_rate(std::string_view text);
/// "Hz", "kHz", "MHz" or "GHz" to [Hz].
std::uint64_t parse_frequency(std::string_view text);

// The inverse, with the largest unit that gives a whole number: 1500000 ps is "1500ns".
std::string format_duration(common::Time time);
std::string format_size(std::uint64_t bytes);
std::string format_rate(std::uint64_t megabytes_per_second);
std::string format_frequency(std::uint64_t hertz);

// Regular expressions (ECMA 262, as in JSON Schema) for the texts that the parsers accept.
constexpr const char* kDurationPattern = "^(0|[1-9][0-9]*)(\\.[0-9]+)?(ps|ns|us|ms|s)$";
constexpr const char* kSizePattern = "^(0|[1-9][0-9]*)(\\.[0-9]+)?(B|KiB|MiB|GiB)$";
constexpr const char* kRatePattern = "^(0|[1-9][0-9]*)(\\.[0-9]+)?(MB/s|GB/s|TB/s)$";
constexpr const char* kFrequencyPattern = "^(0|[1-9][0-9]*)(\\.[0-9]+)?(Hz|kHz|MHz|GHz)$";

}  // namespace fenceline::scenario
