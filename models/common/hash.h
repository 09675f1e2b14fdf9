#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "models/common/kept_states.h"

namespace fenceline::common {

/// Mixes 64 bits so that each bit of the input moves half of the output.
/// Source: the finaliser of SplitMix64 (Steele, Lea, Flood 2014).
constexpr std::uint64_t mix(std::uint64_t value) {
  value += 0x9E3779B97F4A7C15ULL;
  value = (value ^ (value >> 30)) * 0xBF58476D1CE4E5B9ULL;
  value = (value ^ (value >> 27)) * 0x94D049BB133111EBULL;
  return value ^ (value >> 31);
}

/// Order-sensitive hash of what has been added so far. A hash may be added to another one: what
/// came before is multiplied, so that a word and the hash of a word cannot stand for each other.
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
  /// The golden ratio's part of 2^64, made odd. Source: Knuth, TAOCP 3, 6.4.
  static constexpr std::uint64_t kOdd = 0x9E3779B97F4A7C15ULL;

  std::uint64_t state_ = 0;
};

/// Contributes to the hash of the whole state, by which replays are checked.
class Hashed {
 public:
  virtual ~Hashed() = default;
  virtual std::uint64_t state_hash() const = 0;
};

/// A seeded sequence of random numbers that is the same on every machine.
/// Source: SplitMix64.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(mix(seed)) {}
  std::uint64_t next() { return mix(state_ += 0x9E3779B97F4A7C15ULL); }
  /// Uniform enough in [0, bound). @pre bound > 0; small against 2^64.
  std::uint64_t below(std::uint64_t bound) { return next() % bound; }

 private:
  std::uint64_t state_;
};

}  // namespace fenceline::common
