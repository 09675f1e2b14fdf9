#include "tb/run/rest.h"

#include <algorithm>

#include "tb/run/queue_head.h"

namespace fenceline::run {

namespace {

bool has_waiters(Machine& machine) {
  const auto& fences = machine.kernel().fences();
  return std::any_of(fences.begin(), fences.end(),
                     [](const auto& fence) { return !fence->waiters.empty(); });
}

/// A wait that has read CurrentValue and is on its way to be parked, or is.
bool waits(const QueueHead& head) {
  return head.waits &&
         (head.state == QueueHead::State::kParked || head.state == QueueHead::State::kLooks);
}

}  // namespace

Rest rest_of(Machine& machine) {
  bool left = !machine.all_finished();
  bool waiting = left && has_waiters(machine);
  for (const QueueHead& head : queue_heads(machine)) {
    if (head.empty()) continue;
    if (!waits(head)) return Rest::kStuck;
    waiting = left = true;
  }
  if (!left) return Rest::kNobody;
  return waiting ? Rest::kWaiting : Rest::kStuck;
}

}  // namespace fenceline::run
