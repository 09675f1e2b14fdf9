// Lost waits of the GPU.
#include "tb/check/fences/lost.h"

namespace fenceline::check {

using common::At;
using common::Hasher;
using common::ObjectKind;

void QueueWaitChecks::on(const At<event::GpuWaitBegin>& event) {
  Queue& queue = queues_[event.queue];
  queue.fence = event.fence;
  queue.value = event.value;
  queue.time = event.time;
  queue.position = world_.fences[event.fence].position;
}

bool QueueWaitChecks::reached(const Queue& queue) const {
  const FenceOrder& order = world_.fences[queue.fence];
  if (order.always_signaled || order.home >= queue.value) return true;
  if (queue.position < order.history.first_index()) return true;  // too old: not in the history
  for (std::uint64_t p = queue.position; p < order.history.end_index(); ++p) {
    if (order.history[p].value >= queue.value) return true;
  }
  return false;
}

void QueueWaitChecks::on(const At<event::GpuWaitUnblock>& event) {
  Queue& queue = queues_[event.queue];
  Reporter& report = world_.report;
  if (queue.fence != event.fence) return;
  ++ended_;
  report.checked(Invariant::kLogOnce);
  if (!reached(queue)) {
    report.fail_fence(Invariant::kLogOnce, event.fence,
                      "queue " + report.name(ObjectKind::kQueue, event.queue) + " was unblocked " +
                          at_time(event.time) + " from its wait for fence " +
                          report.fence(event.fence) + " to reach " + text(queue.value) +
                          ", but CurrentValue is " + text(world_.fences[event.fence].home) +
                          " and was not higher since");
  }
  queue.fence = 0;
}

void QueueWaitChecks::on(const At<event::QueueState>& event) {
  Queue& queue = queues_[event.queue];
  const auto state = event.state;
  queue.suspended = state == event::QueueStateKind::kSuspended;
  if (state == event::QueueStateKind::kIdle) queue.fence = 0;  // a reset dropped its work
}

void QueueWaitChecks::on_destroyed(std::uint32_t fence) {
  for (std::size_t q = 0; q < queues_.size(); ++q) {
    if (queues_[q].fence == fence) queues_[q].fence = 0;
  }
}

void QueueWaitChecks::finish_quiescent() {
  Reporter& report = world_.report;
  report.checked(Invariant::kNoLostGpuWait, ended_);
  for (std::size_t q = 0; q < queues_.size(); ++q) {
    const Queue& queue = queues_[q];
    if (queue.fence == 0 || queue.suspended) continue;
    report.checked(Invariant::kNoLostGpuWait);
    const std::uint64_t home = world_.fences[queue.fence].home;
    if (home < queue.value) continue;
    report.fail(Invariant::kNoLostGpuWait, q, queue.fence,
                "queue " + report.name(ObjectKind::kQueue, q) + " waits for fence " +
                    report.fence(queue.fence) + " to reach " + text(queue.value) + " since " +
                    text(queue.time) + " ps; CurrentValue is " + text(home) +
                    " and nothing is left to do " + report.now());
  }
}

std::uint64_t QueueWaitChecks::held_for(std::uint32_t fence) const {
  std::uint64_t lowest = UINT64_MAX;
  for (std::size_t q = 0; q < queues_.size(); ++q)
    if (queues_[q].held && queues_[q].fence == fence &&
        queues_[q].value > world_.fences[fence].home)
      lowest = std::min(lowest, queues_[q].value - 1);
  return lowest;
}

/// Only the presence of the value counts, not its time.
void QueueWaitChecks::add_to(Canonical& hash) const {
  std::uint64_t sum = 0;
  for (std::size_t q = 0; q < queues_.size(); ++q) {
    const Queue& queue = queues_[q];
    if (queue.fence == 0 && !queue.suspended) continue;
    Hasher item;
    item.add(pair_of(q, queue.fence)).add(bits_of(queue.suspended));
    if (queue.fence != 0) item.add(queue.value).add(bits_of(reached(queue)));
    sum += item.value();
  }
  hash.add(sum);
}

}  // namespace fenceline::check
