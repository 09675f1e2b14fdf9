#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "kmd_stub/core/spin_lock.h"
#include "kmd_stub/core/state_hasher.h"
#include "kmd_stub/host/host_port.h"
#include "models/abi/registers.h"

namespace fenceline::kmd {

/// What a slot of the queue table is told when it is enabled.
struct QueueEntry {
  std::uint64_t ring_base;     ///< GPU virtual address in the queue's address space
  std::uint64_t ring_bytes;    ///< a power of two
  std::uint64_t read_pointer;  ///< GPU virtual address, 0: none
  std::uint32_t vmid;
  std::uint32_t node;
  bool physical = false;            ///< ring_base is GPU physical: a ring of the driver's own
  std::uint64_t write_pointer = 0;  ///< GPU virtual address, 0: none
  bool no_timeout = false;          ///< a packet may take any time
};

/// Where a log lies.
struct LogPlace {
  std::uint64_t address = 0;         ///< GPU virtual address in the queue's address space
  std::uint64_t system_address = 0;  ///< the same in the system process, 0: none
  std::uint32_t entries = 0;
};

enum class LogKind : std::uint8_t { kWaits, kSignals };

/// The two logs of a hardware queue.
struct QueueLogs {
  LogPlace waits;
  LogPlace signals;
};

/// The driver's side of the device's queue table. Source: models/abi/registers.h.
class QueueTable {
 public:
  explicit QueueTable(kmd_host::HostPort& port);

  /// Takes a free slot; none when all are in use. IRQL: up to DISPATCH_LEVEL.
  std::optional<std::uint32_t> reserve();
  /// Gives a slot back. IRQL: up to DISPATCH_LEVEL. @pre the queue was disabled.
  void release(std::uint32_t slot);

  /// Programs the slot, without logs, and enables it last. Any IRQL.
  void enable(std::uint32_t slot, const QueueEntry& queue);
  /// To which context of the device's table the queue belongs, 0: none. IRQL: PASSIVE_LEVEL.
  void set_context(std::uint32_t slot, std::uint32_t context);
  /// The queue leaves the run list, or is in it again; before it is enabled too.
  /// IRQL: up to DISPATCH_LEVEL.
  void set_removed(std::uint32_t slot, bool removed);
  /// Whose slot it is, for interrupts that name queues; null: nobody's. IRQL: PASSIVE_LEVEL.
  void set_owner(std::uint32_t slot, HANDLE queue);
  /// The driver's handle of the queue; null for a slot out of range or without a queue. Any IRQL.
  HANDLE owner(std::uint32_t slot) const;

  /// Stops the queue; on return the device has the order and none of its log writes is under way.
  /// IRQL: up to DISPATCH_LEVEL. @return false when the device did not answer.
  bool disable(std::uint32_t slot);

  /// Has the device look how far user mode has filled the ring, without waiting for it. Any IRQL.
  void scan_ring(std::uint32_t slot) { port_.write_register(abi::kRingScan, slot); }

  /// Puts a log in place of the one in `logs`. The device takes the number of entries over when its
  /// address is written, so that comes last. IRQL: up to DISPATCH_LEVEL.
  /// @param logs the ones of the slot.
  void set_log(std::uint32_t slot, LogKind kind, const LogPlace& place, QueueLogs& logs);

  /// Has all queues, also those to come, execute log commands that only a trace wants, or pass them
  /// over. On return the device has the order. IRQL: up to DISPATCH_LEVEL.
  /// @return false when the device did not answer.
  bool set_verbose(bool verbose);

  /// Starts a flush of one queue's logs. @return the count to wait for.
  std::uint64_t post_log_flush(std::uint32_t slot);
  /// Waits until as many flushes are done. IRQL: up to DISPATCH_LEVEL.
  bool wait_log_flushes(std::uint64_t count);

  /// Adds what changes of it to a hash of the driver's state.
  void add_to(StateHasher& hasher) const {
    hasher.add(free_.size())
        .add(free_.empty() ? 0 : free_.back())
        .add(flushes_ | std::uint64_t{verbose_} << 63);
  }

 private:
  std::uint64_t verbose_bit() const { return verbose_ ? abi::kQueueVerboseLogs : 0; }

  kmd_host::HostPort& port_;
  SpinLock lock_;  ///< guards what follows, but for owners_, and the logs of the queues
  std::vector<std::uint32_t> free_;  ///< last one first
  std::uint64_t flushes_ = 0;        ///< requested since power-on
  bool verbose_ = false;
  std::array<std::uint64_t, abi::kQueueSlots> control_{};  ///< kQueueControl of each slot
  std::array<std::optional<kmd_host::Shared<HANDLE>>, abi::kQueueSlots> owners_;
};

}  // namespace fenceline::kmd
