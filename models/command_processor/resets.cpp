// Resets of nodes: what is lost, and what stands still until the node goes on.
#include "models/command_processor/command_processor.h"

namespace fenceline::command_processor {

void CommandProcessor::write_reset(std::uint32_t engine, std::uint64_t value) {
  Turn& turn = nodes_[engine]->turn;
  turn.spares_ring = ends_queues() && value == abi::kResetAndHold;
  turn.hold = turn.spares_ring || (ends_queues() && value == abi::kResetAllAndHold);
  const HardwareQueue* const ring = own_ring(engine);
  if (!turn.spares_ring || ring == nullptr || ring->state != common::QueueState::kRunning)
    return forget(engine);
  // No queue of user mode is at the node then.
  simulation_.steps.touch(common::Place::kRegister, place_of_node(engine), true);
  reset_turn(engine);
}

/// The reset is over: nothing that the node does until it goes on is told to the CMP.
bool CommandProcessor::has_reset(std::uint32_t engine) const {
  const Node& node = *nodes_[engine];
  if (node.stop.reset) return false;
  const HardwareQueue* const ring = own_ring(engine);
  return !node.turn.held || ring == nullptr || ring->state != common::QueueState::kRunning ||
         ring->silent;
}

/// The node is to be reset, and those that share with it what the reset touches.
void CommandProcessor::forget(std::uint32_t engine) {
  for (std::uint32_t other = 0; other < nodes_.size(); ++other) {
    if (other != engine && (!config_.resets_together || own_ring(other) == nullptr)) continue;
    simulation_.steps.touch(common::Place::kRegister, place_of_node(other), true);
    nodes_[other]->stop.reset = true;
    nodes_[other]->stop.gate.open();
    ready_[other]->open();
  }
}

/// All that the node was at is gone, with what it held of its context. One that runs nothing keeps
/// what it holds.
void CommandProcessor::reset(std::uint32_t engine) {
  Node& node = *nodes_[engine];
  HardwareQueue* const ring = own_ring(engine);
  if (ring != nullptr && !node.turn.spares_ring) {
    report_dropped(engine, *ring);
    node.preemption = 0;
    if (ring->in_buffer) node.completed = ring->submission;
    node.ended = node.completed;  // it may have been over before, and its report not
    if (ring->in_buffer) {
      simulation_.emit(
          event::BufferStopped{adapter_, ring->submission, ring->buffer_place(), engine + 1});
      node.context = 0;
      node.bindings = {};
    }
    ring->in_buffer = ring->in_packet = false;
    ring->waiting = ring->parked = ring->latched = ring->retry = false;
    ring->fault = abi::FaultCode::kNone;
    ring->left.clear();
    ring->ring.position = ring->ring.end;
    set_state(*ring, common::QueueState::kIdle);
  }
  if (ends_queues()) reset_turn(engine);
  simulation_.steps.touch(common::Place::kRegister, place_of_node(engine), true);
  node.stop.wanted = node.preemption != 0;
  node.stop.reset = false;
  node.stop.gate.open();
}

/// Between two packets of the driver's own ring: it goes on when the node does.
void CommandProcessor::stand_still(std::uint32_t engine, HardwareQueue& queue) {
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

/// Work that tells the CMP nothing: a reset does not wait for it.
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

/// While it is explored, a poll for the end of a reset looks again only then.
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
