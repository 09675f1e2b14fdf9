#include "tb/campaign/page.h"

#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "tb/report/record/packing.h"
#include "tb/report/writers/page.h"

namespace fenceline::campaign {

namespace {

using Json = nlohmann::ordered_json;

/// Points of each group that count, with the number of runs that hit them: 0 for a hole.
Json groups_of(const coverage::Table& table) {
  const coverage::Space& space = coverage::Space::all();
  Json groups = Json::array();
  for (std::size_t i = 0; i < coverage::kGroups; ++i) {
    const auto group = static_cast<coverage::Group>(i);
    const coverage::Table::Share share = table.share(group);
    Json points = Json::array();
    for (coverage::Point point = space.begin(group); point < space.end(group); ++point)
      if (table.counts(point)) points.push_back({space.name(point), table.runs_of(point)});
    groups.push_back({{"name", coverage::words_of(group).name},
                      {"meaning", coverage::words_of(group).meaning},
                      {"hit", share.hit},
                      {"all", share.all},
                      {"points", std::move(points)}});
  }
  return groups;
}

/// For each feature the runs in which it was in flight with each of the features.
Json features_of(const coverage::Table& table) {
  const coverage::Space& space = coverage::Space::all();
  const std::size_t count = space.features().size();
  Json features = Json::array();
  for (std::size_t a = 0; a < count; ++a) {
    Json runs = Json::array();
    for (std::size_t b = 0; b < count; ++b)
      runs.push_back(table.runs_of(space.pair(std::min(a, b), std::max(a, b))));
    features.push_back({{"name", space.features()[a]}, {"with", std::move(runs)}});
  }
  return features;
}

}  // namespace

void write_page(const report::PageKind& page, const Results& results, const Repeat& repeat,
                report::Output& out) {
  Json meta{{"codec", report::kPageCodec}};
  meta["campaign"] = results_document(results);
  meta["command"] = repeat.run;
  meta["findings"] = Json::array();  // in the order of the failures
  std::size_t i = 0;
  for (const auto& [key, group] : results.totals.groups) {
    const Finding& finding = results.findings.at(i++);
    meta["findings"].push_back({{"command", repeat.failure(group.failure, finding.file)},
                                {"document", finding.scenario},
                                {"counterexample", finding.counterexample}});
  }
  const coverage::Table& table = results.totals.coverage;
  Json coverage;
  if (table.runs() != 0)
    coverage = {
        {"runs", table.runs()}, {"groups", groups_of(table)}, {"features", features_of(table)}};
  const Json runs = runs_document(results.totals.figures);
  report::fill_page(page, fmt::format("Campaign of {}", results.constraints), std::move(meta),
                    report::packed(coverage.dump()) + "\n" +
                        report::packed(runs.dump(-1, ' ', false, Json::error_handler_t::replace)),
                    out);
}

}  // namespace fenceline::campaign
