#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "tb/os/core/ordering.h"
#include "tb/os/objects/native_fence.h"

namespace fenceline::os {

/// The OS's view of one fence log buffer of a hardware queue.
struct FenceLog {
  std::uint32_t object = 0;  ///< ObjectKind::kLog
  std::uint32_t queue = 0;   ///< ObjectKind::kQueue
  DXGK_NATIVE_FENCE_LOG_TYPE type = DXGK_NATIVE_FENCE_LOG_TYPE_WAITS;
  Backing backing;
  D3DGPU_VIRTUAL_ADDRESS process_address = 0;
  D3DGPU_VIRTUAL_ADDRESS system_address = 0;
  UINT entries = 0;
  std::uint64_t read = 0;  ///< entries read since the buffer was set; index = read % entries
  /// Number of entries of the log (first) at a time when all waits up to `second` were in their
  /// lists.
  std::map<std::uint64_t, std::uint64_t> marks{};

  void mark(std::uint64_t count, std::uint64_t order);
  /// The newest wait that is older than the entry.
  std::uint64_t older_waits(std::uint64_t entry) const;
};

/// The two logs of a queue.
struct QueueLogs {
  HANDLE queue = nullptr;  ///< the driver's handle
  UINT node = 0;
  std::size_t process = 0;  ///< process that owns the handles in the entries
  FenceLog waits, signals;
  /// Fences with an entry that may be older than the current waiters, while CurrentValue did not
  /// have the value. They are scanned again when the queue is reported next.
  FenceList doubts{};
};

/// An operation read from a log.
struct LoggedOperation {
  QueueLogs* logs = nullptr;
  std::uint64_t older_waits = 0;  ///< waits up to this one are older than the entry
  DXGK_NATIVE_FENCE_LOG_ENTRY entry{};
};

/// Result of reading logs. LogFollower::settle releases the waiters.
struct [[nodiscard]] LogHarvest {
  std::vector<LoggedOperation> operations;
  FenceList doubts;                   ///< left by earlier reads
  std::vector<std::size_t> overruns;  ///< processes whose fences must all be scanned
};

/// Reads fence logs: first the index, then a flush on demand, then the entries. OsOrdering can
/// remove steps. Source: WDDM, native fence log buffers.
class FenceLogReader : public common::Hashed {
 public:
  FenceLogReader(Adapter& adapter, const OsOrdering& ordering)
      : adapter_(adapter), ordering_(ordering) {}

  /// Zeroes the header and gives the buffer to the driver; returns the driver's status. At
  /// PASSIVE_LEVEL.
  NTSTATUS set_buffer(QueueLogs& logs, FenceLog& log);
  /// Reads the new entries in all logs of `queues`. At DISPATCH_LEVEL.
  /// @param waits waits up to this one are older than entries that appear from now on
  LogHarvest read(const std::vector<QueueLogs*>& queues, std::uint64_t waits);
  /// Records the number of logged signals of a queue without reading them. @param waits as above
  void mark(QueueLogs& logs, std::uint64_t waits);
  /// Covers the read position of all logs that were ever read.
  std::uint64_t state_hash() const override;

 private:
  struct Fresh {
    FenceLog* log;
    QueueLogs* logs;
    std::uint64_t written;
  };
  /// Number of entries the GPU has written since the buffer was set.
  std::uint64_t read_header(const FenceLog& log);
  std::uint64_t read_header_again(const Fresh& fresh, std::uint64_t unread);
  void flush(const std::vector<QueueLogs*>& queues);
  void read_entries(const Fresh& fresh, LogHarvest& harvest);
  void read_entry(FenceLog& log, LoggedOperation& operation);

  Adapter& adapter_;
  const OsOrdering ordering_;
  std::vector<const QueueLogs*> known_;  ///< in the order of their first read
};

}  // namespace fenceline::os
