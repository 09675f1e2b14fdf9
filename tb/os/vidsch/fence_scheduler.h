#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "tb/os/core/ordering.h"
#include "tb/os/objects/native_fence.h"
#include "tb/os/vidsch/registration_count.h"
#include "tb/os/vidsch/wait_news.h"

namespace fenceline::os {

/// VidSch's part of native fences: lists of CPU waiters, MonitoredValue, release of waiters.
///
/// Steps of a wait: add to the list, read CurrentValue, give MonitoredValue to the driver, read
/// CurrentValue again, block. The wait is over as soon as CurrentValue has the value. The DPC of an
/// interrupt reads CurrentValue of the reported fences (or of all), releases waiters, and gives the
/// next MonitoredValue to the driver. OsOrdering can remove steps. Source: WDDM native fences, CPU
/// against GPU.
class FenceScheduler : public common::Hashed {
 public:
  FenceScheduler(Adapter& adapter, const OsOrdering& ordering);

  void add(NativeFence& fence);
  /// A process closes the fence. Its waiters leave, unless `unwaits_late`. With `last` the fence
  /// will be destroyed: all waiters leave, and after the return this class does not pass the fence
  /// to the driver.
  void close(NativeFence& fence, LocalObject& local, bool last);

  struct Point {
    std::shared_ptr<NativeFence> fence;
    std::uint64_t value = 0;
    LocalPointer through{};  ///< null: the OS itself names the fence

    bool good() const { return fence->usable && (through == nullptr || through->open); }
  };
  /// Work between the scan of fences and the next MonitoredValues; gets the fences.
  using Between = std::function<void(const FenceList&)>;
  /// Registers `waiter` for `points`; on return it may be satisfied already. Returns
  /// STATUS_INVALID_HANDLE, and changes nothing, if a fence has been closed meanwhile.
  NTSTATUS wait(Waiter& waiter, const std::vector<Point>& points);
  /// Removes a waiter that has given up from all lists; false if it was satisfied before.
  bool cancel(Waiter& waiter, const std::vector<Point>& points);
  /// Calls DxgkDdiUpdateCurrentValuesFromCpu once for all points, then releases waiters. With
  /// AlwaysSignaled all current and future waiters of the fences are released.
  /// STATUS_INVALID_HANDLE as for `wait`.
  /// @param bad index of a point for which the driver gets an invalid handle: an injected fault of
  /// the OS
  NTSTATUS signal(const std::vector<Point>& points, UINT flags,
                  std::optional<std::size_t> bad = std::nullopt);
  /// Another adapter has stored the values. With `notify`, NotificationOnly informs the driver.
  /// Releases waiters.
  NTSTATUS signaled_elsewhere(const std::vector<Point>& points, bool notify);

  /// Work of the DPC: reads CurrentValue of the reported fences and releases waiters, runs
  /// `between`, then gives the next MonitoredValues to the driver. Returns the number of released
  /// waiters. @param reader for events
  std::size_t scan(const FenceNotification& notification, const Between& between,
                   event::Reader reader = event::Reader::kOsDpcScan);
  /// As scan(), for fences that the OS chooses. @param idle also scan fences without waiters
  std::size_t look(const FenceList& fences, bool idle);
  /// A log entry says that `value` was signalled on `fence`: waiters up to `older` are released.
  /// For later waiters CurrentValue is read. @param doubtful set if a later waiter stays that waits
  /// for no more than `value`
  std::size_t release_logged(NativeFence& fence, std::uint64_t value, std::uint64_t older,
                             bool& doubtful);
  /// Where logs release waiters: called when a waiter has entered the lists and CurrentValue did
  /// not have its value.
  std::function<void(const std::vector<Point>&)> on_waiting;
  /// Number of waits that have entered lists so far; no Registration::order is above it.
  std::uint64_t waits() const { return orders_; }
  /// Hash of the current waits up to this number.
  std::uint64_t waits_hash(std::uint64_t order) const;

  // For the timer of os.fallback_timer; not updated without it.
  /// Called when waiters were added or removed. @param news a waiter was added or released
  std::function<void(bool news)> on_waits_changed;
  WaitNews& news() { return news_; }
  /// True if any fence has waiters.
  bool waited_for() const;
  std::uint64_t released() const { return released_; }  ///< number of released waiters in the run

  /// Calls DxgkDdiUpdateMonitoredValues for a fence that is not scheduled here. Up to
  /// DISPATCH_LEVEL.
  void hand_monitored(NativeFence& fence, std::uint64_t value) {
    const Update update{&fence, value};
    call_update(&update, 1);
  }

  const FenceList& fences() const { return fences_; }
  /// Fences that an interrupt names.
  FenceList named(const FenceNotification& notification) const;
  /// Covers all waiters with their values, and the MonitoredValues given to the driver.
  std::uint64_t state_hash() const override;

 private:
  static constexpr std::size_t kMaxUpdates = 64;  ///< in one call of the DDI

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
  /// Gives MonitoredValue to the driver if it has changed; true if the DDI was called.
  bool update_monitored(NativeFence& fence);
  std::size_t settle(NativeFence& fence);
  /// MonitoredValue for the current waiters; none if the driver already has it.
  std::optional<std::uint64_t> monitored_due(const NativeFence& fence) const;
  /// Calls the DDI with up to kMaxUpdates fences at a time.
  void call_updates(const std::vector<Update>& updates);
  void call_update(const Update* updates, std::size_t count);
  void arm(const Waiter& waiter, const std::vector<Point>& points);
  void arm_together(const std::vector<Point>& points);
  bool resamples(bool called) const;
  /// Sends the next MonitoredValues of several fences in one call, then continues as `settle`.
  std::size_t settle_together(const FenceList& fences);
  FenceList concerned(const FenceNotification& notification) const;
  void take_off(Registration& registration);
  void let_go(NativeFence& fence, const LocalObject* local);
  void refresh_stale();
  void look_at_lists() const;
  void note_waits(bool news);
  void announce();
  void hand_values(const std::vector<Point>& points, UINT flags, std::optional<std::size_t> bad);
  void release_after_signal(const std::vector<Point>& points, UINT flags);

  Adapter& adapter_;
  const OsOrdering ordering_;
  SpinLock lock_;
  FenceList fences_;  ///< alive, in order of creation
  FenceList stale_;   ///< they lost a waiter through another fence: MonitoredValue is due
  std::uint64_t updates_ = 0;
  std::uint64_t orders_ = 0;  ///< not part of the state; only the order of current waiters is
  WaitNews news_;
  RegistrationCount count_;
  common::Gate named_;  ///< opened when a driver call with fences has returned
  std::uint64_t released_ = 0;
};

}  // namespace fenceline::os
