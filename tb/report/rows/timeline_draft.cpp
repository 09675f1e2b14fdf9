#include "tb/report/rows/timeline_draft.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace fenceline::report {

std::size_t TimelineDraft::begin(SliceKind kind, std::uint64_t time, const Shown& shown) {
  Slice slice;
  slice.begin = slice.end = time;
  slice.detail = shown.detail;
  slice.object = static_cast<std::uint32_t>(shown.object);
  slice.fence = shown.fence;
  slice.owner = shown.owner;
  slice.process = shown.process;
  slice.place = place;
  slice.lane = shown.lane;
  slice.kind = kind;
  slice.open = true;
  timeline.slices.push_back(slice);
  return timeline.slices.size() - 1;
}

void TimelineDraft::end(std::size_t slice, std::uint64_t time) {
  if (slice == kNoSlice) return;
  timeline.slices[slice].end = time;
  timeline.slices[slice].open = false;
}

void TimelineDraft::end(Open& open, std::uint64_t key, std::uint64_t time) {
  const auto it = open.find(key);
  if (it == open.end()) return;
  end(it->second, time);
  open.erase(it);
}

std::size_t TimelineDraft::mark(InstantKind kind, std::uint64_t time, const Shown& shown) {
  timeline.instants.push_back({time, shown.detail, static_cast<std::uint32_t>(shown.object),
                               shown.fence, shown.lane, kind, shown.event, place});
  return timeline.instants.size() - 1;
}

Timeline TimelineDraft::finish(std::uint64_t end_time) {
  timeline.end_time = end_time;
  for (Slice& slice : timeline.slices) {
    if (slice.open) slice.end = std::max(end_time, slice.begin);
  }
  // Sort by begin; flows name slices by index, so they move along.
  std::vector<std::size_t> order(timeline.slices.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::stable_sort(order.begin(), order.end(), [&](std::size_t x, std::size_t y) {
    const Slice &one = timeline.slices[x], &other = timeline.slices[y];
    return one.begin != other.begin ? one.begin < other.begin : one.end > other.end;
  });
  std::vector<Slice> sorted;
  sorted.reserve(order.size());
  std::vector<std::size_t> moved(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) {
    sorted.push_back(timeline.slices[order[i]]);
    moved[order[i]] = i;
  }
  timeline.slices = std::move(sorted);
  for (Flow& flow : timeline.flows) {
    flow.signal = moved[flow.signal];
    flow.wait = moved[flow.wait];
  }
  return std::move(timeline);
}

}  // namespace fenceline::report
