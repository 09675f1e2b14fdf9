#include <algorithm>
#include <deque>

#include "models/abi/mutant.h"
#include "tb/reference/completion.h"

namespace fenceline::reference {

namespace {

/// Eager execution of all lanes.
class EagerRun {
 public:
  EagerRun(const Program& program, const Order* order)
      : program_(program),
        order_(order),
        highest_(program.fences.size(), 0),
        closed_(program.handles.size(), false),
        given_up_(program.fences.size(), false),
        waiters_(program.fences.size()),
        followers_(program.lanes.size()) {
    result_.ends.assign(program.lanes.size(), 0);
    for (std::size_t i = 0; i < highest_.size(); ++i) highest_[i] = program.fences[i].initial;
    for (Id lane = 0; lane < program.lanes.size(); ++lane) ready_.push_back(lane);
    queued_.assign(program.lanes.size(), true);
  }

  Possible run() {
    while (!ready_.empty()) {
      const Id lane = ready_.front();
      ready_.pop_front();
      queued_[lane] = false;
      while (result_.ends[lane] < program_.lanes[lane].ops.size() && step(lane)) continue;
    }
    return std::move(result_);
  }

 private:
  bool step(Id lane) {
    const Ref ref{lane, result_.ends[lane]};
    const Op& op = program_.at(ref);
    if (op.origin && !abi::mutant(abi::Mutant::kRunsUnsubmitted) &&
        result_.ends[op.origin->lane] <= op.origin->op) {
      followers_[op.origin->lane].push_back(lane);
      return false;
    }
    if (!satisfied(op, ref)) {
      for (const Point& point : op.waits)
        waiters_[program_.handles[point.handle].fence].push_back(lane);
      return false;
    }
    ++result_.ends[lane];
    result_.sequence.push_back(ref);
    take_effect(op);
    wake(followers_[lane]);
    return true;
  }

  void take_effect(const Op& op) {
    for (const Point& point : op.signals) {
      const Id fence = program_.handles[point.handle].fence;
      highest_[fence] = std::max(highest_[fence], point.value);
      wake(waiters_[fence]);
    }
    for (const Id fence : op.gives_up) {
      given_up_[fence] = true;
      wake(waiters_[fence]);
    }
    for (const Id handle : op.closes) {
      closed_[handle] = true;
      wake(waiters_[program_.handles[handle].fence]);
    }
  }

  bool satisfied(const Op& op, Ref ref) const {
    const auto met = [&](const Point& point) { return reached(point, ref); };
    if (op.may_time_out || op.waits.empty() || fails(op, ref)) return true;
    if (never_begins(op, ref)) return false;
    return op.any && !abi::mutant(abi::Mutant::kEndsByAllOnly)
               ? std::any_of(op.waits.begin(), op.waits.end(), met)
               : std::all_of(op.waits.begin(), op.waits.end(), met);
  }

  bool reached(const Point& point, Ref wait) const {
    const Fence& fence = program_.fence_of(point);
    const Id id = program_.handles[point.handle].fence;
    if (fence.unclear || fence.counts || closed(point, wait)) return true;
    if (given_up_[id] && !abi::mutant(abi::Mutant::kErrorEndsNoWait)) return true;
    if (highest_[id] < point.value + (abi::mutant(abi::Mutant::kEndsAboveValue) ? 1 : 0))
      return false;
    return order_ == nullptr || abi::mutant(abi::Mutant::kGoneValueEndsWait) ||
           order_->may_satisfy(point, wait, result_.ends);
  }

  /// A handle may be closed before the call.
  bool fails(const Op& op, Ref wait) const {
    return program_.may_fail(wait) && !abi::mutant(abi::Mutant::kFailedCallWaits) &&
           std::any_of(op.waits.begin(), op.waits.end(),
                       [this](const Point& point) { return closed_[point.handle]; });
  }

  /// The call that was to begin the wait has failed.
  bool never_begins(const Op& op, Ref wait) const {
    if (order_ == nullptr || program_.lanes[wait.lane].kind != Lane::Kind::kHelper ||
        abi::mutant(abi::Mutant::kRefusedWaitSetsEvent))
      return false;
    return std::any_of(op.waits.begin(), op.waits.end(), [&](const Point& point) {
      const std::vector<Ref>& closers = program_.handles[point.handle].closers;
      return !program_.fence_of(point).unclear &&
             std::any_of(closers.begin(), closers.end(),
                         [&](Ref closer) { return order_->before_begin(closer, *op.origin); });
    });
  }

  bool closed(const Point& point, Ref wait) const {
    if (program_.at(wait).polls || abi::mutant(abi::Mutant::kCloseEndsNoWait)) return false;
    const std::vector<Id> handles = program_.closes_that_end(wait, point);
    return std::all_of(handles.begin(), handles.end(),
                       [this](Id handle) { return closed_[handle]; });
  }

  void wake(std::vector<Id>& lanes) {
    for (const Id lane : lanes) {
      if (!queued_[lane]) ready_.push_back(lane);
      queued_[lane] = true;
    }
    lanes.clear();
  }

  const Program& program_;
  const Order* const order_;            ///< tells which signals a wait cannot see; null: none
  std::vector<std::uint64_t> highest_;  ///< by fence
  std::vector<bool> closed_;            ///< by handle
  std::vector<bool> given_up_;          ///< by fence
  std::vector<std::vector<Id>> waiters_;
  std::vector<std::vector<Id>> followers_;  ///< lanes that wait for a step of this lane
  std::deque<Id> ready_;
  std::vector<bool> queued_;  ///< by lane: it is in `ready_`
  Possible result_;
};

}  // namespace

Possible possible(const Program& program, const Order* order) {
  return EagerRun(program, order).run();
}

}  // namespace fenceline::reference
