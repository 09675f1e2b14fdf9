#pragma once

#include <array>
#include <cstdint>
#include <cstring>

#include "models/abi/packets.h"
#include "models/abi/registers.h"

namespace fenceline::common {

/// Address of a transaction to an engine from the command processor.
enum EngineAddress : std::uint64_t {
  kEngineCommand = 0,  ///< the data is an EngineCommand
  kEngineStop = 8      ///< the data is a StopRequest
};

/// Kind of a queue's log.
enum class LogKind : std::uint8_t { kWaits, kSignals };

/// Position of the next entry of a fence log. An engine reads it from the command processor before
/// an entry and writes it back after the entry: the data of a transaction at log_address().
struct LogCursor {
  std::uint64_t address = 0;  ///< GPU virtual address of the buffer, 0: none
  std::uint32_t space = 0;    ///< address space of the buffer
  std::uint32_t entries = 0;
  std::uint32_t index = 0;  ///< FirstFreeEntryIndex
  std::uint32_t wraparounds = 0;
  std::uint32_t object = 0;  ///< ObjectKind::kLog
};
constexpr std::uint64_t log_address(std::uint32_t queue_slot, LogKind kind) {
  return std::uint64_t{queue_slot} << 1 | (kind == LogKind::kSignals ? 1U : 0U);
}

/// Stop request of the command processor. An engine has one, which holds until it is changed.
struct StopRequest {
  bool wanted = false;  ///< stop at the next possible point and report progress
  bool reset = false;   ///< stop at once and drop the command
};

/// One command from the command processor to an engine: the data of a transaction.
struct EngineCommand {
  std::uint32_t queue_slot = 0;
  std::uint32_t queue = 0;          ///< ObjectKind::kQueue
  std::uint32_t fence = 0;          ///< ObjectKind::kFence of the current operation
  std::uint32_t address_space = 0;  ///< VMID
  std::uint64_t observed =
      0;  ///< GPU timestamp at which a logged wait stalled; 0: it did not stall
  LogKind log = LogKind::kSignals;  ///< log of the queue for the current operation
  alignas(8) std::array<unsigned char, abi::kLargestPacket> packet{};
  alignas(8) abi::LogPacket log_packet{};  ///< valid with abi::kLogFollows

  bool stoppable = false;  ///< its state can be saved
  // Set by the engine when the command stopped before its end. The engine gets `progress` back on
  // resume.
  bool stopped = false;
  std::uint64_t state_bytes = 0;  ///< size of its state without `progress`
  std::array<std::uint64_t, 4> progress{};
  // Set by the engine when it cannot execute the command.
  abi::FaultCode fault = abi::FaultCode::kNone;
  std::uint64_t fault_address = 0;  ///< address without a translation
};

/// The packet of a command. @tparam Packet the type from abi/packets.h for its opcode.
template <typename Packet>
Packet packet_of(const EngineCommand& command) {
  static_assert(sizeof(Packet) <= abi::kLargestPacket);
  Packet packet;
  std::memcpy(&packet, command.packet.data(), sizeof packet);
  return packet;
}

/// Message from an engine to the CMP: a signal exceeded MonitoredValue, or the engine needs an
/// interrupt for another reason. It is the data of a transaction.
struct SignalNotice {
  enum class Kind : std::uint8_t {
    kFenceSignaled,    ///< a native fence
    kFenceWritten,     ///< FENCE_WRITE with abi::kNotify
    kBufferCompleted,  ///< RUN_BUFFER
    kPreempted,        ///< PREEMPTED
    kSuspended,        ///< SUSPENDED: fence_slot is the slot of the context, value the fence
    kBufferFaulted,    ///< FAULTED: fence_slot, queue_slot and value as in abi::InterruptCause
    kTimedOut,         ///< TIMED_OUT: queue_slot is the slot of the hung queue
    kLogUnmapped,      ///< log in the system process; value: address without a translation
    kVerticalSync      ///< from the display; value: address in scan-out
  };
  std::uint32_t engine = 0;
  std::uint32_t fence_slot = 0;
  std::uint32_t queue_slot = 0;
  std::uint32_t queue = 0;  ///< ObjectKind::kQueue: for events only
  std::uint64_t value = 0;  ///< or submission id; for kPreempted see abi::InterruptCause
  Kind kind = Kind::kFenceSignaled;
};

}  // namespace fenceline::common
