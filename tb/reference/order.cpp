#include "tb/reference/order.h"

#include <algorithm>

namespace fenceline::reference {

namespace {

using Clock = Order::Clock;

void join(Clock& clock, const std::uint32_t* other) {
  for (std::size_t i = 0; i < clock.size(); ++i) clock[i] = std::max(clock[i], other[i]);
}

/// Adds one more cause to what all causes so far have in common.
void meet(Clock& common, bool& any, const Clock& cause) {
  if (!any) {
    common = cause;
    any = true;
    return;
  }
  for (std::size_t i = 0; i < common.size(); ++i) common[i] = std::min(common[i], cause[i]);
}

/// More rounds than that give no order that is worth its time.
constexpr int kMaxOrderRounds = 50;

}  // namespace

Signals::Signals(const Program& program, const std::vector<Id>& happens)
    : fences_(program.fences.size()), may_fall_(program.fences.size(), false) {
  for (Id lane = 0; lane < program.lanes.size(); ++lane)
    for (Id i = 0; i < happens[lane]; ++i)
      for (const Point& point : program.lanes[lane].ops[i].signals) {
        std::vector<SignalsOfLane>& of_fence = fences_[program.handles[point.handle].fence];
        if (of_fence.empty() || of_fence.back().lane != lane) of_fence.push_back({lane, {}, {}});
        of_fence.back().ops.push_back(i);
        of_fence.back().values.push_back(point.value);
      }
  for (std::size_t fence = 0; fence < fences_.size(); ++fence) {
    const std::vector<SignalsOfLane>& of_fence = fences_[fence];
    bool rises = of_fence.size() <= 1;
    for (const SignalsOfLane& it : of_fence)
      rises = rises && it.values.front() >= program.fences[fence].initial &&
              std::is_sorted(it.values.begin(), it.values.end());
    may_fall_[fence] = !rises;
  }
}

Order::Order(const Program& program, const Signals& signals, const std::vector<Ref>& sequence)
    : program_(program), signals_(signals), lanes_(program.lanes.size()) {
  std::size_t rows = 0;
  for (const Lane& lane : program.lanes) {
    first_row_.push_back(rows);
    rows += lane.ops.size();
  }
  clocks_.resize(rows * lanes_);
  bool changed = true;
  for (int round = 0; changed && round < kMaxOrderRounds; ++round) {
    changed = false;
    for (const Ref ref : sequence) changed = update(ref) || changed;
  }
}

bool Order::before(Ref first, Ref second) const {
  if (first.lane == second.lane) return first.op < second.op;
  return at(second)[first.lane] > first.op;
}

Clock Order::begin(Ref ref) const {
  Clock clock(lanes_, 0);
  if (ref.op > 0) join(clock, at({ref.lane, ref.op - 1}));
  const std::optional<Ref>& origin = program_.at(ref).origin;
  if (origin) join(clock, at(*origin));
  join_submissions(ref, clock);
  return clock;
}

/// Submissions of other lanes of a queue that are known to be earlier run first.
void Order::join_submissions(Ref ref, Clock& clock) const {
  const Lane& lane = program_.lanes[ref.lane];
  const std::optional<Ref>& origin = program_.at(ref).origin;
  if (!lane.queue || !origin) return;
  for (const Id other : program_.queues[*lane.queue].lanes) {
    if (other == ref.lane) continue;
    const std::vector<Op>& ops = program_.lanes[other].ops;
    const auto later = std::partition_point(ops.begin(), ops.end(), [&](const Op& op) {
      return op.origin && at(*origin)[op.origin->lane] > op.origin->op;
    });
    if (later != ops.begin()) join(clock, at({other, static_cast<Id>(later - ops.begin()) - 1}));
  }
}

/// An effect of an operation with several does not say that the others are there.
Clock Order::of_signal(Ref signal) const {
  Clock clock(at(signal), at(signal) + lanes_);
  if (program_.at(signal).signals.size() > 1) clock[signal.lane] = signal.op;
  return clock;
}

bool Order::update(Ref ref) {
  const Op& op = program_.at(ref);
  const Clock start = begin(ref);
  Clock clock = start;
  if (!op.may_time_out && !op.waits.empty()) {
    Clock common;
    bool any = false;
    for (const Point& point : op.waits) {
      const Clock cause = seen(point, ref, start);
      if (op.any)
        meet(common, any, cause);
      else
        join(clock, cause.data());
    }
    if (op.any) join(clock, common.data());
  }
  clock[ref.lane] = ref.op + 1;
  std::uint32_t* stored = clocks_.data() + row(ref) * lanes_;
  if (std::equal(clock.begin(), clock.end(), stored)) return false;
  std::copy(clock.begin(), clock.end(), stored);
  return true;
}

/// Operations before the moment at which the point is first seen satisfied.
Clock Order::seen(const Point& point, Ref wait, const Clock& begin) const {
  Clock common(lanes_, 0);
  bool any = false;
  const Fence& fence = program_.fence_of(point);
  const bool from_start = fence.initial >= point.value && !fallen_before(point, begin);
  if (fence.unclear || fence.counts || from_start) return common;
  meet_signals(point, wait, begin, common, any);
  meet_closes(point, wait, common, any);
  return any ? common : Clock(lanes_, 0);
}

/// Closing ends the wait when all these handles are closed.
void Order::meet_closes(const Point& point, Ref wait, Clock& common, bool& any) const {
  const std::vector<Id> handles = program_.closes_that_end(wait, point);
  Clock closed(lanes_, 0);
  for (const Id handle : handles) {
    Clock one;
    bool some = false;
    for (const Ref closer : program_.handles[handle].closers)
      if (!before(wait, closer)) meet(one, some, Clock(at(closer), at(closer) + lanes_));
    if (!some) return;
    join(closed, one.data());
  }
  meet(common, any, closed);
}

/// Only the first signal of each lane counts: the others have more before them.
void Order::meet_signals(const Point& point, Ref wait, const Clock& begin, Clock& common,
                         bool& any) const {
  for (const SignalsOfLane& it : signals_.of(program_.handles[point.handle].fence))
    for (std::size_t i = 0; i < it.ops.size(); ++i) {
      const Ref signal{it.lane, it.ops[i]};
      if (it.values[i] < point.value || overwritten(signal, point, begin)) continue;
      if (!before(wait, signal)) meet(common, any, of_signal(signal));
      break;
    }
}

bool Order::may_satisfy(const Point& point, Ref wait, const std::vector<Id>& happened) const {
  const Id fence = program_.handles[point.handle].fence;
  if (!signals_.may_fall(fence)) return true;
  const Clock start = begin(wait);
  if (program_.fences[fence].initial >= point.value && !fallen_before(point, start)) return true;
  for (const SignalsOfLane& it : signals_.of(fence))
    for (std::size_t i = 0; i < it.ops.size() && it.ops[i] < happened[it.lane]; ++i) {
      const Ref signal{it.lane, it.ops[i]};
      if (it.values[i] >= point.value && !overwritten(signal, point, start) &&
          !before(wait, signal))
        return true;
    }
  return false;
}

/// A lower value took the place of the signal's before the wait began.
bool Order::overwritten(Ref signal, const Point& point, const Clock& begin) const {
  const Id fence = program_.handles[point.handle].fence;
  if (!signals_.may_fall(fence)) return false;
  for (const SignalsOfLane& it : signals_.of(fence))
    for (std::size_t i = 0; i < it.ops.size() && it.ops[i] < begin[it.lane]; ++i)
      if (it.values[i] < point.value && before(signal, {it.lane, it.ops[i]})) return true;
  return false;
}

bool Order::fallen_before(const Point& point, const Clock& begin) const {
  for (const SignalsOfLane& it : signals_.of(program_.handles[point.handle].fence))
    for (std::size_t i = 0; i < it.ops.size() && it.ops[i] < begin[it.lane]; ++i)
      if (it.values[i] < point.value) return true;
  return false;
}

}  // namespace fenceline::reference
