#include "tb/run/initial_state.h"

#include <utility>

namespace fenceline::run {

using common::Event;

namespace {

/// The events, one after the other.
struct State {
  std::uint64_t now;
  std::vector<Event> events{};

  template <class E>
  void add(const E& event) {
    const event::Record record = event::record_of(event);
    events.push_back({now, common::kKindOf<E>, 0, static_cast<std::uint32_t>(record[0]), record[1],
                      record[2], record[3]});
  }
};

void add_monitored(Machine& machine, const os::NativeFence& fence, State& state) {
  const std::uint64_t monitored = machine.monitored_value(fence);
  const std::uint32_t adapter = fence.adapter->object();
  state.add(event::MonitoredValueVisible{fence.object, monitored, adapter});
  // Nobody has waited yet: the shadow is what MonitoredValue was created with.
  state.add(event::ShadowVisible{fence.object, monitored, adapter});
}

void add_fences(Machine& machine, State& state) {
  for (const auto& fence : machine.kernel().system.fences) {
    if (fence->origin != nullptr) continue;
    state.add(event::FenceCreate{fence->object, machine.current_value(*fence),
                                 fence->adapter->object(), 0});
    add_monitored(machine, *fence, state);
  }
  for (const auto& fence : machine.kernel().system.monitored.all()) {
    state.add(event::FenceCreate{fence->object, machine.current_value(*fence),
                                 fence->adapter->object(), fence->native ? 0U : 1U});
    if (!fence->native) state.add(event::FenceKind{fence->object, 1, fence->narrow ? 32U : 64U});
    for (const os::NativeFence* native : fence->natives) {
      state.add(event::CrossAdapterFence{fence->object, fence->rings, native->adapter->object()});
      add_monitored(machine, *native, state);
    }
  }
}

/// Where the address of a queue leads and what it has been told; nobody has rung yet.
void add_doorbell(Machine& machine, const os::HwQueue& queue, State& state) {
  if (queue.user_doorbell == nullptr) return;
  const os::UserDoorbell& doorbell = *queue.user_doorbell;
  const std::uint64_t status =
      machine.platform().system_memory().memory().bytes().word(doorbell.status_bus());
  const std::uint64_t number = doorbell.of.number_of(doorbell.bus);
  state.add(event::DoorbellMapped{queue.object, number, doorbell.of.adapter_object()});
  state.add(event::DoorbellStatus{queue.object, status});
  state.add(event::DoorbellStatusVisible{queue.object, status, 0});
}

}  // namespace

std::vector<Event> initial_state(Machine& machine) {
  State state{machine.simulation().steps.now()};
  add_fences(machine, state);
  for (std::size_t i = 0; i < machine.platform().gpu_count(); ++i)
    for (const auto& queue : machine.platform().gpu(i).command_processor().queues())
      if (queue && queue->enabled) state.add(event::QueueState{queue->object, queue->state});
  for (const auto& [name, process] : machine.processes())
    for (const auto& [queue_name, writer] : process.queues)
      if (writer->handle() != 0)
        add_doorbell(machine, process.process->queue(writer->handle()), state);
  return std::move(state.events);
}

}  // namespace fenceline::run
