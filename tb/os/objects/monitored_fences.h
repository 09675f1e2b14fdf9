#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "tb/os/core/ordering.h"
#include "tb/os/objects/native_fence.h"

namespace fenceline::os {

/// A fence with waiters in Dxgkrnl, independent of adapters, and its value in system memory: a
/// monitored fence, or the common part of a native fence that several adapters share.
struct MonitoredFence : Fence, std::enable_shared_from_this<MonitoredFence> {
  MonitoredFence() : Fence(Kind::kMonitored) {}

  UINT flags = 0;          ///< D3DDDI_SYNCHRONIZATIONOBJECT_FLAGS of its creation
  bool narrow = false;     ///< engines store only the low 32 bits; the OS keeps the rest
  std::uint64_t last = 0;  ///< full value at the last read
  bool native = false;     ///< created as a native fence
  bool rings = false;      ///< GPUs ring each other's doorbells for it; MonitoredValue is not 0
  std::uint64_t monitored_value = UINT64_MAX;  ///< last value given to the drivers, if `rings`
  /// Its native fences, one per adapter that has opened it.
  std::vector<NativeFence*> natives;

  /// Its native fence on an adapter, null if there is none.
  NativeFence* on(const Adapter* which) const;
};

/// Fences to be scanned by a DPC.
struct MonitoredScan {
  const Adapter* by = nullptr;           ///< adapter of the interrupt
  bool all = false;                      ///< any GPU may have written any of them
  bool natives = false;                  ///< any with a native fence on `by`
  std::vector<MonitoredFence*> named{};  ///< signalled on `by`
  /// Fences that completed buffers may have signalled; only compared.
  std::vector<const MonitoredFence*> written{};
};

/// VidSch's part of monitored fences: waiters of threads and contexts, values, release of waiters.
///
/// A wait adds itself to the list and then reads the value. A signal by the CPU stores the value
/// and releases waiters. After an interrupt, and when a buffer is complete, the DPC reads the value
/// of every fence with waiters. A signal on one adapter is passed on to other adapters with a
/// native fence for it, by DxgkDdiUpdateCurrentValuesFromCpu with NotificationOnly. Source: WDDM,
/// context monitoring; native fences across adapters.
class MonitoredFences : public common::Hashed {
 public:
  MonitoredFences(Cpu& cpu, const Ordering& ordering);

  struct Point {
    std::shared_ptr<MonitoredFence> fence;
    std::uint64_t value = 0;
    LocalPointer through{};  ///< null: named by the OS itself, or by one of its queues

    /// False after the fence is closed. Queues of the OS may still name a destroyed fence.
    bool good() const { return through == nullptr || (fence->usable && through->open); }
  };
  std::shared_ptr<MonitoredFence> add(std::shared_ptr<MonitoredFence> fence);
  /// The fence is closed for good and can no longer be named.
  void forget(const MonitoredFence& fence);
  /// A process closes the fence. Its waiters leave, unless `unwaits_late`; with `last` all CPU
  /// waiters leave. Work of contexts from before still waits for it and signals it.
  void close(MonitoredFence& fence, LocalObject& local, bool last);

  /// STATUS_INVALID_PARAMETER for a value too far from the last one of a 32-bit fence.
  NTSTATUS check(const std::vector<Point>& points);
  /// Registers `waiter`; on return it may be satisfied already. Changes nothing and returns
  /// STATUS_INVALID_HANDLE if a fence has been closed meanwhile, or an error of `check`.
  NTSTATUS wait(Waiter& waiter, const std::vector<Point>& points);
  /// Removes a waiter that has given up from all lists; false if it was satisfied before.
  bool cancel(Waiter& waiter);
  /// Stores the values and releases waiters; errors as for `wait`. @param by the signaller's
  /// adapter; if it has a native fence, its driver stores the value
  /// @param flags for that driver: AlwaysSignaled, or none
  NTSTATUS signal(const std::vector<Point>& points, const Adapter* by, UINT flags = 0);
  /// Enters all drivers that `scan` may call. Call it before raising the IRQL for a scan.
  Adapter::Visits visit_all() const;
  /// A device that may signal the fence is in error. The fence gets its highest value (for a 32-bit
  /// fence the highest in reach), and all its current and later waits are satisfied. @param by the
  /// adapter of the device
  void give_up(const std::shared_ptr<MonitoredFence>& fence, const Adapter* by);
  /// Reads values, passes signals on, and returns the number of released waiters.
  std::size_t scan(const MonitoredScan& what);
  /// The fence has a native fence on another adapter from now on.
  void attach(MonitoredFence& fence, NativeFence& native);
  /// No process has it open there any more.
  void detach(MonitoredFence& fence, NativeFence& native);
  /// Gives a MonitoredValue to a driver: DxgkDdiUpdateMonitoredValues.
  std::function<void(NativeFence&, std::uint64_t)> hand_monitored;

  /// The full value of a word in memory.
  std::uint64_t whole(const MonitoredFence& fence, std::uint64_t word) const;

  /// Called when waiters were added or removed. @param news a waiter was added or released
  std::function<void(bool news)> on_waits_changed;
  /// True if any fence has waiters: threads or contexts.
  bool waited_for() const;

  const std::vector<std::shared_ptr<MonitoredFence>>& all() const { return fences_; }
  std::uint64_t state_hash() const override;

 private:
  /// Enters the drivers of these adapters, in order.
  static Adapter::Visits visit(const std::vector<Adapter*>& adapters);
  std::vector<Adapter*> called_for(const std::vector<Point>& points) const;
  /// Calls the function with the lock held; no adapter of the points is reset meanwhile.
  template <typename Function>
  auto with_lock(const std::vector<Point>& points, Function&& function);
  std::uint64_t read(MonitoredFence& fence, event::Reader reader) const;
  void store(MonitoredFence& fence, std::uint64_t value, UINT flags = 0) const;
  NTSTATUS wait_locked(Waiter& waiter, const std::vector<Point>& points);
  NTSTATUS signal_locked(const std::vector<Point>& points, const Adapter* by, UINT flags);
  void let_go(MonitoredFence& fence, const LocalObject& local, bool last);
  bool in_reach(const std::vector<Point>& points);
  std::uint64_t key(const MonitoredFence& fence, std::uint64_t value) const;
  std::size_t release(MonitoredFence& fence, std::uint64_t current);
  void note_waits(bool news) const {
    if (on_waits_changed) on_waits_changed(news);
  }
  // Defined in cross_adapter_signals.cpp.
  std::size_t look(MonitoredFence& fence, const MonitoredScan& what);
  void pass_on(const MonitoredFence& fence, std::uint64_t value, const Adapter* by) const;
  void arm(const std::vector<Point>& points) const;
  bool update_monitored(MonitoredFence& fence) const;
  std::size_t settle();

  Cpu& cpu_;
  const OsOrdering ordering_;
  const CrossAdapterOrdering shared_;
  SpinLock lock_;
  std::vector<std::shared_ptr<MonitoredFence>> fences_;  ///< in order of creation
};

/// DxgkDdiUpdateCurrentValuesFromCpu for one fence. With NotificationOnly the value has already
/// changed, and the adapter's queues must look again. At DISPATCH_LEVEL.
void update_current(NativeFence& fence, std::uint64_t value, UINT flags);

}  // namespace fenceline::os
