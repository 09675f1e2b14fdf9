#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "tb/os/vidsch/fence_log_reader.h"
#include "tb/os/vidsch/fence_scheduler.h"

namespace fenceline::os {

/// Reads the fence logs of an adapter's hardware queues and releases waiters by them.
///
/// If interrupts name queues, or with os.log_driven, only the logs release waiters. An entry
/// releases waiters that waited before it was written. For later waiters CurrentValue is read,
/// because it may have fallen since. After an overrun every fence of the device is scanned. Source:
/// WDDM, native fence log buffers; DXGKARGCB_NOTIFY_INTERRUPT_DATA, hHWQueue.
class LogFollower : public common::Hashed {
 public:
  LogFollower(Adapter& adapter, FenceScheduler& scheduler, const OsOrdering& ordering);

  /// The fence of a user-mode handle of a process (given by its index); null if there is none.
  std::function<std::shared_ptr<NativeFence>(std::size_t process, D3DKMT_HANDLE handle)> fence_of;
  /// Native fences that the device of a process has open.
  std::function<FenceList(std::size_t process)> fences_of;
  /// True if the device of a process has one of the fences open.
  std::function<bool(std::size_t process, const FenceList&)> has_any;

  /// Gives a queue its first buffers. Returns the driver's status. At PASSIVE_LEVEL.
  NTSTATUS set_buffer(QueueLogs& logs, FenceLog& log) { return reader_.set_buffer(logs, log); }
  /// Reads its logs from now on.
  void add(QueueLogs& logs);
  /// Replaces the buffers of a queue and settles unread entries of the old ones. At PASSIVE_LEVEL.
  /// @return the driver's status if it refused a buffer although the OS insists
  std::optional<NTSTATUS> replace(QueueLogs& logs, FenceLog waits, FenceLog signals);

  /// Current place of a queue's log; it may change at any time.
  struct Place {
    std::uint32_t object = 0;
    std::uint64_t bus_address = 0;
  };
  Place place_of(const QueueLogs& logs, bool signals);

  /// All queues with logs.
  const std::vector<QueueLogs*>& queues() const { return queues_; }
  /// Queues of devices that have one of the fences open.
  std::vector<QueueLogs*> of(const FenceList& fences) const;
  /// True if log entries release waiters instead of CurrentValue.
  bool releases() const { return ordering_.log_driven || adapter_.optimized_interrupts(); }

  /// Reads the new entries in the logs of `queues`. At DISPATCH_LEVEL.
  LogHarvest read(const std::vector<QueueLogs*>& queues);
  /// Releases waiters of the operations read; returns their number. At DISPATCH_LEVEL.
  std::size_t settle(const LogHarvest& harvest);
  /// The fence will be destroyed.
  void forget(const NativeFence& fence);
  std::uint64_t state_hash() const override;

 private:
  void note_waits(const std::vector<FenceScheduler::Point>& points);
  std::optional<NTSTATUS> exchange(QueueLogs& logs, FenceLog& waits, FenceLog& signals,
                                   LogHarvest& harvest);
  std::size_t release(const LoggedOperation& operation);

  Adapter& adapter_;
  FenceScheduler& scheduler_;
  const OsOrdering ordering_;
  FenceLogReader reader_;
  SpinLock lock_;  ///< guards the members below and the read positions of logs
  std::vector<QueueLogs*> queues_;
};

}  // namespace fenceline::os
