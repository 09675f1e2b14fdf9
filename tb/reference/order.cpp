#include "tb/reference/order.h"

#include <algorithm>

#include "models/abi/mutant.h"

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

/// More rounds, or more updated entries of clocks, give no order that is worth its time.
constexpr int kMaxOrderRounds = 5;
constexpr std::size_t kMaxOrderUpdates = std::size_t{1} << 25U;

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
    may_fall_[fence] = !rises && !abi::mutant(abi::Mutant::kNeverFalls);
  }
}

Order::Order(const Program& program, const Signals& signals, const std::vector<Ref>& sequence)
    : program_(program), signals_(signals), width_(program.lanes.size()) {
  find_entries();
  std::size_t rows = 0;
  for (const Lane& lane : program.lanes) {
    first_row_.push_back(rows);
    rows += lane.ops.size();
  }
  known_.resize(rows * width_);
  for (int round = 0; round < kMaxOrderRounds && learn(sequence); ++round) continue;
}

/// One round. False: nothing new is known.
bool Order::learn(const std::vector<Ref>& sequence) {
  claim_everything(sequence);
  bool changed = true;
  for (; changed && updates_ < kMaxOrderUpdates; updates_ += sequence.size() * width_) {
    changed = false;
    for (const Ref ref : sequence) changed = update(ref) || changed;
  }
  if (changed || claimed_ == known_) return false;
  known_ = claimed_;
  return true;
}

void Order::claim_everything(const std::vector<Ref>& sequence) {
  Clock all(width_, 1);
  for (Id lane = 0; lane < program_.lanes.size(); ++lane)
    all[lane] = static_cast<std::uint32_t>(program_.lanes[lane].ops.size());
  claimed_.assign(known_.size(), 0);
  for (const Ref ref : sequence)
    std::copy(all.begin(), all.end(),
              claimed_.begin() + static_cast<std::ptrdiff_t>(row(ref) * width_));
}

void Order::find_entries() {
  for (Id lane = 0; lane < program_.lanes.size(); ++lane)
    for (Id i = 0; i < program_.lanes[lane].ops.size(); ++i) {
      const std::vector<Point>& points = program_.lanes[lane].ops[i].signals;
      if (points.size() < 2) continue;
      for (const Point& point : points)
        entries_[{lane, i}].emplace_back(program_.handles[point.handle].fence, width_++);
    }
}

const Order::Entries* Order::entries(Ref ref) const {
  const auto found = entries_.find({ref.lane, ref.op});
  return found == entries_.end() ? nullptr : &found->second;
}

bool Order::signal_before(Ref first, Id fence, Ref second) const {
  if (before(first, second)) return true;
  const Entries* const several = entries(first);
  return several != nullptr &&
         std::any_of(several->begin(), several->end(), [&](const auto& entry) {
           return entry.first == fence && at(second)[entry.second] != 0;
         });
}

bool Order::before(Ref first, Ref second) const {
  if (first.lane == second.lane) return first.op < second.op;
  return at(second)[first.lane] + (abi::mutant(abi::Mutant::kBeforeOneMore) ? 1 : 0) > first.op;
}

Clock Order::begin(const Clocks& clocks, Ref ref) const {
  Clock clock(width_, 0);
  if (ref.op > 0) join(clock, at(clocks, {ref.lane, ref.op - 1}));
  const std::optional<Ref>& origin = program_.at(ref).origin;
  if (origin && !abi::mutant(abi::Mutant::kSubmissionInNoOrder)) join(clock, at(clocks, *origin));
  join_submissions(clocks, ref, clock);
  return clock;
}

/// The OS holds waits of a context: it looks when the work in front of them is with the engine,
/// which may not be through with it: assumption A-868.
Clock Order::look(Ref wait) const {
  const Lane& lane = program_.lanes[wait.lane];
  if (!lane.queue || program_.at(wait).counted || abi::mutant(abi::Mutant::kLooksWhenWorkIsOver))
    return begin(wait);
  Clock clock(width_, 0);
  if (const std::optional<Ref>& origin = program_.at(wait).origin) join(clock, at(*origin));
  // It signals fences when the work in front of the signal is over.
  Id i = wait.op;
  while (i > 0 && !program_.is_signal_of_os(lane.ops[i - 1])) --i;
  if (i > 0) join(clock, at({wait.lane, i - 1}));
  return clock;
}

