#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "models/common/kept_states.h"

namespace fenceline::common {

/// Mixes 64 bits: each input bit changes half of the output bits on average. Source: the finaliser
/// of SplitMix64 (Steele, Lea, Flood 2014).
constexpr std::uint64_t mix(std::uint64_t value) {
  value += 0x9E3779B97F4A7C15ULL;
  value = (value ^ (value >> 30)) * 0xBF58476D1CE4E5B9ULL;
  value = (value ^ (value >> 27)) * 0x94D049BB133111EBULL;
  return value ^ (value >> 31);
}

/// Order-sensitive hash of the added values. A hash may be added to another hash: the old state is
/// multiplied first, and therefore a word and the hash of that word give different results.
class Hasher {
 public:
  Hasher& add(std::uint64_t value) {
    const std::uint64_t before = state_;
    state_ = mix(before * kOdd ^ value);
    if constexpr (kCanKeepStates)
      if (kept_states != nullptr) kept_states->keep(state_, before, value);
    return *this;
  }
  /// Adds whole 64-bit words of `data`. @pre bytes is a multiple of 8.
  Hasher& add_words(const void* data, std::size_t bytes) {
    for (std::size_t i = 0; i < bytes; i += sizeof(std::uint64_t)) {
      std::uint64_t word = 0;
      std::memcpy(&word, static_cast<const unsigned char*>(data) + i, sizeof word);
      add(word);
    }
    return *this;
  }
  std::uint64_t value() const { return state_; }

 private:
  /// 2^64 divided by the golden ratio, made odd. Source: Knuth, TAOCP 3, 6.4.
  static constexpr std::uint64_t kOdd = 0x9E3779B97F4A7C15ULL;

  std::uint64_t state_ = 0;
};

/// The hash of some values, in their order.
template <class... Values>
std::uint64_t hash_values(Values... values) {
  Hasher hasher;
  (hasher.add(static_cast<std::uint64_t>(values)), ...);
  return hasher.value();
}

/// Contributes to the hash of the whole state. The hash checks replays.
class Hashed {
 public:
  virtual ~Hashed() = default;
  virtual std::uint64_t state_hash() const = 0;
};

/// A seeded random sequence that is the same on every machine. Source: SplitMix64.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(mix(seed)) {}
  std::uint64_t next() { return mix(state_ += 0x9E3779B97F4A7C15ULL); }
  /// Approximately uniform in [0, bound). @pre 0 < bound, much smaller than 2^64.
  std::uint64_t below(std::uint64_t bound) { return next() % bound; }

 private:
  std::uint64_t state_;
};

}  // namespace fenceline::common
