#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "tb/os/core/ordering.h"
#include "tb/os/objects/native_fence.h"

namespace fenceline::os {

/// VidSch's part of native fences: lists of CPU waiters, MonitoredValue, release of waiters.
///
/// A wait is, in this order: add to the list, read CurrentValue, MonitoredValue to the driver, read
/// CurrentValue again, block; it is over as soon as CurrentValue has the value. An interrupt's DPC
/// reads CurrentValue of the fences named (or of all), releases waiters, and hands the driver the
/// next MonitoredValue. OsOrdering may leave steps out. Source: WDDM native fences, CPU
/// against GPU.
class FenceScheduler : public common::Hashed {
 public:
  FenceScheduler(Adapter& adapter, const OsOrdering& ordering);

  void add(NativeFence& fence);
  /// A process closes the fence. Its waiters leave, or with `unwaits_late` stay. With `last` the
  /// fence is to be destroyed: all waiters leave, and on return nothing here names it to the driver
  /// or will.
  void close(NativeFence& fence, LocalObject& local, bool last);

  struct Point {
    std::shared_ptr<NativeFence> fence;
    std::uint64_t value = 0;
    LocalPointer through{};  ///< null: the OS itself names the fence

    bool good() const { return fence->usable && (through == nullptr || through->open); }
  };
  /// What is done between the looks at fences and the next MonitoredValues; gets the fences.
  using Between = std::function<void(const FenceList&)>;
  /// Registers `waiter` for `points`; on return it may be satisfied already. STATUS_INVALID_HANDLE
  /// where a fence has been closed meanwhile: nothing has changed.
  NTSTATUS wait(Waiter& waiter, const std::vector<Point>& points);
  /// Takes a waiter that gave up off all lists; false if it has been satisfied before.
  bool cancel(Waiter& waiter, const std::vector<Point>& points);
  /// DxgkDdiUpdateCurrentValuesFromCpu for all points in one call, then releases waiters. With
  /// AlwaysSignaled all waiters of the fences are released, now and later. STATUS_INVALID_HANDLE as
  /// for `wait`.
  /// @param bad index of a point whose handle the driver gets as one that names nothing: a fault of
  /// the OS.
  NTSTATUS signal(const std::vector<Point>& points, UINT flags,
                  std::optional<std::size_t> bad = std::nullopt);
  /// Somebody else has stored the values: another adapter. With `notify` the driver is told by
  /// NotificationOnly. Releases waiters.
  NTSTATUS signaled_elsewhere(const std::vector<Point>& points, bool notify);

  /// The DPC's work: reads CurrentValue of the fences concerned and releases waiters, does
  /// `between`, then hands the driver the next MonitoredValues. Returns the number of waiters
  /// released. @param reader who reads, for events.
  std::size_t scan(const FenceNotification& notification, const Between& between,
                   event::Reader reader = event::Reader::kOsDpcScan);
  /// The same for fences that the OS chooses. @param idle also those that nobody waits for.
  std::size_t look(const FenceList& fences, bool idle);
  /// A log says that `value` was signalled on `fence`: waiters up to `older` are released. For
  /// others CurrentValue is looked at. @param doubtful set if one of those is left that waits for
  /// no more.
  std::size_t release_logged(NativeFence& fence, std::uint64_t value, std::uint64_t older,
                             bool& doubtful);
  /// Where logs release waiters: somebody has entered the lists of these, and CurrentValue did not
  /// have the value.
  std::function<void(const std::vector<Point>&)> on_waiting;
  /// Waits that have entered lists so far. Registration::order is not above it.
  std::uint64_t waits() const { return orders_; }
  /// Covers who of those that wait has entered the lists by then.
  std::uint64_t waits_hash(std::uint64_t order) const;

