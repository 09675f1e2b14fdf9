// What a DPC does with the fences and queues that interrupts have reported.
#include <algorithm>

#include "tb/os/kernel.h"

namespace fenceline::os {

using common::EventKind;

void Kernel::on_fences_signaled(AdapterState& state, const FenceNotification& notification) {
  const common::AgentId agent = simulation_.steps.current();
  const std::uint32_t core = cpu_.core().object();
  simulation_.events.emit(EventKind::kDpcBegin, agent, state.adapter->object(), core);
  // The device is at work: signals for queues of other adapters may follow.
  if (state.fallback != nullptr && waits_elsewhere(state)) state.scheduler->note_elsewhere(true);
  std::size_t released = 0;
  std::size_t from_logs = 0;
  bool overrun = false;
  const auto logs = [&] { overrun = follow_logs(state, notification, from_logs); };
  if (notification.only_monitored())
    released = 0;
  else if (options_.ordering.os.log_driven || state.adapter->optimized_interrupts())
    logs();
  else
    released = state.scheduler->scan(notification, logs);
  released += from_logs;
  // What was lost may have been any signal: every fence of the device is looked at.
  if (overrun && options_.ordering.os.overrun_fallback)
    released += state.scheduler->scan({true, {}}, [] {});
  released += scan_monitored(state, notification);
  follow_flips(state, notification);
  for (const auto& suspension : notification.suspensions)
    if (hardware_ != nullptr)
      hardware_->completed(*state.adapter, suspension.context, suspension.fence);
  for (const UINT node : notification.timeouts)
    if (hardware_ != nullptr) hardware_->timed_out(*state.adapter, node);
  simulation_.events.emit(EventKind::kDpcEnd, agent, state.adapter->object(), core, released);
  // The end of a buffer is news whether somebody waits or not.
  if (released == 0 && notification.completions.empty() && notification.preemptions.empty() &&
      notification.syncs.empty() && notification.suspensions.empty() &&
      notification.timeouts.empty())
    simulation_.events.emit(EventKind::kSpuriousInterrupt, agent, state.adapter->object(), core);
}

/// After an interrupt for them, and when a buffer is complete, the monitored fences are looked at;
/// so are fences that other adapters share when they were signalled here.
/// Source: WDDM, context monitoring: basic and advanced; native fences across adapters.
std::size_t Kernel::scan_monitored(const AdapterState& state,
                                   const FenceNotification& notification) {
  for (const auto& completed : notification.completions) {
    if (contexts_ == nullptr) continue;
    if (completed.faulted)
      contexts_->faulted(*state.adapter, completed.node, completed.id);
    else
      contexts_->completed(*state.adapter, completed.node, completed.id);
  }
  for (const auto& preempted : notification.preemptions)
    if (contexts_ != nullptr)
      contexts_->preempted(*state.adapter, preempted.node, preempted.id, preempted.last_completed);
  if (monitored_.all().empty()) return 0;  // nothing to look at, and no lock to take
  MonitoredScan what;
  what.by = state.adapter.get();
  what.all = notification.monitored || !notification.completions.empty();
  // Where no fence is named it may be any.
  what.natives = notification.all || !notification.queues.empty() || !notification.nodes.empty();
  for (const HANDLE handle : notification.fences)
    for (const auto& fence : fences_)
      if (fence->adapter == what.by && fence->os_handle() == handle && fence->origin != nullptr)
        what.named.push_back(fence->origin.get());
  const bool any = std::any_of(fences_.begin(), fences_.end(), [&](const auto& fence) {
    return fence->origin != nullptr && fence->adapter == what.by;
  });
  if (!what.all && what.named.empty() && !(what.natives && any)) return 0;
  return monitored_.scan(what);
}

/// What an adapter has signalled while its interrupts were off, nobody has told.
void Kernel::look_at_all(const Adapter& adapter) {
  const KIRQL old = cpu_.raise(DISPATCH_LEVEL);
  for (AdapterState& state : adapters_) {
    if (state.adapter.get() != &adapter) continue;
    state.scheduler->scan({true, {}}, [] {});
    MonitoredScan what;
    what.by = state.adapter.get();
    what.all = what.natives = true;
    if (!monitored_.all().empty()) monitored_.scan(what);
  }
  cpu_.lower(old);
}

/// What vertical syncs have shown, and what images buffers have finished.
void Kernel::follow_flips(AdapterState& state, const FenceNotification& notification) {
  if (state.flips == nullptr) return;
  for (const std::uint64_t primary : notification.syncs) state.flips->synced(primary);
  if (!notification.completions.empty() || !notification.preemptions.empty())
    state.flips->progress();
}

/// Logs whose queues the interrupt names, or all of them where it names fences.
std::vector<QueueLogs*> Kernel::logs_concerned(const AdapterState& state,
                                               const FenceNotification& notification) const {
  if (!state.adapter->optimized_interrupts()) return state.queue_logs;
  std::vector<QueueLogs*> result;
  for (QueueLogs* logs : state.queue_logs) {
    const auto& queues = notification.queues;
    const auto& nodes = notification.nodes;
    if (std::find(queues.begin(), queues.end(), logs->queue) != queues.end() ||
        std::find(nodes.begin(), nodes.end(), logs->node) != nodes.end())
      result.push_back(logs);
  }
  return result;
}

/// Logs are read at every DPC of the adapter, for their timestamps; with os.log_driven, or where
/// interrupts name queues, they alone release waiters.
bool Kernel::follow_logs(AdapterState& state, const FenceNotification& notification,
                         std::size_t& released) {
  if (state.queue_logs.empty()) return false;
  LogHarvest harvest;
  {
    LockScope lock(cpu_, *state.log_lock, DISPATCH_LEVEL);
    harvest = state.logs->read(logs_concerned(state, notification));
  }
  if (options_.ordering.os.log_driven || state.adapter->optimized_interrupts())
    released += release_logged(state, harvest);
  return harvest.overrun;
}

std::size_t Kernel::release_logged(AdapterState& state, const LogHarvest& harvest) {
  std::size_t released = 0;
  for (const LoggedOperation& operation : harvest.operations) {
    if (operation.entry.OperationType != DXGK_NATIVE_FENCE_LOG_OPERATION_SIGNAL_EXECUTED) continue;
    if (LocalFence* local = fence(*processes_[operation.process], operation.entry.hNativeFence))
      released += state.scheduler->release_logged(*local->fence, operation.entry.FenceValue);
  }
  return released;
}

}  // namespace fenceline::os
