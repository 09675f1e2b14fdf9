// I9: which notices are owed a notification, and the end of a run.
#include <algorithm>

#include "kmd_stub/wddm/wddm.h"
#include "tb/check/logs/interrupt.h"

namespace fenceline::check {

using common::At;

/// The reset of an adapter may drop notices that its driver has not reported.
void InterruptChecks::on(const At<event::Recovery>& event) {
  if (event.stage != event::RecoveryStage::kAdapterReset) return;
  for (std::size_t f = 0; f < fences_.size(); ++f)
    if (fences_.known(f))
      for (Notice& notice : fences_[f].notices) notice.dropped |= notice.adapter == event.adapter;
}

/// After a reset the OS signals the fences of devices in error, and releases who waits.
void InterruptChecks::on(const At<event::CpuSignal>& event) {
  const bool any = (event.flags & DXGK_UPDATECURRENTVALUESFROMCPU_FLAGS::kAlwaysSignaled) != 0;
  for (Notice& notice : fences_[event.fence].notices)
    notice.covered |= notice.dropped && (any || event.value >= notice.value);
}

void InterruptChecks::finish_quiescent() {
  for (std::size_t f = 0; f < fences_.size(); ++f) {
    if (!fences_.known(f)) continue;
    judge_notices(static_cast<std::uint32_t>(f));
    judge_unseen(static_cast<std::uint32_t>(f));
  }
}

/// A close on the adapter may have drained it, and no other adapter has a native fence to be told.
bool InterruptChecks::is_drained(const Fence& fence, const Notice& notice) {
  return !fence.natives.empty() && fence.closed_on.count(notice.adapter) != 0 &&
         std::all_of(fence.natives.begin(), fence.natives.end(),
                     [&](std::uint32_t adapter) { return fence.closed_on.count(adapter) != 0; });
}

void InterruptChecks::judge_notices(std::uint32_t fence) {
  Reporter& report = world_.report;
  for (const Notice& notice : fences_[fence].notices) {
    if (notice.covered || is_drained(fences_[fence], notice) ||
        told(notice.adapter, notice.queue, notice.seq))
      continue;
    const std::string who = notice.signal == 0
                                ? "the CMP found CurrentValue "
                                : "signal " + text(notice.signal) + " had the value ";
    report.fail_fence(Invariant::kContract, fence,
                      "fence " + report.fence(fence) + ": " + who + text(notice.value) +
                          " above MonitoredValue " + at_time(notice.time) +
                          ", and no notification that covers the fence followed");
  }
}

void InterruptChecks::judge_unseen(std::uint32_t fence) {
  const Unseen unseen = fences_[fence].unseen;
  if (unseen.seq == 0 || told(unseen.adapter, unseen.queue, unseen.seq)) return;
  Reporter& report = world_.report;
  report.fail_fence(Invariant::kContract, fence,
                    "fence " + report.fence(fence) + ": signal " + text(unseen.signal) +
                        " of value " + text(unseen.value) + " became visible " +
                        at_time(unseen.time) + " after the update to MonitoredValue " +
                        text(unseen.monitored) +
                        " had returned, and neither a notification nor an OS read followed");
}

}  // namespace fenceline::check
