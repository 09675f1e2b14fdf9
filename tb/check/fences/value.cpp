#include "tb/check/fences/value.h"

#include <algorithm>
#include <utility>

namespace fenceline::check {

using common::AgentId;
using common::At;
using common::hash_values;
using common::ObjectKind;

ReadChecks::Reader& ReadChecks::reader(std::uint32_t fence, AgentId agent) {
  std::vector<Reader>& readers = fences_[fence].readers;
  for (Reader& known : readers) {
    if (known.agent == agent) return known;
  }
  readers.push_back({agent, 0});
  return readers.back();
}

bool ReadChecks::own_write(const FenceOrder& order, AgentId agent, std::uint64_t value) {
  for (const Writer& writer : order.writers) {
    if (writer.agent != agent) continue;
    for (std::uint64_t i = writer.pending.first_index(); i != writer.pending.end_index(); ++i) {
      if (writer.pending[i].value == value) return true;
    }
  }
  return false;
}

void ReadChecks::on(const At<event::CurrentValueRead>& event) {
  const FenceOrder& order = world_.fences[event.fence];
  if (!order.created && order.position == 0) return;  // the initial value is unknown
  const std::uint64_t value = world_.whole(event);
  Reader& last = reader(event.fence, event.agent);
  world_.report.checked(Invariant::kNoTear);
  world_.report.checked(Invariant::kCvMono);
  for (std::uint64_t p = std::max(last.position, order.history.first_index());
       p < order.history.end_index(); ++p) {
    if (order.history[p].value != value) continue;
    last.position = p;
    return;
  }
  if (!own_write(order, event.agent, value)) fail(event, value, last);
}

void ReadChecks::fail(const At<event::CurrentValueRead>& event, std::uint64_t value,
                      const Reader& last) {
  Reporter& report = world_.report;
  const bool older = world_.newest(event.fence, value) != kNever;
  const Invariant invariant = older ? Invariant::kCvMono : Invariant::kNoTear;
  const std::string read = "agent " + report.name(ObjectKind::kAgent, event.agent) + " read " +
                           (older ? text(value) : hex(value)) + " as CurrentValue of fence " +
                           report.fence(event.fence) + " " + at_time(event.time);
  report.fail_fence(invariant, event.fence,
                    older ? read + ", older than the value at position " + text(last.position) +
                                " of the coherence order that it read before"
                          : read + ", a value that nobody wrote as a whole; in memory is " +
                                hex(world_.fences[event.fence].home));
}

/// The home's value is whole and never older than any value read from it. Only a stale or torn read
/// can go back.
void ReadChecks::add_to(Canonical& hash) const {
  std::uint64_t sum = 0;
  for (std::size_t f = 0; hash.stale() && f < fences_.size(); ++f) {
    const auto fence = static_cast<std::uint32_t>(f);
    for (const Reader& reader : fences_[f].readers) {
      if (reader.position == 0) continue;  // same state as a reader that has read nothing
      sum += hash_values(pair_of(fence, reader.agent), hash.position(fence, reader.position));
    }
  }
  hash.add(sum);
}

/// The fence was created or opened on the adapter.
void MonitoredChecks::count(std::uint32_t number, std::uint32_t adapter) {
  Fence& fence = fences_[number];
  Slot& at = slot_of(fence.slots, adapter);
  if (!at.counted) ++fence.adapters;
  at.counted = true;
}

void MonitoredChecks::on(const At<event::FenceOpen>& event) {
  count(event.fence, event.adapter);
  ++slot_of(fences_[event.fence].slots, event.adapter).opens;
}

/// With the last close on an adapter its MonitoredValue has no meaning there.
void MonitoredChecks::on(const At<event::FenceClose>& event) {
  Slot& at = slot_of(fences_[event.fence].slots, event.adapter);
  if (at.opens != 0 && --at.opens == 0) at.seen = false;
}

void MonitoredChecks::on(const At<event::CrossAdapterFence>& event) {
  Fence& fence = fences_[event.fence];
  fence.shared = true;
  fence.rings = event.rings;
}

void MonitoredChecks::on(const At<event::UpdateMonitoredCall>& event) {
  Fence& fence = fences_[event.fence];
  fence.updated = true;
  if (event.value != 0) fence.not_zero = true;
}

void MonitoredChecks::on(const At<event::MonitoredValueVisible>& event) {
  Fence& fence = fences_[event.fence];
  Slot& at = slot_of(fence.slots, event.adapter);
  at.value = event.value;
  at.seen = true;
  if (event.value != 0) fence.not_zero = true;
}

void MonitoredChecks::finish_quiescent() {
  for (std::size_t f = 0; f < fences_.size(); ++f) {
    const auto number = static_cast<std::uint32_t>(f);
    const FenceOrder& order = std::as_const(world_.fences)[number];
    if (order.always_signaled || order.ended) continue;
    const Fence& fence = std::as_const(fences_)[f];
    for (const Slot& at : fence.slots) {
      if (at.seen) judge(number, fence, at);
    }
  }
}

/// A fence whose MonitoredValue was never anything but 0 was created as cross-adapter.
void MonitoredChecks::judge(std::uint32_t number, const Fence& fence, const Slot& at) {
  world_.report.checked(Invariant::kMvMin);
  if (!fence.rings && (fence.shared || fence.adapters > 1)) {
    if (at.value != 0) fail(number, at, 0);
    return;
  }
  if (!fence.updated && !fence.not_zero) return;
  const std::uint64_t held = queues_.held_for(number);
  const std::uint64_t open = std::min(held, waiters_.called_for(number, false));
  // A wait for several fences may still arm a fence that has reached its value.
  const std::uint64_t all = std::min(held, waiters_.called_for(number, true));
  if (at.value != open && at.value != all) fail(number, at, open);
}

void MonitoredChecks::fail(std::uint32_t number, const Slot& at, std::uint64_t expected) {
  Reporter& report = world_.report;
  report.fail_fence(Invariant::kMvMin, number,
                    "MonitoredValue of fence " + report.fence(number) + " on adapter " +
                        report.name(ObjectKind::kAdapter, at.adapter) + " is " + text(at.value) +
                        " at quiescence, " + report.now() + "; its waiters call for " +
                        text(expected));
}

void MonitoredChecks::add_to(Canonical& hash) const {
  std::uint64_t sum = 0;
  for (std::size_t f = 0; f < fences_.size(); ++f) {
    const Fence& fence = fences_[f];
    if (fence.slots.empty() && !fence.updated) continue;
    sum += hash_values(f, bits_of(fence.updated, fence.not_zero, fence.shared, fence.rings));
    for (const Slot& at : fence.slots) {
      sum += hash_values(pair_of(f, at.adapter), bits_of(at.seen, at.counted), at.value, at.opens);
    }
  }
  hash.add(sum);
}

}  // namespace fenceline::check
