#include <algorithm>
#include <deque>

#include "tb/reference/completion.h"

namespace fenceline::reference {

namespace {

/// Eager execution of all lanes.
class EagerRun {
 public:
  explicit EagerRun(const Program& program)
      : program_(program),
        highest_(program.fences.size(), 0),
        closed_(program.handles.size(), false),
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
    if (op.origin && result_.ends[op.origin->lane] <= op.origin->op) {
      followers_[op.origin->lane].push_back(lane);
      return false;
    }
    if (!satisfied(op)) {
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
      if (point.value <= highest_[fence]) continue;
      highest_[fence] = point.value;
      wake(waiters_[fence]);
    }
    for (const Id handle : op.closes) {
      closed_[handle] = true;
      wake(waiters_[program_.handles[handle].fence]);
    }
  }

  bool satisfied(const Op& op) const {
    const auto reached = [this](const Point& point) {
      const Fence& fence = program_.fence_of(point);
      return fence.unclear || fence.counts || closed_[point.handle] ||
             highest_[program_.handles[point.handle].fence] >= point.value;
    };
    if (op.may_time_out || op.waits.empty()) return true;
    return op.any ? std::any_of(op.waits.begin(), op.waits.end(), reached)
                  : std::all_of(op.waits.begin(), op.waits.end(), reached);
  }

  void wake(std::vector<Id>& lanes) {
    for (const Id lane : lanes) {
      if (!queued_[lane]) ready_.push_back(lane);
      queued_[lane] = true;
    }
    lanes.clear();
  }

  const Program& program_;
  std::vector<std::uint64_t> highest_;  ///< by fence
  std::vector<bool> closed_;            ///< by handle
  std::vector<std::vector<Id>> waiters_;
  std::vector<std::vector<Id>> followers_;  ///< lanes that wait for a step of this lane
  std::deque<Id> ready_;
  std::vector<bool> queued_;  ///< by lane: it is in `ready_`
  Possible result_;
};

}  // namespace

Possible possible(const Program& program) { return EagerRun(program).run(); }

}  // namespace fenceline::reference