/// Submissions of other lanes of a queue that are known to be earlier run first.
void Order::join_submissions(const Clocks& clocks, Ref ref, Clock& clock) const {
  const Lane& lane = program_.lanes[ref.lane];
  const std::optional<Ref>& origin = program_.at(ref).origin;
  if (!lane.queue || !origin || abi::mutant(abi::Mutant::kSubmittersInNoOrder)) return;
  for (const Id other : program_.queues[*lane.queue].lanes) {
    if (other == ref.lane) continue;
    if (const Id earlier = earlier_commands(other, *origin); earlier != 0)
      join(clock, at(clocks, {other, earlier - 1}));
  }
}

/// Number of commands of the lane whose submissions are known to come before that step. One of
/// which a command has taken effect is there as a whole.
Id Order::earlier_commands(Id lane, Ref step) const {
  const std::vector<Op>& ops = program_.lanes[lane].ops;
  const std::uint32_t* const known = at(step);
  auto later = std::partition_point(ops.begin(), ops.end(), [&](const Op& op) {
    return op.origin && known[op.origin->lane] > op.origin->op;
  });
  const auto seen = ops.begin() + known[lane];
  if (seen > later && !abi::mutant(abi::Mutant::kSubmissionInParts))
    later = std::find_if(seen, ops.end(),
                         [&](const Op& op) { return !(op.origin == std::prev(seen)->origin); });
  return static_cast<Id>(later - ops.begin());
}

/// The signal of one of several fences does not say that the others are there.
Clock Order::of_signal(Ref signal, Id fence) const {
  Clock clock(at(claimed_, signal), at(claimed_, signal) + width_);
  const Entries* const several = entries(signal);
  if (several == nullptr || abi::mutant(abi::Mutant::kSeveralAtOnce)) return clock;
  clock[signal.lane] = signal.op;
  for (const auto& [of, entry] : *several)
    if (of != fence) clock[entry] = 0;
  return clock;
}

bool Order::update(Ref ref) {
  const Op& op = program_.at(ref);
  Clock clock = begin(claimed_, ref);
  if (!op.may_time_out && !op.waits.empty()) join(clock, end_of_wait(op, ref, look(ref)).data());
  clock[ref.lane] = ref.op + 1;
  if (const Entries* const several = entries(ref))
    for (const auto& [fence, entry] : *several) clock[entry] = 1;
  std::uint32_t* stored = claimed_.data() + row(ref) * width_;
  if (std::equal(clock.begin(), clock.end(), stored)) return false;
  std::copy(clock.begin(), clock.end(), stored);
  return true;
}

/// Operations before the end of a wait: its points are reached, or the call has failed because a
/// handle was closed.
Clock Order::end_of_wait(const Op& op, Ref wait, const Clock& begin) const {
  Clock reached(width_, 0);
  bool some = false;
  for (const Point& point : op.waits) {
    const std::optional<Clock> cause = seen(point, wait, begin);
    if (!cause) continue;  // nothing satisfies it, so that it ends no wait for any of its points
    if (op.any && !abi::mutant(abi::Mutant::kOrderAnyIsAll))
      meet(reached, some, *cause);
    else
      join(reached, cause->data());
  }
  if (!program_.may_fail(wait) || abi::mutant(abi::Mutant::kOrderWithoutFailedCalls))
    return reached;
  bool any = true;
  for (const Point& point : op.waits)
    for (const Ref closer : program_.handles[point.handle].closers)
      if (!before(wait, closer))
        meet(reached, any, Clock(at(claimed_, closer), at(claimed_, closer) + width_));
  return reached;
}

/// Operations before the moment at which the point is first seen satisfied; none if it cannot be.
std::optional<Clock> Order::seen(const Point& point, Ref wait, const Clock& begin) const {
  Clock common(width_, 0);
  bool any = false;
  const Fence& fence = program_.fence_of(point);
  const std::uint64_t least = point.value + (abi::mutant(abi::Mutant::kOrderStartsAbove) ? 1 : 0);
  const bool from_start = fence.initial >= least && !fallen_before(point, begin);
  if (fence.unclear || from_start) return common;
  if (fence.counts)
    meet(common, any, counted(point, wait));
  else
    meet_signals(point, wait, begin, common, any);
  meet_ends(point, wait, common, any);
  if (!any) return std::nullopt;
  return common;
}

