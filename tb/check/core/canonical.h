#pragma once

#include <cstdint>

#include "models/common/hash.h"
#include "tb/check/core/tables.h"

namespace fenceline::check {

class World;

/// Hash of the checkers' memory. Equal hashes mean that the same future breaks the same invariants;
/// two histories that no future can tell apart have equal hashes.
///
/// Running numbers differ between such histories. They enter only through their later comparisons:
/// a signal by a name of its own, a position by its rank among the positions it may be compared
/// with, an event by the set of active DPCs that began after it. The checkers first collect these
/// (`name_signal`, `mark_position`, `mark_dpc`), then add their state.
///
/// Assumptions about the hardware and the OS:
///  - Unless reads may be stale, a read of CurrentValue returns the value at its home.
///    MonitoredValue and the shadow are never torn, and a read of them returns the stored value.
///  - A scan of a fence belongs to a DPC that its agent has begun.
///  - The OS reads each entry of a log once, and in order.
///  - The ISR acknowledges entries that the device has written, counted from the same start.
class Canonical {
 public:
  /// @param stale a read of CurrentValue or of a log header may return an older or a torn value;
  /// everything that such a read can tell apart then enters the hash
  Canonical(const World& world, bool stale) : world_(world), stale_(stale) {}

  bool stale() const { return stale_; }

  void name_signal(std::uint64_t number, std::uint64_t name) { names_.push({number, name}); }
  /// A position that will be compared with other positions of the fence before the next read.
  void mark_position(std::uint32_t fence, std::uint64_t position) {
    marks_.push({fence, position});
  }
  /// An active DPC that began at event `seq`.
  void mark_dpc(std::uint64_t agent, std::uint64_t seq) { dpcs_.push({agent, seq}); }
  void mark_logs() { logs_ = true; }

  /// The name of a live signal; 0 for any other, which no later event can refer to.
  std::uint64_t signal(std::uint64_t number) const;
  /// The rank of the position; 0 if it is unknown or not reached yet.
  std::uint64_t position(std::uint32_t fence, std::uint64_t position) const;
  /// The set of active DPCs that began after event `seq`.
  std::uint64_t before(std::uint64_t seq) const;
  bool logs() const { return logs_; }

  /// Adds one value. A list enters as the sum of the hashes of its items; where order counts, each
  /// item contains its place.
  Canonical& add(std::uint64_t value) {
    hasher_.add(value);
    return *this;
  }
  std::uint64_t value() const { return hasher_.value(); }

 private:
  struct Name {
    std::uint64_t number;
    std::uint64_t name;
  };
  struct Mark {
    std::uint32_t fence;
    std::uint64_t position;
  };
  struct Dpc {
    std::uint64_t agent;
    std::uint64_t seq;
  };

  const World& world_;
  const bool stale_;
  bool logs_ = false;
  common::Hasher hasher_;
  Few<Name, 16> names_;
  Few<Mark, 16> marks_;
  Few<Dpc, 8> dpcs_;
};

/// Packs two numbers below 2^32 into one.
constexpr std::uint64_t pair_of(std::uint64_t high, std::uint64_t low) { return high << 32 | low; }

/// Packs flags into a number, the first one in bit 0.
template <class... Flags>
constexpr std::uint64_t bits_of(Flags... flags) {
  std::uint64_t bits = 0;
  std::uint64_t weight = 1;
  ((bits += flags ? weight : 0, weight *= 2), ...);
  return bits;
}

}  // namespace fenceline::check
