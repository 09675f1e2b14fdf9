// What a DPC does with the fences and queues that interrupts have reported.
#include <algorithm>

#include "tb/os/kernel.h"

namespace fenceline::os {

namespace {

/// Native fences of one adapter that the device of the process has open.
FenceList open_fences(const Process& process) {
  FenceList result;
  for (const auto& [handle, local] : process.fences)
    if (local.fence->origin == nullptr) result.push_back(local.fence);
  return result;
}

/// Logs of the queues that an interrupt names, or of the devices whose fences it names.
std::vector<QueueLogs*> logs_named(const LogFollower& logs, const FenceScheduler& scheduler,
                                   bool optimized, const FenceNotification& notification) {
  if (!optimized) return notification.all ? logs.queues() : logs.of(scheduler.named(notification));
  std::vector<QueueLogs*> result;
  for (QueueLogs* one : logs.queues()) {
    const auto& queues = notification.queues;
    const auto& nodes = notification.nodes;
    if (std::find(queues.begin(), queues.end(), one->queue) != queues.end() ||
        std::find(nodes.begin(), nodes.end(), one->node) != nodes.end())
      result.push_back(one);
  }
  return result;
}

}  // namespace

void Kernel::on_fences_signaled(AdapterState& state, const FenceNotification& notification) {
  const common::AgentId agent = simulation_.steps.current();
  const std::uint32_t core = cpu_.core().object();
  simulation_.events.emit(agent, event::DpcBegin{state.adapter->object(), core});
  // The device is at work: signals for queues of other adapters may follow.
  if (state.fallback != nullptr && waits_elsewhere(state)) state.scheduler->note_elsewhere(true);
  std::size_t released = 0;
  if (!notification.only_monitored())
    released = state.logs->releases() ? follow_queues(state, notification)
                                      : follow_fences(state, notification);
  released += scan_monitored(state, notification);
  follow_flips(state, notification);
  for (const auto& suspension : notification.suspensions)
    if (hardware_ != nullptr)
      hardware_->completed(*state.adapter, suspension.context, suspension.fence);
  for (const UINT node : notification.timeouts)
    if (hardware_ != nullptr) hardware_->timed_out(*state.adapter, node);
  simulation_.events.emit(agent, event::DpcEnd{state.adapter->object(), core, released});
  // The end of a buffer is news whether somebody waits or not.
  if (released == 0 && notification.completions.empty() && notification.preemptions.empty() &&
      notification.syncs.empty() && notification.suspensions.empty() &&
      notification.timeouts.empty())
    simulation_.events.emit(agent, event::SpuriousInterrupt{state.adapter->object(), core});
}

/// After an interrupt for them the monitored fences are looked at, and when a buffer is complete
/// those that its process could signal; so are fences that other adapters share when they were
/// signalled here.
/// Source: WDDM, context monitoring: basic and advanced; native fences across adapters.
std::size_t Kernel::scan_monitored(const AdapterState& state,
                                   const FenceNotification& notification) {
  MonitoredScan what;
  what.by = state.adapter.get();
  what.all = notification.monitored;
  for (const auto& completed : notification.completions) {
    if (contexts_ == nullptr) continue;
    const auto owners = completed.faulted
                            ? contexts_->faulted(*state.adapter, completed.node, completed.id)
                            : contexts_->completed(*state.adapter, completed.node, completed.id);
    for (const void* owner : owners) add_signalled(owner, what);
  }
  for (const auto& preempted : notification.preemptions)
    if (contexts_ != nullptr)
      contexts_->preempted(*state.adapter, preempted.node, preempted.id, preempted.last_completed);
  if (monitored_.all().empty()) return 0;  // nothing to look at, and no lock to take
  // Where no fence is named it may be any.
  what.natives = notification.all || !notification.queues.empty() || !notification.nodes.empty();
  for (const HANDLE handle : notification.fences)
    for (const auto& fence : fences_)
      if (fence->adapter == what.by && fence->os_handle() == handle && fence->origin != nullptr)
        what.named.push_back(fence->origin.get());
  const bool any = std::any_of(fences_.begin(), fences_.end(), [&](const auto& fence) {
    return fence->origin != nullptr && fence->adapter == what.by;
  });
  if (!what.all && what.named.empty() && what.written.empty() && !(what.natives && any)) return 0;
  return monitored_.scan(what);
}

/// The fences that buffers of the process may have signalled, those included that it has closed.
void Kernel::add_signalled(const void* owner, MonitoredScan& what) const {
  if (owner == nullptr) what.all = true;  // paging buffers signal fences of all processes
  for (const auto& process : processes_) {
    if (process.get() != owner) continue;
    for (const auto& [handle, object] : process->sync_objects)
      if ((object.flags & SynchronizationFlags::kNoSignal) == 0 && object.fence != nullptr)
        what.written.push_back(object.fence.get());
    for (const auto& [handle, local] : process->fences)
      if (local.fence->origin != nullptr) what.written.push_back(local.fence->origin.get());
    for (const auto& [number, closed] : process->closed_fences)
      if (const auto fence = closed.fence.lock()) what.written.push_back(fence.get());
  }
}

/// What an adapter has signalled while its interrupts were off, nobody has told.
void Kernel::look_at_all(const Adapter& adapter) {
  const KIRQL old = cpu_.raise(DISPATCH_LEVEL);
  for (AdapterState& state : adapters_) {
    if (state.adapter.get() != &adapter) continue;
    state.scheduler->scan({true, {}}, [](const auto&) {});
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

void Kernel::follow_logs(AdapterState& state) {
  state.logs =
      std::make_unique<LogFollower>(*state.adapter, *state.scheduler, options_.ordering.os);
  state.logs->fence_of = [this](std::size_t process,
                                D3DKMT_HANDLE handle) -> std::shared_ptr<NativeFence> {
    const LocalFence* const local = fence(*processes_[process], handle);
    return local != nullptr ? local->fence : nullptr;
  };
  state.logs->fences_of = [this](std::size_t process) { return open_fences(*processes_[process]); };
  state.logs->has_any = [this](std::size_t process, const FenceList& fences) {
    const Process* const device = processes_[process].get();
    return std::any_of(fences.begin(), fences.end(), [device](const auto& fence) {
      return std::find(fence->devices.begin(), fence->devices.end(), device) !=
             fence->devices.end();
    });
  };
}

/// CurrentValues tell who is to be released; the logs of the devices whose fences these are give
/// the timestamps.
std::size_t Kernel::follow_fences(AdapterState& state, const FenceNotification& notification) {
  LogHarvest harvest;
  const std::size_t released = state.scheduler->scan(notification, [&](const FenceList& fences) {
    harvest = state.logs->read(state.logs->of(fences));
  });
  return released + state.logs->settle(harvest);
}

/// Logs tell who is to be released. For work that writes no log, CurrentValues do.
std::size_t Kernel::follow_queues(AdapterState& state, const FenceNotification& notification) {
  const std::size_t released = state.logs->settle(state.logs->read(logs_named(
      *state.logs, *state.scheduler, state.adapter->optimized_interrupts(), notification)));
  const FenceList unlogged = fences_without_logs(state, notification);
  return unlogged.empty() ? released : released + state.scheduler->look(unlogged, false);
}

/// Fences that devices may have signalled by what writes no log: contexts that the OS feeds, and
/// queues without logs. Source: WDDM, native fence log buffers: user-mode queues only.
FenceList Kernel::fences_without_logs(const AdapterState& state,
                                      const FenceNotification& notification) const {
  const auto named = [](const auto& list, const auto& item) {
    return std::find(list.begin(), list.end(), item) != list.end();
  };
  // An interrupt that names fences, or nothing, does not tell who has signalled them.
  const bool fences_named = !notification.all && !notification.fences.empty();
  const bool anyone = notification.all || fences_named;
  const FenceList these = fences_named ? state.scheduler->named(notification) : FenceList{};
  FenceList result;
  for (const auto& process : processes_) {
    if (adapters_[process->adapter].adapter != state.adapter) continue;
    bool silent = false;
    for (const auto& queue : process->queues)
      silent = silent ||
               (!queue->has_logs && (anyone || named(notification.queues, queue->driver_handle) ||
                                     named(notification.nodes, queue->logs.node)));
    for (const ContextQueue* context : process->contexts)
      silent = silent || anyone || named(notification.nodes, context->node);
    if (!silent) continue;
    for (auto& fence : open_fences(*process))
      if ((!fences_named || named(these, fence)) && !named(result, fence))
        result.push_back(std::move(fence));
  }
  return result;
}

}  // namespace fenceline::os