/// A lane has made at least those of the counted signals that the other lanes cannot have made.
Clock Order::counted(const Point& point, Ref wait) const {
  const std::vector<SignalsOfLane>& lanes = signals_.of(program_.handles[point.handle].fence);
  std::vector<std::uint64_t> counts;
  std::uint64_t all = 0;
  for (const SignalsOfLane& it : lanes) {
    const auto later = std::partition_point(it.ops.begin(), it.ops.end(), [&](Id op) {
      return !before(wait, {it.lane, op});
    });
    counts.push_back(static_cast<std::uint64_t>(later - it.ops.begin()));
    all += counts.back();
  }
  Clock clock(width_, 0);
  for (std::size_t i = 0; i < lanes.size(); ++i) {
    const std::uint64_t others = all - counts[i];
    if (point.value <= others || point.value > all || abi::mutant(abi::Mutant::kCountedInNoOrder))
      continue;
    join(clock, at(claimed_, {lanes[i].lane, lanes[i].ops[point.value - others - 1]}));
  }
  return clock;
}

/// A device in error satisfies it, and so does the close of all these handles.
void Order::meet_ends(const Point& point, Ref wait, Clock& common, bool& any) const {
  for (const Failure& failure : program_.fence_of(point).given_up)
    if (!before(wait, failure.step) && !abi::mutant(abi::Mutant::kOrderWithoutErrors))
      meet(common, any, Clock(at(claimed_, failure.step), at(claimed_, failure.step) + width_));
  if (abi::mutant(abi::Mutant::kOrderWithoutCloses)) return;
  const std::vector<Id> handles = program_.closes_that_end(wait, point);
  Clock closed(width_, 0);
  for (const Id handle : handles) {
    Clock one;
    bool some = false;
    for (const Ref closer : program_.handles[handle].closers)
      if (!before(wait, closer))
        meet(one, some, Clock(at(claimed_, closer), at(claimed_, closer) + width_));
    if (!some) return;
    join(closed, one.data());
  }
  meet(common, any, closed);
}

/// Only the first signal of each lane counts: the others have more before them.
void Order::meet_signals(const Point& point, Ref wait, const Clock& begin, Clock& common,
                         bool& any) const {
  const std::uint64_t least = point.value + (abi::mutant(abi::Mutant::kOrderAboveValue) ? 1 : 0);
  for (const SignalsOfLane& it : signals_.of(program_.handles[point.handle].fence))
    for (std::size_t i = 0; i < it.ops.size(); ++i) {
      const Ref signal{it.lane, it.ops[i]};
      if (it.values[i] < least || overwritten(signal, point, begin)) continue;
      if (!before(wait, signal))
        meet(common, any, of_signal(signal, program_.handles[point.handle].fence));
      break;
    }
}

bool Order::may_satisfy(const Point& point, Ref wait, const std::vector<Id>& happened) const {
  const Id fence = program_.handles[point.handle].fence;
  if (!signals_.may_fall(fence)) return true;
  const Clock start = look(wait);
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

bool Order::finds_handles(Ref signal) const {
  const std::vector<Point>& points = program_.at(signal).signals;
  return std::all_of(points.begin(), points.end(), [&](const Point& point) {
    const std::vector<Ref>& closers = program_.handles[point.handle].closers;
    return std::all_of(closers.begin(), closers.end(),
                       [&](Ref closer) { return before(signal, closer); });
  });
}

/// A lower value took the place of the signal's before the wait began.
bool Order::overwritten(Ref signal, const Point& point, const Clock& begin) const {
  const Id fence = program_.handles[point.handle].fence;
  if (!signals_.may_fall(fence) || abi::mutant(abi::Mutant::kOverwrittenSignalCounts)) return false;
  for (const SignalsOfLane& it : signals_.of(fence))
    for (std::size_t i = 0; i < it.ops.size() && it.ops[i] < begin[it.lane]; ++i)
      if (it.values[i] < point.value && before(signal, {it.lane, it.ops[i]}) &&
          finds_handles({it.lane, it.ops[i]}))
        return true;
  return false;
}

bool Order::fallen_before(const Point& point, const Clock& begin) const {
  for (const SignalsOfLane& it : signals_.of(program_.handles[point.handle].fence))
    for (std::size_t i = 0; i < it.ops.size() && it.ops[i] < begin[it.lane]; ++i)
      if (it.values[i] < point.value && finds_handles({it.lane, it.ops[i]}) &&
          !abi::mutant(abi::Mutant::kInitialNeverGone))
        return true;
  return false;
}

}  // namespace fenceline::reference
