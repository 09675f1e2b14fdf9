#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "tb/os/vidsch/fence_log_reader.h"
#include "tb/os/vidsch/fence_scheduler.h"

namespace fenceline::os {

/// The fence logs of an adapter's hardware queues: who reads them, and who is released by them.
///
/// Where interrupts name queues, or with os.log_driven, the logs alone release waiters. An entry
/// releases those who waited before it was written; for others CurrentValue is looked at, because
/// it may have fallen since. After an overrun every fence of the device is looked at.
/// Source: WDDM, native fence log buffers; DXGKARGCB_NOTIFY_INTERRUPT_DATA, hHWQueue.
class LogFollower : public common::Hashed {
 public:
  LogFollower(Adapter& adapter, FenceScheduler& scheduler, const OsOrdering& ordering);

  /// What a user-mode handle of a process (by its index) stands for; null if for nothing.
  std::function<std::shared_ptr<NativeFence>(std::size_t process, D3DKMT_HANDLE handle)> fence_of;
  /// The native fences that the device of a process has open.
  std::function<FenceList(std::size_t process)> fences_of;
  /// The device of a process has one of the fences open.
  std::function<bool(std::size_t process, const FenceList&)> has_any;

  /// A queue gets its first buffers. What the driver says. At PASSIVE_LEVEL.
  NTSTATUS set_buffer(QueueLogs& logs, FenceLog& log) { return reader_.set_buffer(logs, log); }
  /// Its logs are read from now on.
  void add(QueueLogs& logs);
  /// A queue gets other buffers, and what is unread of the old ones is settled. At PASSIVE_LEVEL.
  /// @return what the driver said if it refused one and the OS insists.
  std::optional<NTSTATUS> replace(QueueLogs& logs, FenceLog waits, FenceLog signals);

  /// A log of a queue as it is now: others may change it.
  struct Place {
    std::uint32_t object = 0;
    std::uint64_t bus_address = 0;
  };
  Place place_of(const QueueLogs& logs, bool signals);

  /// All queues with logs.
  const std::vector<QueueLogs*>& queues() const { return queues_; }
  /// The queues of devices that have one of the fences open.
  std::vector<QueueLogs*> of(const FenceList& fences) const;
  /// Waiters are released by what logs tell, not by CurrentValue.
  bool releases() const { return ordering_.log_driven || adapter_.optimized_interrupts(); }

  /// Reads what is new in the logs of `queues`. At DISPATCH_LEVEL.
  LogHarvest read(const std::vector<QueueLogs*>& queues);
  /// Releases those who waited for what was read; returns how many. At DISPATCH_LEVEL.
  std::size_t settle(const LogHarvest& harvest);
  /// The fence is to be destroyed.
  void forget(const NativeFence& fence);
  std::uint64_t state_hash() const override;

 private:
  void note_waits(const std::vector<FenceScheduler::Point>& points);
  std::size_t release(const LoggedOperation& operation);

  Adapter& adapter_;
  FenceScheduler& scheduler_;
  const OsOrdering ordering_;
  FenceLogReader reader_;
  SpinLock lock_;  ///< guards what follows and what is read of the logs
  std::vector<QueueLogs*> queues_;
};

}  // namespace fenceline::os
