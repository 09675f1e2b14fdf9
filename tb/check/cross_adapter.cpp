#include "tb/check/cross_adapter.h"

#include <utility>

namespace fenceline::check {

using common::Event;
using common::Hasher;
using common::ObjectKind;

namespace {
constexpr std::uint64_t kNotificationOnly = 2;  // of DxgkDdiUpdateCurrentValuesFromCpu
}  // namespace

void CrossAdapterChecks::on_shared(const Event& event) {
  Fence& fence = fences_[event.object];
  fence.rings = event.a != 0;
  Slot slot;
  slot.adapter = static_cast<std::uint32_t>(event.b);
  fence.slots.push_back(slot);
}

void CrossAdapterChecks::on_monitored(std::uint32_t number, std::uint64_t adapter,
                                      std::uint64_t value) {
  const Fence& fence = fences_[number];
  if (fence.slots.empty() || fence.rings) return;
  world_.report.checked(Invariant::kCrossAdapter);
  if (value != 0)
    fail(Invariant::kCrossAdapter, number, adapter, "has MonitoredValue " + text(value));
}

void CrossAdapterChecks::on_decision(const Event& event, const Signal* signal) {
  const Fence& fence = fences_[event.object];
  if (fence.slots.empty()) return;
  const std::uint64_t adapter = signal != nullptr ? signal->adapter : 0;
  if (!fence.rings) {
    world_.report.checked(Invariant::kCrossAdapter);
    if (event.a != 0 && event.c == 0)
      fail(Invariant::kCrossAdapter, event.object, adapter,
           "did not interrupt for the signal of " + text(event.a));
  }
  if (signal != nullptr && signal->visible()) owe(event.object, adapter, event.a);
}

void CrossAdapterChecks::on_visible(std::uint32_t number, const Signal* signal) {
  const Fence& fence = fences_[number];
  if (fence.slots.empty()) return;
  if (signal == nullptr) return owe(number, fence.stored_by, world_.fences[number].home);
  if (signal->decided) return owe(number, signal->adapter, signal->value);
  // A GPU without native fences compares nothing, and tells none of its queues.
  if (signal->ended) owe(number, 0, signal->value);
}

void CrossAdapterChecks::on_end(const Signal* signal) {
  if (signal == nullptr || signal->decided || !signal->visible()) return;
  owe(signal->fence, 0, signal->value);
}

void CrossAdapterChecks::on_cpu_signal(const Event& event) {
  Fence& fence = fences_[event.object];
  if (fence.slots.empty()) return;
  if ((event.b & kNotificationOnly) != 0)
    pay(fence, event.c);
  else
    fence.stored_by = event.c;
}

/// One that names no fence is for all of them.
void CrossAdapterChecks::on_doorbell(const Event& event) {
  if (event.b != 0) return pay(fences_[event.b], event.object);
  for (std::size_t f = 0; f < fences_.size(); ++f)
    if (fences_.known(f) && fences_[f].rings) pay(fences_[f], event.object);
}

void CrossAdapterChecks::owe(std::uint32_t number, std::uint64_t but_for, std::uint64_t value) {
  for (Slot& slot : fences_[number].slots) {
    if (slot.adapter == but_for) continue;
    slot.owed = true;
    slot.value = value;
  }
}

void CrossAdapterChecks::pay(Fence& fence, std::uint64_t adapter) {
  for (Slot& slot : fence.slots)
    if (slot.adapter == adapter) slot.owed = false;
}

void CrossAdapterChecks::finish_quiescent() {
  for (std::size_t f = 0; f < fences_.size(); ++f) {
    const Fence& fence = std::as_const(fences_)[f];
    const Invariant which = fence.rings ? Invariant::kPeerDoorbell : Invariant::kCrossAdapter;
    for (const Slot& slot : fence.slots) {
      world_.report.checked(which);
      if (slot.owed)
        fail(which, static_cast<std::uint32_t>(f), slot.adapter,
             "was never told of the signal of " + text(slot.value));
    }
  }
}

void CrossAdapterChecks::fail(Invariant invariant, std::uint32_t fence, std::uint64_t adapter,
                              const std::string& what) {
  Reporter& report = world_.report;
  if (!report.broken(invariant, fence)) return;
  report.add(invariant, fence,
             "fence " + report.fence(fence) + " is shared by several adapters, and adapter " +
                 report.name(ObjectKind::kAdapter, adapter) + " " + what + ", " +
                 at_time(report.time()));
}

void CrossAdapterChecks::add_to(Canonical& hash) const {
  std::uint64_t sum = 0;
  for (std::size_t f = 0; f < fences_.size(); ++f) {
    const Fence& fence = fences_[f];
    if (fence.slots.empty()) continue;
    sum += Hasher().add(pair_of(f, fence.stored_by)).add(bits_of(fence.rings)).value();
    for (const Slot& slot : fence.slots)
      sum += Hasher().add(pair_of(f, slot.adapter)).add(bits_of(slot.owed)).value();
  }
  hash.add(sum);
}

}  // namespace fenceline::check
