// Signals by the CPU: the driver stores the values, the OS releases waiters.
#include "tb/os/vidsch/fence_scheduler.h"

namespace fenceline::os {

using event::Reader;

using UpdateFlags = DXGK_UPDATECURRENTVALUESFROMCPU_FLAGS;

NTSTATUS FenceScheduler::signal(const std::vector<Point>& points, UINT flags,
                                std::optional<std::size_t> bad) {
  Cpu& cpu = adapter_.cpu();
  const Adapter::Visit visit(adapter_);
  // Later waiters must know of a fence that always counts as signalled.
  if (!ordering_.lockless_signal || (flags & UpdateFlags::kAlwaysSignaled) != 0) {
    LockScope lock(cpu, lock_, DISPATCH_LEVEL);
    if (!all_good(points)) return STATUS_INVALID_HANDLE;
    hand_values(points, flags, bad);
    release_after_signal(points, flags);
    return STATUS_SUCCESS;
  }
  const KIRQL old = cpu.raise(DISPATCH_LEVEL);
  const bool good = all_good(points);
  if (good) hand_values(points, flags, bad);
  cpu.lower(old);
  if (!good) return STATUS_INVALID_HANDLE;
  count_.barrier(StoreBarrier::kSignaller);
  if (!count_.any()) return STATUS_SUCCESS;
  LockScope lock(cpu, lock_, DISPATCH_LEVEL);
  release_after_signal(points, flags);
  announce();
  return STATUS_SUCCESS;
}

NTSTATUS FenceScheduler::signaled_elsewhere(const std::vector<Point>& points, bool notify) {
  Cpu& cpu = adapter_.cpu();
  const Adapter::Visit visit(adapter_);
  LockScope lock(cpu, lock_, DISPATCH_LEVEL);
  if (!all_good(points)) return STATUS_INVALID_HANDLE;
  for (const Point& point : points) {
    cpu.simulation().emit(
        event::CpuSignal{point.fence->object, point.value, UpdateFlags::kNotificationOnly});
    adapter_.port().write_memory(to_kernel_address(point.fence->current_bus()), point.value);
  }
  cpu.drain_stores();
  if (notify) hand_values(points, UpdateFlags::kNotificationOnly, std::nullopt);
  release_after_signal(points, 0);
  announce();
  return STATUS_SUCCESS;
}

/// Gives the values to the driver, which stores them and informs the device.
void FenceScheduler::hand_values(const std::vector<Point>& points, UINT flags,
                                 std::optional<std::size_t> bad) {
  common::Simulation& simulation = adapter_.cpu().simulation();
  const bool stores = (flags & UpdateFlags::kNotificationOnly) == 0;
  std::vector<HANDLE> handles;
  std::vector<UINT64> values;
  std::vector<void*> addresses;
  for (const Point& point : points) {
    handles.push_back(point.fence->driver_handle);
    values.push_back(point.value);
    addresses.push_back(adapter_.driver_port().give(point.fence->current_bus(), sizeof(UINT64)));
    if (stores && bad)
      simulation.emit(event::BatchBad{point.fence->object, point.value, flags});
    else if (stores)
      simulation.emit(event::CpuSignal{point.fence->object, point.value, flags, 0});
  }
  if (bad) handles[*bad] = nullptr;
  DXGKARG_UPDATECURRENTVALUESFROMCPU args{};
  args.NativeFenceArray = handles.data();
  args.UpdatedValueArray = stores ? values.data() : nullptr;
  args.CurrentValueKernelCpuVa = stores ? addresses.data() : nullptr;
  args.NumFences = static_cast<UINT>(points.size());
  args.Flags.Value = flags;
  for (const Point& point : points) ++point.fence->named;
  const NTSTATUS status = adapter_.call<Ddi::DxgkDdiUpdateCurrentValuesFromCpu>(&args);
  for (const Point& point : points) --point.fence->named;
  named_.open();
  if (!NT_SUCCESS(status))
    adapter_.bug_check(VIDEO_SCHEDULER_INTERNAL_ERROR,
                       {fenceline::wddm::kSchedulerUpdateCurrentValuesFailed,
                        static_cast<std::uint32_t>(status), points.size()},
                       std::string("DxgkDdiUpdateCurrentValuesFromCpu failed with ") +
                           fenceline::wddm::status_name(status));
}

/// The CPU stored the values itself: the lists are scanned at once, without an interrupt.
void FenceScheduler::release_after_signal(const std::vector<Point>& points, UINT flags) {
  const bool always = (flags & UpdateFlags::kAlwaysSignaled) != 0;
  for (const Point& point : points) {
    if (!point.fence->usable) continue;  // without the lock it may be in destruction
    if (always) {
      point.fence->always_signaled = true;
      release(*point.fence, UINT64_MAX);
    } else {
      sample(*point.fence, Reader::kOsResample);
    }
    settle(*point.fence);
  }
  refresh_stale();
}

}  // namespace fenceline::os
