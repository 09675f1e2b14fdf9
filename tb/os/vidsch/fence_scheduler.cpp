#include "tb/os/vidsch/fence_scheduler.h"

#include <algorithm>
#include <utility>

#include "models/abi/mutant.h"

namespace fenceline::os {

using common::Operation;
using event::Reader;

namespace {
bool names(const FenceNotification& notification, const NativeFence& fence) {
  const auto& handles = notification.fences;
  return std::find(handles.begin(), handles.end(), fence.os_handle()) != handles.end();
}
}  // namespace

FenceScheduler::FenceScheduler(Adapter& adapter, const OsOrdering& ordering)
    : adapter_(adapter),
      ordering_(ordering),
      lock_(adapter.cpu().simulation().steps, this),
      news_(adapter.cpu().simulation().steps),
      count_(adapter, ordering),
      named_(adapter.cpu().simulation().steps) {}

std::uint64_t FenceScheduler::state_hash() const {
  common::Hasher hasher;
  for (const auto& fence : fences_) {
    hasher.add(fence->object).add(fence->monitored_value);
    if (fence->always_signaled) hasher.add(1);
    fence->waiters.add_to(hasher);
  }
  for (const auto& fence : stale_) hasher.add(fence->object);
  return hasher.add(news_.state()).value();
}

bool FenceScheduler::waited_for() const {
  news_.touch(false);
  return std::any_of(fences_.begin(), fences_.end(),
                     [](const auto& fence) { return !fence->waiters.empty(); });
}

/// The lists of waiters have changed. @param news see has_news
void FenceScheduler::note_waits(bool news) {
  if (!ordering_.fallback_timer) return;
  news_.note(news);
  if (on_waits_changed) on_waits_changed(news);
}

/// A single step; the lock need not be held across steps.
void FenceScheduler::add(NativeFence& fence) {
  adapter_.cpu().simulation().steps.touch(common::Place::kLock, lock_.id, true);
  fences_.push_back(fence.shared_from_this());
}

void FenceScheduler::close(NativeFence& fence, LocalObject& local, bool last) {
  {
    const Adapter::Visit visit(adapter_);
    LockScope lock(adapter_.cpu(), lock_, DISPATCH_LEVEL);
    local.open = false;
    if (last) {
      fence.usable = false;
      remove(fences_, fence);
      remove(stale_, fence);
    }
    if (ordering_.unwait && (last || !fence.unwaits_late)) let_go(fence, last ? nullptr : &local);
    refresh_stale();
    note_waits(false);
    announce();
  }
  // If the lock does not cover driver calls, a call that names the fence may still run.
  if (last)
    adapter_.cpu().simulation().steps.wait_until(named_, [&fence] { return fence.named == 0; });
}

/// Ends waits for the fence. @param local only waits through this handle; null: all
void FenceScheduler::let_go(NativeFence& fence, const LocalObject* local) {
  adapter_.cpu().drain_stores();
  std::size_t count = 0;
  while (Registration* registration = fence.waiters.first_through(local)) {
    Waiter& waiter = registration->waiter();
    waiter.let_go = true;
    adapter_.cpu().simulation().emit(
        event::WaitLetGo{fence.object, registration->value(), waiter.number, waiter.thread});
    take_off(*registration);
    ++count;
  }
  if (count != 0 && fence.usable) stale_.push_back(fence.shared_from_this());
}

NTSTATUS FenceScheduler::wait(Waiter& waiter, const std::vector<Point>& points) {
  waiter.remaining = waiter.any ? 1 : points.size();

  const auto add = [&] {
    if (!all_good(points)) return false;
    ++orders_;
    for (const Point& point : points) {
      waiter.enter(point.fence->waiters, point.value, point.value, point.through, orders_);
      adapter_.cpu().simulation().emit(
          waiter.added(point.fence->object, point.value, point.through));
    }
    note_waits(true);
    announce();
    count_.barrier(StoreBarrier::kWaiter);
    return true;
  };
  const Adapter::Visit visit(adapter_);
  std::optional<LockScope> lock;
  lock.emplace(adapter_.cpu(), lock_, DISPATCH_LEVEL);
  if (!add()) return STATUS_INVALID_HANDLE;
  if (ordering_.scan_atomic != ScanLock::kWhole) lock.reset();
  if (ordering_.scan_atomic == ScanLock::kApart)
    lock.emplace(adapter_.cpu(), lock_, DISPATCH_LEVEL);
  arm(waiter, points);
  if (lock) announce();
  return STATUS_SUCCESS;
}

std::uint64_t FenceScheduler::waits_hash(std::uint64_t order) const {
  std::uint64_t sum = 0;
  for (const auto& fence : fences_)
    for (const auto& [value, registration] : fence->waiters.by_value())
      if (registration->order() <= order)
        sum += common::hash_values(
            std::uint64_t{fence->object} << 32 | registration->waiter().thread, value);
  return sum;
}

bool FenceScheduler::resamples(bool called) const {
  return ordering_.resample == Resample::kAlways ||
         (ordering_.resample == Resample::kAfterDdi && called);
}

/// A value that is already reached needs no MonitoredValue; 0 is always reached. Without
/// os.resample the first read is skipped. True if the wait is over.
///
/// Where the lock was free since the waiter was added, a new MonitoredValue may count it already.
bool FenceScheduler::look_first(const Waiter& waiter, const std::vector<Point>& points) {
  const std::size_t alone = ordering_.scan_atomic == ScanLock::kApart ? 0 : 1;
  for (const Point& point : points) {
    if (waiter.satisfied) break;
    if (!point.fence->usable) continue;
    std::size_t released = 0;
    if (point.fence->always_signaled)
      released = release(*point.fence, UINT64_MAX);
    else if (point.value == 0)
      released = release(*point.fence, 0);
    else if (looks_after(ordering_.resample))
      released = sample(*point.fence, Reader::kOsResample, Operation::kLook);
    if (released > alone) settle(*point.fence);
  }
  return waiter.satisfied;
}

void FenceScheduler::arm(const Waiter& waiter, const std::vector<Point>& points) {
  if (look_first(waiter, points)) return refresh_stale();
  if (on_waiting) on_waiting(points);
  if (adapter_.system().batched_updates && points.size() > 1) return arm_together(points);
  for (const Point& point : points) {
    if (!point.fence->usable) continue;  // without the lock it may be in destruction
    if (point.fence->always_signaled || point.value == 0) continue;
    const bool called = update_monitored(*point.fence);
    if (resamples(called) && sample(*point.fence, Reader::kOsResample) != 0) settle(*point.fence);
  }
  refresh_stale();
}

bool FenceScheduler::cancel(Waiter& waiter, const std::vector<Point>& points) {
  const Adapter::Visit visit(adapter_);
  LockScope lock(adapter_.cpu(), lock_, DISPATCH_LEVEL);
  const bool waited = !waiter.satisfied;
  waiter.leave();
  for (const Point& point : points)
    if (point.fence->usable && !abi::mutant(abi::Mutant::kTimeOutKeepsMonitored))
      update_monitored(*point.fence);
  note_waits(false);
  announce();
  return waited;
}

/// For os.lockless_signal: stores the number of registrations if it has changed.
void FenceScheduler::announce() {
  if (!count_.used()) return;
  std::uint64_t count = 0;
  for (const auto& fence : fences_) count += fence->waiters.size();
  count_.store(count);
}

FenceList FenceScheduler::named(const FenceNotification& notification) const {
  FenceList result;
  for (const auto& fence : fences_)
    if (names(notification, *fence)) result.push_back(fence);
  return result;
}

FenceList FenceScheduler::concerned(const FenceNotification& notification) const {
  FenceList result;
  for (const auto& fence : fences_)
    if (names(notification, *fence) ||
        (notification.all && !fence->waiters.empty() && !abi::mutant(abi::Mutant::kAllNamesNone)))
      result.push_back(fence);
  return result;
}

std::size_t FenceScheduler::scan_chosen(const std::function<FenceList()>& choose,
                                        const Between& between, Reader reader) {
  std::size_t released = 0;
  FenceList fences;
  const auto look = [&] {
    fences = choose();
    for (const auto& fence : fences) released += sample(*fence, reader);
    between(fences);
  };
  const auto set_values = [&] {
    // Without the lock a fence may have been destroyed meanwhile.
    if (adapter_.system().batched_updates && fences.size() > 1) released += settle_together(fences);
    for (const auto& fence : fences)
      if (std::find(fences_.begin(), fences_.end(), fence) != fences_.end())
        released += settle(*fence);
    refresh_stale();
    announce();
  };
  std::optional<LockScope> lock;
  if (ordering_.scan_atomic != ScanLock::kNone) lock.emplace(adapter_.cpu(), lock_, DISPATCH_LEVEL);
  look();
  if (ordering_.scan_atomic == ScanLock::kApart) {
    lock.reset();
    lock.emplace(adapter_.cpu(), lock_, DISPATCH_LEVEL);
  }
  set_values();
  return released;
}

std::size_t FenceScheduler::scan(const FenceNotification& notification, const Between& between,
                                 Reader reader) {
  return scan_chosen([&] { return concerned(notification); }, between, reader);
}

std::size_t FenceScheduler::look(const FenceList& fences, bool idle) {
  const auto alive = [&] {
    FenceList result;
    std::copy_if(fences_.begin(), fences_.end(), std::back_inserter(result), [&](const auto& one) {
      const bool chosen = std::find(fences.begin(), fences.end(), one) != fences.end();
      return chosen && (idle || !one->waiters.empty());
    });
    return result;
  };
  return scan_chosen(
      alive, [](const FenceList&) {}, Reader::kOsDpcScan);
}

std::size_t FenceScheduler::release_logged(NativeFence& fence, std::uint64_t value,
                                           std::uint64_t older, bool& doubtful) {
  const auto left = [&] { return fence.waiters.reached(value) != nullptr; };
  LockScope lock(adapter_.cpu(), lock_, DISPATCH_LEVEL);
  doubtful = false;
  if (!fence.usable) return 0;
  std::size_t released = release(fence, value, older);
  if (left()) released += sample(fence, Reader::kOsDpcScan);
  doubtful = left();
  released += settle(fence);
  refresh_stale();
  announce();
  return released;
}

/// After releases: sends the next MonitoredValue and scans again as long as that releases waiters.
std::size_t FenceScheduler::settle(NativeFence& fence) {
  std::size_t all = 0;
  for (;;) {
    const bool called = update_monitored(fence);
    if (!looks_after(ordering_.resample) || !called || fence.waiters.empty() ||
        abi::mutant(abi::Mutant::kSettleLooksNot))
      return all;
    const std::size_t released = sample(fence, Reader::kOsResample);
    if (released == 0) return all;
    all += released;
  }
}

std::size_t FenceScheduler::sample(NativeFence& fence, Reader reader, Operation operation) {
  const std::uint64_t current =
      adapter_.port().read_value(to_kernel_address(fence.current_bus()), operation, reader);
  return release(fence, current);
}

/// Without the lock other threads may have changed the lists since the last step.
void FenceScheduler::look_at_lists() const {
  if (ordering_.scan_atomic == ScanLock::kWhole) return;
  common::Steps& steps = adapter_.cpu().simulation().steps;
  steps.touch(common::Place::kLock, lock_.id, true);
  steps.observe(state_hash());
}

/// Stores are drained before a waiter is woken. No time passes between the end of a registration
/// and the end of its waiter.
/// @param older waits that entered the list later stay
std::size_t FenceScheduler::release(NativeFence& fence, std::uint64_t current,
                                    std::uint64_t older) {
  look_at_lists();
  if (fence.waiters.reached(current, older) == nullptr) return 0;
  adapter_.cpu().drain_stores();
  std::size_t count = 0;
  while (Registration* registration = fence.waiters.reached(current, older)) {
    const Waiter& waiter = registration->waiter();
    adapter_.cpu().simulation().emit(
        event::WaitRelease{fence.object, registration->value(), waiter.number, waiter.thread});
    take_off(*registration);
    ++count;
  }
  released_ += count;
  if (count != 0) note_waits(true);
  return count;
}

void FenceScheduler::take_off(Registration& registration) {
  Waiter& waiter = registration.waiter();
  if (!waiter.leave_satisfied(registration)) return;
  if (waiter.any && !abi::mutant(abi::Mutant::kOtherFencesStale))
    for (const auto& fence : fences_)
      if (waiter.is_in(fence->waiters)) stale_.push_back(fence);
  waiter.satisfy();
}

/// Updates MonitoredValue of fences that lost a waiter because another fence ended its wait.
void FenceScheduler::refresh_stale() {
  while (!stale_.empty()) {
    const std::shared_ptr<NativeFence> fence = stale_.back();
    stale_.pop_back();
    if (std::find(fences_.begin(), fences_.end(), fence) != fences_.end()) settle(*fence);
  }
}

}  // namespace fenceline::os
