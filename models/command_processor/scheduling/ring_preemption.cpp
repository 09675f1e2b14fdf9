#include "models/command_processor/scheduling/ring_preemption.h"

#include <algorithm>

#include "models/abi/mutant.h"

namespace fenceline::command_processor {

RingPreemption::RingPreemption(Shared& shared, const Uses& uses, common::RegisterFile& registers)
    : shared_(shared), uses_(uses) {
  registers.add_write_only({abi::kPreempt, shared.nodes.size()},
                           [this](std::uint64_t engine, std::uint64_t id) {
                             request_preemption(*shared_.nodes[engine], id);
                           });
}

void RingPreemption::request_preemption(Node& node, std::uint64_t id) {
  const HardwareQueue* const ring = shared_.driver_ring(node);
  if (ring == nullptr) return;
  shared_.touch(ring->place, true);
  node.preemption = static_cast<std::uint32_t>(id);
  node.preempted = ring->ring.end;
  uses_.engines.ask_to_stop(node);
  node.ready.open();
}

void RingPreemption::begin(Node& node, HardwareQueue& queue, const abi::RunBufferPacket& packet) {
  queue.in_buffer = true;
  queue.in_packet = queue.resumed = false;
  queue.driver_wrote = (packet.header.flags & abi::kDriverBuffer) != 0;
  queue.fault = abi::FaultCode::kNone;
  queue.submission = packet.submission_id;
  node.ended = 0;
  queue.context = packet.context;
  if (packet.context != 0 || (packet.header.flags & abi::kNullContext) != 0)
    uses_.areas.switch_context(node, packet.context, packet.address_space);
  if ((packet.header.flags & abi::kResume) != 0)
    uses_.areas.restore(node, queue, {packet.address_space, uses_.areas.of(packet.context)},
                        packet.address);
  shared_.simulation.emit(event::BufferBegin{shared_.adapter, packet.submission_id,
                                             queue.buffer_place(), node.number + 1});
  uses_.areas.read_shared_memory(node, queue, packet.address_space);
}

void RingPreemption::end(Node& node, HardwareQueue& queue) {
  shared_.simulation.emit(event::BufferEnd{shared_.adapter, queue.submission, node.number + 1});
  node.completed = queue.submission;
  if (queue.context != 0) ++node.state;
  queue.in_buffer = queue.in_packet = false;
}

bool RingPreemption::give_up(Node& node, HardwareQueue& queue) {
  const auto code = static_cast<std::uint32_t>(queue.fault);
  shared_.simulation.emit(event::BufferFaulted{shared_.adapter, queue.submission,
                                               queue.fault_address, node.number + 1, code});
  node.completed = queue.submission;
  queue.in_buffer = queue.in_packet = false;
  queue.fault = abi::FaultCode::kNone;
  return uses_.engines.execute_packet(
      node, queue,
      abi::make_packet<abi::Opcode::kFaulted>(0, queue.submission, code, queue.fault_address));
}

bool RingPreemption::stops_here(const Node& node, const HardwareQueue& queue) const {
  const auto between_packets = [this, &node] {
    return shared_.config.stops[node.number].between_packets;
  };
  if (node.stop.reset && queue.of_driver()) return true;
  if (uses_.turns.must_leave(node, queue) &&
      (queue.in_packet || node.stop.reset || !queue.enabled || between_packets()))
    return true;
  return node.preemption != 0 && queue.in_buffer && queue.context != 0 &&
         (queue.in_packet || between_packets());
}

bool RingPreemption::has_request(const Node& node) const {
  if (node.stop.reset) return true;
  if (node.preemption == 0) return false;
  const HardwareQueue& ring = *shared_.driver_ring(node);
  shared_.touch(ring.place, false);
  if (ring.ring.position >= node.preempted) return true;
  // A unit may run graphics and compute work and support stops in only one of them.
  if (ring.in_buffer && ring.in_packet && ring.context != 0) return true;
  if (!shared_.config.stops[node.number].between_buffers) return false;
  if (!ring.in_buffer) return true;
  if (ring.context == 0) return false;
  return ring.parked ? shared_.simulation.ordering.gpu.preempt_waits : stops_here(node, ring);
}

bool RingPreemption::attend(Node& node) {
  if (!has_request(node)) return false;
  if (!node.stop.reset) uses_.resets.wait_while_held(node, *shared_.driver_ring(node));
  if (node.stop.reset)
    uses_.resets.carry_out(node);
  else
    report_preemption(node);
  return true;
}

void RingPreemption::report_preemption(Node& node) {
  HardwareQueue& ring = *shared_.driver_ring(node);
  if (ring.in_buffer) {
    shared_.simulation.emit(event::BufferStopped{shared_.adapter, ring.submission,
                                                 ring.buffer_place(), node.number + 1});
    uses_.areas.save(node, ring, {node.space, uses_.areas.of(ring.context)});
  }
  ring.in_buffer = ring.in_packet = false;
  ring.end_wait();
  ring.open_buffers.clear();
  const std::uint64_t dropped =
      abi::mutant(abi::Mutant::kPreemptionDropsLater) ? ring.ring.end : node.preempted;
  ring.ring.position = std::max(ring.ring.position, dropped);
  shared_.set_state(ring, event::QueueStateKind::kIdle);
  const auto packet = abi::make_packet<abi::Opcode::kPreempted>(0, node.preemption, node.completed);
  node.preemption = 0;
  uses_.engines.take_back_stop(node);
  uses_.engines.execute_packet(node, ring, packet);
}

}  // namespace fenceline::command_processor
