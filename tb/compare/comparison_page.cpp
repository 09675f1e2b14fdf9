#include "tb/compare/comparison_page.h"

#include <array>
#include <fmt/format.h>
#include <utility>

#include "tb/report/writers/page.h"

namespace fenceline::compare {

namespace {

Json sections_of(const Comparison& comparison) {
  Json list = Json::array();
  for (const Section& section : comparison.sections) {
    Json differences = Json::array();
    for (const Difference& it : section.differences)
      differences.push_back({it.name, it.a, it.b, it.ratio ? Json(*it.ratio) : Json()});
    list.push_back({{"title", section.title}, {"differences", std::move(differences)}});
  }
  return list;
}

/// Numbers, since there may be many: the change, 1 for a span, and the places in A and in B, -1 for
/// none.
Json timeline_of(const std::vector<TimelineDifference>& differences) {
  Json list = Json::array();
  for (const TimelineDifference& it : differences) {
    const bool in_a = it.change != Change::kNew, in_b = it.change != Change::kMissing;
    list.push_back({static_cast<int>(it.change), (in_a ? it.a : it.b).span ? 1 : 0,
                    in_a ? Json(it.a.place) : Json(-1), in_b ? Json(it.b.place) : Json(-1)});
  }
  return list;
}

Json changes() {
  Json names = Json::array();
  for (std::size_t i = 0; i < static_cast<std::size_t>(Change::kCount); ++i)
    names.push_back(change_name(static_cast<Change>(i)));
  return names;
}

}  // namespace

void write_comparison_page(const report::PageKind& page, const RunFiles& a, const RunFiles& b,
                           const Comparison& comparison, report::Output& out) {
  Json meta;
  meta["equal"] = comparison.equal();
  meta["folders"] = {a.folder, b.folder};
  meta["runs"] = {a.timeline->meta, b.timeline->meta};
  meta["sections"] = sections_of(comparison);
  meta["changes"] = changes();
  meta["shifted"] = static_cast<int>(Change::kShifted);
  meta["differences"] = timeline_of(*comparison.timeline);
  report::fill_page(page, fmt::format("{} and {}", a.folder, b.folder), std::move(meta),
                    a.timeline->columns + "\n" + b.timeline->columns, out);
}

}  // namespace fenceline::compare
