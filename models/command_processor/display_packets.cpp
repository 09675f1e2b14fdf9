// Display packets that a front end executes.
#include <cstring>

#include "models/command_processor/command_processor.h"

namespace fenceline::command_processor {

/// Only the driver may use these packets. In a buffer written by user mode they are refused.
void CommandProcessor::run_display(std::uint32_t engine, HardwareQueue& queue,
                                   const common::EngineCommand& command) {
  const auto packet = common::packet_of<abi::FlipPacket>(command);
  if (!queue.of_driver() || (queue.in_buffer && !queue.driver_wrote))
    return fault(queue, abi::FaultCode::kPrivileged);
  if (display.size() == 0) return fault(queue, abi::FaultCode::kIllegal);
  const common::AgentId agent = simulation_.steps.current();
  const auto opcode = static_cast<std::uint64_t>(packet.header.opcode);
  const bool flips = packet.header.opcode == abi::Opcode::kFlip;
  simulation_.events.emit(agent, event::PacketBegin{queue.object, opcode, 0, engine + 1});
  std::uint64_t primary = packet.address | abi::kFlipImmediate;
  auto access = simulation_.transactions.lend(
      flips ? tlm::TLM_WRITE_COMMAND : tlm::TLM_IGNORE_COMMAND,
      flips ? abi::kDisplayPrimary : abi::kDisplayBlank, &primary, sizeof primary);
  common::send(simulation_.steps, display[0], access);
  simulation_.events.emit(agent, event::PacketEnd{queue.object, opcode, 0, engine + 1});
}

}  // namespace fenceline::command_processor
