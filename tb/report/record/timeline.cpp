#include "tb/report/record/timeline.h"

#include <string_view>
#include <utility>

namespace fenceline::report {

using common::ObjectKind;

void Timeline::add_mark(StoryMark mark, const std::string& agent, const Names& names) {
  const std::pair<Lane, ObjectKind> owners[] = {{Lane::kEngine, ObjectKind::kEngine},
                                                {Lane::kLink, ObjectKind::kLink},
                                                {Lane::kCore, ObjectKind::kCore},
                                                {Lane::kThread, ObjectKind::kThread},
                                                {Lane::kCmp, ObjectKind::kAdapter}};
  for (const auto& [lane, kind] : owners) {
    mark.lane = lane;
    mark.object = names.owner(kind, agent);
    if (mark.object != 0) break;
  }
  instants.push_back({mark.time, story.size(), static_cast<std::uint32_t>(mark.column + 1), 0,
                      Lane::kStory, InstantKind::kStory});
  story.push_back(std::move(mark));
}

std::vector<Placement> nest(const std::vector<const Slice*>& slices) {
  std::vector<Placement> rows;
  rows.reserve(slices.size());
  std::vector<std::vector<std::uint64_t>> open;  // by row: ends of the slices around, inmost last
  for (const Slice* slice : slices) {
    std::uint32_t row = 0;
    for (;; ++row) {
      if (row == open.size()) open.emplace_back();
      auto& ends = open[row];
      while (!ends.empty() && ends.back() <= slice->begin) ends.pop_back();
      if (ends.empty() || ends.back() >= slice->end) break;
    }
    rows.push_back({row, static_cast<std::uint32_t>(open[row].size())});
    open[row].push_back(slice->end);
  }
  return rows;
}

}  // namespace fenceline::report
