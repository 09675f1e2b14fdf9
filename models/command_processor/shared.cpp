#include "models/command_processor/shared.h"

namespace fenceline::command_processor {

Shared::Shared(common::Simulation& all, const CommandProcessorConfig& settings, std::size_t engines,
               const Around& around)
    : simulation(all),
      config(settings),
      clock(around.clock),
      fences(around.fences),
      adapter(around.adapter),
      queues(engines),
      tags_place(all.steps.new_place()),
      waits_place(all.steps.new_place()) {
  for (std::uint32_t engine = 0; engine < engines; ++engine) {
    nodes.push_back(std::make_unique<Node>(all.steps, engine));
    nodes.back()->signal_place = all.steps.new_place();
  }
  if (ends_queues()) schedule_place = all.steps.new_place();
}

void Shared::set_state(HardwareQueue& queue, event::QueueStateKind state) const {
  if (queue.state == state) return;
  queue.state = state;
  simulation.emit(event::QueueState{queue.object, state});
}

void Shared::fault(HardwareQueue& queue, abi::FaultCode code, std::uint64_t address) {
  ++faults;
  if (!queue.of_driver() || !queue.in_buffer || queue.fault != abi::FaultCode::kNone) return;
  queue.fault = code;
  queue.fault_address = address;
}

std::uint64_t Shared::place_of(const Node& node) const {
  const HardwareQueue* const ring = driver_ring(node);
  return ring != nullptr ? ring->place : schedule_place;
}

void Shared::report_commands_dropped(const HardwareQueue& queue) const {
  simulation.emit(event::CommandsDropped{queue.object, queue.ring.position});
}

void Shared::report_work_dropped(const HardwareQueue& queue) const {
  if (queue.ring.position >= queue.ring.end && !queue.in_buffer) return;
  simulation.emit(event::WorkDropped{queue.object, adapter, queue.of_driver(), queue.engine + 1});
}

}  // namespace fenceline::command_processor
