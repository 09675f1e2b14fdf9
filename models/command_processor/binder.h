#pragma once

#include <cstdint>

#include "models/command_processor/memory_port.h"
#include "models/command_processor/shared.h"

namespace fenceline::command_processor {

/// Memory bindings of nodes, for buffers with physical addresses: executes BIND packets and
/// replaces bound addresses in other packets.
class Binder {
 public:
  Binder(Shared& shared, MemoryPort& memory) : shared_(shared), memory_(memory) {}

  /// Executes BIND or BIND_TABLE. False for an invalid packet, which has no effect. Slots hold
  /// physical addresses: only the driver's own packets and buffers may bind them.
  bool bind(Node& node, const HardwareQueue& queue, const common::EngineCommand& command);
  /// Replaces the bound addresses in the packet of `command`, which starts at `cursor`. False after
  /// a fault: a slot has no memory there.
  bool resolve(const Node& node, HardwareQueue& queue, const Cursor& cursor,
               common::EngineCommand& command);
  /// Stores the bindings of the node in the save area of a context, and loads them from there.
  void save(const Node& node, std::uint64_t area);
  void restore(Node& node, Location area);

 private:
  bool resolve_address(const Node& node, HardwareQueue& queue, const Cursor& cursor,
                       std::uint64_t& address, std::uint64_t bytes);

  Shared& shared_;
  MemoryPort& memory_;
};

}  // namespace fenceline::command_processor
