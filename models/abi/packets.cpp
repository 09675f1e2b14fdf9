#include "models/abi/packets.h"

namespace fenceline::abi {

namespace {

struct PacketInfo {
  const char* name;
  unsigned traits;
};
constexpr PacketInfo kPackets[] = {
#define PACKET(number, opcode, name, payload, traits) {name, traits},
#include "models/abi/packets.def"
};

/// The numbers of packets.def go up by one.
constexpr bool is_dense() {
  for (std::size_t i = 0; i < kOpcodeCount; ++i)
    if (kOpcodes[i] != i) return false;
  return true;
}
static_assert(is_dense());

PacketInfo info_of(Opcode opcode) {
  const auto index = static_cast<std::size_t>(opcode);
  return index < kOpcodeCount ? kPackets[index] : PacketInfo{"INVALID", kNoTrait};
}

}  // namespace

bool has_trait(Opcode opcode, PacketTrait trait) { return (info_of(opcode).traits & trait) != 0; }

const char* opcode_name(Opcode opcode) { return info_of(opcode).name; }

}  // namespace fenceline::abi
