// MonitoredValue: computed from the waiters of a fence, then given to the driver.
#include <algorithm>
#include <array>

#include "models/abi/mutant.h"
#include "tb/os/vidsch/fence_scheduler.h"

namespace fenceline::os {

using event::Reader;

std::optional<std::uint64_t> FenceScheduler::monitored_due(const NativeFence& fence) const {
  if (!fence.usable) return std::nullopt;
  if (fence.origin != nullptr) return std::nullopt;  // waiters of a single adapter cannot decide it
  if (abi::mutant(abi::Mutant::kNeverDisarms) && fence.waiters.empty()) return std::nullopt;
  std::uint64_t value = UINT64_MAX;
  if (!fence.waiters.empty()) {
    const std::uint64_t lowest = fence.waiters.lowest();
    const bool as_is = lowest == 0 || abi::mutant(abi::Mutant::kMonitoredIsLowest);
    value = as_is ? lowest : lowest - 1;
  }
  if (value > fence.monitored_value && abi::mutant(abi::Mutant::kNeverRaised)) return std::nullopt;
  if (ordering_.on_change && value == fence.monitored_value) return std::nullopt;
  return value;
}

bool FenceScheduler::update_monitored(NativeFence& fence) {
  look_at_lists();
  if (ordering_.resample == Resample::kBeforeDdi) sample(fence, Reader::kOsResample);
  const std::optional<std::uint64_t> due = monitored_due(fence);
  if (!due) return false;
  fence.monitored_value = *due;
  const Update update{&fence, *due};
  call_update(&update, 1);
  return true;
}

void FenceScheduler::call_updates(const std::vector<Update>& updates) {
  for (std::size_t done = 0; done < updates.size(); done += kMaxUpdates)
    call_update(&updates[done], std::min(kMaxUpdates, updates.size() - done));
}

/// @pre at most kMaxUpdates
void FenceScheduler::call_update(const Update* updates, std::size_t count) {
  std::array<HANDLE, kMaxUpdates> handles;  // only the used entries are filled
  std::array<UINT64, kMaxUpdates> values;
  std::array<void*, kMaxUpdates> addresses;
  for (std::size_t i = 0; i < count; ++i) {
    handles[i] = updates[i].fence->driver_handle;
    values[i] = updates[i].value;
    addresses[i] = adapter_.driver_port().give(updates[i].fence->monitored_bus(), sizeof(UINT64));
  }
  DXGKARG_UPDATEMONITOREDVALUES args{};
  args.NativeFenceArray = handles.data();
  args.UpdatedValueArray = values.data();
  args.MonitoredValueKernelCpuVa = addresses.data();
  args.NumFences = static_cast<UINT>(count);
  const std::uint64_t first = updates_ + 1;
  updates_ += count;
  const auto report = [&](auto what) {
    for (std::size_t i = 0; i < count; ++i) {
      what = {updates[i].fence->object, updates[i].value, first + i, adapter_.object()};
      adapter_.cpu().simulation().emit(what);
    }
  };
  for (std::size_t i = 0; i < count; ++i) ++updates[i].fence->named;
  const NTSTATUS status =
      adapter_.call_at_device_level(Ddi::DxgkDdiUpdateMonitoredValues, [&](auto& ddi) {
        if (ddi.DxgkDdiUpdateMonitoredValues == nullptr)
          return adapter_.guard().report_missing(Ddi::DxgkDdiUpdateMonitoredValues);
        report(event::UpdateMonitoredCall());
        const NTSTATUS result = ddi.DxgkDdiUpdateMonitoredValues(&args);
        report(event::UpdateMonitoredReturn());
        return result;
      });
  for (std::size_t i = 0; i < count; ++i) --updates[i].fence->named;
  named_.open();
  if (!NT_SUCCESS(status))
    adapter_.bug_check(VIDEO_SCHEDULER_INTERNAL_ERROR,
                       {fenceline::wddm::kSchedulerUpdateMonitoredValuesFailed,
                        static_cast<std::uint32_t>(status), count},
                       std::string("DxgkDdiUpdateMonitoredValues failed with ") +
                           fenceline::wddm::status_name(status));
}

/// One DDI call for all fences of a wait, then one read of each.
void FenceScheduler::arm_together(const std::vector<Point>& points) {
  look_at_lists();
  std::vector<Update> updates;
  for (const Point& point : points) {
    NativeFence& fence = *point.fence;
    if (!fence.usable || fence.always_signaled || point.value == 0) continue;
    const std::optional<std::uint64_t> due = monitored_due(fence);
    if (!due) continue;
    fence.monitored_value = *due;
    updates.push_back({&fence, *due});
  }
  call_updates(updates);
  if (resamples(!updates.empty()))
    for (const Point& point : points)
      if (point.fence->usable && sample(*point.fence, Reader::kOsResample) != 0)
        settle(*point.fence);
  refresh_stale();
}

std::size_t FenceScheduler::settle_together(const FenceList& fences) {
  look_at_lists();
  std::vector<Update> updates;
  for (const auto& fence : fences) {
    const std::optional<std::uint64_t> due = monitored_due(*fence);
    if (!due) continue;
    fence->monitored_value = *due;
    updates.push_back({fence.get(), *due});
  }
  if (updates.empty()) return 0;
  call_updates(updates);
  std::size_t all = 0;
  if (!looks_after(ordering_.resample)) return all;
  for (const Update& update : updates)
    if (!update.fence->waiters.empty()) {
      const std::size_t released = sample(*update.fence, Reader::kOsResample);
      if (released != 0) all += released + settle(*update.fence);
    }
  return all;
}

}  // namespace fenceline::os
