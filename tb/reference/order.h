#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "tb/reference/program/program.h"

namespace fenceline::reference {

/// Signals of one fence by one lane, in order.
struct SignalsOfLane {
  Id lane = 0;
  std::vector<Id> ops;
  std::vector<std::uint64_t> values;
};

/// Signals of each fence that may happen.
class Signals {
 public:
  /// @param happens by lane: number of operations that may happen
  Signals(const Program& program, const std::vector<Id>& happens);

  const std::vector<SignalsOfLane>& of(Id fence) const { return fences_[fence]; }
  /// False: no signal lowers the value, in any order.
  bool may_fall(Id fence) const { return may_fall_[fence]; }

 private:
  std::vector<std::vector<SignalsOfLane>> fences_;
  std::vector<bool> may_fall_;
};

/// What happens before what, whatever the timing: for each operation the number of operations of
/// each lane that have taken effect when it takes effect.
///
/// An operation that signals several fences does so in no order. Behind the entries of the lanes, a
/// clock has an entry for each such signal: 1 if it has taken effect.
///
/// Sources of order: the order of a lane; a submission before its commands; submissions of one
/// queue that are ordered; and a wait after the signal that satisfies it. If several signals may
/// satisfy it, only what all of them have in common is before its end.
///
/// Known order excludes signals that cannot satisfy a wait, and that makes more order known. So the
/// order is found in rounds. A round computes a greatest fixed point: at first each operation
/// claims to come after all others, and it loses a claim that one of its possible causes does not
/// have.
///
/// The claims that are left hold in every run, by induction over its operations: an operation takes
/// effect after one of its possible causes. That cause is earlier in the run, so its claims hold,
/// and the operation has only claims that this cause has, too.
class Order {
 public:
  /// @param sequence operations that may happen, in an order in which they may
  Order(const Program& program, const Signals& signals, const std::vector<Ref>& sequence);

  using Clock = std::vector<std::uint32_t>;  ///< by lane, then by signal of several

  /// False if a handle of the signal may be closed before it: then it may fail as a whole.
  bool finds_handles(Ref signal) const;

  /// Clock when the operation takes effect, itself included.
  const std::uint32_t* at(Ref ref) const { return at(known_, ref); }
  /// Clock when the operation begins to wait.
  Clock begin(Ref ref) const { return begin(known_, ref); }
  /// Clock when the operation looks at its fences for the first time.
  Clock look(Ref wait) const;
  /// The first takes effect before the second does. Both may happen.
  bool before(Ref first, Ref second) const;
  /// The signal of the fence by `first` takes effect before the second does. Both may happen.
  bool signal_before(Ref first, Id fence, Ref second) const;
  /// The first has taken effect when the second begins to wait.
  bool before_begin(Ref first, Ref second) const { return begin(second)[first.lane] > first.op; }
  /// A wait may see the point satisfied, of the first operations of each lane that `happened` says.
  bool may_satisfy(const Point& point, Ref wait, const std::vector<Id>& happened) const;

 private:
  /// Entries of the signals of one operation, with their fences; null: it has one signal at most.
  using Entries = std::vector<std::pair<Id, std::size_t>>;
  const Entries* entries(Ref ref) const;
  void find_entries();
  std::size_t row(Ref ref) const { return first_row_[ref.lane] + ref.op; }
  using Clocks = std::vector<std::uint32_t>;  ///< of all operations
  const std::uint32_t* at(const Clocks& clocks, Ref ref) const {
    return clocks.data() + row(ref) * width_;
  }
  Clock begin(const Clocks& clocks, Ref ref) const;
  bool learn(const std::vector<Ref>& sequence);
  void claim_everything(const std::vector<Ref>& sequence);
  bool update(Ref ref);
  void join_submissions(const Clocks& clocks, Ref ref, Clock& clock) const;
  Id earlier_commands(Id lane, Ref step) const;
  Clock end_of_wait(const Op& op, Ref wait, const Clock& begin) const;
  std::optional<Clock> seen(const Point& point, Ref wait, const Clock& begin) const;
  Clock counted(const Point& point, Ref wait) const;
  void meet_signals(const Point& point, Ref wait, const Clock& begin, Clock& common,
                    bool& any) const;
  void meet_ends(const Point& point, Ref wait, Clock& common, bool& any) const;
  bool overwritten(Ref signal, const Point& point, const Clock& begin) const;
  bool fallen_before(const Point& point, const Clock& begin) const;
  Clock of_signal(Ref signal, Id fence) const;

  const Program& program_;
  const Signals& signals_;
  std::map<std::pair<Id, Id>, Entries> entries_;  ///< by lane and operation
  std::size_t width_;                             ///< entries of a clock
  std::vector<std::size_t> first_row_;
  std::size_t updates_ = 0;
  Clocks known_;
  Clocks claimed_;  ///< in a round: above the truth until nothing changes
};

}  // namespace fenceline::reference
