// Fences shared by several adapters: passes signals on, and sets MonitoredValues for GPUs that ring
// each other's doorbells.
#include <algorithm>

#include "models/abi/mutant.h"
#include "tb/os/objects/monitored_fences.h"

namespace fenceline::os {

using event::Reader;

NativeFence* MonitoredFence::on(const Adapter* which) const {
  for (NativeFence* one : natives)
    if (one->adapter == which) return one;
  return nullptr;
}

void MonitoredFences::attach(MonitoredFence& fence, NativeFence& native) {
  const Adapter::Visit visit(*native.adapter);
  LockScope lock(cpu_, lock_, DISPATCH_LEVEL);
  fence.natives.push_back(&native);
  note_waits(true);  // queues of its adapter may wait for it from now on
  if (fence.rings) hand_monitored(native, fence.monitored_value);
}

void MonitoredFences::detach(MonitoredFence& fence, NativeFence& native) {
  LockScope lock(cpu_, lock_, DISPATCH_LEVEL);
  auto& natives = fence.natives;
  natives.erase(std::remove(natives.begin(), natives.end(), &native), natives.end());
  note_waits(false);
}

/// A GPU has signalled the fence, or may have: releases waiters and notifies the other adapters.
std::size_t MonitoredFences::look(MonitoredFence& fence, const MonitoredScan& what) {
  const bool named = std::find(what.named.begin(), what.named.end(), &fence) != what.named.end() ||
                     (what.natives && fence.on(what.by) != nullptr);
  const bool concerned = !fence.waiters.empty() ||
                         (!fence.natives.empty() && !abi::mutant(abi::Mutant::kSilentNatives));
  const bool written =
      what.all || std::find(what.written.begin(), what.written.end(), &fence) != what.written.end();
  if (!named && !(written && concerned)) return 0;
  const std::uint64_t now = read(fence, Reader::kOsDpcScan);
  // A GPU without native fences has told nobody, and its interrupt does not name the fence.
  if (!named)
    pass_on(fence, now, nullptr);
  else if (!fence.rings)
    pass_on(fence, now, what.by);
  return release(fence, now);
}

/// Notifies all adapters except the signaller's, also of an unchanged value: it may have been lower
/// for a while.
void MonitoredFences::pass_on(const MonitoredFence& fence, std::uint64_t value,
                              const Adapter* by) const {
  if (!shared_.propagate || abi::mutant(abi::Mutant::kNotPassedOn)) return;
  for (NativeFence* native : fence.natives)
    if (native->adapter != by)
      update_current(*native, value, DXGK_UPDATECURRENTVALUESFROMCPU_FLAGS::kNotificationOnly);
}

/// Arms MonitoredValue before a waiter reads the value. Fences without doorbells interrupt anyway.
void MonitoredFences::arm(const std::vector<Point>& points) const {
  for (const Point& point : points)
    if (point.fence->rings) update_monitored(*point.fence);
}

/// Sets MonitoredValue to the lowest waited value minus 1 on every adapter, because any of them may
/// signal. True if drivers were called.
bool MonitoredFences::update_monitored(MonitoredFence& fence) const {
  const std::uint64_t lowest = fence.waiters.empty() ? 0 : fence.waiters.lowest();
  const std::uint64_t due = fence.waiters.empty() ? UINT64_MAX : lowest == 0 ? 0 : lowest - 1;
  if (due == fence.monitored_value) return false;
  fence.monitored_value = due;
  for (NativeFence* native : fence.natives) hand_monitored(*native, due);
  return true;
}

/// After changes of waiters: sends the next MonitoredValues and scans again as long as that
/// releases waiters. Returns the number of released waiters.
std::size_t MonitoredFences::settle() {
  std::size_t released = 0;
  for (const auto& fence : fences_) {
    if (!fence->alive || !fence->rings) continue;
    std::size_t now = 1;
    while (now != 0 && update_monitored(*fence)) {
      const bool look = !fence->waiters.empty() && looks_after(ordering_.resample);
      now = look ? release(*fence, read(*fence, Reader::kOsResample)) : 0;
      released += now;
    }
  }
  return released;
}

}  // namespace fenceline::os
