#include "tb/report/writers/page.h"

#include <array>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "tb/report/record/packing.h"
#include "tb/report/record/thinning.h"
#include "tb/report/record/timeline_words.h"
#include "tb/report/writers/json_writers.h"
#include "tb/report/writers/page_columns.h"

namespace fenceline::report {

namespace {

using PageJson = nlohmann::ordered_json;

/// The class of each title, in the order of the titles.
PageJson colours(const Timeline& timeline, const Tracks& tracks) {
  std::vector<const char*> list(tracks.titles.size(), "");
  for (std::size_t i = 0; i < timeline.slices.size(); ++i)
    list[tracks.slice_titles[i]] = style(timeline.slices[i]);
  for (std::size_t i = 0; i < timeline.instants.size(); ++i)
    list[tracks.instant_titles[i]] = style(timeline.instants[i]);
  return list;
}

PageJson rows_of(const PageColumns& columns) {
  PageJson rows = PageJson::array();
  for (const PageRow& row : columns.rows)
    rows.push_back({{"group", row.group}, {"name", row.name}, {"depth", row.depth}});
  for (PageJson& row : rows)
    if (row["group"] == group_name(Lane::kStory)) row["kind"] = "story";
  return rows;
}

PageJson counters_of(const std::vector<ValueSeries>& series) {
  PageJson list = PageJson::array();
  for (const ValueSeries& one : series)
    list.push_back({{"name", one.name},
                    {"group", one.group},
                    {"unit", one.unit},
                    {"points", one.points.size()}});
  return list;
}

/// Line, column and object of each place in the scenario.
PageJson places_of(const Timeline& timeline) {
  PageJson list = PageJson::array();
  for (const ScenarioPlace& it : timeline.places) list.push_back({it.line, it.column, it.object});
  return list;
}

/// Adds what result.json, stats.json and config.json say of the run. The page does not show how
/// often each invariant was put to the test: a long list. It says each reason once.
void add_files(const RunReport& report, PageJson& meta) {
  meta["result"] = result_document(report);
  meta["result"].erase("exercised");
  meta["result"]["reasons"] = other_reasons(report);
  const PageJson stats = stats_document(report);
  meta["latencies"] = stats.at("latencies");
  meta["counts"] = stats.at("counters");
  meta["config"] = shown_configuration(report);
  meta["defaults"] = changed_defaults(report);
}

/// The page of a scenario is the same from wherever it was run.
std::string file_name(const std::string& path) {
  return std::filesystem::path(path).filename().string();
}

std::string html_text(std::string_view text) {
  std::string safe;
  for (const char c : text) c == '&' ? safe += "&amp;" : c == '<' ? safe += "&lt;" : safe += c;
  return safe;
}

/// Writes the shell with a text in the place of each mark. The shell is cut before anything is
/// filled in: a text may contain a mark.
void fill(std::string_view shell, const std::array<std::pair<const char*, std::string>, 3>& marks,
          Output& out) {
  for (const auto& [mark, text] : marks) {
    const std::size_t at = shell.find(mark);
    if (at == std::string_view::npos) throw std::logic_error("the page has no mark");
    out.text(shell.substr(0, at));
    out.text(text);
    shell.remove_prefix(at + std::string_view(mark).size());
  }
  out.text(shell);
}

}  // namespace

std::string missing_page_reason(const RunReport& report) {
  if (run_page().shell.empty()) return "this program was built without esbuild";
  if (report.end_time >= kPageEndTime)
    return "the run ends after more than 2.5 h of simulated time";
  return "";
}

void write_page(const PageKind& page, const Timeline& whole, const RunReport& report,
                const Names& names, Output& out, std::size_t most) {
  const std::optional<Thinned> thin = thinned(whole, most);
  const Timeline& timeline = thin ? thin->timeline : whole;
  const Tracks tracks(timeline, names);
  const PageColumns columns(timeline, tracks, names, timeline.series);
  PageJson meta;
  meta["codec"] = kPageCodec;
  meta["wide"] = columns.wide;
  meta["end"] = timeline.end_time;
  meta["slices"] = timeline.slices.size();
  meta["instants"] = timeline.instants.size();
  meta["flows"] = columns.flows;
  meta["thinned"] = thin ? thin->left_out : 0;
  meta["thinned_values"] = thin ? thin->values_left_out : 0;
  meta["names"] = tracks.titles;
  meta["colours"] = colours(timeline, tracks);
  meta["rows"] = rows_of(columns);
  meta["counters"] = counters_of(timeline.series);
  add_files(report, meta);
  meta["places"] = places_of(timeline);
  add_scenario(report, meta);
  const std::string title = report.scenario == nullptr ? "" : report.scenario->name;
  fill_page(page, title, std::move(meta), packed(columns.bytes), out);
}

void add_scenario(const RunReport& report, PageJson& meta) {
  const bool shown = report.scenario != nullptr && report.scenario->text.size() <= kMostPageText;
  meta["scenario_file"] = report.scenario == nullptr ? "" : file_name(report.scenario->path);
  meta["scenario_text"] = shown ? report.scenario->text : "";
}

void fill_page(const PageKind& page, const std::string& title, PageJson meta,
               const std::string& columns, Output& out) {
  meta["format"] = kPageFormat;
  meta["kind"] = page.name;
  const std::string text = meta.dump(-1, ' ', false, PageJson::error_handler_t::replace);
  fill(page.shell,
       {{{"{{title}}", html_text(title)}, {"{{meta}}", packed(text)}, {"{{columns}}", columns}}},
       out);
}

}  // namespace fenceline::report
