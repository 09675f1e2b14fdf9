#include <algorithm>

#include "models/abi/mutant.h"
#include "tb/reference/completion.h"

namespace fenceline::reference {

namespace {

/// A packet that waits in the context `other` may hold the node that the context `queue` needs.
bool keeps_node(const Queue& other, const Queue& queue) {
  return queue.node && other.node == queue.node && !abi::mutant(abi::Mutant::kWaitFreesNode) &&
         !(other.leaves_waits &&
           queue.priority >= other.priority + (abi::mutant(abi::Mutant::kEqualKeepsNode) ? 1 : 0));
}

}  // namespace

Certain::Certain(const Program& program, const Signals& signals, const Order& order,
                 const Extent& may_end)
    : program_(program),
      signals_(signals),
      order_(order),
      may_end_(may_end),
      ends_(program.lanes.size(), 0),
      rivals_(program.lanes.size()),
      waits_(program.lanes.size()),
      at_front_(program.lanes.size(), 0) {
  find_blockers();
  bool changed = true;
  while (changed) {
    changed = false;
    for (Id lane = 0; lane < program.lanes.size(); ++lane) changed = advance(lane) || changed;
  }
}

/// Lanes of one queue run one after the other, in an order that is not known.
void Certain::find_blockers() {
  for (Id lane = 0; lane < program_.lanes.size(); ++lane) {
    const std::optional<Id>& queue = program_.lanes[lane].queue;
    for (Id i = 0; i < program_.lanes[lane].ops.size(); ++i)
      if (!program_.lanes[lane].ops[i].waits.empty()) waits_[lane].push_back(i);
    if (!queue) continue;
    for (Id other = 0; other < program_.lanes.size(); ++other) {
      const std::optional<Id>& its_queue = program_.lanes[other].queue;
      if (other == lane || !its_queue) continue;
      if (its_queue == queue || keeps_node(program_.queues[*its_queue], program_.queues[*queue]))
        rivals_[lane].push_back(other);
    }
  }
}

bool Certain::advance(Id lane) {
  const Id before = ends_[lane];
  while (ends_[lane] < may_end_[lane] && ends({lane, ends_[lane]})) ++ends_[lane];
  return ends_[lane] != before;
}

bool Certain::ends(Ref ref) const {
  const Op& op = program_.at(ref);
  if (op.origin && !begun(*op.origin) && !abi::mutant(abi::Mutant::kSurelyUnsubmitted))
    return false;
  return satisfied(op, ref) && !may_be_blocked(ref) && has_room(ref);
}

bool Certain::satisfied(const Op& op, Ref ref) const {
  if (op.may_time_out || op.waits.empty() || surely_fails(op, ref)) return true;
  if (!surely_begins(op, ref)) return false;
  const auto reached = [&](const Point& point) { return satisfied(point, ref); };
  return op.any && !abi::mutant(abi::Mutant::kSurelyByAllOnly)
             ? std::any_of(op.waits.begin(), op.waits.end(), reached)
             : std::all_of(op.waits.begin(), op.waits.end(), reached);
}

/// A handle is closed before the call.
bool Certain::surely_fails(const Op& op, Ref wait) const {
  return program_.may_fail(wait) && !abi::mutant(abi::Mutant::kFailedCallMayWait) &&
         std::any_of(op.waits.begin(), op.waits.end(), [&](const Point& point) {
           const std::vector<Ref>& closers = program_.handles[point.handle].closers;
           return !program_.fence_of(point).unclear &&
                  std::any_of(closers.begin(), closers.end(), [&](Ref closer) {
                    return done(closer) && order_.before_begin(closer, wait);
                  });
         });
}

/// No handle may be closed before the call that begins the wait of a helper.
bool Certain::surely_begins(const Op& op, Ref wait) const {
  if (program_.lanes[wait.lane].kind != Lane::Kind::kHelper) return true;
  return std::all_of(op.waits.begin(), op.waits.end(), [&](const Point& point) {
    const std::vector<Ref>& closers = program_.handles[point.handle].closers;
    return std::all_of(closers.begin(), closers.end(), [&](Ref closer) {
      return closer.op >= may_end_[closer.lane] || order_.before(*op.origin, closer);
    });
  });
}

bool Certain::satisfied(const Point& point, Ref ref) const {
  const Fence& fence = program_.fence_of(point);
  if (fence.unclear) return false;
  if (fence.counts) return counted(point);
  return closed(point, ref) || given_up(point, ref) ||
         (!may_be_filled(point, ref) && stays_reached(point, ref));
}

/// As many submissions are done, whatever their order.
bool Certain::counted(const Point& point) const {
  std::uint64_t count = 0;
  for (const SignalsOfLane& it : signals_.of(program_.handles[point.handle].fence))
    for (const Id op : it.ops) count += done({it.lane, op}) ? 1 : 0;
  return count >= point.value + (abi::mutant(abi::Mutant::kCountsAbove) ? 1 : 0);
}

template <class Later>
bool Certain::may_meet_error(Id lane, const Later& later) const {
  const Id process = program_.lanes[lane].process;
  return std::any_of(program_.failures.begin(), program_.failures.end(), [&](const Failure& it) {
    return (it.process == process || abi::mutant(abi::Mutant::kErrorOfAnyProcess)) &&
           it.step.op < may_end_[it.step.lane] && !later(it.step);
  });
}

bool Certain::may_meet_error(Ref ref) const {
  return may_meet_error(ref.lane, [&](Ref failure) { return order_.before(ref, failure); });
}

/// The next step of the thread begins when the call has returned.
bool Certain::may_meet_error_in_call(Ref step) const {
  const Ref next{step.lane, step.op + 1};
  return may_meet_error(step.lane, [&](Ref failure) {
    if (failure.lane == step.lane) return failure.op > step.op;
    return abi::mutant(abi::Mutant::kErrorsOfOthersLate) ||
           (next.op < may_end_[next.lane] && order_.before(next, failure));
  });
}

bool Certain::in_effect(const Failure& error, Ref ref) const {
  // Fences are given up one after the other: a wait may end before the call returns.
  const Ref next{error.step.lane, error.step.op + 1};
  const bool returned = ref.lane == next.lane ? ref.op >= next.op : order_.before_begin(next, ref);
  return error.always && program_.lanes[error.step.lane].kind == Lane::Kind::kThread &&
         done(error.step) && returned &&
         std::all_of(program_.failures.begin(), program_.failures.end(), [&](const Failure& it) {
           return it.process != error.process || it.step == error.step ||
                  it.step.op >= may_end_[it.step.lane] || order_.before(error.step, it.step);
         });
}

bool Certain::surely_refused(Ref command) const {
  const Lane& lane = program_.lanes[command.lane];
  const std::optional<Ref>& origin = program_.at(command).origin;
  if (!lane.queue || !program_.queues[*lane.queue].node || !origin ||
      abi::mutant(abi::Mutant::kErrorTakesWork))
    return false;
  return std::any_of(program_.failures.begin(), program_.failures.end(), [&](const Failure& it) {
    return it.process == lane.process && in_effect(it, *origin);
  });
}

bool Certain::may_be_lost(Ref command) const {
  return program_.lanes[command.lane].kind == Lane::Kind::kQueue && may_meet_error(command) &&
         !abi::mutant(abi::Mutant::kErrorLosesNoWork);
}

/// CurrentValue itself may be lower than the value that is polled for. Queues of other adapters
/// have only a high value, and a later one may replace it: assumption A-866.
bool Certain::stays_given_up(const Point& point, Ref wait) const {
  const Fence& fence = program_.fence_of(point);
  return !fence.keeps_value &&
         (!program_.at(wait).polls || abi::mutant(abi::Mutant::kPollSeesError)) &&
         (!fence.cross_adapter || program_.lanes[wait.lane].kind != Lane::Kind::kQueue);
}

/// Such a poll may find the value of the device in error, which is lower than a value of 64 bits.
bool Certain::may_be_filled(const Point& point, Ref wait) const {
  if (!program_.at(wait).polls || point.value <= UINT32_MAX ||
      abi::mutant(abi::Mutant::kPollsBeyondError))
    return false;
  const std::vector<Failure>& failures = program_.fence_of(point).given_up;
  return std::any_of(failures.begin(), failures.end(), [&](const Failure& it) {
    return it.step.op < may_end_[it.step.lane] && !order_.before(wait, it.step);
  });
}

bool Certain::given_up(const Point& point, Ref wait) const {
  const std::vector<Failure>& failures = program_.fence_of(point).given_up;
  return stays_given_up(point, wait) && !abi::mutant(abi::Mutant::kErrorMayEndWait) &&
         std::any_of(failures.begin(), failures.end(),
                     [this](const Failure& it) { return it.always && done(it.step); });
}

/// The signal is lost, or the fence of another process counts as signalled by then.
bool Certain::may_be_skipped(Ref signal, const Point& point) const {
  const std::vector<Failure>& failures = program_.fence_of(point).given_up;
  if (abi::mutant(abi::Mutant::kErrorLosesNoSignal)) return false;
  return may_be_lost(signal) ||
         std::any_of(failures.begin(), failures.end(),
                     [&](const Failure& it) { return !order_.before(signal, it.step); });
}

bool Certain::signals_or_gives_up(Ref signal, const Point& point, Ref wait) const {
  return signals(signal) && (stays_given_up(point, wait) || !may_be_skipped(signal, point));
}

/// Every lower value is followed by one that is high enough, unless it comes after the wait. So the
/// fence cannot keep a lower value while the wait goes on.
bool Certain::stays_reached(const Point& point, Ref wait) const {
  const Id fence = program_.handles[point.handle].fence;
  const std::vector<Ref> high = certain_signals(point, wait);
  if (high.empty()) return starts_satisfied(point, wait);
  if (!signals_.may_fall(fence) || abi::mutant(abi::Mutant::kLowerSignalIgnored)) return true;
  const auto replaced = [&](Ref lower) {
    return order_.before(wait, lower) || std::any_of(high.begin(), high.end(), [&](Ref signal) {
             return order_.signal_before(lower, fence, signal);
           });
  };
  for (const SignalsOfLane& it : signals_.of(fence))
    for (std::size_t i = 0; i < it.ops.size(); ++i)
      if (it.values[i] < point.value && !replaced({it.lane, it.ops[i]})) return false;
  return true;
}

/// Signals that always happen and reach the point: the last one of each lane.
std::vector<Ref> Certain::certain_signals(const Point& point, Ref wait) const {
  std::vector<Ref> found;
  for (const SignalsOfLane& it : signals_.of(program_.handles[point.handle].fence))
    for (std::size_t i = it.ops.size(); i > 0; --i) {
      const Ref signal{it.lane, it.ops[i - 1]};
      const std::uint64_t least =
          point.value + (abi::mutant(abi::Mutant::kSurelyAboveValue) ? 1 : 0);
      if (it.values[i - 1] < least || !signals_or_gives_up(signal, point, wait)) continue;
      found.push_back(signal);
      break;
    }
  return found;
}

bool Certain::signals(Ref signal) const {
  return done(signal) && is_used(signal) &&
         (order_.finds_handles(signal) || abi::mutant(abi::Mutant::kSignalsBehindClose));
}

/// The driver knows for which event a buffer stands.
bool Certain::is_used(Ref signal) const {
  const std::vector<Point>& points = program_.at(signal).signals;
  const std::vector<CpuEvent>& events = program_.cpu_events;
  return abi::mutant(abi::Mutant::kUnusedEventIsSet) ||
         std::none_of(events.begin(), events.end(), [&](const CpuEvent& it) {
           const auto sets = [&it](const Point& point) { return point.handle == it.event; };
           return it.of_buffers && std::any_of(points.begin(), points.end(), sets) &&
                  !std::all_of(it.uses.begin(), it.uses.end(),
                               [this](Ref use) { return done(use); });
         });
}

/// No signal of a lower value may come between this signal and the end of the wait.
bool Certain::kept(const Point& point, Ref wait, Ref signal) const {
  const Id fence = program_.handles[point.handle].fence;
  if (!signals_.may_fall(fence) || abi::mutant(abi::Mutant::kLowerBetweenIgnored)) return true;
  for (const SignalsOfLane& it : signals_.of(fence))
    for (std::size_t i = 0; i < it.ops.size(); ++i) {
      const Ref lower{it.lane, it.ops[i]};
      if (it.values[i] >= point.value || order_.signal_before(lower, fence, signal)) continue;
      if (!order_.before(wait, lower)) return false;
    }
  return true;
}

bool Certain::starts_satisfied(const Point& point, Ref wait) const {
  const Id fence = program_.handles[point.handle].fence;
  if (program_.fences[fence].initial <
      point.value + (abi::mutant(abi::Mutant::kStartBelowValue) ? 1 : 0))
    return false;
  for (const SignalsOfLane& it : signals_.of(fence))
    for (std::size_t i = 0; i < it.ops.size(); ++i)
      if (it.values[i] < point.value && !order_.before(wait, {it.lane, it.ops[i]})) return false;
  return true;
}

bool Certain::gave_up_before(const Point& point, Ref wait) const {
  const std::vector<Failure>& failures = program_.fence_of(point).given_up;
  return stays_given_up(point, wait) && !abi::mutant(abi::Mutant::kErrorTimesOut) &&
         std::any_of(failures.begin(), failures.end(),
                     [&](const Failure& it) { return in_effect(it, wait); });
}

bool Certain::there_at_begin(const Point& point, Ref wait) const {
  if (program_.fence_of(point).unclear || program_.fence_of(point).counts ||
      abi::mutant(abi::Mutant::kAlwaysTimesOut) || may_be_filled(point, wait))
    return false;
  if (starts_satisfied(point, wait) || gave_up_before(point, wait)) return true;
  for (const SignalsOfLane& it : signals_.of(program_.handles[point.handle].fence))
    for (std::size_t i = 0; i < it.ops.size(); ++i) {
      const Ref signal{it.lane, it.ops[i]};
      if (it.values[i] >= point.value && order_.before_begin(signal, wait) && signals(signal) &&
          kept(point, wait, signal))
        return true;
    }
  return false;
}

bool Certain::may_be_reached(const Point& point, Ref wait) const {
  const Fence& fence = program_.fence_of(point);
  if (fence.unclear || fence.counts || fence.initial >= point.value || !fence.given_up.empty() ||
      abi::mutant(abi::Mutant::kMaySucceed))
    return true;
  for (const SignalsOfLane& it : signals_.of(program_.handles[point.handle].fence))
    for (std::size_t i = 0; i < it.ops.size(); ++i)
      if (it.values[i] >= point.value && !order_.before(wait, {it.lane, it.ops[i]})) return true;
  return !program_.handles[point.handle].closers.empty();
}

/// A wait that the OS holds for a context refers to the object and may go on when it is closed.
bool Certain::closed(const Point& point, Ref wait) const {
  if (!program_.at(wait).counted || program_.at(wait).polls ||
      abi::mutant(abi::Mutant::kCloseMayEndWait))
    return false;
  const std::vector<Id> handles = program_.closes_that_end(wait, point);
  return std::all_of(handles.begin(), handles.end(), [this](Id handle) {
    const std::vector<Ref>& closers = program_.handles[handle].closers;
    return std::any_of(closers.begin(), closers.end(), [this](Ref it) { return done(it); });
  });
}

bool Certain::may_be_blocked(Ref ref) const {
  const std::vector<Id>& rivals = rivals_[ref.lane];
  if (abi::mutant(abi::Mutant::kNothingInFront)) return false;
  return std::any_of(rivals.begin(), rivals.end(), [&](Id lane) { return blocks(lane, ref); });
}

/// The lane has a wait that may be in front of the operation, and that may not end.
bool Certain::blocks(Id lane, Ref ref) const {
  const bool same_queue = program_.lanes[lane].queue == program_.lanes[ref.lane].queue;
  for (std::size_t i = 0; i < waits_[lane].size(); ++i) {
    const Ref wait{lane, waits_[lane][i]};
    if (done(wait) || (!same_queue && !program_.at(wait).holds_node)) continue;
    const std::optional<Ref>& origin = program_.at(wait).origin;
    if (origin && may_end_[origin->lane] <= origin->op) return false;
    if (wait.op <= may_end_[lane] && order_.before_begin(ref, wait)) return false;
    if (!ends_at_front(lane, i)) return true;
  }
  return false;
}

/// The wait ends once it is the first of its queue, and so do the waits of its lane before it.
bool Certain::ends_at_front(Id lane, std::size_t wait) const {
  std::size_t& count = at_front_[lane];
  for (; count <= wait; ++count) {
    const Ref next{lane, waits_[lane][count]};
    if (!done(next) && !satisfied(program_.at(next), next)) return false;
  }
  return true;
}

/// No wait is left that could keep a queue of several submitters full.
bool Certain::drains(Id lane) const {
  const auto waits_no_more = [this](Id it) {
    return waits_[it].empty() || done({it, waits_[it].back()});
  };
  return waits_no_more(lane) &&
         std::all_of(rivals_[lane].begin(), rivals_[lane].end(), waits_no_more);
}

/// Room of the queue that the lane has given back, of what it has taken in all.
std::uint64_t Certain::given_back(Id lane) const {
  const std::vector<Op>& ops = program_.lanes[lane].ops;
  if (ops.empty() || abi::mutant(abi::Mutant::kRoomNotGivenBack)) return 0;
  return ends_[lane] == ops.size() ? ops.back().room : ops[ends_[lane]].room - 1;
}

/// A submission ends when its commands have room; so earlier ones must be done. Those of other
/// lanes may be earlier if they are not known to be later.
bool Certain::has_room(Ref step) const {
  const std::optional<Ref>& last = program_.at(step).last_command;
  if (!last || abi::mutant(abi::Mutant::kRoomWithoutEnd)) return true;
  const Queue& queue = program_.queues[*program_.lanes[last->lane].queue];
  std::uint64_t taken = 0;
  for (const Id lane : queue.lanes) {
    const std::vector<Op>& ops = program_.lanes[lane].ops;
    auto end = ops.begin() + last->op + 1;
    if (lane != last->lane)
      end = std::find_if(ops.begin(), ops.end(), [&](const Op& op) {
        return op.origin && order_.before(step, *op.origin);
      });
    const std::uint64_t recorded = end == ops.begin() ? 0 : std::prev(end)->room;
    taken += recorded - std::min(recorded, given_back(lane));
  }
  return taken <= queue.room ||
         (queue.lanes.size() > 1 && !abi::mutant(abi::Mutant::kNeverDrains) && drains(last->lane));
}

}  // namespace fenceline::reference
