#include "tb/report/record/timeline.h"

#include <string_view>
#include <utility>

namespace fenceline::report {

using common::ObjectKind;

namespace {

/// The object with the longest name that `agent` begins with; 0 if there is none.
std::uint32_t owner(ObjectKind kind, std::string_view agent, const Names& names) {
  std::uint32_t best = 0;
  for (std::uint32_t i = 1; i <= names.count(kind); ++i) {
    const std::string_view name = names.object(kind, i);
    const bool begins = agent.substr(0, name.size()) == name &&
                        (agent.size() == name.size() || agent[name.size()] == '.');
    if (begins && (best == 0 || name.size() > names.object(kind, best).size())) best = i;
  }
  return best;
}

}  // namespace

void Timeline::add_mark(StoryMark mark, const std::string& agent, const Names& names) {
  const std::pair<Lane, ObjectKind> owners[] = {{Lane::kEngine, ObjectKind::kEngine},
                                                {Lane::kLink, ObjectKind::kLink},
                                                {Lane::kCore, ObjectKind::kCore},
                                                {Lane::kThread, ObjectKind::kThread},
                                                {Lane::kCmp, ObjectKind::kAdapter}};
  for (const auto& [lane, kind] : owners) {
    mark.lane = lane;
    mark.object = owner(kind, agent, names);
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
