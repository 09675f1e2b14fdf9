#pragma once

#include <array>
#include <cstdint>
#include <cstring>

#include "models/abi/packets.h"
#include "models/abi/registers.h"
#include "models/common/steps.h"

namespace fenceline::common {

/// Where the next entry of a fence log goes.
struct LogCursor {
  std::uint64_t address = 0;  ///< GPU virtual address of the buffer, 0: none
  std::uint32_t space = 0;    ///< address space of it
  std::uint32_t entries = 0;
  std::uint32_t index = 0;  ///< FirstFreeEntryIndex
  std::uint32_t wraparounds = 0;
  std::uint32_t object = 0;  ///< ObjectKind::kLog
  bool writing = false;      ///< an engine issues an entry and its index
  Gate* written = nullptr;   ///< to be opened when it has
  std::uint64_t place = 0;   ///< for footprints
};

/// How whoever feeds an engine makes it stop. One an engine.
struct StopRequest {
  explicit StopRequest(Steps& steps) : gate(steps) {}
  Gate gate;            ///< opened when one of these becomes true
  bool wanted = false;  ///< stop where that is possible, and say how far it has come
  bool reset = false;   ///< stop at once and forget it
};

/// One command on its way from the command processor to an engine: the data of a transaction.
struct EngineCommand {
  std::uint32_t queue_slot = 0;
  std::uint32_t queue = 0;          ///< ObjectKind::kQueue
  std::uint32_t fence = 0;          ///< ObjectKind::kFence, of the operation at hand
  std::uint32_t address_space = 0;  ///< VMID
  std::uint64_t observed = 0;  ///< GPU timestamp at which a logged wait stalled, 0 if it did not
  LogCursor* log = nullptr;    ///< of the queue, for the operation at hand
  alignas(8) std::array<unsigned char, abi::kLargestPacket> packet{};
  alignas(8) abi::LogPacket log_packet{};  ///< valid with abi::kLogFollows

  StopRequest* stop = nullptr;  ///< null: it cannot be reset either
  bool stoppable = false;       ///< there is where to save its state
  // Set by the engine when the command has stopped before its end; it takes `progress` back.
  bool stopped = false;
  std::uint64_t state_bytes = 0;  ///< of its state beside `progress`
  std::array<std::uint64_t, 4> progress{};
  // Set by the engine when it cannot execute the command.
  abi::FaultCode fault = abi::FaultCode::kNone;
  std::uint64_t fault_address = 0;  ///< without a translation
};

/// The packet of a command. @tparam Packet one of abi/packets.h, by its opcode.
template <typename Packet>
Packet packet_of(const EngineCommand& command) {
  static_assert(sizeof(Packet) <= abi::kLargestPacket);
  Packet packet;
  std::memcpy(&packet, command.packet.data(), sizeof packet);
  return packet;
}

/// Told to the CMP by an engine whose signal exceeded MonitoredValue, or that has to interrupt for
/// another reason: the data of a transaction.
struct SignalNotice {
  enum class Kind : std::uint8_t {
    kFenceSignaled,    ///< a native fence
    kFenceWritten,     ///< FENCE_WRITE with abi::kNotify
    kBufferCompleted,  ///< RUN_BUFFER
    kPreempted,        ///< PREEMPTED
    kSuspended,        ///< SUSPENDED: fence_slot is the slot of the context, value the fence
    kBufferFaulted,    ///< FAULTED: fence_slot, queue_slot and value as of abi::InterruptCause
    kTimedOut,         ///< TIMED_OUT: queue_slot is that of the queue that has hung
    kLogUnmapped,      ///< a log in the system process: value is the address without a translation
    kVerticalSync      ///< of the display: value is the address that it scans out
  };
  std::uint32_t engine = 0;
  std::uint32_t fence_slot = 0;
  std::uint32_t queue_slot = 0;
  std::uint32_t queue = 0;  ///< ObjectKind::kQueue: for events only
  std::uint64_t value = 0;  ///< or the submission id; of kPreempted see abi::InterruptCause
  Kind kind = Kind::kFenceSignaled;
};

}  // namespace fenceline::common
