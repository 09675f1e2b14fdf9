#include "tb/app/sweep/results.h"

#include <fenceline_version.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>

#include "tb/app/sweep/page.h"
#include "tb/app/sweep/page_table.h"
#include "tb/report/writers/page_shell.h"
#include "tb/scenario/sweep_values.h"
#include "tb/scenario/text/json_tree.h"

namespace fenceline::sweep {

using Json = nlohmann::ordered_json;

namespace {

Json head(const Plan& plan) {
  return {{"format", 1},
          {"program", "fenceline"},
          {"version", FENCELINE_VERSION},
          {"scenario", plan.name},
          {"sweep", plan.id()}};
}

std::string text_of(const Json& json) {
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

/// Request of the sweep, independent of the process that made it.
std::string config_json(const Plan& plan) {
  const Json all = scenario::json_tree<Json>(plan.to_json());
  Json json = head(plan);
  for (const char* key : {"first_seed", "stop_at", "stuck", "set", "build"})
    if (all.contains(key)) json[key] = all[key];
  json["settings"] = all["sweep"];
  json["document"] = plan.text;
  return text_of(json);
}

std::map<std::string, std::string> about(const Plan& plan, const Summary& summary) {
  return {{"program", "fenceline"},
          {"version", FENCELINE_VERSION},
          {"scenario", plan.name},
          {"sweep", plan.id()},
          {"points", std::to_string(summary.points)},
          {"runs", std::to_string(summary.runs)},
          {"settings", scenario::json_tree<Json>(plan.to_json())["sweep"].dump()}};
}

void count(const Row& row, const Plan& plan, const Design& design, Summary& summary) {
  ++summary.verdicts[row.verdict];
  if (row.exit_code == 0) return;
  if (++summary.failed > Summary::kMaxNamed) return;
  const std::uint64_t point = design.point_of(row.run);
  Summary::Failed& failed = summary.named.emplace_back();
  failed.point = point;
  failed.seed = plan.first_seed + design.repetition_of(row.run);
  failed.values = design.assignments(point);
  failed.verdict = row.verdict;
  failed.reason = row.reason;
}

/// Writes the page, if the program has one.
void write_page_file(const Plan& plan, const Summary& summary, PageTable& rows,
                     report::RunFolder& folder) {
  rows.finish();
  const auto sink = folder.create(kPageFile);
  report::Output out(*sink);
  write_page(report::sweep_page(), plan, summary, rows, out);
  out.finish();
}

/// Writes the rows of a sweep as CSV, and to the other files of a folder.
Summary write_tables(const Plan& plan, const run::JournalIndex& index, report::Sink& csv,
                     report::RunFolder* folder) {
  const Design design(plan.sweep);
  const Table table(plan, design, index);
  Summary summary;
  summary.points = design.points();
  summary.runs = design.runs();
  report::Output out(csv);
  CsvWriter text(table.columns(), out);
  std::optional<SqliteWriter> database;
  std::optional<PageTable> rows;
  if (folder != nullptr) {
    database.emplace(table.columns(), (folder->hidden() / kSqliteFile).string());
    if (!report::sweep_page().shell.empty()) rows.emplace(table.columns(), table.fixed(), design);
  }
  table.for_each([&](const Row& row, const std::vector<Cell>& cells) {
    text.add(cells);
    if (database) database->add(cells);
    count(row, plan, design, summary);
    if (rows) rows->add(row, cells);
  });
  out.finish();
  if (database) database->finish(about(plan, summary));
  if (rows) write_page_file(plan, summary, *rows, *folder);
  return summary;
}

}  // namespace

std::string result_json(const Plan& plan, const Summary& summary) {
  Json json = head(plan);
  json["points"] = summary.points;
  json["runs"] = summary.runs;
  json["failed"] = summary.failed;
  json["exit_code"] = summary.failed == 0 ? 0 : 1;
  json["verdicts"] = summary.verdicts;
  json["first_failed"] = Json::array();
  for (const Summary::Failed& it : summary.named)
    json["first_failed"].push_back({{"point", it.point},
                                    {"seed", it.seed},
                                    {"values", it.values},
                                    {"verdict", it.verdict},
                                    {"reason", it.reason}});
  return text_of(json);
}

Summary read_result(const Plan& plan, const std::string& text) {
  try {
    const Json json = scenario::json_tree<Json>(text);
    if (json.at("sweep") != plan.id()) throw std::invalid_argument("is of another sweep");
    Summary summary;
    summary.points = json.at("points").get<std::uint64_t>();
    summary.runs = json.at("runs").get<std::uint64_t>();
    summary.failed = json.at("failed").get<std::uint64_t>();
    summary.verdicts = json.at("verdicts").get<std::map<std::string, std::uint64_t>>();
    for (const Json& it : json.at("first_failed"))
      summary.named.push_back(
          {it.at("point").get<std::uint64_t>(), it.at("seed").get<std::uint64_t>(),
           it.at("values").get<std::vector<std::string>>(), it.at("verdict").get<std::string>(),
           it.at("reason").get<std::string>()});
    return summary;
  } catch (const Json::exception& error) {
    throw std::invalid_argument(fmt::format("is no result of a sweep: {}", error.what()));
  }
}

Summary print_csv(const Plan& plan, const run::JournalIndex& index, report::Sink& sink) {
  return write_tables(plan, index, sink, nullptr);
}

Summary write_results(const Plan& plan, const run::JournalIndex& index, report::RunFolder& folder) {
  Summary summary = write_tables(plan, index, *folder.create(kCsvFile), &folder);
  folder.create("config.json")->write_whole(config_json(plan));
  folder.create(kResultFile)->write_whole(result_json(plan, summary));
  return summary;
}

}  // namespace fenceline::sweep
