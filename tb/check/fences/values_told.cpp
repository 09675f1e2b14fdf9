#include "tb/check/fences/values_told.h"

#include <algorithm>

namespace fenceline::check {

using common::At;
using common::hash_values;
using common::ObjectKind;

void ToldValueChecks::on(const At<event::BatchBad>& event) {
  world_.report.checked(Invariant::kBatchWhole);
  Fence& fence = fences_[event.fence];
  fence.in_bad_batch = true;
  fence.told = event.value;
}

void ToldValueChecks::on(const At<event::CurrentValueVisible>& event) {
  const auto& [value, before, signal] = world_.landed();
  Fence& fence = fences_[event.fence];
  // All waits for a fence of a device in error are satisfied, whatever its queue still does.
  if (fence.queue != 0 && !world_.fences[event.fence].always_signaled) {
    world_.report.checked(Invariant::kProgressKept);
    if (value < fence.highest)
      fail_fence(Invariant::kProgressKept, event.fence,
                 "tells the progress of a queue and falls from " + text(fence.highest) + " to " +
                     text(value));
    fence.highest = std::max(fence.highest, value);
  }
  if (!fence.in_bad_batch || signal != nullptr || value != fence.told) return;
  fail_fence(Invariant::kBatchWhole, event.fence,
             "took the value " + text(value) + " of a batch that had a bad handle in it");
}

void ToldValueChecks::on(const At<event::ProgressFence>& event) {
  fences_[event.fence].queue = event.queue;
}

void ToldValueChecks::on(const At<event::SignalBegin>& event) {
  Fence& fence = fences_[event.fence];
  if (fence.queue == 0) return;
  world_.report.checked(Invariant::kProgress);
  const std::string queue = world_.report.name(ObjectKind::kQueue, event.queue);
  if (fence.queue != event.queue)
    fail_fence(Invariant::kProgress, event.fence,
               "tells the progress of another queue than " + queue + ", which signals it to " +
                   text(event.value));
  else if (event.value <= fence.progress)
    fail_fence(
        Invariant::kProgress, event.fence,
        "is signalled to " + text(event.value) + " by " + queue + " after " + text(fence.progress));
  fence.progress = event.value;
}

void ToldValueChecks::add_to(Canonical& hash) const {
  std::uint64_t sum = 0;
  for (std::size_t f = 0; f < fences_.size(); ++f) {
    const Fence& fence = fences_[f];
    if (fence.in_bad_batch) sum += hash_values(pair_of(1, f), fence.told);
    if (fence.queue != 0) sum += hash_values(pair_of(2, f), fence.progress, fence.highest);
  }
  hash.add(sum);
}

}  // namespace fenceline::check