  // For the timer of os.fallback_timer; without it these are not kept up.
  /// Called when waiters have come or gone; true for one that has come or was released.
  std::function<void(bool news)> on_waits_changed;
  /// The same has happened to waiters that this scheduler does not keep.
  void note_elsewhere(bool news);
  /// Somebody waits for some fence.
  bool waited_for() const;
  /// Somebody has entered a list or was released since the last take_news().
  bool has_news() const;
  bool take_news();
  std::uint64_t released() const { return released_; }  ///< waiters, over the run
  common::Gate& waits_changed() { return waits_changed_; }

  /// DxgkDdiUpdateMonitoredValues for a fence that is not scheduled here. Up to DISPATCH_LEVEL.
  void hand_monitored(NativeFence& fence, std::uint64_t value) {
    const Update update{&fence, value};
    call_update(&update, 1);
  }

  const FenceList& fences() const { return fences_; }
  /// Those that an interrupt names.
  FenceList named(const FenceNotification& notification) const;
  /// Covers who waits for what, and the MonitoredValues handed out.
  std::uint64_t state_hash() const override;

 private:
  static constexpr std::size_t kMaxUpdates = 64;  ///< MonitoredValues of one call

  /// A MonitoredValue for the driver.
  struct Update {
    NativeFence* fence;
    std::uint64_t value;
  };

  std::size_t release(NativeFence& fence, std::uint64_t current, std::uint64_t older = UINT64_MAX);
  std::size_t scan_chosen(const std::function<FenceList()>& choose, const Between& between,
                          event::Reader reader);
  bool look_first(const Waiter& waiter, const std::vector<Point>& points);
  std::size_t sample(NativeFence& fence, event::Reader reader,
                     common::Operation operation = common::Operation::kReadValue);
  /// Hands MonitoredValue to the driver if it changed; true when the DDI was called.
  bool update_monitored(NativeFence& fence);
  std::size_t settle(NativeFence& fence);
  /// MonitoredValue that the waiters of the fence ask for; none if the driver has it already.
  std::optional<std::uint64_t> monitored_due(const NativeFence& fence) const;
  /// As many calls of the DDI as it takes for `count` fences, kMaxUpdates in each.
  void call_updates(const std::vector<Update>& updates);
  void call_update(const Update* updates, std::size_t count);
  void arm(const Waiter& waiter, const std::vector<Point>& points);
  void arm_together(const std::vector<Point>& points);
  bool resamples(bool called) const;
  /// The next MonitoredValues of several fences in one call; then as `settle`.
  std::size_t settle_together(const FenceList& fences);
  FenceList concerned(const FenceNotification& notification) const;
  void take_off(Registration& registration);
  static bool all_good(const std::vector<Point>& points);
  void let_go(NativeFence& fence, const LocalObject* local);
  void finish(Waiter& waiter);
  void refresh_stale();
  void look_at_lists() const;
  void note_waits(bool news);
  void touch_waits(bool write) const;
  void announce();
  void store_barrier(StoreBarrier side);
  bool anybody_waits();
  void hand_values(const std::vector<Point>& points, UINT flags, std::optional<std::size_t> bad);
  void release_after_signal(const std::vector<Point>& points, UINT flags);

  Adapter& adapter_;
  const OsOrdering ordering_;
  SpinLock lock_;
  FenceList fences_;  ///< alive, in the order of creation
  FenceList stale_;   ///< lost a waiter through another fence: MonitoredValue is due
  std::uint64_t updates_ = 0;
  std::uint64_t orders_ = 0;   ///< not part of the state: only the order of those that wait counts
  const std::uint64_t waits_;  ///< place of footprints: whether somebody waits
  common::Gate waits_changed_;
  common::Gate named_;  ///< opened when the driver has been told of fences
  bool news_ = false;
  std::uint64_t released_ = 0;
  void* counter_ = nullptr;      ///< of registrations, in memory, for os.lockless_signal
  std::uint64_t announced_ = 0;  ///< what is stored there
};

}  // namespace fenceline::os
