#pragma once

#include <memory>
#include <vector>

#include "models/common/ordering.h"
#include "tb/os/native_fence.h"

namespace fenceline::os {

/// A monitored fence as Dxgkrnl keeps it. Its value is in system memory, whatever the adapter.
struct MonitoredFence : Fence {
  MonitoredFence() : Fence(Kind::kMonitored) {}

  UINT flags = 0;          ///< D3DDDI_SYNCHRONIZATIONOBJECT_FLAGS of its creation
  bool narrow = false;     ///< engines store the low 32 bits only: the OS keeps the others
  std::uint64_t last = 0;  ///< value at the last look, whole
  /// The native fences that other adapters have in its place.
  std::vector<NativeFence*> natives;
};

/// VidSch's part of monitored fences: waiters of threads and contexts, values, release of waiters.
///
/// A wait is: add to the list, then read the value. A signal by the CPU stores the value and
/// releases who is satisfied. After an interrupt, and when a buffer is complete, the DPC reads the
/// value of every fence that somebody waits for.
/// Source: WDDM, context monitoring.
class MonitoredFences : public common::Hashed {
 public:
  MonitoredFences(Cpu& cpu, const common::OsOrdering& ordering);

  struct Point {
    MonitoredFence* fence;
    std::uint64_t value;
  };
  MonitoredFence& add(std::unique_ptr<MonitoredFence> fence);
  /// The fence is to be destroyed: no scan touches it any more.
  void remove(MonitoredFence& fence);

  /// STATUS_INVALID_PARAMETER for a value too far from the last one of a 32-bit fence.
  NTSTATUS check(const std::vector<Point>& points);
  /// Registers `waiter`; on return it may be satisfied already. On an error of `check` nothing has
  /// changed.
  NTSTATUS wait(Waiter& waiter, const std::vector<Point>& points);
  /// Takes a waiter that gave up off all lists.
  void cancel(Waiter& waiter, const std::vector<Point>& points);
  /// Stores the values and releases waiters; errors of `check`.
  NTSTATUS signal(const std::vector<Point>& points);
  /// Reads the value of every fence with waiters; returns the number of waiters released.
  std::size_t scan();

  /// The whole value that a word in memory stands for.
  std::uint64_t whole(const MonitoredFence& fence, std::uint64_t word) const;

  const std::vector<std::unique_ptr<MonitoredFence>>& all() const { return fences_; }
  std::uint64_t state_hash() const override;

 private:
  std::uint64_t read(MonitoredFence& fence, common::Reader reader) const;
  void store(MonitoredFence& fence, std::uint64_t value) const;
  bool in_reach(const std::vector<Point>& points);
  std::uint64_t key(const MonitoredFence& fence, std::uint64_t value) const;
  std::size_t release(MonitoredFence& fence, std::uint64_t current);
  void finish(Waiter& waiter);
  void drop(Waiter& waiter, Fence& fence);

  Cpu& cpu_;
  const common::OsOrdering ordering_;
  SpinLock lock_;
  std::vector<std::unique_ptr<MonitoredFence>> fences_;  ///< in the order of creation
};

/// DxgkDdiUpdateCurrentValuesFromCpu with NotificationOnly: the value of a native fence has
/// changed, its queues are to look again. At DISPATCH_LEVEL.
void notify_native(NativeFence& fence, std::uint64_t value);

}  // namespace fenceline::os
