#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "tb/os/core/ordering.h"
#include "tb/os/objects/native_fence.h"

namespace fenceline::os {

/// A fence whose waiters Dxgkrnl keeps, whatever the adapter, and whose value is in system memory:
/// a monitored fence, or what stands for a native one that several adapters share.
struct MonitoredFence : Fence, std::enable_shared_from_this<MonitoredFence> {
  MonitoredFence() : Fence(Kind::kMonitored) {}

  UINT flags = 0;          ///< D3DDDI_SYNCHRONIZATIONOBJECT_FLAGS of its creation
  bool narrow = false;     ///< engines store the low 32 bits only: the OS keeps the others
  std::uint64_t last = 0;  ///< value at the last look, whole
  bool native = false;     ///< created as a native fence
  bool rings = false;      ///< GPUs ring each other's doorbells for it: MonitoredValue is not 0
  std::uint64_t monitored_value = UINT64_MAX;  ///< as last handed to the drivers, if it rings
  /// The native fences that adapters have in its place, one each.
  std::vector<NativeFence*> natives;

  /// The one of an adapter, null if it has none.
  NativeFence* on(const Adapter* which) const;
};

/// What is to be looked at after a DPC.
struct MonitoredScan {
  const Adapter* by = nullptr;           ///< whose interrupt it is
  bool all = false;                      ///< any may have been written by a GPU
  bool natives = false;                  ///< any that is a native fence on `by`
  std::vector<MonitoredFence*> named{};  ///< signalled on `by`
  /// That those may have signalled whose buffers are complete; compared only.
  std::vector<const MonitoredFence*> written{};
};

/// VidSch's part of monitored fences: waiters of threads and contexts, values, release of waiters.
///
/// A wait is: add to the list, then read the value. A signal by the CPU stores the value and
/// releases who is satisfied. After an interrupt, and when a buffer is complete, the DPC reads the
/// value of every fence that somebody waits for.
/// A signal on one adapter is passed on to the others that have the fence as a native one:
/// DxgkDdiUpdateCurrentValuesFromCpu with NotificationOnly.
/// Source: WDDM, context monitoring; native fences across adapters.
class MonitoredFences : public common::Hashed {
 public:
  MonitoredFences(Cpu& cpu, const Ordering& ordering);

  struct Point {
    std::shared_ptr<MonitoredFence> fence;
    std::uint64_t value = 0;
    LocalPointer through{};  ///< null: the OS itself names the fence, or a queue of it

    /// Queues of the OS name a fence that was destroyed since; calls of a process cannot.
    bool good() const { return through == nullptr || (fence->usable && through->open); }
  };
  std::shared_ptr<MonitoredFence> add(std::shared_ptr<MonitoredFence> fence);
  /// It was closed for good, and nobody can name it any more.
  void forget(const MonitoredFence& fence);
  /// A process closes the fence. Its waiters leave, or with `unwaits_late` stay; with `last` all
  /// waiters of the CPU leave. What contexts were given before still waits for it and signals it.
  void close(MonitoredFence& fence, LocalObject& local, bool last);

  /// STATUS_INVALID_PARAMETER for a value too far from the last one of a 32-bit fence.
  NTSTATUS check(const std::vector<Point>& points);
  /// Registers `waiter`; on return it may be satisfied already. STATUS_INVALID_HANDLE where a fence
  /// has been closed meanwhile, or an error of `check`: nothing has changed.
  NTSTATUS wait(Waiter& waiter, const std::vector<Point>& points);
  /// Takes a waiter that gave up off all lists; false if it has been satisfied before.
  bool cancel(Waiter& waiter);
  /// Stores the values and releases waiters; errors of `wait`. @param by the adapter of who
  /// signals: where that has a native fence, its driver stores the value.
  /// @param flags for that driver: AlwaysSignaled, or none.
  NTSTATUS signal(const std::vector<Point>& points, const Adapter* by, UINT flags = 0);
  /// Of who scans at raised IRQL, before it raises that: all drivers that `scan` may call.
  Adapter::Visits visit_all() const;
  /// A device that may signal the fence is in error: it gets the highest value, of a 32-bit one the
  /// highest in reach, and all waits for it are satisfied, now and later.
  /// @param by the adapter of the device
  void give_up(const std::shared_ptr<MonitoredFence>& fence, const Adapter* by);
  /// Reads values, passes signals on, and returns the number of waiters released.
  std::size_t scan(const MonitoredScan& what);
  /// The fence is a native one on another adapter from now on.
  void attach(MonitoredFence& fence, NativeFence& native);
  /// Nobody has it open there any more.
  void detach(MonitoredFence& fence, NativeFence& native);
  /// How a driver is given a MonitoredValue: DxgkDdiUpdateMonitoredValues.
  std::function<void(NativeFence&, std::uint64_t)> hand_monitored;

  /// The whole value that a word in memory stands for.
  std::uint64_t whole(const MonitoredFence& fence, std::uint64_t word) const;

  /// Called when waiters have come or gone; true for one that has come or was released.
  std::function<void(bool news)> on_waits_changed;
  /// Some fence has waiters: threads or contexts.
  bool waited_for() const;

  const std::vector<std::shared_ptr<MonitoredFence>>& all() const { return fences_; }
  std::uint64_t state_hash() const override;

 private:
  /// Adapters whose drivers may be called for the points, in their order.
  static Adapter::Visits visit(const std::vector<Adapter*>& adapters);
  std::vector<Adapter*> called_for(const std::vector<Point>& points) const;
  /// Calls the function with the lock held, and none of those adapters is reset meanwhile.
  template <typename Function>
  auto with_lock(const std::vector<Point>& points, Function&& function);
  std::uint64_t read(MonitoredFence& fence, event::Reader reader) const;
  void store(MonitoredFence& fence, std::uint64_t value, UINT flags = 0) const;
  NTSTATUS wait_locked(Waiter& waiter, const std::vector<Point>& points);
  NTSTATUS signal_locked(const std::vector<Point>& points, const Adapter* by, UINT flags);
  void let_go(MonitoredFence& fence, const LocalObject& local, bool last);
  bool in_reach(const std::vector<Point>& points);
  static bool all_good(const std::vector<Point>& points);
  std::uint64_t key(const MonitoredFence& fence, std::uint64_t value) const;
  std::size_t release(MonitoredFence& fence, std::uint64_t current);
  void take_off(Registration& registration);
  void finish(Waiter& waiter);
  void note_waits(bool news) const {
    if (on_waits_changed) on_waits_changed(news);
  }
  // cross_adapter.cpp
  std::size_t look(MonitoredFence& fence, const MonitoredScan& what);
  void pass_on(const MonitoredFence& fence, std::uint64_t value, const Adapter* by) const;
  void tell_changed(const MonitoredFence& fence, std::uint64_t value) const;
  void arm(const std::vector<Point>& points) const;
  bool update_monitored(MonitoredFence& fence) const;
  std::size_t settle();

  Cpu& cpu_;
  const OsOrdering ordering_;
  const CrossAdapterOrdering shared_;
  SpinLock lock_;
  std::vector<std::shared_ptr<MonitoredFence>> fences_;  ///< in the order of creation
};

/// DxgkDdiUpdateCurrentValuesFromCpu for one fence. With NotificationOnly its value has changed
/// already, and its queues are to look again. At DISPATCH_LEVEL.
void update_current(NativeFence& fence, std::uint64_t value, UINT flags);

}  // namespace fenceline::os
