#include "tb/run/machine/initial_state.h"

#include <utility>

#include "models/top/gpu.h"

namespace fenceline::run {

using common::Event;

namespace {

/// The events, one after the other.
struct FirstEvents {
  std::uint64_t now;
  std::vector<Event> events{};

  template <class E>
  void add(const E& event) {
    const event::Record record = event::record_of(event);
    events.push_back({now, common::kKindOf<E>, 0, static_cast<std::uint32_t>(record[0]), record[1],
                      record[2], record[3]});
  }
};

void add_monitored(ScenarioMachine& machine, const os::NativeFence& fence, FirstEvents& first) {
  const std::uint64_t monitored = machine.objects.monitored_value(fence);
  const std::uint32_t adapter = fence.adapter->object();
  first.add(event::MonitoredValueVisible{fence.object, monitored, adapter});
  // Nobody has waited yet: the shadow is what MonitoredValue was created with.
  first.add(event::ShadowVisible{fence.object, monitored, adapter});
}

void add_fences(ScenarioMachine& machine, FirstEvents& first) {
  for (const auto& fence : machine.kernel().system.fences) {
    if (fence->origin != nullptr) continue;
    first.add(event::FenceCreate{fence->object, machine.objects.current_value(*fence),
                                 fence->adapter->object(), 0});
    add_monitored(machine, *fence, first);
  }
  for (const auto& fence : machine.kernel().system.monitored.all()) {
    first.add(event::FenceCreate{fence->object, machine.objects.current_value(*fence),
                                 fence->adapter->object(), fence->native ? 0U : 1U});
    if (!fence->native) first.add(event::FenceKind{fence->object, 1, fence->narrow ? 32U : 64U});
    for (const os::NativeFence* native : fence->natives) {
      first.add(event::CrossAdapterFence{fence->object, fence->rings, native->adapter->object()});
      add_monitored(machine, *native, first);
    }
  }
}

/// Size and place of the allocations that the memory manager has.
void add_allocations(ScenarioMachine& machine, const ProcessState& state, FirstEvents& first) {
  for (const auto& [name, named] : state.allocations) {
    if (named.resource == nullptr) continue;
    const os::Allocation* const it = state.process->allocation(named.resource->handle());
    if (it == nullptr) continue;
    const os::AdapterState& adapter = machine.kernel().system.of(*state.process);
    first.add(event::AllocationCreated{it->object, it->gpu_address, it->pages * os::kPage,
                                       state.process->space->root(), adapter.adapter->object()});
    first.add(adapter.memory->reports().place(*it));
  }
}

/// Where the address of a queue leads and what it has been told; nobody has rung yet.
void add_doorbell(ScenarioMachine& machine, const os::HwQueue& queue, FirstEvents& first) {
  if (queue.user_doorbell == nullptr) return;
  const os::UserDoorbell& doorbell = *queue.user_doorbell;
  const std::uint64_t status =
      machine.platform().system_memory().memory().bytes().word(doorbell.status_bus());
  const std::uint64_t number = doorbell.of.number_of(doorbell.bus);
  first.add(event::DoorbellMapped{queue.object, number, doorbell.of.adapter_object()});
  first.add(event::DoorbellStatus{queue.object, status});
  first.add(event::DoorbellStatusVisible{queue.object, status, 0});
}

}  // namespace

std::vector<Event> initial_state(ScenarioMachine& machine) {
  FirstEvents first{machine.simulation().steps.now()};
  add_fences(machine, first);
  for (std::size_t i = 0; i < machine.platform().gpu_count(); ++i)
    for (const auto& queue : machine.platform().gpu(i).command_processor().queues())
      if (queue && queue->enabled) first.add(event::QueueState{queue->object, queue->state});
  for (const auto& [name, process] : machine.objects.processes()) {
    add_allocations(machine, process, first);
    for (const auto& [queue_name, writer] : process.queues)
      if (writer->handle() != 0)
        add_doorbell(machine, process.process->queue(writer->handle()), first);
  }
  return std::move(first.events);
}

}  // namespace fenceline::run
