// A device in error: what becomes of its work and of its fences.
#include "tb/os/kernel.h"

namespace fenceline::os {

void Kernel::enter_call() {
  cpu_.compute(cpu_.core().config().system_call);
  objects_.look();
}

void Kernel::block_device(Process& process) {
  objects_.alter();
  process.blocked = true;
}

void Kernel::fail_device(Process& process, bool asked) {
  objects_.look();
  if (process.in_error) return;
  objects_.change();
  process.in_error = true;
  const SystemOptions& system = options_.adapter.system;
  simulation_.emit(
      event::DeviceError{process.object, adapters_[process.adapter].adapter->object(), asked});
  if (system.preemption.ends_all_work) end_work(process);
  objects_.look();
  std::vector<HwQueue*> queues;  // others may come meanwhile
  for (const auto& queue : process.queues) queues.push_back(queue.get());
  for (HwQueue* queue : queues)
    if (queue->user_doorbell != nullptr) queue->user_doorbell->of.abort(*queue);
  give_up_fences(process);
}

/// Source: WDDM, user-mode work submission: a device in error has its contexts suspended, then its
/// doorbells disconnected.
void Kernel::end_work(const Process& process) {
  if (contexts_ != nullptr) contexts_->end(*adapters_[process.adapter].adapter, &process);
  if (hardware_ != nullptr) hardware_->end(&process);
}

/// What it has submitted so far.
std::vector<ContextScheduler::Mark> Kernel::marks_of(const Process& process) const {
  return contexts_ != nullptr ? contexts_->marks(&process) : std::vector<ContextScheduler::Mark>{};
}

/// Nobody waits for what the device may have signalled any more.
/// Source: WDDM, D3DDDI_SYNCHRONIZATIONOBJECT_FLAGS.NoSignalMaxValueOnTdr;
/// DXGK_UPDATECURRENTVALUESFROMCPU_FLAGS.AlwaysSignaled.
void Kernel::give_up_fences(Process& process) {
  if (!options_.adapter.system.preemption.signals_lost) return;
  constexpr UINT64 kAsDocumented = 0xFFFFFFFF;  // the literal of the documents, of 32 bits
  const bool all = !options_.adapter.system.preemption.keeps_values;
  objects_.look();
  AdapterState& state = adapters_[process.adapter];
  std::vector<std::shared_ptr<MonitoredFence>> monitored;
  for (const auto& [handle, object] : process.sync_objects)
    if (object.fence != nullptr && (object.flags & SynchronizationFlags::kNoSignal) == 0 &&
        (all || !object.fence->keeps_value))
      monitored.push_back(object.fence);
  for (const auto& [handle, local] : process.fences)
    if (local.fence->origin != nullptr && (all || !local.fence->origin->keeps_value))
      monitored.push_back(local.fence->origin);
  // What it has closed it may have been about to signal.
  const auto is_due = [&](const auto& closed, const auto& fence) {
    const bool pending = !process.queues.empty() || !closed.passed();
    return fence != nullptr && fence->usable && pending && (all || !fence->keeps_value);
  };
  for (const auto& [number, closed] : process.closed_fences)
    if (auto fence = closed.fence.lock(); is_due(closed, fence))
      monitored.push_back(std::move(fence));
  for (const auto& fence : monitored) monitored_.give_up(fence, state.adapter.get());
  // One that is closed meanwhile is left out.
  for (NTSTATUS status = STATUS_INVALID_HANDLE; status == STATUS_INVALID_HANDLE;) {
    objects_.look();
    std::vector<FenceScheduler::Point> points;
    for (const auto& [handle, local] : process.fences)
      if (local.fence->origin == nullptr && local.fence->usable &&
          (all || !local.fence->keeps_value))
        points.push_back({local.fence, kAsDocumented});
    for (const auto& [number, closed] : process.closed_natives)
      if (auto fence = closed.fence.lock(); is_due(closed, fence))
        points.push_back({std::move(fence), kAsDocumented});
    status = points.empty() ? STATUS_SUCCESS
                            : state.scheduler->signal(
                                  points, DXGK_UPDATECURRENTVALUESFROMCPU_FLAGS::kAlwaysSignaled);
  }
}

}  // namespace fenceline::os
