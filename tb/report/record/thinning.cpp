#include "tb/report/record/thinning.h"

#include <algorithm>
#include <set>
#include <string_view>
#include <utility>

#include "tb/report/record/timeline_words.h"

namespace fenceline::report {

namespace {

using LaneKey = std::pair<Lane, std::uint32_t>;

template <class Item>
LaneKey key_of(const Item& item) {
  return {item.lane, item.object};
}

bool stays(const Slice& slice) { return slice.kind == SliceKind::kLost || is_suspect(slice); }

bool stays(const Instant& instant) {
  return instant.kind == InstantKind::kStory || is_fault(instant);
}

std::set<LaneKey> lanes_to_keep(const Timeline& timeline) {
  std::set<LaneKey> lanes;
  for (const Slice& it : timeline.slices)
    if (stays(it)) lanes.insert(key_of(it));
  for (const Instant& it : timeline.instants)
    if (stays(it)) lanes.insert(key_of(it));
  return lanes;
}

/// Marks what stays of `items`: all of some lanes, and of the others those that come first in
/// `before`, as far as `most` allows.
template <class Item, class Before>
std::vector<bool> kept(const std::vector<Item>& items, const std::set<LaneKey>& lanes,
                       std::size_t most, Before before) {
  std::vector<bool> keep(items.size(), true);
  if (items.size() <= most) return keep;
  std::vector<std::size_t> others;
  for (std::size_t i = 0; i < items.size(); ++i)
    if (lanes.count(key_of(items[i])) == 0) others.push_back(i);
  const std::size_t fixed = items.size() - others.size();
  const std::size_t room = std::min(others.size(), most - std::min(most, fixed));
  std::stable_sort(others.begin(), others.end(), before);
  for (std::size_t i = room; i < others.size(); ++i) keep[others[i]] = false;
  return keep;
}

/// The items that stay, and the new place of each.
template <class Item>
std::vector<std::size_t> take(const std::vector<Item>& items, const std::vector<bool>& keep,
                              std::vector<Item>& into) {
  std::vector<std::size_t> places(items.size());
  for (std::size_t i = 0; i < items.size(); ++i) {
    places[i] = into.size();
    if (keep[i]) into.push_back(items[i]);
  }
  return places;
}

std::size_t values_of(const std::vector<ValueSeries>& series) {
  std::size_t count = 0;
  for (const ValueSeries& it : series) count += it.points.size();
  return count;
}

/// Of each group of neighbours, the lowest and the highest value. About `most` points.
void thin(ValueSeries& series, std::size_t most) {
  if (series.points.size() <= most) return;
  const auto lower = [](const auto& one, const auto& other) { return one.second < other.second; };
  const std::size_t groups = std::max<std::size_t>(1, most / 2);
  const std::size_t size = (series.points.size() + groups - 1) / groups;
  decltype(series.points) kept;
  for (auto at = series.points.begin(); at != series.points.end();) {
    const auto left = static_cast<std::size_t>(series.points.end() - at);
    const auto end = at + static_cast<std::ptrdiff_t>(std::min(size, left));
    const auto [low, high] = std::minmax_element(at, end, lower);
    kept.push_back(std::min(*low, *high));
    if (low != high) kept.push_back(std::max(*low, *high));
    at = end;
  }
  series.points = std::move(kept);
}

/// Each series keeps a share by its length.
std::vector<ValueSeries> thinned(std::vector<ValueSeries> series, std::size_t most) {
  const auto all = static_cast<double>(values_of(series));
  if (all <= static_cast<double>(most)) return series;
  for (ValueSeries& it : series)
    thin(it, static_cast<std::size_t>(static_cast<double>(it.points.size()) / all *
                                      static_cast<double>(most)));
  return series;
}

/// A number whose order has neighbours far apart: its bits from the lowest to the highest.
std::uint64_t mirrored(std::uint64_t number) {
  std::uint64_t result = 0;
  for (unsigned bit = 0; bit < 64; ++bit) result = result << 1 | (number >> bit & 1U);
  return result;
}

}  // namespace

std::optional<Thinned> thinned(const Timeline& timeline, std::size_t most) {
  if (timeline.slices.size() <= most && timeline.instants.size() <= most &&
      values_of(timeline.series) <= most)
    return std::nullopt;
  const std::set<LaneKey> lanes = lanes_to_keep(timeline);
  const auto lasts = [&](std::size_t i) {
    return timeline.slices[i].end - timeline.slices[i].begin;
  };
  const std::vector<bool> slices =
      kept(timeline.slices, lanes, most,
           [&](std::size_t one, std::size_t other) { return lasts(one) > lasts(other); });
  const std::vector<bool> instants =
      kept(timeline.instants, lanes, most,
           [](std::size_t one, std::size_t other) { return mirrored(one) < mirrored(other); });
  Thinned result;
  Timeline& into = result.timeline;
  const std::vector<std::size_t> slice_places = take(timeline.slices, slices, into.slices);
  const std::vector<std::size_t> instant_places = take(timeline.instants, instants, into.instants);
  for (const Flow& it : timeline.flows)
    if (slices[it.signal] && slices[it.wait] && instants[it.release])
      into.flows.push_back(
          {slice_places[it.signal], slice_places[it.wait], instant_places[it.release]});
  into.story = timeline.story;
  into.places = timeline.places;
  into.end_time = timeline.end_time;
  into.series = thinned(timeline.series, most);
  result.values_left_out = values_of(timeline.series) - values_of(into.series);
  result.left_out =
      timeline.slices.size() + timeline.instants.size() - into.slices.size() - into.instants.size();
  if (result.left_out == 0 && result.values_left_out == 0) return std::nullopt;
  return result;
}

}  // namespace fenceline::report
