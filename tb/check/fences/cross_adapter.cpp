#include "tb/check/fences/cross_adapter.h"

#include <algorithm>
#include <utility>

#include "kmd_stub/wddm/wddm.h"

namespace fenceline::check {

using common::At;
using common::hash_values;
using common::ObjectKind;

void CrossAdapterChecks::on(const At<event::CrossAdapterFence>& event) {
  Fence& fence = fences_[event.fence];
  fence.rings = event.rings;
  Slot slot;
  slot.adapter = event.adapter;
  fence.slots.push_back(slot);
}

void CrossAdapterChecks::on(const At<event::FenceClose>& event) {
  if (lifetimes_.is_open(event.fence, event.adapter) || !fences_.known(event.fence)) return;
  auto& slots = fences_[event.fence].slots;
  slots.erase(std::remove_if(slots.begin(), slots.end(),
                             [&event](const Slot& slot) { return slot.adapter == event.adapter; }),
              slots.end());
}

void CrossAdapterChecks::judge_monitored(std::uint32_t number, std::uint64_t adapter,
                                         std::uint64_t value) {
  const Fence& fence = fences_[number];
  if (fence.slots.empty() || fence.rings) return;
  world_.report.checked(Invariant::kCrossAdapter);
  if (value != 0)
    fail(Invariant::kCrossAdapter, number, adapter, "has MonitoredValue " + text(value));
}

void CrossAdapterChecks::on(const At<event::Decision>& event) {
  const Signal* const signal = world_.signals.find(event.signal);
  const Fence& fence = fences_[event.fence];
  if (fence.slots.empty()) return;
  const std::uint64_t adapter = signal != nullptr ? signal->adapter : 0;
  if (!fence.rings) {
    world_.report.checked(Invariant::kCrossAdapter);
    if (event.value != 0 && !event.above)
      fail(Invariant::kCrossAdapter, event.fence, adapter,
           "did not interrupt for the signal of " + text(event.value));
  }
  if (signal != nullptr && signal->visible()) close(*signal, adapter);
}

void CrossAdapterChecks::on(const At<event::CurrentValueVisible>& event) {
  visible(event.fence, world_.landed().signal);
}

/// The value has fallen to 0 again before the CMP has read it: every value reaches 0.
void CrossAdapterChecks::on(const At<event::CmpDecision>& event) {
  Fence& fence = fences_[event.fence];
  if (event.raised || event.current != 0 || fence.rings) return;
  for (Slot& slot : fence.slots) slot.owed = false;
}

/// A write has become visible; `signal` is null if no GPU signal is known as its source.
void CrossAdapterChecks::visible(std::uint32_t number, const Signal* signal) {
  const Fence& fence = fences_[number];
  if (fence.slots.empty()) return;
  if (signal == nullptr) return owe(number, {fence.stored_by}, world_.fences[number].home);
  if (signal->decided) return owe(number, {signal->adapter}, signal->value);
  // A GPU without native fences compares nothing and does not notify its own queues.
  if (signal->ended) return owe(number, {}, signal->value);
  fences_[number].open.push_back({signal->number, signal->value});
}

void CrossAdapterChecks::close(const Signal& signal, std::uint64_t adapter) {
  auto& open = fences_[signal.fence].open;
  const auto it = std::find_if(open.begin(), open.end(),
                               [&](const Open& one) { return one.signal == signal.number; });
  if (it == open.end()) return;
  it->notified.push_back(adapter);
  const Open closed = std::move(*it);
  open.erase(it);
  owe(signal.fence, closed.notified, closed.value);
}

void CrossAdapterChecks::on(const At<event::SignalEnd>& event) {
  const Signal* const signal = world_.signals.find(event.signal);
  if (signal == nullptr || signal->decided || !signal->visible()) return;
  close(*signal, 0);
}

void CrossAdapterChecks::on(const At<event::CpuSignal>& event) {
  Fence& fence = fences_[event.fence];
  if (fence.slots.empty()) return;
  // Either call makes the queues of this adapter look at CurrentValue.
  pay(fence, event.told);
  if ((event.flags & DXGK_UPDATECURRENTVALUESFROMCPU_FLAGS::kNotificationOnly) == 0)
    fence.stored_by = event.told;
}

/// A doorbell without a fence counts for all fences.
void CrossAdapterChecks::on(const At<event::PeerDoorbell>& event) {
  if (event.fence != 0) return pay(fences_[event.fence], event.adapter);
  for (std::size_t f = 0; f < fences_.size(); ++f)
    if (fences_.known(f) && fences_[f].rings) pay(fences_[f], event.adapter);
}

void CrossAdapterChecks::owe(std::uint32_t number, const std::vector<std::uint64_t>& notified,
                             std::uint64_t value) {
  if (value == 0) return;  // every value reaches 0: nobody waits for it
  for (Slot& slot : fences_[number].slots) {
    if (std::find(notified.begin(), notified.end(), slot.adapter) != notified.end() ||
        asleep_.count(slot.adapter) != 0)
      continue;
    slot.owed = true;
    slot.value = value;
  }
}

void CrossAdapterChecks::pay(Fence& fence, std::uint64_t adapter) {
  for (Slot& slot : fence.slots)
    if (slot.adapter == adapter) slot.owed = false;
  for (Open& open : fence.open) open.notified.push_back(adapter);
}

void CrossAdapterChecks::on(const At<event::AdapterPower>& event) {
  if (event.state == 0) {
    asleep_.erase(event.adapter);
    return;
  }
  asleep_.insert(event.adapter);
  for (std::size_t f = 0; f < fences_.size(); ++f)
    if (fences_.known(f)) pay(fences_[f], event.adapter);
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
  report.fail_fence(
      invariant, fence,
      "fence " + report.fence(fence) + " is shared by several adapters, and adapter " +
          report.name(ObjectKind::kAdapter, adapter) + " " + what + ", " + report.now());
}

void CrossAdapterChecks::add_to(Canonical& hash) const {
  std::uint64_t sum = 0;
  for (const std::uint64_t adapter : asleep_) hash.add(adapter);
  for (std::size_t f = 0; f < fences_.size(); ++f) {
    const Fence& fence = fences_[f];
    if (fence.slots.empty()) continue;
    sum += hash_values(pair_of(f, fence.stored_by), bits_of(fence.rings));
    for (const Slot& slot : fence.slots)
      sum += hash_values(pair_of(f, slot.adapter), bits_of(slot.owed));
    for (const Open& open : fence.open) {
      std::uint64_t notified = 0;
      for (const Slot& slot : fence.slots)
        if (std::find(open.notified.begin(), open.notified.end(), slot.adapter) !=
            open.notified.end())
          notified += common::mix(slot.adapter + 1ULL);
      sum += hash_values(pair_of(f, open.value), notified);
    }
  }
  hash.add(sum);
}

}  // namespace fenceline::check
