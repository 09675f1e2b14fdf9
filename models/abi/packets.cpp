#include "models/abi/packets.h"

namespace fenceline::abi {

const char* opcode_name(Opcode opcode) {
  constexpr const char* kNames[kOpcodeCount] = {
      "NOP",         "INDIRECT",  "SIGNAL",    "WAIT",       "WRITE", "LOG",
      "COPY",        "DISPATCH",  "DRAW",      "BARRIER",    "FLUSH", "RUN_BUFFER",
      "FENCE_WRITE", "FILL",      "PREEMPTED", "WAIT_BLANK", "FLIP",  "BIND",
      "BIND_TABLE",  "SUSPENDED", "FAULTED",   "TIMED_OUT"};
  const auto index = static_cast<std::size_t>(opcode);
  return index < kOpcodeCount ? kNames[index] : "INVALID";
}

}  // namespace fenceline::abi
