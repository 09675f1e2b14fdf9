#pragma once

#include <cstdint>

namespace fenceline::scenario {

/// Packets that no buffer of user mode may have.
enum class BadPacket : std::uint8_t {
  kOpcode,     ///< no engine knows it
  kSize,       ///< shorter than its header
  kRead,       ///< a copy from an address that nothing is mapped at
  kWrite,      ///< a write to one
  kPhysical,   ///< a copy with GPU physical addresses
  kBind,       ///< memory is bound to a slot of the node
  kWaitBlank,  ///< of the display
  kFlip        ///< the same
};
struct BadPacketCommand {
  BadPacket what = BadPacket::kOpcode;
};

}  // namespace fenceline::scenario
