#pragma once

#include <cstdint>
#include <vector>

#include "models/common/ordering.h"
#include "tb/os/address_space.h"

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
};

/// The two logs of a queue.
struct QueueLogs {
  HANDLE queue = nullptr;  ///< the driver's handle
  UINT node = 0;
  std::size_t process = 0;  ///< whose handles the entries hold
  FenceLog waits, signals;
};

/// One operation that a log told of.
struct LoggedOperation {
  std::uint32_t log = 0;
  std::size_t process = 0;  ///< whose handle the entry holds
  DXGK_NATIVE_FENCE_LOG_ENTRY entry{};
};

/// What reading the logs brought.
struct LogHarvest {
  std::vector<LoggedOperation> operations;
  bool overrun = false;  ///< entries were lost: every fence of the device is to be looked at
};

/// Reads fence logs: index first, then a flush on demand, then the entries.
/// Source: WDDM, native fence log buffers; common::OsOrdering for what may be left out.
class FenceLogReader : public common::Hashed {
 public:
  FenceLogReader(Adapter& adapter, const common::OsOrdering& ordering)
      : adapter_(adapter), ordering_(ordering) {}

  /// Zeroes the header and hands the buffer to the driver; returns what that says. At
  /// PASSIVE_LEVEL.
  NTSTATUS set_buffer(QueueLogs& logs, FenceLog& log);
  /// Reads what is new in all logs of `queues`. At DISPATCH_LEVEL.
  LogHarvest read(const std::vector<QueueLogs*>& queues);
  /// Covers how far the logs have been read: of all queues that were ever read.
  std::uint64_t state_hash() const override;

 private:
  /// Number of entries the GPU has written since the buffer was set.
  std::uint64_t read_header(const FenceLog& log);
  void flush(const std::vector<QueueLogs*>& queues);
  void read_entries(FenceLog& log, std::size_t process, std::uint64_t written, LogHarvest& harvest);

  Adapter& adapter_;
  const common::OsOrdering ordering_;
  std::vector<const QueueLogs*> known_;  ///< in the order of their first reading
};

}  // namespace fenceline::os
