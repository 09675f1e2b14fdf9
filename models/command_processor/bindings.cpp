// Memory bindings of a node, for buffers with physical addresses.
#include <cstring>

#include "models/command_processor/command_processor.h"

namespace fenceline::command_processor {

using common::EngineCommand;

void CommandProcessor::report_packet(std::uint32_t engine, const HardwareQueue& queue,
                                     const Cursor& cursor, const EngineCommand& command) const {
  const auto header = common::packet_of<abi::PacketHeader>(command);
  const auto words = common::Hasher().add_words(command.packet.data(), header.bytes / 8U * 8U);
  simulation_.emit(
      event::PacketRead{adapter_, queue.submission, engine + 1, words.value(), cursor.address()});
}

/// False for an invalid packet, which has no effect. Slots hold physical addresses: only the
/// driver's own packets and buffers may bind them.
bool CommandProcessor::bind(std::uint32_t engine, HardwareQueue& queue, EngineCommand& command) {
  Bindings& bindings = nodes_[engine]->bindings;
  if (queue.space != common::kPhysical) return false;
  if (common::packet_of<abi::PacketHeader>(command).opcode == abi::Opcode::kBindTable) {
    bindings.table = common::packet_of<abi::BindTablePacket>(command).address;
    bindings.used = true;
    return true;
  }
  auto packet = common::packet_of<abi::BindPacket>(command);
  if (packet.slot >= abi::kBindingSlots) return false;
  if ((packet.header.flags & abi::kFromTable) != 0) {
    const std::uint64_t word = bindings.table + 8 * packet.address;
    if (bindings.table == 0 ||
        !load_state(engine, common::kPhysical, word, &packet.address, sizeof packet.address))
      return false;
  }
  bindings.slots[packet.slot] = {packet.address, packet.address != 0 ? packet.bytes : 0};
  bindings.used = true;
  return true;
}

/// Replaces `address` by the bound address. False if the slot has no memory there.
bool CommandProcessor::resolve_address(std::uint32_t engine, HardwareQueue& queue,
                                       const Cursor& cursor, std::uint64_t& address,
                                       std::uint64_t bytes) {
  const std::uint32_t slot = abi::slot_of(address);
  const std::uint64_t offset = abi::offset_of(address);
  if (slot >= abi::kBindingSlots || queue.space != common::kPhysical) {
    fault(queue, abi::FaultCode::kIllegal);
    return false;
  }
  const Bindings::Slot& bound = nodes_[engine]->bindings.slots[slot];
  simulation_.emit(event::BoundUse{adapter_, queue.submission, engine + 1,
                                   abi::bound_address(slot, bound.bytes != 0 ? bound.address : 0),
                                   cursor.address()});
  if (offset + bytes > bound.bytes || offset + bytes < offset) {
    fault(queue, abi::FaultCode::kIllegal);
    return false;
  }
  address = bound.address + offset;
  return true;
}

bool CommandProcessor::resolve(std::uint32_t engine, HardwareQueue& queue, const Cursor& cursor,
                               EngineCommand& command) {
  const auto replaced = [&command](const auto& packet) {
    std::memcpy(command.packet.data(), &packet, sizeof packet);
    return true;
  };
  const auto header = common::packet_of<abi::PacketHeader>(command);
  switch (header.opcode) {
    case abi::Opcode::kWrite: {
      auto packet = common::packet_of<abi::WritePacket>(command);
      return resolve_address(engine, queue, cursor, packet.address, sizeof packet.value) &&
             replaced(packet);
    }
    case abi::Opcode::kCopy: {
      auto packet = common::packet_of<abi::CopyPacket>(command);
      return resolve_address(engine, queue, cursor, packet.source, packet.bytes) &&
             resolve_address(engine, queue, cursor, packet.destination, packet.bytes) &&
             replaced(packet);
    }
    case abi::Opcode::kDispatch:
    case abi::Opcode::kDraw: {
      auto packet = common::packet_of<abi::WorkPacket>(command);
      const bool traffic = packet.read_bytes + packet.write_bytes != 0;
      return !traffic ||
             (resolve_address(engine, queue, cursor, packet.address, 0) && replaced(packet));
    }
    default:
      return true;
  }
}

void CommandProcessor::save_bindings(std::uint32_t engine, std::uint64_t area) {
  const Node& node = *nodes_[engine];
  static_assert(sizeof node.bindings.slots == abi::kBindingSlots * 2 * sizeof(std::uint64_t));
  store_state(engine, node.space, area + abi::kBindingsOffset, node.bindings.slots.data(),
              sizeof node.bindings.slots);
}

void CommandProcessor::restore_bindings(std::uint32_t engine, std::uint32_t space,
                                        std::uint64_t area) {
  Bindings& bindings = nodes_[engine]->bindings;
  load_state(engine, space, area + abi::kBindingsOffset, bindings.slots.data(),
             sizeof bindings.slots);
  bindings.used = true;
}

}  // namespace fenceline::command_processor
