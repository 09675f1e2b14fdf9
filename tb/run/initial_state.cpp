#include "tb/run/initial_state.h"

namespace fenceline::run {

using common::Event;
using common::EventKind;

namespace {

/// Where the address of a queue leads and what it has been told; nobody has rung yet.
template <class Add>
void add_doorbell(Machine& machine, const os::HwQueue& queue, const Add& add) {
  if (queue.user_doorbell == nullptr) return;
  const os::UserDoorbell& doorbell = *queue.user_doorbell;
  const std::uint64_t status =
      machine.platform().system_memory().memory().bytes().word(doorbell.status_bus());
  const std::uint64_t number = doorbell.of.number_of(doorbell.bus);
  add(EventKind::kDoorbellMapped, queue.object, number, 0, doorbell.of.adapter_object());
  add(EventKind::kDoorbellStatus, queue.object, status, 0);
  add(EventKind::kDoorbellStatusVisible, queue.object, status, 0);
}

}  // namespace

std::vector<Event> initial_state(Machine& machine) {
  std::vector<Event> events;
  const std::uint64_t now = machine.simulation().steps.now();
  const auto add = [&](EventKind kind, std::uint32_t object, std::uint64_t a, std::uint64_t b,
                       std::uint64_t c = 0) {
    events.push_back({now, kind, 0, object, a, b, c});
  };
  const auto add_monitored = [&](const os::NativeFence& fence) {
    const std::uint64_t monitored = machine.monitored_value(fence);
    add(EventKind::kMonitoredValueVisible, fence.object, monitored, fence.adapter->object());
    // Nobody has waited yet: the shadow is what MonitoredValue was created with.
    add(EventKind::kShadowVisible, fence.object, monitored, fence.adapter->object());
  };
  for (const auto& fence : machine.kernel().fences()) {
    if (fence->origin != nullptr) continue;
    add(EventKind::kFenceCreate, fence->object, machine.current_value(*fence),
        fence->adapter->object());
    add_monitored(*fence);
  }
  for (const auto& fence : machine.kernel().monitored_fences()) {
    add(EventKind::kFenceCreate, fence->object, machine.current_value(*fence),
        fence->adapter->object(), fence->native ? 0 : 1);
    if (!fence->native) add(EventKind::kFenceKind, fence->object, 1, fence->narrow ? 32 : 64);
    for (const os::NativeFence* native : fence->natives) {
      add(EventKind::kCrossAdapterFence, fence->object, fence->rings ? 1 : 0,
          native->adapter->object());
      add_monitored(*native);
    }
  }
  for (std::size_t i = 0; i < machine.platform().gpu_count(); ++i)
    for (const auto& queue : machine.platform().gpu(i).command_processor().queues())
      if (queue && queue->enabled)
        add(EventKind::kQueueState, queue->object, static_cast<std::uint64_t>(queue->state), 0);
  for (const auto& [name, process] : machine.processes())
    for (const auto& [queue_name, writer] : process.queues)
      if (writer->handle() != 0)
        add_doorbell(machine, machine.kernel().queue(*process.process, writer->handle()), add);
  return events;
}

}  // namespace fenceline::run
