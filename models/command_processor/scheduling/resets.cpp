#include "models/command_processor/scheduling/resets.h"

#include "models/abi/mutant.h"

namespace fenceline::command_processor {

using event::QueueStateKind;

Resets::Resets(Shared& shared, EnginePort& engines, Scheduler& scheduler,
               common::RegisterFile& registers)
    : shared_(shared), engines_(engines), scheduler_(scheduler) {
  registers.add(
      {abi::kEngineReset, shared.nodes.size()},
      [this](const common::RegisterFile::Reading& reading) -> std::uint64_t {
        Node& node = *shared_.nodes[reading.index];
        if (reading.at_least == abi::kEngineResetDone) await_end(node);
        return is_done(node) ? abi::kEngineResetDone : 1;
      },
      [this](std::uint64_t engine, std::uint64_t value) {
        Node& node = *shared_.nodes[engine];
        if (shared_.driver_ring(node) != nullptr || shared_.ends_queues()) request(node, value);
      });
  registers.add_read_only({abi::kSubmission, shared.nodes.size()}, [this](const auto& reading) {
    return shared_.nodes[reading.index]->ended;
  });
}

void Resets::request(Node& node, std::uint64_t value) {
  Turn& turn = node.turn;
  turn.spares_ring = shared_.ends_queues() && value == abi::kResetAndHold;
  turn.hold = turn.spares_ring || (shared_.ends_queues() && value == abi::kResetAllAndHold);
  const HardwareQueue* const ring = shared_.driver_ring(node);
  if (!turn.spares_ring || ring == nullptr || ring->state != QueueStateKind::kRunning)
    return request_all(node);
  // In this case no user-mode queue is at the node.
  shared_.touch(shared_.place_of(node), true);
  scheduler_.reset_turn(node);
}

/// Requests a reset of the node and of the nodes that reset together with it.
void Resets::request_all(const Node& first) {
  for (const auto& other : shared_.nodes) {
    if (other.get() != &first &&
        (!shared_.config.resets_together || shared_.driver_ring(*other) == nullptr))
      continue;
    shared_.touch(shared_.place_of(*other), true);
    engines_.ask_for_reset(*other);
    other->ready.open();
  }
}

/// True when the reset is done: the node sends nothing to the CMP until it continues.
bool Resets::is_done(const Node& node) const {
  if (node.stop.reset || node.reports != 0) return false;
  const HardwareQueue* const ring = shared_.driver_ring(node);
  return !node.turn.held || ring == nullptr || ring->state != QueueStateKind::kRunning ||
         ring->silent;
}

void Resets::carry_out(Node& node) {
  HardwareQueue* const ring = shared_.driver_ring(node);
  if (ring != nullptr && !node.turn.spares_ring)
    drop_driver_ring(node, *ring);
  else if (ring != nullptr && ring->state == QueueStateKind::kRunning)
    shared_.set_state(*ring, QueueStateKind::kReady);  // asked while the node switched to the ring
  if (shared_.ends_queues()) scheduler_.reset_turn(node);
  shared_.touch(shared_.place_of(node), true);
  engines_.end_reset(node);
}

void Resets::drop_driver_ring(Node& node, HardwareQueue& ring) {
  shared_.report_work_dropped(ring);
  node.preemption = 0;
  if (ring.in_buffer) node.completed = ring.submission;
  node.ended = node.completed;  // the buffer may have finished before, without a report
  if (ring.in_buffer) {
    shared_.simulation.emit(event::BufferStopped{shared_.adapter, ring.submission,
                                                 ring.buffer_place(), node.number + 1});
    node.context = 0;
    node.bindings = {};
  }
  ring.in_buffer = ring.in_packet = false;
  ring.end_wait();
  ring.fault = abi::FaultCode::kNone;
  if (!abi::mutant(abi::Mutant::kResetKeepsBuffer)) ring.open_buffers.clear();
  ring.ring.position = ring.ring.end;
  shared_.set_state(ring, QueueStateKind::kIdle);
}

void Resets::wait_while_held(Node& node, HardwareQueue& queue) {
  if (!queue.of_driver() || !shared_.ends_queues()) return;
  const auto goes_on = [this, &node] {
    shared_.touch(shared_.place_of(node), false);
    return !node.turn.held || node.stop.reset;
  };
  if (goes_on()) return;
  engines_.set_silent(node, queue, true);
  shared_.steps().wait_until(node.changed, goes_on);
  engines_.set_silent(node, queue, false);
}

/// While exploring, a poll for the end of a reset looks again only when the reset is done.
void Resets::await_end(Node& node) {
  if (!shared_.steps().exploring()) return;
  const std::uint64_t place = shared_.place_of(node);
  shared_.steps().wait_until(node.changed, [this, place, &node] {
    shared_.touch(place, false);
    return is_done(node);
  });
}

}  // namespace fenceline::command_processor
