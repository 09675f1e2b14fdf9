#pragma once

#include <cstdint>

#include "models/common/hash.h"
#include "tb/check/core/tables.h"

namespace fenceline::check {

class World;

/// The hash of what the checkers remember: equal only if the same future breaks the same
/// invariants, and equal for any two pasts between which no future can tell.
///
/// Numbers that count over a run differ between pasts that are equal otherwise. They enter only by
/// what compares them later: a signal by a name of its own, a position by its place among those
/// that it may yet be compared with, an event by which of the DPCs under way began after it.
/// These are collected first (`name_signal`, `mark_position`, `mark_dpc`), then everybody adds.
///
/// What happens next is taken to be what the hardware and the OS can do:
///  - Unless reads may be stale, a read of CurrentValue returns what is at its home.
///    MonitoredValue and the shadow are never torn, and reads of them return what is there.
///  - A scan of a fence belongs to a DPC that its agent has begun.
///  - The OS reads each entry of a log once, and in order.
///  - The ISR acknowledges what the device has written, counted from the same start.
class Canonical {
 public:
  /// @param stale a read of CurrentValue or of a log's header may return an older value or a torn
  /// one: then all that such a read can tell apart counts.
  Canonical(const World& world, bool stale) : world_(world), stale_(stale) {}

  bool stale() const { return stale_; }

  void name_signal(std::uint64_t number, std::uint64_t name) { names_.push({number, name}); }
  /// A position that others of the fence will be compared with before the next read.
  void mark_position(std::uint32_t fence, std::uint64_t position) {
    marks_.push({fence, position});
  }
  /// A DPC under way that began at event `seq`.
  void mark_dpc(std::uint64_t agent, std::uint64_t seq) { dpcs_.push({agent, seq}); }
  /// There are fence logs.
  void mark_logs() { logs_ = true; }

  /// The name of a live signal. Others are as good as none: nobody will find them.
  std::uint64_t signal(std::uint64_t number) const;
  /// Where the position is; 0 for one that is unknown or not there yet.
  std::uint64_t position(std::uint32_t fence, std::uint64_t position) const;
  /// Which DPCs under way began after event `seq`.
  std::uint64_t before(std::uint64_t seq) const;
  bool logs() const { return logs_; }

  /// Adds one value. A list enters as the sum of the hashes of its items, with what orders them
  /// where an order counts.
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

/// Two numbers below 2^32 as one.
constexpr std::uint64_t pair_of(std::uint64_t high, std::uint64_t low) { return high << 32 | low; }

/// Flags as a number, the first one lowest.
template <class... Flags>
constexpr std::uint64_t bits_of(Flags... flags) {
  std::uint64_t bits = 0;
  std::uint64_t weight = 1;
  ((bits += flags ? weight : 0, weight *= 2), ...);
  return bits;
}

}  // namespace fenceline::check
