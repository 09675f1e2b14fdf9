#pragma once

#include <cstdint>

namespace fenceline::common {

/// A duration or an instant of simulated time in whole picoseconds.
using Time = std::uint64_t;

constexpr Time kPicosecond = 1;
constexpr Time kNanosecond = 1'000;
constexpr Time kMicrosecond = 1'000'000;
constexpr Time kMillisecond = 1'000'000'000;
constexpr Time kSecond = 1'000'000'000'000;

constexpr Time operator""_ps(unsigned long long n) { return n; }
constexpr Time operator""_ns(unsigned long long n) { return n * kNanosecond; }
constexpr Time operator""_us(unsigned long long n) { return n * kMicrosecond; }
constexpr Time operator""_ms(unsigned long long n) { return n * kMillisecond; }

/// Transfer time of `bytes` at `megabytes_per_second` (1 MB/s = 1e6 bytes/s), rounded up. @pre
/// megabytes_per_second > 0.
constexpr Time transfer_time(std::uint64_t bytes, std::uint64_t megabytes_per_second) {
  return (bytes * 1'000'000 + megabytes_per_second - 1) / megabytes_per_second;
}

}  // namespace fenceline::common
