#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "models/abi/packets.h"
#include "models/abi/registers.h"
#include "models/common/engine_command.h"
#include "models/common/events.h"
#include "models/common/hash.h"
#include "models/common/transaction.h"

namespace fenceline::command_processor {

/// Position in a packet stream: the ring itself or an indirect buffer.
struct Cursor {
  std::uint64_t base = 0;              ///< GPU virtual address
  std::uint64_t position = 0;          ///< [bytes] from the start of the stream
  std::uint64_t end = 0;               ///< [bytes]
  std::uint64_t wrap = ~0ULL;          ///< mask of positions, because rings wrap
  std::uint32_t space = 0;             ///< address space of the stream
  std::vector<unsigned char> fetched;  ///< bytes from `fetched_at` on
  std::uint64_t fetched_at = 0;

  std::uint64_t address() const { return base + (position & wrap); }
  bool has(std::uint64_t bytes) const {
    return position >= fetched_at && position + bytes <= fetched_at + fetched.size();
  }
  const unsigned char* data() const { return fetched.data() + (position - fetched_at); }
};

/// A fence log of a queue. Plain data.
struct QueueLog {
  common::LogCursor next;
  bool writing = false;     ///< an engine is issuing an entry and its index
  std::uint64_t place = 0;  ///< for footprints
};

/// State of one hardware queue. Plain data.
struct HardwareQueue {
  // Programmed by the driver.
  std::array<std::uint64_t, abi::kQueueEntryBytes / 8> table{};
  bool enabled = false;
  bool removed = false;  ///< the queue is not in the run list
  std::uint32_t slot = 0;
  std::uint32_t object = 0;  ///< ObjectKind::kQueue
  std::uint32_t engine = 0;
  std::uint64_t place = 0;  ///< footprint place: fill level of the ring

  Cursor ring;
  /// Indirect buffers that contain the current position, innermost first. Set while it waits.
  std::vector<Cursor> open_buffers;
  QueueLog waits, signals;
  std::uint32_t space = 0;  ///< address space of the current packet

  // Current buffer, in a ring of the driver's own.
  bool in_buffer = false;
  std::uint32_t submission = 0;
  std::uint32_t context = 0;  ///< slot of the context table; 0: not preemptible
  bool resumed = false;       ///< the next packet is the one where it resumes
  bool in_packet = false;     ///< the next packet was stopped; its progress:
  std::array<std::uint64_t, 4> progress{};
  std::uint64_t state_bytes = 0;
  bool driver_wrote = false;  ///< abi::kDriverBuffer
  bool silent = false;        ///< driver ring: its current work sends nothing to the CMP
  abi::FaultCode fault = abi::FaultCode::kNone;  ///< reason to give the buffer up
  std::uint64_t fault_address = 0;

  // Valid while it waits for a fence.
  bool waiting = false;  ///< a WAIT has begun
  bool parked = false;   ///< the queue has left the engine
  bool latched = false;  ///< a rescan by the CPU came before the queue was parked
  bool retry = false;    ///< rescanned: it must look again
  bool scan = false;     ///< its write pointer in memory must be read
  std::uint32_t fence_slot = 0;
  std::uint64_t value = 0;
  std::uint64_t observed = 0;  ///< GPU timestamp of the stall
  event::QueueStateKind state = event::QueueStateKind::kIdle;
  std::uint64_t written_back = 0;

  std::uint64_t field(abi::QueueField name) const { return table[name / 8]; }
  /// True for a ring of the driver's own, which runs buffers of contexts.
  bool of_driver() const { return (field(abi::kQueueControl) & abi::kQueuePhysical) != 0; }
  /// Address space of the ring and the read pointer.
  std::uint32_t address_space() const {
    return of_driver() ? common::kPhysical : static_cast<std::uint32_t>(field(abi::kQueueVmid));
  }
  /// Slot of the context of a user-mode queue; 0: none.
  std::uint32_t context_slot() const {
    return static_cast<std::uint32_t>(field(abi::kQueueContext));
  }
  /// True if it has commands that it has not executed.
  bool has_work() const { return ring.position < ring.end; }
  /// The queue waits no longer.
  void end_wait() { waiting = parked = latched = retry = false; }
  /// Progress within the buffer as a hash, for events; 0 at the beginning.
  std::uint64_t buffer_place() const {
    if (open_buffers.empty()) return 0;
    common::Hasher hasher;
    bool begun = in_packet;
    for (const Cursor& cursor : open_buffers) {
      hasher.add(cursor.base).add(cursor.position);
      begun = begun || cursor.position != 0;
    }
    if (in_packet)
      for (const std::uint64_t word : progress) hasher.add(word);
    return begun ? hasher.value() : 0;
  }
  /// Covers all state that changes while the queue runs.
  std::uint64_t hash() const {
    common::Hasher hasher;
    hasher.add(ring.position).add(ring.end).add(written_back).add(fence_slot).add(value);
    for (const Cursor& buffer : open_buffers)
      hasher.add(buffer.base).add(buffer.position).add(buffer.end).add(buffer.space);
    for (const QueueLog* log : {&waits, &signals})
      hasher.add(log->next.address)
          .add(std::uint64_t{log->next.wraparounds} << 32 | log->next.index);
    if (in_buffer)
      hasher.add(std::uint64_t{submission} << 32 | context << 1 | (in_packet ? 1U : 0U));
    if (fault != abi::FaultCode::kNone) hasher.add(static_cast<std::uint64_t>(fault));
    if (in_packet)
      for (const std::uint64_t word : progress) hasher.add(word);
    return hasher
        .add(((field(abi::kQueueControl) & abi::kQueueVerboseLogs) != 0 ? 32U : 0U) |
             (silent ? 256U : 0U) | (scan ? 128U : 0U) | (removed ? 64U : 0U) |
             (enabled ? 16U : 0U) | (waiting ? 8U : 0U) | (parked ? 4U : 0U) | (latched ? 2U : 0U) |
             (retry ? 1U : 0U))
        .value();
  }
  bool ready() const { return enabled && !removed && (parked ? retry : has_work()); }
};

}  // namespace fenceline::command_processor
