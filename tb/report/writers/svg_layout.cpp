#include "tb/report/writers/svg_layout.h"

#include <algorithm>

#include "tb/report/record/timeline_words.h"
#include "tb/report/record/tracks.h"

namespace fenceline::report {

using common::ObjectKind;

namespace {

constexpr std::uint32_t kMaxRows = 6;
constexpr double kGap = 6, kHeading = 20;

/// Sleeps and thread states fill the whole run, so they do not show where something happens.
bool is_background(const Slice& slice) {
  return slice.kind == SliceKind::kIdle || slice.kind == SliceKind::kRunning ||
         slice.kind == SliceKind::kReady;
}

}  // namespace

SvgLayout::SvgLayout(const Timeline& timeline, const Names& names,
                     const std::optional<DrawnSpan>& window) {
  if (window) {
    begin = window->begin;
    end = window->end;
  } else {
    choose_window(timeline);
  }
  collect(timeline, names);
  place();
}

void SvgLayout::choose_window(const Timeline& timeline) {
  std::uint64_t first = timeline.end_time, last = 0;
  std::size_t count = 0;
  for (const Slice& slice : timeline.slices) {  // by begin
    if (count++ == kMaxSlices) {
      last = std::max(first + 1, slice.begin);
      break;
    }
    if (is_background(slice)) continue;
    first = std::min(first, slice.begin);
    last = std::max(last, slice.open ? slice.begin : slice.end);
  }
  if (count <= kMaxSlices) {
    for (const Instant& instant : timeline.instants) {
      first = std::min(first, instant.time);
      last = std::max(last, instant.time);
    }
  }
  if (last <= first) {
    first = 0;
    last = std::max<std::uint64_t>(timeline.end_time, 1);
  }
  const std::uint64_t margin = (last - first) / 40 + 1;
  begin = first > margin && first > (last - first) / 5 ? first - margin : 0;
  end = last + margin;
}

void SvgLayout::collect(const Timeline& timeline, const Names& names) {
  std::map<Key, SvgLane> found;
  const auto at = [&](Lane lane, std::uint32_t object) -> SvgLane& {
    SvgLane& it = found[{lane, object}];
    it.lane = lane;
    it.object = object;
    return it;
  };
  const std::pair<Lane, ObjectKind> always[] = {{Lane::kQueue, ObjectKind::kQueue},
                                                {Lane::kThread, ObjectKind::kThread}};
  for (const auto& [lane, kind] : always) {
    for (std::uint32_t i = 1; i <= names.count(kind); ++i) at(lane, i);
  }
  std::size_t drawn = 0;
  for (const Slice& slice : timeline.slices) {
    if (slice.end < begin) continue;
    if (slice.begin > end || drawn == kMostSlices) {
      ++left_out_slices;
      continue;
    }
    ++drawn;
    if (slice.lane == Lane::kThreadState) {
      at(Lane::kThread, slice.object).states.push_back(&slice);
    } else {
      at(slice.lane, slice.object).slices.push_back(&slice);
    }
  }
  for (const Instant& instant : timeline.instants) {
    if (instant.lane == Lane::kStory) continue;  // its marks lie on the other lanes
    if (instant.time < begin || instant.time > end) continue;
    at(instant.lane, instant.object).instants.push_back(&instant);
  }
  for (auto& [key, lane] : found) {
    if (lanes.size() == kMaxLanes) {
      ++left_out_lanes;
      continue;
    }
    lane.name = lane_name(lane.lane, lane.object, names);
    index_[key] = lanes.size();
    lanes.push_back(std::move(lane));
  }
}

void SvgLayout::place() {
  double y = kTop;
  Lane last = Lane::kCount;
  for (SvgLane& lane : lanes) {
    if (lane.lane != last) {
      lane.group = group_name(lane.lane);
      y += kHeading;
    }
    last = lane.lane;
    lane.places = nest(lane.slices);
    for (Placement& it : lane.places) {
      it.row = std::min(it.row, kMaxRows - 1);
      lane.rows = std::max(lane.rows, it.row + 1);
    }
    lane.top = y;
    lane.height = lane.rows * kRow + (lane.lane == Lane::kThread ? kStateStrip : 0);
    y += lane.height + kGap;
  }
  bottom = y;
}

void SvgLayout::move_down(double by) {
  top += by;
  bottom += by;
  for (SvgLane& lane : lanes) lane.top += by;
}

double SvgLayout::x(std::uint64_t time) const {
  const std::uint64_t inside = std::clamp(time, begin, end) - begin;
  return kLeft +
         (kWidth - kLeft - kRight) * static_cast<double>(inside) / static_cast<double>(end - begin);
}

const SvgLane* SvgLayout::find(Lane lane, std::uint32_t object) const {
  const auto it = index_.find({lane, object});
  return it == index_.end() ? nullptr : &lanes[it->second];
}

}  // namespace fenceline::report
