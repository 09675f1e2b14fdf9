#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "models/common/hash.h"
#include "models/common/time.h"

namespace fenceline::common {

/// Which of many things of one kind, e.g. the packets of a link, is meant. One member is set;
/// things are counted, and times measured, from the end of the set-up.
struct Trigger {
  std::optional<Time> at;   ///< the first at or after this time [ps]
  std::uint64_t nth = 0;    ///< the one of this number, from 1
  std::uint64_t every = 0;  ///< each one whose number is a multiple of this
  std::string after;        ///< the first after a program has reached the mark of this name
};

/// Watches the things go by.
class Occurrence {
 public:
  explicit Occurrence(Trigger trigger) : trigger_(std::move(trigger)) {}

  /// A program has reached a mark.
  void reach(const std::string& mark) { reached_ = reached_ || mark == trigger_.after; }
  /// One more thing happens at `now`. @return whether it is meant.
  bool next(Time now) {
    ++count_;
    if (trigger_.every != 0) return count_ % trigger_.every == 0;
    if (trigger_.nth != 0) return count_ == trigger_.nth;
    const bool due = trigger_.at ? now >= *trigger_.at : reached_;
    const bool first = due && !over_;
    over_ = over_ || due;
    return first;
  }
  /// Covers what decides about the things to come. Time is no part of it: it stands still while
  /// orders are explored.
  std::uint64_t hash() const {
    std::uint64_t position = 0;
    if (trigger_.every != 0) position = count_ % trigger_.every;
    if (trigger_.nth != 0) position = count_ < trigger_.nth ? count_ : trigger_.nth;
    return Hasher().add(position).add((reached_ ? 1U : 0U) | (over_ ? 2U : 0U)).value();
  }

 private:
  const Trigger trigger_;
  std::uint64_t count_ = 0;
  bool reached_ = false;
  bool over_ = false;
};

}  // namespace fenceline::common
