#include "tb/report/writers/page_columns.h"

#include <algorithm>
#include <fmt/format.h>
#include <limits>
#include <map>
#include <utility>

#include "tb/report/record/packing.h"
#include "tb/report/record/timeline_words.h"

namespace fenceline::report {

namespace {

constexpr std::uint64_t kExact = std::uint64_t{1} << 53;  ///< numbers below are exact in the page

std::uint64_t value_of(const Slice& slice) {
  if (is_transfer(slice.kind)) return slice.detail & 0xffff'ffffU;
  return has_value(slice.kind) ? slice.detail : 0;
}

std::uint64_t value_of(const Instant& instant) { return has_value(instant) ? instant.detail : 0; }

}  // namespace

PageColumns::PageColumns(const Timeline& timeline, const Tracks& tracks, const Names& names,
                         const std::vector<ValueSeries>& series)
    : timeline_(timeline), tracks_(tracks) {
  slices_.reserve(timeline.slices.size());
  instants_.reserve(timeline.instants.size());
  for (const Track& track : tracks.tracks) lay_out(track, names);
  sort();
  write_counts(slices_);
  write_counts(instants_);
  write_slices();
  write_instants();
  write_flows();
  for (const ValueSeries& one : series) write_series(one);
}

/// One row per row and depth of the lane; instants are on its first.
void PageColumns::lay_out(const Track& track, const Names& names) {
  const std::vector<Placement> places = nest(track.slices);
  const std::string name = lane_name(track.lane, track.object, names);
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> numbers{{{0, 0}, 0}};
  for (const Placement& it : places) numbers[{it.row, it.depth}] = 0;
  for (auto& [place, number] : numbers) {
    number = static_cast<std::uint32_t>(rows.size());
    rows.push_back({group_name(track.lane),
                    place.first == 0 ? name : fmt::format("{} ({})", name, place.first + 1),
                    place.second});
  }
  const Slice* const first = timeline_.slices.data();
  for (std::size_t i = 0; i < places.size(); ++i)
    slices_.push_back({numbers[{places[i].row, places[i].depth}],
                       static_cast<std::uint32_t>(track.slices[i] - first)});
  for (const std::uint32_t i : track.instants) instants_.push_back({numbers[{0, 0}], i});
}

void PageColumns::sort() {
  const auto by_row = [](const Placed& one, const Placed& other) { return one.row < other.row; };
  std::stable_sort(slices_.begin(), slices_.end(), by_row);
  std::stable_sort(instants_.begin(), instants_.end(), [&](const Placed& one, const Placed& other) {
    return std::pair(one.row, timeline_.instants[one.index].time) <
           std::pair(other.row, timeline_.instants[other.index].time);
  });
}

void PageColumns::column(const Numbers& numbers) {
  constexpr unsigned kByte = 8;
  std::uint64_t all = 0;
  for (const std::uint64_t number : numbers) all |= number;
  char width = 0;
  for (; all != 0; all >>= kByte) ++width;
  bytes += width;
  for (unsigned shift = 0; width > 0; --width, shift += kByte)
    for (const std::uint64_t number : numbers) bytes += static_cast<char>(number >> shift);
}

template <class Items, class Of>
void PageColumns::write(const Items& items, Of of) {
  Numbers numbers;
  numbers.reserve(items.size());
  for (const auto& it : items) numbers.push_back(of(it));
  column(numbers);
}

std::uint64_t PageColumns::difference(std::uint64_t from, std::uint64_t to) {
  constexpr std::uint64_t kNobody = std::numeric_limits<std::uint64_t>::max();
  if (to >= kExact && to != kNobody) wide = true;
  return zigzag(to - from);
}

void PageColumns::write_counts(const std::vector<Placed>& items) {
  Numbers counts(rows.size());
  for (const Placed& it : items) ++counts[it.row];
  column(counts);
}

template <class Value>
void PageColumns::write_values(const std::vector<Placed>& items,
                               const std::vector<std::uint32_t>& titles, Value value) {
  write(items, [&](const Placed& it) { return titles[it.index]; });
  Numbers last(tracks_.titles.size());
  write(items, [&](const Placed& it) {
    return difference(std::exchange(last[titles[it.index]], value(it)), value(it));
  });
}

void PageColumns::write_slices() {
  std::uint32_t row = 0;
  std::uint64_t before = 0;
  write(slices_, [&](const Placed& it) {
    if (std::exchange(row, it.row) != it.row) before = 0;
    return slice(it).begin - std::exchange(before, slice(it).begin);
  });
  write(slices_, [&](const Placed& it) { return slice(it).end - slice(it).begin; });
  write_values(slices_, tracks_.slice_titles,
               [&](const Placed& it) { return value_of(slice(it)); });
  write(slices_, [&](const Placed& it) { return is_suspect(slice(it)) ? 1U : 0U; });
  write(slices_, [&](const Placed& it) { return slice(it).place; });
}

void PageColumns::write_instant_times() {
  Numbers behind, since;
  std::size_t edge = 0;  // 2 * slice, + 1 for its end
  std::uint32_t row = 0;
  std::uint64_t last = 0;
  for (const Placed& it : instants_) {
    if (std::exchange(row, it.row) != it.row) last = 0;
    while (edge / 2 < slices_.size() && slices_[edge / 2].row < it.row) edge += 2 - edge % 2;
    std::uint64_t count = 0;
    for (; edge / 2 < slices_.size() && slices_[edge / 2].row == it.row; ++edge, ++count) {
      const Slice& at = slice(slices_[edge / 2]);
      const std::uint64_t time = edge % 2 == 0 ? at.begin : at.end;
      if (time > instant(it).time) break;
      last = time;
    }
    behind.push_back(count);
    since.push_back(instant(it).time - last);
    last = instant(it).time;
  }
  column(behind);
  column(since);
}

void PageColumns::write_instants() {
  write_instant_times();
  write_values(instants_, tracks_.instant_titles,
               [&](const Placed& it) { return value_of(instant(it)); });
  write(instants_, [&](const Placed& it) { return instant(it).place; });
}

void PageColumns::write_flows() {
  const auto places = [](const std::vector<Placed>& items) {
    std::vector<std::uint32_t> place(items.size());
    for (std::uint32_t i = 0; i < items.size(); ++i) place[items[i].index] = i;
    return place;
  };
  const std::vector<std::uint32_t> signals = places(slices_), releases = places(instants_);
  std::vector<Flow> sorted = timeline_.flows;
  const auto key = [&](const Flow& flow) {
    return std::tuple(timeline_.slices[flow.signal].begin, signals[flow.signal],
                      releases[flow.release]);
  };
  std::sort(sorted.begin(), sorted.end(),
            [&](const Flow& one, const Flow& other) { return key(one) < key(other); });
  flows = sorted.size();
  std::uint64_t last = 0;
  write(sorted, [&](const Flow& flow) {
    return difference(std::exchange(last, signals[flow.signal]), signals[flow.signal]);
  });
  last = 0;
  write(sorted, [&](const Flow& flow) {
    return difference(std::exchange(last, releases[flow.release]), releases[flow.release]);
  });
}

void PageColumns::write_series(const ValueSeries& series) {
  std::uint64_t last = 0;
  write(series.points,
        [&](const auto& point) { return point.first - std::exchange(last, point.first); });
  last = 0;
  write(series.points, [&](const auto& point) {
    return difference(std::exchange(last, point.second), point.second);
  });
}

}  // namespace fenceline::report
