#pragma once

#include <vector>

#include "tb/reference/order.h"
#include "tb/reference/program/program.h"

namespace fenceline::reference {

/// How far each lane comes: the number of its operations that end.
using Extent = std::vector<Id>;

/// Operations that may happen: a wait ends if any signal that may happen reaches its value.
///
/// A fence counts as a number that only grows. The result is the least fixed point of that network,
/// which does not depend on the order; so one eager execution finds it. An order of a wider result
/// excludes signals whose values are gone before a wait begins.
struct Possible {
  Extent ends;
  std::vector<Ref> sequence;  ///< all operations that may end, in an order in which they may
};
Possible possible(const Program& program, const Order* order = nullptr);

/// Operations of every order: a wait ends if a signal that always happens reaches its value, and
/// no signal can take the value away for good.
///
/// An operation that only a device in error keeps from happening counts here: a wait that needs it
/// ends, because the fence then counts as signalled.
class Certain {
 public:
  Certain(const Program& program, const Signals& signals, const Order& order,
          const Extent& may_end);

  const Extent& ends() const { return ends_; }
  /// The signal takes effect in every order: no step may close a handle of its call before.
  bool signals(Ref signal) const;
  /// The value is there when the wait begins, and stays until it has been read.
  bool there_at_begin(const Point& point, Ref wait) const;
  /// The value may be there at some time before the end of the wait.
  bool may_be_reached(const Point& point, Ref wait) const;
  /// The device of the process may be in error before the operation takes effect.
  bool may_meet_error(Ref ref) const;
  /// The same before the call of the step returns: its work may take effect earlier.
  bool may_meet_error_in_call(Ref step) const;
  /// A device in error may keep the command from happening.
  bool may_be_lost(Ref command) const;
  /// The error has had all its effects when the operation begins: the call that made it has
  /// returned, and no other error of the device can have been on its way.
  bool in_effect(const Failure& error, Ref ref) const;
  /// A context of a device in error does not take the command.
  bool surely_refused(Ref command) const;
  /// The signal may be lost, or come to a fence that counts as signalled by then.
  bool may_be_skipped(Ref signal, const Point& point) const;

 private:
  /// An error of the lane's process may come. @param later true for errors that come too late
  template <class Later>
  bool may_meet_error(Id lane, const Later& later) const;
  bool advance(Id lane);
  bool ends(Ref ref) const;
  bool satisfied(const Op& op, Ref ref) const;
  bool surely_fails(const Op& op, Ref wait) const;
  bool surely_begins(const Op& op, Ref wait) const;
  bool satisfied(const Point& point, Ref ref) const;
  bool stays_reached(const Point& point, Ref wait) const;
  std::vector<Ref> certain_signals(const Point& point, Ref wait) const;
  bool kept(const Point& point, Ref wait, Ref signal) const;
  bool starts_satisfied(const Point& point, Ref wait) const;
  bool closed(const Point& point, Ref wait) const;
  bool counted(const Point& point) const;
  bool stays_given_up(const Point& point, Ref wait) const;
  bool given_up(const Point& point, Ref wait) const;
  bool gave_up_before(const Point& point, Ref wait) const;
  bool may_be_filled(const Point& point, Ref wait) const;
  bool signals_or_gives_up(Ref signal, const Point& point, Ref wait) const;
  bool may_be_blocked(Ref ref) const;
  bool blocks(Id lane, Ref ref) const;
  bool ends_at_front(Id lane, std::size_t wait) const;
  bool is_used(Ref signal) const;
  std::uint64_t given_back(Id lane) const;
  bool has_room(Ref step) const;
  bool drains(Id lane) const;
  bool done(Ref ref) const { return ends_[ref.lane] > ref.op; }
  bool begun(Ref ref) const { return ends_[ref.lane] >= ref.op; }
  void find_blockers();

  const Program& program_;
  const Signals& signals_;
  const Order& order_;
  const Extent& may_end_;
  Extent ends_;
  std::vector<std::vector<Id>> rivals_;        ///< by lane: lanes whose waits may be in front of it
  std::vector<std::vector<Id>> waits_;         ///< by lane: operations that wait
  mutable std::vector<std::size_t> at_front_;  ///< by lane: its first waits that ends_at_front()
};

}  // namespace fenceline::reference
