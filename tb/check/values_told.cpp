#include "tb/check/values_told.h"

#include <algorithm>

namespace fenceline::check {

using common::Event;
using common::Hasher;
using common::ObjectKind;

void ToldValueChecks::on_batch_bad(const Event& event) {
  world_.report.checked(Invariant::kBatchWhole);
  Fence& fence = fences_[event.object];
  fence.in_bad_batch = true;
  fence.told = event.a;
}

void ToldValueChecks::on_visible(const Event& event, const Signal* signal) {
  Fence& fence = fences_[event.object];
  // Every wait for a fence of a device in error is satisfied, whatever its queue still does.
  if (fence.queue != 0 && !world_.fences[event.object].always_signaled) {
    world_.report.checked(Invariant::kProgressKept);
    if (event.a < fence.highest)
      fail(Invariant::kProgressKept, event.object,
           "tells the progress of a queue and falls from " + text(fence.highest) + " to " +
               text(event.a));
    fence.highest = std::max(fence.highest, event.a);
  }
  if (!fence.in_bad_batch || signal != nullptr || event.a != fence.told) return;
  fail(Invariant::kBatchWhole, event.object,
       "took the value " + text(event.a) + " of a batch that had a bad handle in it");
}

void ToldValueChecks::on_progress_fence(const Event& event) {
  fences_[event.a].queue = event.object;
}

void ToldValueChecks::on_signal_begin(const Event& event) {
  Fence& fence = fences_[event.object];
  if (fence.queue == 0) return;
  world_.report.checked(Invariant::kProgress);
  const std::string queue = world_.report.name(ObjectKind::kQueue, event.c);
  if (fence.queue != event.c)
    fail(Invariant::kProgress, event.object,
         "tells the progress of another queue than " + queue + ", which signals it to " +
             text(event.a));
  else if (event.a <= fence.progress)
    fail(Invariant::kProgress, event.object,
         "is signalled to " + text(event.a) + " by " + queue + " after " + text(fence.progress));
  fence.progress = event.a;
}

void ToldValueChecks::fail(Invariant invariant, std::uint32_t fence, const std::string& what) {
  Reporter& report = world_.report;
  if (!report.broken(invariant, fence)) return;
  report.add(invariant, fence,
             "fence " + report.fence(fence) + " " + what + " " + at_time(report.time()));
}

void ToldValueChecks::add_to(Canonical& hash) const {
  std::uint64_t sum = 0;
  for (std::size_t f = 0; f < fences_.size(); ++f) {
    const Fence& fence = fences_[f];
    if (fence.in_bad_batch) sum += Hasher().add(pair_of(1, f)).add(fence.told).value();
    if (fence.queue != 0)
      sum += Hasher().add(pair_of(2, f)).add(fence.progress).add(fence.highest).value();
  }
  hash.add(sum);
}

}  // namespace fenceline::check
