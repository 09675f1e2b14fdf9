#include "tb/os/monitored_fences.h"

#include <algorithm>
#include <utility>

namespace fenceline::os {

using common::EventKind;
using common::Operation;
using common::Reader;
using common::Wrap32;

namespace {
constexpr std::uint64_t kLow = 0xFFFFFFFF;
constexpr std::uint64_t kReach = kLow / 2;  ///< of values of a 32-bit fence
}  // namespace

MonitoredFences::MonitoredFences(Cpu& cpu, const common::Ordering& ordering)
    : cpu_(cpu),
      ordering_(ordering.os),
      shared_(ordering.xad),
      lock_(cpu.simulation().steps, this) {}

std::uint64_t MonitoredFences::state_hash() const {
  common::Hasher hasher;
  for (const auto& fence : fences_) {
    hasher.add(fence->object).add(fence->narrow ? fence->last : 0).add(fence->alive ? 1 : 0);
    for (const NativeFence* native : fence->natives) hasher.add(native->told);
    if (fence->rings) hasher.add(fence->monitored_value);
    for (const auto& [value, registration] : fence->waiters)
      hasher.add(value)
          .add(std::uint64_t{registration.waiter->thread} << 1 |
               (registration.waiter->any ? 1U : 0U))
          .add(registration.waiter->remaining);
  }
  return hasher.value();
}

MonitoredFence& MonitoredFences::add(std::unique_ptr<MonitoredFence> fence) {
  LockScope lock(cpu_, lock_, DISPATCH_LEVEL);
  fences_.push_back(std::move(fence));
  return *fences_.back();
}

void MonitoredFences::remove(MonitoredFence& fence) {
  LockScope lock(cpu_, lock_, DISPATCH_LEVEL);
  fence.alive = false;
  note_waits(false);
}

bool MonitoredFences::waited_for() const {
  return std::any_of(fences_.begin(), fences_.end(), [](const auto& fence) {
    return fence->alive && !fence->waiters.empty();
  });
}

/// The value nearest to the last one among those with the same low half.
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

void MonitoredFences::store(MonitoredFence& fence, std::uint64_t value) const {
  common::Simulation& simulation = cpu_.simulation();
  simulation.events.emit(EventKind::kCpuSignal, simulation.steps.current(), fence.object, value);
  fence.last = value;
  fence.adapter->port().write_memory(to_kernel_address(fence.current_bus()),
                                     fence.narrow ? value & kLow : value);
}

bool MonitoredFences::in_reach(const std::vector<Point>& points) {
  if (ordering_.wrap32 != Wrap32::kHandled) return true;
  return std::all_of(points.begin(), points.end(), [this](const Point& point) {
    if (!point.fence->narrow) return true;
    const std::uint64_t last = read(*point.fence, Reader::kOsResample);
    return std::max(last, point.value) - std::min(last, point.value) <= kReach;
  });
}

NTSTATUS MonitoredFences::check(const std::vector<Point>& points) {
  LockScope lock(cpu_, lock_, DISPATCH_LEVEL);
  return in_reach(points) ? STATUS_SUCCESS : STATUS_INVALID_PARAMETER;
}

NTSTATUS MonitoredFences::wait(Waiter& waiter, const std::vector<Point>& points) {
  common::Simulation& simulation = cpu_.simulation();
  LockScope lock(cpu_, lock_, DISPATCH_LEVEL);
  if (!in_reach(points)) return STATUS_INVALID_PARAMETER;
  waiter.remaining = waiter.any ? 1 : points.size();
  const std::uint64_t who = waiter.thread | std::uint64_t{waiter.any ? 1U : 2U} << 32;
  for (const Point& point : points) {
    const std::uint64_t at = key(*point.fence, point.value);
    point.fence->waiters.emplace(at, Registration{&waiter, point.value, waiter.number});
    if (waiter.thread != 0)
      simulation.events.emit(EventKind::kWaitAdd, simulation.steps.current(), point.fence->object,
                             point.value, waiter.number, who);
  }
  note_waits(true);
  // A value that is there needs no MonitoredValue.
  for (const Point& point : points)
    if (point.fence->rings && !waiter.satisfied && ordering_.resample != common::Resample::kOff)
      release(*point.fence, read(*point.fence, Reader::kOsResample));
  arm(points);
  if (ordering_.resample == common::Resample::kOff) return STATUS_SUCCESS;
  for (const Point& point : points)
    if (!waiter.satisfied) release(*point.fence, read(*point.fence, Reader::kOsResample));
  settle();
  return STATUS_SUCCESS;
}

void MonitoredFences::cancel(Waiter& waiter, const std::vector<Point>& points) {
  LockScope lock(cpu_, lock_, DISPATCH_LEVEL);
  for (const Point& point : points) drop(waiter, *point.fence);
  note_waits(false);
  settle();
}

NTSTATUS MonitoredFences::signal(const std::vector<Point>& points, const Adapter* by, UINT flags) {
  LockScope lock(cpu_, lock_, DISPATCH_LEVEL);
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

std::size_t MonitoredFences::scan(const MonitoredScan& what) {
  LockScope lock(cpu_, lock_, DISPATCH_LEVEL);
  std::size_t released = 0;
  for (const auto& fence : fences_)
    if (fence->alive) released += look(*fence, what);
  return released + settle();
}

std::size_t MonitoredFences::release(MonitoredFence& fence, std::uint64_t current) {
  common::Simulation& simulation = cpu_.simulation();
  std::size_t count = 0;
  while (!fence.waiters.empty() && fence.waiters.begin()->first <= current) {
    const Registration registration = fence.waiters.begin()->second;
    fence.waiters.erase(fence.waiters.begin());
    Waiter& waiter = *registration.waiter;
    if (waiter.thread != 0)
      simulation.events.emit(EventKind::kWaitRelease, simulation.steps.current(), fence.object,
                             registration.value, waiter.number, waiter.thread);
    ++count;
    if (--waiter.remaining == 0) finish(waiter);
  }
  if (count != 0) note_waits(true);
  return count;
}

void MonitoredFences::finish(Waiter& waiter) {
  waiter.satisfied = true;
  if (waiter.any)
    for (const auto& fence : fences_) drop(waiter, *fence);
  cpu_.drain_stores();  // what the waiter is to see is there when it is woken
  waiter.event->set();
}

void MonitoredFences::drop(Waiter& waiter, Fence& fence) {
  for (auto it = fence.waiters.begin(); it != fence.waiters.end();)
    it = it->second.waiter == &waiter ? fence.waiters.erase(it) : std::next(it);
}

void update_current(NativeFence& fence, std::uint64_t value, UINT flags) {
  Adapter& adapter = *fence.adapter;
  common::Simulation& simulation = adapter.cpu().simulation();
  void* address = to_kernel_address(fence.current_bus());
  HANDLE handle = fence.driver_handle;
  DXGKARG_UPDATECURRENTVALUESFROMCPU args{};
  args.NativeFenceArray = &handle;
  args.UpdatedValueArray = &value;
  args.CurrentValueKernelCpuVa = &address;
  args.NumFences = 1;
  args.Flags.Value = flags;
  fence.told = value;
  simulation.events.emit(EventKind::kCpuSignal, simulation.steps.current(), fence.object, value,
                         flags, adapter.object());
  const NTSTATUS status = adapter.call(Ddi::kUpdateCurrentValuesFromCpu, [&](auto& ddi) {
    return ddi.DxgkDdiUpdateCurrentValuesFromCpu(&args);
  });
  if (!NT_SUCCESS(status))
    adapter.bug_check(
        VIDEO_SCHEDULER_INTERNAL_ERROR,
        {fenceline::wddm::kSchedulerUpdateCurrentValuesFailed, static_cast<std::uint32_t>(status)},
        "DxgkDdiUpdateCurrentValuesFromCpu failed");
}

}  // namespace fenceline::os
