// Resets of nodes: what is dropped, and what waits until the node continues.
#include "models/command_processor/command_processor.h"

namespace fenceline::command_processor {

void CommandProcessor::write_reset(std::uint32_t engine, std::uint64_t value) {
  Turn& turn = nodes_[engine]->turn;
  turn.spares_ring = ends_queues() && value == abi::kResetAndHold;
  turn.hold = turn.spares_ring || (ends_queues() && value == abi::kResetAllAndHold);
  const HardwareQueue* const ring = own_ring(engine);
  if (!turn.spares_ring || ring == nullptr || ring->state != event::QueueStateKind::kRunning)
    return forget(engine);
  // In this case no user-mode queue is at the node.
  simulation_.steps.touch(common::Place::kRegister, place_of_node(engine), true);
  reset_turn(engine);
}

/// True when the reset is done: the node sends nothing to the CMP until it continues.
bool CommandProcessor::has_reset(std::uint32_t engine) const {
  const Node& node = *nodes_[engine];
  if (node.stop.reset) return false;
  const HardwareQueue* const ring = own_ring(engine);
  return !node.turn.held || ring == nullptr || ring->state != event::QueueStateKind::kRunning ||
         ring->silent;
}

/// Requests a reset of the node and of the nodes that reset together with it.
void CommandProcessor::forget(std::uint32_t engine) {
  for (std::uint32_t other = 0; other < nodes_.size(); ++other) {
    if (other != engine && (!config_.resets_together || own_ring(other) == nullptr)) continue;
    simulation_.steps.touch(common::Place::kRegister, place_of_node(other), true);
    nodes_[other]->stop.reset = true;
    nodes_[other]->stop.gate.open();
    ready_[other]->open();
  }
}

/// Drops the node's current work and its context state. A node that runs nothing keeps its context
/// state.
void CommandProcessor::reset(std::uint32_t engine) {
  Node& node = *nodes_[engine];
  HardwareQueue* const ring = own_ring(engine);
  if (ring != nullptr && !node.turn.spares_ring) {
    report_dropped(engine, *ring);
    node.preemption = 0;
    if (ring->in_buffer) node.completed = ring->submission;
    node.ended = node.completed;  // the buffer may have finished before, without a report
    if (ring->in_buffer) {
      simulation_.emit(
          event::BufferStopped{adapter_, ring->submission, ring->buffer_place(), engine + 1});
      node.context = 0;
      node.bindings = {};
    }
    ring->in_buffer = ring->in_packet = false;
    ring->waiting = ring->parked = ring->latched = ring->retry = false;
    ring->fault = abi::FaultCode::kNone;
    ring->open_buffers.clear();
    ring->ring.position = ring->ring.end;
    set_state(*ring, event::QueueStateKind::kIdle);
  }
  if (ends_queues()) reset_turn(engine);
  simulation_.steps.touch(common::Place::kRegister, place_of_node(engine), true);
  node.stop.wanted = node.preemption != 0;
  node.stop.reset = false;
  node.stop.gate.open();
}

/// Between two packets the driver's own ring waits while the node is held.
void CommandProcessor::wait_while_held(std::uint32_t engine, HardwareQueue& queue) {
  if (!queue.of_driver() || !ends_queues()) return;
  Node& node = *nodes_[engine];
  const auto goes_on = [this, &node, engine] {
    simulation_.steps.touch(common::Place::kRegister, place_of_node(engine), false);
    return !node.turn.held || node.stop.reset;
  };
  if (goes_on()) return;
  set_silent(engine, queue, true);
  simulation_.steps.wait_until(node.stop.gate, goes_on);
  set_silent(engine, queue, false);
}

/// True for work that sends nothing to the CMP. A reset does not wait for it.
bool CommandProcessor::takes_long(abi::Opcode opcode) {
  return opcode == abi::Opcode::kDispatch || opcode == abi::Opcode::kDraw ||
         opcode == abi::Opcode::kCopy || opcode == abi::Opcode::kFill;
}

void CommandProcessor::set_silent(std::uint32_t engine, HardwareQueue& queue, bool silent) {
  if (!queue.of_driver() || !ends_queues() || queue.silent == silent) return;
  simulation_.steps.touch(common::Place::kRegister, place_of_node(engine), true);
  queue.silent = silent;
  nodes_[engine]->stop.gate.open();
}

/// While exploring, a poll for the end of a reset looks again only when the reset is done.
void CommandProcessor::await_reset(std::uint64_t offset) {
  const std::uint64_t number = (offset - abi::kEngineReset) / 8;
  if (!simulation_.steps.exploring() || number >= nodes_.size()) return;
  const auto engine = static_cast<std::uint32_t>(number);
  const std::uint64_t place = place_of_node(engine);
  simulation_.steps.wait_until(nodes_[engine]->stop.gate, [this, place, engine] {
    simulation_.steps.touch(common::Place::kRegister, place, false);
    return has_reset(engine);
  });
}

}  // namespace fenceline::command_processor
