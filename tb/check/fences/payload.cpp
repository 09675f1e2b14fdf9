#include "tb/check/fences/payload.h"

#include <algorithm>

namespace fenceline::check {

using common::At;
using common::hash_values;
using common::Hasher;
using common::ObjectKind;

void PayloadChecks::on(const At<event::WorkIssued>& event) {
  constexpr std::size_t kMax = 4096;  // more than all FIFOs hold: an arrival event is missing
  auto& writes = queues_[event.queue].writes;
  if (writes.size() == kMax) writes.erase(writes.begin());
  writes.push_back({event.write, false});
}

void PayloadChecks::on(const At<event::WorkVisible>& event) {
  auto& writes = queues_[event.queue].writes;
  const auto it = std::find_if(writes.begin(), writes.end(),
                               [&](const Write& write) { return write.number == event.write; });
  if (it == writes.end()) return;
  it->sent = true;
  if (!event.on_link) writes.erase(it);
  const auto settled = [&](const Bare& bare) { return bare.queue == event.queue && settle(bare); };
  bare_.erase(std::remove_if(bare_.begin(), bare_.end(), settled), bare_.end());
}

void PayloadChecks::on(const At<event::SignalBegin>& event) {
  const auto& writes = queues_[event.queue].writes;
  Signal* signal = world_.signals.find(event.signal);
  if (signal != nullptr && !writes.empty()) signal->work = writes.back().number;
}

void PayloadChecks::on(const At<event::CurrentValueVisible>& event) {
  const auto& [value, before, signal] = world_.landed();
  Bare bare;
  bare.value = value;
  bare.fence = event.fence;
  if (signal != nullptr && signal->work != 0) {
    bare.work = signal->work;
    bare.queue = signal->queue;
    Fence& fence = fences_[event.fence];
    fence.tested = std::max(fence.tested, value);
  }
  if (!settle(bare)) bare_.push_back(bare);
}

void PayloadChecks::on(const At<event::FenceCreate>& event) {
  for (std::uint64_t& covered : fences_[event.fence].covered)
    covered = std::max(covered, event.initial);
}

void PayloadChecks::on_destroyed(std::uint32_t fence) {
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

void PayloadChecks::judge(std::uint32_t number, std::uint64_t value, Reach reach,
                          std::uint64_t who) {
  const Fence& fence = fences_[number];
  if (fence.tested < value) return;
  Reporter& report = world_.report;
  report.checked(Invariant::kPayload);
  if (fence.covered[reach] >= value || world_.fences[number].always_signaled) return;
  for (const Bare& bare : bare_) {
    if (bare.fence != number || bare.value < value || !missing(bare, reach)) continue;
    const std::string waiter =
        reach == kDevice ? "queue " + report.name(ObjectKind::kQueue, who) : "waiter " + text(who);
    report.fail_fence(Invariant::kPayload, number,
                      waiter + " of fence " + report.fence(number) + " for value " + text(value) +
                          " was released " + report.now() + " by the signal of " +
                          text(bare.value) + " in queue " +
                          report.name(ObjectKind::kQueue, bare.queue) +
                          " while writes that the queue had issued before were still under way");
    return;
  }
}

/// Write numbers count over the run, but they are equal in equal device states.
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
      if (fence.covered[reach] != home) sum += hash_values(pair_of(f, reach), fence.covered[reach]);
    }
  }
  for (const Bare& bare : bare_)
    sum += hash_values(pair_of(bare.fence, bare.queue), bare.value, bare.work);
  world_.signals.each([&](const Signal& signal) {
    if (signal.work == 0 || signal.visible()) return;
    sum += hash_values(hash.signal(signal.number), signal.work);
  });
  hash.add(sum);
}

}  // namespace fenceline::check
