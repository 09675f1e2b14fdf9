#include "tb/os/dxgk/device_errors.h"

namespace fenceline::os {

void DeviceErrors::fail(Process& process, bool asked) {
  system_.objects.look();
  if (process.in_error) return;
  system_.objects.change();
  process.in_error = true;
  const SystemOptions& system = system_.options.adapter.system;
  system_.simulation.emit(
      event::DeviceError{process.object, system_.of(process).adapter->object(), asked});
  if (system.preemption.ends_all_work) end_work(process);
  system_.objects.look();
  std::vector<HwQueue*> queues;  // other queues may be created meanwhile
  for (const auto& queue : process.queues) queues.push_back(queue.get());
  for (HwQueue* queue : queues)
    if (queue->user_doorbell != nullptr) queue->user_doorbell->of.abort(*queue);
  give_up_fences(process);
}

void DeviceErrors::block(Process& process) {
  system_.objects.alter();
  process.blocked = true;
}

/// Source: WDDM, user-mode work submission: a device in error has its contexts suspended, then its
/// doorbells disconnected.
void DeviceErrors::end_work(const Process& process) {
  if (system_.contexts != nullptr)
    system_.contexts->lost_work.end(*system_.of(process).adapter, &process);
  if (system_.hardware != nullptr) system_.hardware->end(&process);
}

void DeviceErrors::give_up_fences(Process& process) {
  if (!system_.options.adapter.system.preemption.signals_lost) return;
  constexpr UINT64 kAsDocumented = 0xFFFFFFFF;  // the literal of the documents, which has 32 bits
  const bool all = !system_.options.adapter.system.preemption.keeps_values;
  system_.objects.look();
  AdapterState& state = system_.of(process);
  std::vector<std::shared_ptr<MonitoredFence>> monitored;
  for (const auto& [handle, object] : process.sync_objects)
    if (object.fence != nullptr && (object.flags & SynchronizationFlags::kNoSignal) == 0 &&
        (all || !object.fence->keeps_value))
      monitored.push_back(object.fence);
  for (const auto& [handle, local] : process.fences)
    if (local.fence->origin != nullptr && (all || !local.fence->origin->keeps_value))
      monitored.push_back(local.fence->origin);
  // A closed fence may still be signalled by pending work of the process.
  const auto is_due = [&](const auto& closed, const auto& fence) {
    const bool pending = !process.queues.empty() || !closed.passed();
    return fence != nullptr && fence->usable && pending && (all || !fence->keeps_value);
  };
  for (const auto& [number, closed] : process.closed_fences)
    if (auto fence = closed.fence.lock(); is_due(closed, fence))
      monitored.push_back(std::move(fence));
  for (const auto& fence : monitored) system_.monitored.give_up(fence, state.adapter.get());
  // Repeats without fences that were closed meanwhile.
  for (NTSTATUS status = STATUS_INVALID_HANDLE; status == STATUS_INVALID_HANDLE;) {
    system_.objects.look();
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
