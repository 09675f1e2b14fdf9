#include "tb/os/vidsch/lost_wait_check.h"

#include <algorithm>

namespace fenceline::os {

using common::Fires;
using common::Operation;
using common::Place;
using event::Reader;

LostWaitCheck::LostWaitCheck(Adapter& adapter, WatchdogRule kind, std::uint32_t core)
    : adapter_(adapter),
      kind_(kind),
      core_(core),
      place_(adapter.cpu().simulation().steps.new_place()),
      changed_(adapter.cpu().simulation().steps) {
  adapter.cpu().simulation().steps.add_state(*this);
}

std::uint64_t LostWaitCheck::state_hash() const {
  common::Hasher hasher;
  for (const Wait& wait : waits_)
    hasher.add(std::uint64_t{wait.waiter->thread} << 1 | (wait.overdue ? 1U : 0U));
  return hasher.add(vain_).value();
}

void LostWaitCheck::begin(const Waiter& waiter, const std::vector<FenceScheduler::Point>& points) {
  waits_.push_back({&waiter, points, false});
  changed();
}

void LostWaitCheck::end(std::uint32_t number) {
  waits_.erase(std::find_if(waits_.begin(), waits_.end(),
                            [number](const Wait& wait) { return wait.waiter->number == number; }));
  changed();
}

void LostWaitCheck::changed() {
  adapter_.cpu().simulation().steps.touch(Place::kEvent, place_, true);
  vain_ = 0;
  changed_.open();
}

void LostWaitCheck::run() {
  common::Steps& steps = adapter_.cpu().simulation().steps;
  const common::Time period = adapter_.cpu().core(core_).config().fence_fallback;
  const auto idle = [&] {
    steps.touch(Place::kEvent, place_, false);
    return waits_.empty() || vain_ == kMaxVain;
  };
  for (;;) {
    steps.forget();
    steps.wait_until(changed_, [&] { return !idle(); });
    if (!steps.wait_until_for(changed_, idle, period, Fires::kLast)) look();
  }
}

void LostWaitCheck::look() {
  host::Core& here = adapter_.cpu().core(core_);
  here.enter(DISPATCH_LEVEL, Operation::kDeferredCall, here.config().dpc_latency);
  std::vector<std::uint32_t> numbers;  // the list may change during the reads
  for (const Wait& wait : waits_) numbers.push_back(wait.waiter->number);
  bool found = false;
  for (const std::uint32_t number : numbers) {
    const Wait* before = find(number);
    const bool overdue = before != nullptr && is_overdue(*before);
    Wait* wait = find(number);
    if (wait == nullptr) continue;
    if (overdue && wait->overdue)
      adapter_.bug_check(VIDEO_SCHEDULER_INTERNAL_ERROR, {kLostWait},
                         "the watchdog takes waiter " + std::to_string(number) + " for lost");
    wait->overdue = overdue;
    found = found || overdue;
  }
  adapter_.cpu().simulation().steps.touch(Place::kEvent, place_, true);
  if (!found) ++vain_;
  here.leave();
}

LostWaitCheck::Wait* LostWaitCheck::find(std::uint32_t number) {
  const auto it = std::find_if(waits_.begin(), waits_.end(), [number](const Wait& wait) {
    return wait.waiter->number == number;
  });
  return it != waits_.end() ? &*it : nullptr;
}

/// True if one fence, or each, has its value, and the rule counts the waiting thread.
bool LostWaitCheck::is_overdue(const Wait& wait) {
  const bool any = wait.waiter->any;
  if (kind_ == WatchdogRule::kSleeping && wait.waiter->satisfied) return false;
  const std::vector<FenceScheduler::Point> points = wait.points;
  bool all = true;
  bool some = false;
  for (const FenceScheduler::Point& point : points) {
    const std::uint64_t value = adapter_.port().read_value(
        to_kernel_address(point.fence->current_bus()), Operation::kReadValue, Reader::kOther);
    all = all && value >= point.value;
    some = some || value >= point.value;
  }
  return any ? some : all;
}

}  // namespace fenceline::os
