#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "models/common/hash.h"
#include "models/common/steps/time.h"

namespace fenceline::common {

/// Selects one or more of many items of a kind, e.g. packets of a link. One member is set. Items
/// are counted and times are measured from the end of the set-up.
struct Trigger {
  std::optional<Time> at;   ///< the first item at or after this time [ps]
  std::uint64_t nth = 0;    ///< the item with this number, from 1
  std::uint64_t every = 0;  ///< every item whose number is a multiple of this
  std::string after;        ///< the first item after a program reached the mark with this name
  std::uint32_t fault = 0;  ///< place in the scenario's faults, from 1; 0: in no scenario
};

/// Counts items and decides which of them are selected.
class Occurrence {
 public:
  explicit Occurrence(Trigger trigger) : trigger_(std::move(trigger)) {}

  /// A program reached a mark.
  void reach(const std::string& mark) { reached_ = reached_ || mark == trigger_.after; }
  /// Counts one item at `now`. @return true if it is selected.
  bool next(Time now) {
    ++count_;
    if (trigger_.every != 0) return count_ % trigger_.every == 0;
    if (trigger_.nth != 0) return count_ == trigger_.nth;
    const bool due = trigger_.at ? now >= *trigger_.at : reached_;
    const bool first = due && !over_;
    over_ = over_ || due;
    return first;
  }
  /// Items counted so far.
  std::uint64_t count() const { return count_; }
  std::uint32_t fault() const { return trigger_.fault; }
  /// Covers the state that decides about later items. Time is not included: it stands still while
  /// exploring.
  std::uint64_t hash() const {
    std::uint64_t position = 0;
    if (trigger_.every != 0) position = count_ % trigger_.every;
    if (trigger_.nth != 0) position = count_ < trigger_.nth ? count_ : trigger_.nth;
    return hash_values(position, (reached_ ? 1U : 0U) | (over_ ? 2U : 0U));
  }

 private:
  const Trigger trigger_;
  std::uint64_t count_ = 0;
  bool reached_ = false;
  bool over_ = false;
};

}  // namespace fenceline::common
