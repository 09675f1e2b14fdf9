#include "tb/os/objects/monitored_fences.h"

#include <algorithm>
#include <utility>

namespace fenceline::os {

using common::Operation;
using event::Reader;

namespace {
constexpr std::uint64_t kLow = 0xFFFFFFFF;
constexpr std::uint64_t kReach = kLow / 2;  ///< largest distance between values of a 32-bit fence
}  // namespace

MonitoredFences::MonitoredFences(Cpu& cpu, const Ordering& ordering)
    : cpu_(cpu),
      ordering_(ordering.os),
      shared_(ordering.xad),
      lock_(cpu.simulation().steps, this) {}

std::uint64_t MonitoredFences::state_hash() const {
  common::Hasher hasher;
  for (const auto& fence : fences_) {
    hasher.add(fence->object).add(fence->narrow ? fence->last : 0).add(fence->alive ? 1 : 0);
    if (fence->rings) hasher.add(fence->monitored_value);
    if (fence->always_signaled) hasher.add(1);
    fence->waiters.add_to(hasher);
  }
  return hasher.value();
}

std::vector<Adapter*> MonitoredFences::called_for(const std::vector<Point>& points) const {
  std::vector<Adapter*> result;
  const auto add = [&](const MonitoredFence& fence) {
    for (const NativeFence* native : fence.natives) result.push_back(native->adapter);
  };
  for (const Point& point : points) add(*point.fence);
  for (const auto& fence : fences_)
    if (fence->rings) add(*fence);
  std::sort(result.begin(), result.end(), [](const Adapter* left, const Adapter* right) {
    return left->object() < right->object();
  });
  result.erase(std::unique(result.begin(), result.end()), result.end());
  return result;
}

Adapter::Visits MonitoredFences::visit(const std::vector<Adapter*>& adapters) {
  Adapter::Visits visits;
  for (Adapter* adapter : adapters) visits.push_back(std::make_unique<Adapter::Visit>(*adapter));
  return visits;
}

Adapter::Visits MonitoredFences::visit_all() const {
  std::vector<Point> all;
  for (const auto& fence : fences_) all.push_back({fence});
  return visit(called_for(all));
}

template <typename Function>
auto MonitoredFences::with_lock(const std::vector<Point>& points, Function&& function) {
  for (;;) {
    const std::vector<Adapter*> called = called_for(points);
    const Adapter::Visits visits = visit(called);
    LockScope lock(cpu_, lock_, DISPATCH_LEVEL);
    if (called_for(points) == called) return function();  // else another adapter has opened one
  }
}

std::shared_ptr<MonitoredFence> MonitoredFences::add(std::shared_ptr<MonitoredFence> fence) {
  LockScope lock(cpu_, lock_, DISPATCH_LEVEL);
  fences_.push_back(std::move(fence));
  return fences_.back();
}

void MonitoredFences::forget(const MonitoredFence& fence) {
  LockScope lock(cpu_, lock_, DISPATCH_LEVEL);
  fences_.erase(std::remove_if(fences_.begin(), fences_.end(),
                               [&fence](const auto& one) { return one.get() == &fence; }),
                fences_.end());
}

void MonitoredFences::close(MonitoredFence& fence, LocalObject& local, bool last) {
  with_lock({}, [&] {
    local.open = false;
    if (last) fence.usable = fence.alive = false;
    note_waits(false);
    if (ordering_.unwait && (last || !fence.unwaits_late)) let_go(fence, local, last);
  });
}

/// Ends waits for the fence: those through `local`; with `last` all CPU waits.
void MonitoredFences::let_go(MonitoredFence& fence, const LocalObject& local, bool last) {
  cpu_.drain_stores();
  const auto next = [&]() -> Registration* {
    for (const auto& [key, registration] : fence.waiters.by_value())
      if (registration->through() != nullptr && (last || registration->through() == &local))
        return registration;
    return nullptr;
  };
  bool some = false;
  while (Registration* registration = next()) {
    Waiter& waiter = registration->waiter();
    cpu_.simulation().emit(
        event::WaitLetGo{fence.object, registration->value(), waiter.number, waiter.thread});
    if (waiter.leave_satisfied(*registration)) waiter.satisfy();
    some = true;
  }
  if (some) settle();
}

bool MonitoredFences::waited_for() const {
  return std::any_of(fences_.begin(), fences_.end(),
                     [](const auto& fence) { return !fence->waiters.empty(); });
}

/// The value nearest to the last one, among values with the same low half.
std::uint64_t MonitoredFences::whole(const MonitoredFence& fence, std::uint64_t word) const {
  if (!fence.narrow) return word;
  if (ordering_.wrap32 == Wrap32::kIgnored) return word & kLow;
  const auto step = static_cast<std::int32_t>(static_cast<std::uint32_t>(word - fence.last));
  return fence.last + static_cast<std::uint64_t>(std::int64_t{step});
}

std::uint64_t MonitoredFences::key(const MonitoredFence& fence, std::uint64_t value) const {
  return fence.narrow && ordering_.wrap32 == Wrap32::kIgnored ? value & kLow : value;
}

std::uint64_t MonitoredFences::read(MonitoredFence& fence, Reader reader) const {
  const std::uint64_t word = fence.adapter->port().read_value(
      to_kernel_address(fence.current_bus()), Operation::kReadValue, reader);
  fence.last = whole(fence, word);
  return fence.last;
}

void MonitoredFences::store(MonitoredFence& fence, std::uint64_t value, UINT flags) const {
  cpu_.simulation().emit(event::CpuSignal{fence.object, value, flags});
  fence.last = value;
  fence.adapter->port().write_memory(to_kernel_address(fence.current_bus()),
                                     fence.narrow ? value & kLow : value);
}

bool MonitoredFences::in_reach(const std::vector<Point>& points) {
  if (ordering_.wrap32 != Wrap32::kHandled) return true;
  return std::all_of(points.begin(), points.end(), [this](const Point& point) {
    if (!point.fence->narrow || point.fence->always_signaled) return true;
    const std::uint64_t last = read(*point.fence, Reader::kOsResample);
    return std::max(last, point.value) - std::min(last, point.value) <= kReach;
  });
}

NTSTATUS MonitoredFences::check(const std::vector<Point>& points) {
  LockScope lock(cpu_, lock_, DISPATCH_LEVEL);
  return in_reach(points) ? STATUS_SUCCESS : STATUS_INVALID_PARAMETER;
}

NTSTATUS MonitoredFences::wait(Waiter& waiter, const std::vector<Point>& points) {
  return with_lock(points, [&] { return wait_locked(waiter, points); });
}

NTSTATUS MonitoredFences::wait_locked(Waiter& waiter, const std::vector<Point>& points) {
  if (!all_good(points)) return STATUS_INVALID_HANDLE;
  if (!in_reach(points)) return STATUS_INVALID_PARAMETER;
  waiter.remaining = waiter.any ? 1 : points.size();

  for (const Point& point : points) {
    const std::uint64_t at = key(*point.fence, point.value);
    waiter.enter(point.fence->waiters, at, point.value, point.through);
    if (waiter.thread != 0)
      cpu_.simulation().emit(waiter.added(point.fence->object, point.value, point.through));
  }
  note_waits(true);
  for (const Point& point : points)
    if (point.fence->always_signaled && !waiter.satisfied) release(*point.fence, UINT64_MAX);
  // A value that is already reached needs no MonitoredValue.
  for (const Point& point : points)
    if (point.fence->rings && !waiter.satisfied && looks_after(ordering_.resample))
      release(*point.fence, read(*point.fence, Reader::kOsResample));
  arm(points);
  if (!looks_after(ordering_.resample)) return STATUS_SUCCESS;
  for (const Point& point : points)
    if (!waiter.satisfied) release(*point.fence, read(*point.fence, Reader::kOsResample));
  settle();
  return STATUS_SUCCESS;
}

bool MonitoredFences::cancel(Waiter& waiter) {
  return with_lock({}, [&] {
    const bool waited = !waiter.satisfied;
    waiter.leave();
    note_waits(false);
    settle();
    return waited;
  });
}

NTSTATUS MonitoredFences::signal(const std::vector<Point>& points, const Adapter* by, UINT flags) {
  return with_lock(points, [&] { return signal_locked(points, by, flags); });
}

NTSTATUS MonitoredFences::signal_locked(const std::vector<Point>& points, const Adapter* by,
                                        UINT flags) {
  if (!all_good(points)) return STATUS_INVALID_HANDLE;
  if (!in_reach(points)) return STATUS_INVALID_PARAMETER;
  for (const Point& point : points) {
    NativeFence* own = point.fence->on(by);
    if (own != nullptr)
      update_current(*own, point.value, flags);
    else
      store(*point.fence, point.value);
  }
  cpu_.drain_stores();
  for (const Point& point : points) {
    pass_on(*point.fence, point.value, by);
    release(*point.fence, read(*point.fence, Reader::kOsResample));
  }
  settle();
  return STATUS_SUCCESS;
}

void MonitoredFences::give_up(const std::shared_ptr<MonitoredFence>& fence, const Adapter* by) {
  constexpr UINT kAlways = DXGK_UPDATECURRENTVALUESFROMCPU_FLAGS::kAlwaysSignaled;
  with_lock({{fence}}, [&] {
    if (!fence->usable) return;
    fence->always_signaled = true;
    const std::uint64_t highest =
        fence->narrow ? read(*fence, Reader::kOsResample) + kReach : UINT64_MAX;
    NativeFence* own = fence->on(by);
    if (own != nullptr)
      update_current(*own, highest, kAlways);
    else
      store(*fence, highest, kAlways);
    cpu_.drain_stores();
    pass_on(*fence, highest, by);
    release(*fence, UINT64_MAX);
    settle();
  });
}

std::size_t MonitoredFences::scan(const MonitoredScan& what) {
  LockScope lock(cpu_, lock_, DISPATCH_LEVEL);
  std::size_t released = 0;
  for (const auto& fence : fences_)
    if (fence->alive || !fence->waiters.empty()) released += look(*fence, what);
  return released + settle();
}

/// Stores are drained before a waiter is woken. No time passes between the end of a registration
/// and the end of its waiter.
std::size_t MonitoredFences::release(MonitoredFence& fence, std::uint64_t current) {
  if (fence.waiters.reached(current) == nullptr) return 0;
  cpu_.drain_stores();
  std::size_t count = 0;
  while (Registration* registration = fence.waiters.reached(current)) {
    Waiter& waiter = registration->waiter();
    if (waiter.thread != 0)
      cpu_.simulation().emit(
          event::WaitRelease{fence.object, registration->value(), waiter.number, waiter.thread});
    if (waiter.leave_satisfied(*registration)) waiter.satisfy();
    ++count;
  }
  if (count != 0) note_waits(true);
  return count;
}

void update_current(NativeFence& fence, std::uint64_t value, UINT flags) {
  Adapter& adapter = *fence.adapter;
  void* address = adapter.driver_port().give(fence.current_bus(), sizeof(UINT64));
  HANDLE handle = fence.driver_handle;
  DXGKARG_UPDATECURRENTVALUESFROMCPU args{};
  args.NativeFenceArray = &handle;
  args.UpdatedValueArray = &value;
  args.CurrentValueKernelCpuVa = &address;
  args.NumFences = 1;
  args.Flags.Value = flags;
  adapter.cpu().simulation().emit(event::CpuSignal{fence.object, value, flags, adapter.object()});
  const NTSTATUS status = adapter.call<Ddi::DxgkDdiUpdateCurrentValuesFromCpu>(&args);
  adapter.must_succeed(status, Ddi::DxgkDdiUpdateCurrentValuesFromCpu,
                       VIDEO_SCHEDULER_INTERNAL_ERROR,
                       fenceline::wddm::kSchedulerUpdateCurrentValuesFailed);
}

}  // namespace fenceline::os
