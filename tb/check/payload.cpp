#include "tb/check/payload.h"

#include <algorithm>

namespace fenceline::check {

using common::Event;
using common::Hasher;
using common::ObjectKind;

void PayloadChecks::on_issued(const Event& event) {
  constexpr std::size_t kMost = 4096;  // more than all FIFOs hold: an arrival was never told
  auto& writes = queues_[event.object].writes;
  if (writes.size() == kMost) writes.erase(writes.begin());
  writes.push_back({event.a, false});
}

void PayloadChecks::on_work_visible(const Event& event) {
  auto& writes = queues_[event.object].writes;
  const auto it = std::find_if(writes.begin(), writes.end(),
                               [&](const Write& write) { return write.number == event.a; });
  if (it == writes.end()) return;
  it->sent = true;
  if (event.b == 0) writes.erase(it);
  const auto settled = [&](const Bare& bare) { return bare.queue == event.object && settle(bare); };
  bare_.erase(std::remove_if(bare_.begin(), bare_.end(), settled), bare_.end());
}

void PayloadChecks::on_signal_begin(const Event& event) {
  const auto& writes = queues_[event.c].writes;
  Signal* signal = world_.signals.find(event.b);
  if (signal != nullptr && !writes.empty()) signal->work = writes.back().number;
}

void PayloadChecks::on_visible(const Event& event, const Signal* signal) {
  Bare bare;
  bare.value = event.a;
  bare.fence = event.object;
  if (signal != nullptr && signal->work != 0) {
    bare.work = signal->work;
    bare.queue = signal->queue;
    Fence& fence = fences_[event.object];
    fence.tested = std::max(fence.tested, event.a);
  }
  if (!settle(bare)) bare_.push_back(bare);
}

void PayloadChecks::on_create(const Event& event) {
  for (std::uint64_t& covered : fences_[event.object].covered) covered = std::max(covered, event.a);
}

void PayloadChecks::on_destroy(std::uint32_t fence) {
  fences_.forget(fence);
  const auto of_fence = [&](const Bare& bare) { return bare.fence == fence; };
  bare_.erase(std::remove_if(bare_.begin(), bare_.end(), of_fence), bare_.end());
}

bool PayloadChecks::missing(const Bare& bare, Reach reach) const {
  if (bare.work == 0) return false;
  for (const Write& write : queues_[bare.queue].writes)
    if (write.number <= bare.work && (reach == kHome || !write.sent)) return true;
  return false;
}

bool PayloadChecks::settle(const Bare& bare) {
  Fence& fence = fences_[bare.fence];
  for (const Reach reach : {kDevice, kHome}) {
    if (missing(bare, reach)) return false;
    fence.covered[reach] = std::max(fence.covered[reach], bare.value);
  }
  return true;
}

void PayloadChecks::judge(const Event& event, Reach reach) {
  const Fence& fence = fences_[event.object];
  if (fence.tested < event.a) return;
  Reporter& report = world_.report;
  report.checked(Invariant::kPayload);
  if (fence.covered[reach] >= event.a || world_.fences[event.object].always_signaled) return;
  for (const Bare& bare : bare_) {
    if (bare.fence != event.object || bare.value < event.a || !missing(bare, reach)) continue;
    if (!report.broken(Invariant::kPayload, event.object)) return;
    const bool queue = reach == kDevice;
    report.add(
        Invariant::kPayload, event.object,
        (queue ? "queue " + report.name(ObjectKind::kQueue, event.c) : "waiter " + text(event.b)) +
            " of fence " + report.fence(event.object) + " for value " + text(event.a) +
            " was released " + at_time(event.time) + " by the signal of " + text(bare.value) +
            " in queue " + report.name(ObjectKind::kQueue, bare.queue) +
            " while writes that the queue had issued before were still under way");
    return;
  }
}

void PayloadChecks::clear() {
  queues_.clear();
  fences_.clear();
  bare_.clear();
}

/// The device goes on from the same numbers: they are in its state too.
void PayloadChecks::add_to(Canonical& hash) const {
  std::uint64_t sum = 0;
  for (std::size_t q = 0; q < queues_.size(); ++q) {
    if (queues_[q].writes.empty()) continue;
    Hasher item;
    item.add(q);
    for (const Write& write : queues_[q].writes) item.add(write.number).add(bits_of(write.sent));
    sum += item.value();
  }
  for (std::size_t f = 0; f < fences_.size(); ++f) {
    const Fence& fence = fences_[f];
    const std::uint64_t home = world_.fences[f].home;
    for (const Reach reach : {kDevice, kHome}) {
      if (fence.covered[reach] != home)
        sum += Hasher().add(pair_of(f, reach)).add(fence.covered[reach]).value();
    }
  }
  for (const Bare& bare : bare_)
    sum += Hasher().add(pair_of(bare.fence, bare.queue)).add(bare.value).add(bare.work).value();
  world_.signals.each([&](const Signal& signal) {
    if (signal.work == 0 || signal.visible()) return;
    sum += Hasher().add(hash.signal(signal.number)).add(signal.work).value();
  });
  hash.add(sum);
}

}  // namespace fenceline::check
