#include "tb/run/rest.h"

#include <algorithm>

#include "tb/run/machine/queue_head.h"

namespace fenceline::run {

namespace {

bool has_waiters(ScenarioMachine& machine) {
  const auto& fences = machine.kernel().system.fences;
  const auto& monitored = machine.kernel().system.monitored.all();
  const auto has = [](const auto& fence) { return !fence->waiters.empty(); };
  return std::any_of(fences.begin(), fences.end(), has) ||
         std::any_of(monitored.begin(), monitored.end(), has);
}

/// A wait that has read CurrentValue and is on its way to be parked, or is.
bool waits(const QueueHead& head) {
  return head.waits &&
         (head.state == QueueHead::State::kParked || head.state == QueueHead::State::kLooks);
}

/// Something is left in a context that the OS feeds.
bool context_left(ScenarioMachine& machine) {
  const os::ContextScheduler* contexts = machine.kernel().system.contexts.get();
  if (contexts == nullptr) return false;
  return std::any_of(
      contexts->table.contexts.begin(), contexts->table.contexts.end(), [](const auto& context) {
        return !context->packets.empty() || !context->passed.empty() || context->buffers != 0;
      });
}

}  // namespace

bool somebody_waits(ScenarioMachine& machine) {
  if (!machine.all_finished() || context_left(machine)) return true;
  const std::vector<QueueHead> heads = queue_heads(machine);
  return std::any_of(heads.begin(), heads.end(),
                     [](const QueueHead& head) { return head.state == QueueHead::State::kParked; });
}

Rest rest_of(ScenarioMachine& machine) {
  bool left = !machine.all_finished();
  bool waiting = left && has_waiters(machine);
  if (context_left(machine)) {
    left = true;
    waiting = waiting || has_waiters(machine);
  }
  for (const QueueHead& head : queue_heads(machine)) {
    if (head.empty() || head.given_up) continue;
    if (!waits(head)) return Rest::kStuck;
    waiting = left = true;
  }
  if (!left) return Rest::kNobody;
  return waiting ? Rest::kWaiting : Rest::kStuck;
}

}  // namespace fenceline::run
