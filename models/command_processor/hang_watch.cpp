// Hung user-mode queues: detection, and the state of the node until its reset.
#include <algorithm>
#include <cstring>

#include "models/command_processor/command_processor.h"

namespace fenceline::command_processor {

using common::Time;

/// While exploring, time stands still: the watch then runs only if the scenario has a hang.
bool CommandProcessor::watches() const {
  return config_.engine_timeout != 0 && (config_.can_hang || !simulation_.steps.exploring());
}

/// Notes that a packet of the queue has ended.
void CommandProcessor::note_progress(const HardwareQueue& queue) {
  if (queue.of_driver() || !watches()) return;
  Node& node = *nodes_[queue.engine];
  Turn& turn = node.turn;
  if (turn.queue != queue.slot + 1) return;
  turn.progress = simulation_.steps.simulated();
  if (turn.asked && !turn.yields && !queue.removed && !turn.timed_out) {
    turn.asked = false;
    node.stop.wanted = node.preemption != 0;
  }
  await_verdict(queue);
}

/// Asks the queue at the node to leave. It has the same time limit as a preemption.
void CommandProcessor::ask_to_leave(std::uint32_t engine) {
  Node& node = *nodes_[engine];
  if (watches() && !node.turn.asked) {
    node.turn.progress = simulation_.steps.simulated();
    node.turn.asked = true;
  }
  node.stop.wanted = true;
  node.stop.gate.open();
}

/// A queue that timed out stops here, even if its packet ends later. The requested reset must hit
/// this queue and no other.
void CommandProcessor::await_verdict(const HardwareQueue& queue) {
  Node& node = *nodes_[queue.engine];
  if (!node.turn.timed_out) return;
  simulation_.steps.wait_until(node.stop.gate, [this, &node, &queue] {
    simulation_.steps.touch(common::Place::kRegister, place_of_node(queue.engine), false);
    return node.stop.reset;
  });
}

/// DisableGpuTimeout covers packets that take long. It does not cover a queue that must leave for a
/// suspension.
bool CommandProcessor::may_time_out(const Turn& turn) const {
  const HardwareQueue& queue = *queues_[turn.queue - 1];
  return queue.removed || (queue.field(abi::kQueueControl) & abi::kQueueNoTimeout) == 0;
}

/// Next time to check a node; kNever: no user-mode queue is at a node.
Time CommandProcessor::next_look() const {
  Time next = Turn::kNever;
  for (const auto& node : nodes_)
    if (node->turn.queue != 0 && !node->turn.timed_out && may_time_out(node->turn))
      next = std::min(next, node->turn.progress + config_.engine_timeout);
  return next;
}

void CommandProcessor::run_hang_watch() {
  common::Steps& steps = simulation_.steps;
  const auto busy = [this] {
    touch_schedule(false);
    return watches() && next_look() != Turn::kNever;
  };
  for (;;) {
    steps.forget();
    steps.wait_until(watch_, busy);
    const Time now = steps.simulated();
    const Time next = next_look();
    const Time limit = next > now ? next - now : 0;
    const auto idle = [&busy] { return !busy(); };
    if (steps.wait_until_for(watch_, idle, limit, common::Fires::kLast)) continue;
    for (std::uint32_t engine = 0; engine < nodes_.size(); ++engine) look_at_node(engine);
  }
}

/// The first timeout asks the queue to leave, the second reports it as hung.
void CommandProcessor::look_at_node(std::uint32_t engine) {
  Turn& turn = nodes_[engine]->turn;
  common::Steps& steps = simulation_.steps;
  touch_schedule(true);
  if (turn.queue == 0 || turn.timed_out || !may_time_out(turn)) return;
  if (!steps.exploring() && steps.simulated() < turn.progress + config_.engine_timeout) return;
  const HardwareQueue& queue = *queues_[turn.queue - 1];
  steps.observe(std::uint64_t{turn.queue} << 1 | (turn.asked ? 1U : 0U));
  if (turn.asked) return report_timeout(engine, queue);
  if (config_.schedules) return make_room(engine);
  ask_to_leave(engine);
}

void CommandProcessor::report_timeout(std::uint32_t engine, const HardwareQueue& queue) {
  nodes_[engine]->turn.timed_out = true;
  simulation_.emit(event::EngineTimedOut{queue.object, adapter_, engine + 1});
  common::EngineCommand command;
  command.queue_slot = queue.slot;
  command.queue = queue.object;
  const abi::PacketHeader packet{abi::Opcode::kTimedOut, 0, sizeof packet};
  std::memcpy(command.packet.data(), &packet, sizeof packet);
  auto message = simulation_.transactions.lend(tlm::TLM_WRITE_COMMAND, 0, &command, sizeof command);
  common::send(simulation_.steps, engines[static_cast<int>(engine)], message);
}

/// For events: a reset drops work.
void CommandProcessor::report_dropped(std::uint32_t engine, const HardwareQueue& queue) const {
  if (queue.ring.position >= queue.ring.end && !queue.in_buffer) return;
  simulation_.emit(event::WorkDropped{queue.object, adapter_, queue.of_driver(), engine + 1});
}

}  // namespace fenceline::command_processor
