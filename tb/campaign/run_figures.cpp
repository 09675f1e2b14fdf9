#include "tb/campaign/run_figures.h"

#include <fmt/format.h>
#include <map>
#include <nlohmann/json.hpp>

#include "tb/coverage/space.h"
#include "tb/report/writers/csv.h"

namespace fenceline::campaign {

using Json = nlohmann::ordered_json;

namespace {

/// Groups of points that are features of a run, with the first word of their names.
constexpr std::pair<coverage::Group, const char*> kFeatures[] = {
    {coverage::Group::kStep, "step"}, {coverage::Group::kCommand, "command"}};

/// Calls `visit` for the point of each feature.
template <class Visit>
void for_each_feature(const Visit& visit) {
  const coverage::Space& space = coverage::Space::all();
  for (const auto& [group, word] : kFeatures)
    for (coverage::Point point = space.begin(group); point < space.end(group); ++point)
      visit(point, word);
}

std::vector<const RunFigures*> shown_of(const std::vector<RunFigures>& runs, std::size_t most) {
  const std::size_t stride = std::max<std::size_t>(1, (runs.size() + most - 1) / most);
  std::vector<const RunFigures*> shown;
  for (std::size_t i = 0; i < runs.size(); ++i)
    if (i % stride == 0 || !runs[i].cause.empty()) shown.push_back(&runs[i]);
  return shown;
}

/// A column of numbers; null for runs that did not come to their end.
template <class Value>
Json column(const std::vector<const RunFigures*>& runs, const Value& value) {
  Json list = Json::array();
  for (const RunFigures* run : runs) {
    const std::optional<std::uint64_t> number = value(*run);
    list.push_back(number ? Json(*number) : Json());
  }
  return list;
}

void add_searches(const std::vector<const RunFigures*>& runs, Json& document) {
  const auto of = [&](auto member) {
    return column(runs, [member](const RunFigures& it) {
      return it.searched ? std::optional<std::uint64_t>((*it.searched).*member) : std::nullopt;
    });
  };
  document["states"] = of(&Searched::states);
  document["executions"] = of(&Searched::executions);
}

/// Features that some runs have and others do not: their names, and a digit for each run: 1 if it
/// has the feature.
Json features_document(const std::vector<const RunFigures*>& runs) {
  Json list = Json::array();
  const std::vector<std::string> names = feature_names();
  for (std::size_t i = 0; i < names.size(); ++i) {
    std::string digits;
    for (const RunFigures* run : runs)
      digits += i < run->features.size() && run->features[i] ? '1' : '0';
    if (digits.find('0') == std::string::npos || digits.find('1') == std::string::npos) continue;
    list.push_back({{"name", names[i]}, {"runs", digits}});
  }
  return list;
}

}  // namespace

std::vector<std::string> feature_names() {
  std::vector<std::string> names;
  for_each_feature([&](coverage::Point point, const char* word) {
    names.push_back(fmt::format("{} {}", word, coverage::Space::all().name(point)));
  });
  return names;
}

RunFigures figures_of(std::uint64_t seed, const Evaluation& evaluation) {
  RunFigures figures;
  figures.seed = seed;
  if (!evaluation.failures.empty()) figures.cause = evaluation.failures.front().cause;
  figures.time = evaluation.time;
  figures.events = evaluation.events;
  figures.searched = evaluation.searched;
  if (evaluation.coverage)
    for_each_feature([&](coverage::Point point, const char* /*word*/) {
      figures.features.push_back(evaluation.coverage->has(point));
    });
  return figures;
}

void write_runs_csv(const std::vector<RunFigures>& runs, bool timed, report::Output& out) {
  out.print("seed,failure,{},events,states,executions\n", timed ? "time_ps" : "steps");
  for (const RunFigures& it : runs) {
    out.print("{},{},", it.seed, report::csv_field(it.cause));
    if (it.events != 0) out.print("{},{}", it.time, it.events);
    if (it.events == 0) out.print(",");
    if (it.searched)
      out.print(",{},{}\n", it.searched->states, it.searched->executions);
    else
      out.print(",,\n");
  }
}

Json runs_document(const std::vector<RunFigures>& runs, std::size_t most) {
  const std::vector<const RunFigures*> shown = shown_of(runs, most);
  std::map<std::string, std::size_t> places;
  Json causes = Json::array({""});  // passed
  Json failures = Json::array();
  bool searched = false;
  for (const RunFigures* it : shown) {
    const auto [place, fresh] =
        places.try_emplace(it->cause, it->cause.empty() ? 0 : causes.size());
    if (fresh && !it->cause.empty()) causes.push_back(it->cause);
    failures.push_back(place->second);
    searched = searched || it->searched;
  }
  const auto ended = [](auto member) {
    return [member](const RunFigures& it) {
      return it.events != 0 ? std::optional<std::uint64_t>(it.*member) : std::nullopt;
    };
  };
  Json document{{"all", runs.size()}, {"causes", causes}, {"failure", failures}};
  document["seed"] = column(shown, [](const RunFigures& it) { return std::optional(it.seed); });
  document["time"] = column(shown, ended(&RunFigures::time));
  document["events"] = column(shown, ended(&RunFigures::events));
  if (searched) add_searches(shown, document);
  document["features"] = features_document(shown);
  return document;
}

}  // namespace fenceline::campaign
