#pragma once

#include <cstdint>

namespace fenceline::scenario {

/// Packets that are not allowed in buffers of user mode.
enum class BadPacket : std::uint8_t {
  kOpcode,     ///< unknown to all engines
  kSize,       ///< shorter than its header
  kRead,       ///< a copy from an unmapped address
  kWrite,      ///< a write to an unmapped address
  kPhysical,   ///< a copy with GPU physical addresses
  kBind,       ///< binds memory to a slot of the node
  kWaitBlank,  ///< a display packet
  kFlip        ///< a display packet
};
struct BadPacketCommand {
  BadPacket what = BadPacket::kOpcode;
};

}  // namespace fenceline::scenario
