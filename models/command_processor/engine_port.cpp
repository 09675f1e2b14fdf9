#include "models/command_processor/engine_port.h"

namespace fenceline::command_processor {

using common::EngineCommand;

bool EnginePort::execute(Node& node, HardwareQueue& queue, EngineCommand& command) {
  command.stoppable = (queue.in_buffer && queue.context != 0) || areas_.has_room_for(queue);
  if (queue.in_packet) command.progress = queue.progress;
  queue.in_packet = false;
  const auto header = common::packet_of<abi::PacketHeader>(command);
  common::EventStream& events = shared_.simulation.events;
  const common::AgentId agent = shared_.steps().current();
  const auto opcode = static_cast<std::uint64_t>(header.opcode);
  events.emit(agent, event::PacketBegin{queue.object, opcode, 0, node.number + 1});
  set_silent(node, queue, abi::has_trait(header.opcode, abi::kSilent));
  if (send(node.number, command) != tlm::TLM_OK_RESPONSE)
    shared_.fault(queue, command.fault, command.fault_address);
  set_silent(node, queue, false);
  events.emit(agent, event::PacketEnd{queue.object, opcode, 0, node.number + 1});
  if (!command.stopped) return true;
  queue.in_packet = true;
  queue.progress = command.progress;
  queue.state_bytes = command.state_bytes;
  return false;
}

void EnginePort::set_silent(Node& node, HardwareQueue& queue, bool silent) const {
  if (!queue.of_driver() || !shared_.ends_queues() || queue.silent == silent) return;
  shared_.touch(shared_.place_of(node), true);
  queue.silent = silent;
  node.changed.open();
}

void EnginePort::count_report(Node& node, int change) const {
  if (!shared_.ends_queues()) return;
  shared_.touch(shared_.place_of(node), true);
  node.reports += static_cast<std::uint32_t>(change);
  node.changed.open();
}

void EnginePort::set_stop(Node& node, const common::StopRequest& request) {
  node.stop = request;
  auto message = shared_.simulation.transactions.lend(tlm::TLM_WRITE_COMMAND, common::kEngineStop,
                                                      &node.stop, sizeof node.stop);
  common::deliver(socket_[static_cast<int>(node.number)], message->payload);
}

tlm::tlm_response_status EnginePort::send(std::uint32_t engine, EngineCommand& command) {
  auto message = shared_.simulation.transactions.lend(
      tlm::TLM_WRITE_COMMAND, common::kEngineCommand, &command, sizeof command);
  return common::send(shared_.steps(), socket_[static_cast<int>(engine)], message);
}

}  // namespace fenceline::command_processor
