#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "kmd_stub/core/free_slots.h"
#include "kmd_stub/core/spin_lock.h"
#include "kmd_stub/core/state_hasher.h"
#include "kmd_stub/host/host_port.h"
#include "models/abi/registers.h"

namespace fenceline::kmd {

/// Parameters of a slot of the queue table.
struct QueueEntry {
  std::uint64_t ring_base;     ///< GPU virtual address in the queue's address space
  std::uint64_t ring_bytes;    ///< GPU virtual address; 0: none
  std::uint64_t read_pointer;  ///< GPU virtual address, 0: none
  std::uint32_t vmid;
  std::uint32_t node;
  bool physical = false;            ///< ring_base is GPU physical: a ring of the driver's own
  std::uint64_t write_pointer = 0;  ///< GPU virtual address; 0: none
  bool no_timeout = false;          ///< a packet may run without time limit
};

/// Address and size of a log.
struct LogPlace {
  std::uint64_t address = 0;         ///< GPU virtual address in the queue's address space
  std::uint64_t system_address = 0;  ///< the same in the system process; 0: none
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
  explicit QueueTable(kmd_host::HostPort& port) : port_(port), lock_(port) {}

  /// Reserves a free slot; none if all are in use. IRQL: up to DISPATCH_LEVEL.
  std::optional<std::uint32_t> reserve();
  /// Frees a slot. IRQL: up to DISPATCH_LEVEL. @pre the queue was disabled.
  void release(std::uint32_t slot);

  /// Programs the slot without logs, then enables it. Any IRQL.
  void enable(std::uint32_t slot, const QueueEntry& queue);
  /// Sets the queue's context slot; 0: none. IRQL: PASSIVE_LEVEL.
  void set_context(std::uint32_t slot, std::uint32_t context);
  /// Removes the queue from the run list, or puts it back; also allowed before it is enabled. IRQL:
  /// up to DISPATCH_LEVEL.
  void set_removed(std::uint32_t slot, bool removed);
  /// Sets the queue handle of a slot, for interrupts that name queues; null: none. IRQL:
  /// PASSIVE_LEVEL.
  void set_owner(std::uint32_t slot, HANDLE queue);
  /// The driver's handle of the queue; null for a slot out of range or without a queue. Any IRQL.
  HANDLE owner(std::uint32_t slot) const;

  /// Stops the queue. On return the device has the request and no log write of the queue is in
  /// flight. IRQL: up to DISPATCH_LEVEL. @return false if the device did not answer.
  bool disable(std::uint32_t slot);

  /// Makes the device read the ring's write pointer; does not wait for it. Any IRQL.
  void scan_ring(std::uint32_t slot) { port_.write_register(abi::kRingScan, slot); }

  /// Replaces a log in `logs`. The device takes the number of entries when the address is written,
  /// so the address is written last. IRQL: up to DISPATCH_LEVEL. @param logs the logs of the slot.
  void set_log(std::uint32_t slot, LogKind kind, const LogPlace& place, QueueLogs& logs);

  /// Makes all queues, also later ones, execute or skip verbose log commands. On return the device
  /// has the request. IRQL: up to DISPATCH_LEVEL. @return false if the device did not answer.
  bool set_verbose(bool verbose);

  /// Starts a flush of a queue's logs. @return the count for wait_log_flushes.
  std::uint64_t post_log_flush(std::uint32_t slot);
  /// Waits until this number of flushes is done. IRQL: up to DISPATCH_LEVEL.
  bool wait_log_flushes(std::uint64_t count);

  /// Adds the changing state to a hash of the driver's state.
  void add_to(StateHasher& hasher) const {
    free_.add_to(hasher);
    hasher.add(flushes_ | std::uint64_t{verbose_} << 63);
  }

 private:
  std::uint64_t verbose_bit() const { return verbose_ ? abi::kQueueVerboseLogs : 0; }

  kmd_host::HostPort& port_;
  SpinLock lock_;  ///< guards the members below except owners_, and the logs of the queues
  FreeSlots free_{0, abi::kQueueSlots};
  std::uint64_t flushes_ = 0;  ///< requested since power-on
  bool verbose_ = false;
  std::array<std::uint64_t, abi::kQueueSlots> control_{};  ///< kQueueControl per slot
  std::array<std::optional<kmd_host::Shared<HANDLE>>, abi::kQueueSlots> owners_;
};

}  // namespace fenceline::kmd
