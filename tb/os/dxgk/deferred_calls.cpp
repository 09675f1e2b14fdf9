#include "tb/os/dxgk/deferred_calls.h"

#include <algorithm>

namespace fenceline::os {

namespace {

/// Logs of the queues that an interrupt names, or of devices that have the named fences open.
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

void DeferredCalls::run(std::uint32_t core) {
  host::Core& here = system_.cpu.core(core);
  for (;;) {
    system_.simulation.steps.forget();
    const auto queued = [&] {
      return std::any_of(system_.adapters.begin(), system_.adapters.end(),
                         [](const AdapterState& state) { return state.adapter->dpc_queued(); });
    };
    system_.simulation.steps.wait_until(system_.dpc_queued, queued);
    here.enter(DISPATCH_LEVEL, common::Operation::kDeferredCall, here.config().dpc_latency);
    for (AdapterState& state : system_.adapters) {
      system_.simulation.steps.observe(state.adapter->dpc_queued() ? 1 : 0);
      if (state.adapter->dpc_queued()) state.adapter->run_dpc();
    }
    here.leave();
  }
}

void DeferredCalls::follow(AdapterState& state, const FenceNotification& notification) {
  const std::uint32_t core = system_.cpu.core().object();
  system_.simulation.emit(event::DpcBegin{state.adapter->object(), core});
  // The device is active: queues of other adapters may be signalled soon.
  if (state.fallback != nullptr && waits_elsewhere(state)) state.scheduler->news().note(true);
  std::size_t released = 0;
  if (!notification.only_monitored())
    released = state.logs->releases() ? follow_queues(state, notification)
                                      : follow_fences(state, notification);
  released += scan_monitored(state, notification);
  follow_flips(state, notification);
  if (system_.hardware != nullptr) follow_hw_contexts(state, notification);
  system_.simulation.emit(event::DpcEnd{state.adapter->object(), core, released});
  // A completed buffer counts as progress, even without waiters.
  if (released == 0 && notification.completions.empty() && notification.preemptions.empty() &&
      notification.syncs.empty() && notification.suspensions.empty() &&
      notification.timeouts.empty())
    system_.simulation.emit(event::SpuriousInterrupt{state.adapter->object(), core});
}

/// Scans monitored fences after their interrupt. After a completed buffer it scans the fences that
/// its process could signal. It also scans fences shared with other adapters that were signalled
/// here. Source: WDDM, context monitoring: basic and advanced; native fences across adapters.
std::size_t DeferredCalls::scan_monitored(const AdapterState& state,
                                          const FenceNotification& notification) {
  MonitoredScan what;
  what.by = state.adapter.get();
  what.all = notification.monitored;
  if (system_.contexts != nullptr) follow_buffers(state, notification, what);
  if (system_.monitored.all().empty()) return 0;  // nothing to scan, no lock needed
  // An interrupt without fences may stand for any fence.
  what.natives = notification.all || !notification.queues.empty() || !notification.nodes.empty();
  for (const HANDLE handle : notification.fences)
    for (const auto& fence : system_.fences)
      if (fence->adapter == what.by && fence->os_handle() == handle && fence->origin != nullptr)
        what.named.push_back(fence->origin.get());
  const bool any = std::any_of(
      system_.fences.begin(), system_.fences.end(),
      [&](const auto& fence) { return fence->origin != nullptr && fence->adapter == what.by; });
  if (!what.all && what.named.empty() && what.written.empty() && !(what.natives && any)) return 0;
  return system_.monitored.scan(what);
}

/// Handles buffers of contexts that were completed, given up or preempted, and adds the fences that
/// they may have signalled.
void DeferredCalls::follow_buffers(const AdapterState& state, const FenceNotification& notification,
                                   MonitoredScan& what) {
  BufferReturns& returns = system_.contexts->returns;
  for (const auto& completed : notification.completions) {
    const auto owners = completed.faulted
                            ? returns.faulted(*state.adapter, completed.node, completed.id)
                            : returns.completed(*state.adapter, completed.node, completed.id);
    for (const void* owner : owners) add_signalled(owner, what);
  }
  for (const auto& preempted : notification.preemptions)
    returns.preempted(*state.adapter, preempted.node, preempted.id, preempted.last_completed);
}

/// Handles suspended hardware contexts and hung nodes.
void DeferredCalls::follow_hw_contexts(const AdapterState& state,
                                       const FenceNotification& notification) const {
  for (const auto& suspension : notification.suspensions)
    system_.hardware->completed(*state.adapter, suspension.context, suspension.fence);
  for (const UINT node : notification.timeouts) system_.hardware->timed_out(*state.adapter, node);
}

/// Adds the fences that buffers of the process may have signalled, including closed ones.
void DeferredCalls::add_signalled(const void* owner, MonitoredScan& what) const {
  if (owner == nullptr) what.all = true;  // paging buffers signal fences of all processes
  const Process* const process = system_.find_process(owner);
  if (process == nullptr) return;
  for (const auto& [handle, object] : process->sync_objects)
    if ((object.flags & SynchronizationFlags::kNoSignal) == 0 && object.fence != nullptr)
      what.written.push_back(object.fence.get());
  for (const auto& [handle, local] : process->fences)
    if (local.fence->origin != nullptr) what.written.push_back(local.fence->origin.get());
  for (const auto& [number, closed] : process->closed_fences)
    if (const auto fence = closed.fence.lock()) what.written.push_back(fence.get());
}

void DeferredCalls::look_at_all(const Adapter& adapter) {
  const KIRQL old = system_.cpu.raise(DISPATCH_LEVEL);
  system_.of(adapter).scheduler->scan({true, {}}, [](const auto&) {});
  MonitoredScan what;
  what.by = &adapter;
  what.all = what.natives = true;
  if (!system_.monitored.all().empty()) system_.monitored.scan(what);
  system_.cpu.lower(old);
}

bool DeferredCalls::waits_elsewhere(const AdapterState& state) const {
  if (!state.power->on()) return false;
  if (system_.monitored.waited_for()) return true;
  const auto& fences = system_.monitored.all();
  return std::any_of(fences.begin(), fences.end(), [&state](const auto& fence) {
    return fence->alive && fence->natives.size() > 1 && fence->on(state.adapter.get()) != nullptr;
  });
}

/// Handles vertical syncs, and flips whose images are drawn.
void DeferredCalls::follow_flips(AdapterState& state, const FenceNotification& notification) {
  if (state.flips == nullptr) return;
  for (const std::uint64_t primary : notification.syncs) state.flips->synced(primary);
  if (!notification.completions.empty() || !notification.preemptions.empty())
    state.flips->progress();
}

/// CurrentValues decide releases; logs of the devices that have these fences open give timestamps.
std::size_t DeferredCalls::follow_fences(AdapterState& state,
                                         const FenceNotification& notification) {
  LogHarvest harvest;
  const std::size_t released = state.scheduler->scan(notification, [&](const FenceList& fences) {
    harvest = state.logs->read(state.logs->of(fences));
  });
  return released + state.logs->settle(harvest);
}

/// Logs decide releases. CurrentValues decide them for work that writes no log.
std::size_t DeferredCalls::follow_queues(AdapterState& state,
                                         const FenceNotification& notification) {
  const std::size_t released = state.logs->settle(state.logs->read(logs_named(
      *state.logs, *state.scheduler, state.adapter->optimized_interrupts(), notification)));
  const FenceList unlogged = fences_without_logs(state, notification);
  return unlogged.empty() ? released : released + state.scheduler->look(unlogged, false);
}

/// Fences that may have been signalled without a log: by contexts that the OS feeds, and by queues
/// without logs. Source: WDDM, native fence log buffers: user-mode queues only.
FenceList DeferredCalls::fences_without_logs(const AdapterState& state,
                                             const FenceNotification& notification) const {
  const auto named = [](const auto& list, const auto& item) {
    return std::find(list.begin(), list.end(), item) != list.end();
  };
  // An interrupt that names fences, or nothing, does not identify the signaller.
  const bool fences_named = !notification.all && !notification.fences.empty();
  const bool anyone = notification.all || fences_named;
  const FenceList these = fences_named ? state.scheduler->named(notification) : FenceList{};
  FenceList result;
  for (const auto& process : system_.processes) {
    if (system_.of(*process).adapter != state.adapter) continue;
    bool silent = false;
    for (const auto& queue : process->queues)
      silent = silent ||
               (!queue->has_logs && (anyone || named(notification.queues, queue->driver_handle) ||
                                     named(notification.nodes, queue->logs.node)));
    for (const ContextQueue* context : process->contexts)
      silent = silent || anyone || named(notification.nodes, context->node);
    if (!silent) continue;
    for (auto& fence : process->signalled_natives())
      if ((!fences_named || named(these, fence)) && !named(result, fence))
        result.push_back(std::move(fence));
  }
  return result;
}

}  // namespace fenceline::os
