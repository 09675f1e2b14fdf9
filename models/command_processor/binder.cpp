#include "models/command_processor/binder.h"

#include <cstring>

#include "models/abi/preemption.h"

namespace fenceline::command_processor {

using common::EngineCommand;

bool Binder::bind(Node& node, const HardwareQueue& queue, const EngineCommand& command) {
  Bindings& bindings = node.bindings;
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
        !memory_.read(node, {common::kPhysical, word}, &packet.address, sizeof packet.address))
      return false;
  }
  bindings.slots[packet.slot] = {packet.address, packet.address != 0 ? packet.bytes : 0};
  bindings.used = true;
  return true;
}

/// Replaces `address` by the bound address. False if the slot has no memory there.
bool Binder::resolve_address(const Node& node, HardwareQueue& queue, const Cursor& cursor,
                             std::uint64_t& address, std::uint64_t bytes) {
  const std::uint32_t slot = abi::slot_of(address);
  const std::uint64_t offset = abi::offset_of(address);
  if (slot >= abi::kBindingSlots || queue.space != common::kPhysical) {
    shared_.fault(queue, abi::FaultCode::kIllegal);
    return false;
  }
  const Bindings::Slot& bound = node.bindings.slots[slot];
  shared_.simulation.emit(event::BoundUse{
      shared_.adapter, queue.submission, node.number + 1,
      abi::bound_address(slot, bound.bytes != 0 ? bound.address : 0), cursor.address()});
  if (offset + bytes > bound.bytes || offset + bytes < offset) {
    shared_.fault(queue, abi::FaultCode::kIllegal);
    return false;
  }
  address = bound.address + offset;
  return true;
}

bool Binder::resolve(const Node& node, HardwareQueue& queue, const Cursor& cursor,
                     EngineCommand& command) {
  return abi::visit_packet(command.packet.data(), [&](auto packet) {
    const auto bound = [&](std::uint64_t& address, std::uint64_t bytes) {
      return resolve_address(node, queue, cursor, address, bytes);
    };
    if (!abi::each_address(packet, bound)) return false;
    std::memcpy(command.packet.data(), &packet, sizeof packet);
    return true;
  });
}

void Binder::save(const Node& node, std::uint64_t area) {
  static_assert(sizeof node.bindings.slots == abi::kBindingSlots * 2 * sizeof(std::uint64_t));
  memory_.post(node, {node.space, area + abi::kBindingsOffset}, node.bindings.slots.data(),
               sizeof node.bindings.slots);
}

void Binder::restore(Node& node, Location area) {
  Bindings& bindings = node.bindings;
  memory_.read(node, {area.space, area.address + abi::kBindingsOffset}, bindings.slots.data(),
               sizeof bindings.slots);
  bindings.used = true;
}

}  // namespace fenceline::command_processor
