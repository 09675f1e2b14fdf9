#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "tb/os/core/ordering.h"
#include "tb/os/objects/native_fence.h"

namespace fenceline::os {

/// One fence log buffer of a hardware queue as the OS reads it.
struct FenceLog {
  std::uint32_t object = 0;  ///< ObjectKind::kLog
  std::uint32_t queue = 0;   ///< ObjectKind::kQueue
  DXGK_NATIVE_FENCE_LOG_TYPE type = DXGK_NATIVE_FENCE_LOG_TYPE_WAITS;
  Backing backing;
  D3DGPU_VIRTUAL_ADDRESS process_address = 0;
  D3DGPU_VIRTUAL_ADDRESS system_address = 0;
  UINT entries = 0;
  std::uint64_t read = 0;  ///< entries read since the buffer was set; index = read % entries
  /// The log had so many entries (first) when all waits up to this one (second) were in their
  /// lists.
  std::map<std::uint64_t, std::uint64_t> marks{};

  void mark(std::uint64_t count, std::uint64_t order);
  /// Waits up to this one are older than an entry.
  std::uint64_t older_waits(std::uint64_t entry) const;
};

/// The two logs of a queue.
struct QueueLogs {
  HANDLE queue = nullptr;  ///< the driver's handle
  UINT node = 0;
  std::size_t process = 0;  ///< whose handles the entries hold
  FenceLog waits, signals;
  /// Fences whose entries may be older than those who wait, and whose CurrentValue did not have the
  /// value when it was looked at: it is looked at again when the queue is named next.
  FenceList doubts{};
};

/// One operation that a log told of.
struct LoggedOperation {
  QueueLogs* logs = nullptr;
  std::uint64_t older_waits = 0;  ///< waits up to this one are older than the entry
  DXGK_NATIVE_FENCE_LOG_ENTRY entry{};
};

/// What reading the logs brought. Who waits for it is to be given it: LogFollower::settle.
struct [[nodiscard]] LogHarvest {
  std::vector<LoggedOperation> operations;
  FenceList doubts;                   ///< left by earlier readings
  std::vector<std::size_t> overruns;  ///< processes: every fence of the device is to be looked at
};

/// Reads fence logs: index first, then a flush on demand, then the entries.
/// Source: WDDM, native fence log buffers; OsOrdering for what may be left out.
class FenceLogReader : public common::Hashed {
 public:
  FenceLogReader(Adapter& adapter, const OsOrdering& ordering)
      : adapter_(adapter), ordering_(ordering) {}

  /// Zeroes the header and hands the buffer to the driver; returns what that says. At
  /// PASSIVE_LEVEL.
  NTSTATUS set_buffer(QueueLogs& logs, FenceLog& log);
  /// Reads what is new in all logs of `queues`. At DISPATCH_LEVEL.
  /// @param waits entries that appear from now on are newer than waits up to this one.
  LogHarvest read(const std::vector<QueueLogs*>& queues, std::uint64_t waits);
  /// Looks how many signals a queue has logged, and reads nothing. @param waits as above.
  void mark(QueueLogs& logs, std::uint64_t waits);
  /// Covers how far the logs have been read: of all queues that were ever read.
  std::uint64_t state_hash() const override;

 private:
  struct Fresh {
    FenceLog* log;
    QueueLogs* logs;
    std::uint64_t written;
  };
  /// Number of entries the GPU has written since the buffer was set.
  std::uint64_t read_header(const FenceLog& log);
  void flush(const std::vector<QueueLogs*>& queues);
  void read_entries(const Fresh& fresh, LogHarvest& harvest);
  void read_entry(FenceLog& log, LoggedOperation& operation);

  Adapter& adapter_;
  const OsOrdering ordering_;
  std::vector<const QueueLogs*> known_;  ///< in the order of their first reading
};

}  // namespace fenceline::os
