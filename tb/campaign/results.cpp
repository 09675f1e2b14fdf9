#include "tb/campaign/results.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <utility>

#include "tb/campaign/page.h"
#include "tb/report/writers/junit.h"
#include "tb/report/writers/page_shell.h"

namespace fenceline::campaign {

namespace {

using Json = nlohmann::ordered_json;

std::string rule_line(const Failure& failure, const char* start) {
  return failure.rule.empty() ? "" : fmt::format("{}rule: {}\n", start, failure.rule);
}

std::string reason_text(const Group& group, const Finding& finding, const std::string& repeat) {
  std::string seeds;
  for (const std::uint64_t seed : group.seeds) seeds += fmt::format(" {}", seed);
  return fmt::format("{}\n{}\n{}\n{} runs fail so; the first seeds:{}\nrepeat it with: {}\n{}{}",
                     group.failure.cause, finding.reason, rule_line(group.failure, ""), group.count,
                     seeds, repeat, finding.counterexample.empty() ? "" : "\n",
                     finding.counterexample);
}

/// Statements that a reader wants to know the coverage of, with their names for people.
constexpr std::array<std::pair<DifferenceKind, const char*>, 6> kCovered{
    {{DifferenceKind::kValue, "final values"},
     {DifferenceKind::kWait, "steps"},
     {DifferenceKind::kLostWork, "commands"},
     {DifferenceKind::kBytes, "words of memory"},
     {DifferenceKind::kStatus, "statuses"},
     {DifferenceKind::kHang, "ends of runs"}}};

Json reference_json(const Totals& totals) {
  Json statements = Json::object();
  for (const auto& [kind, name] : kCovered) {
    const Statements& it = totals.statements[kind];
    statements[name] = {{"fixed", it.fixed}, {"sets", it.sets}, {"open", it.open}};
  }
  Json silent = Json::array();
  for (const auto& [reason, runs] : totals.silent)
    silent.push_back({{"reason", reason}, {"runs", runs}});
  return {{"statements", statements}, {"silent", silent}};
}

std::string reference_text(const Totals& totals) {
  std::string text;
  const char* separator = "the reference allows one outcome only for ";
  for (const auto& [kind, name] : kCovered) {
    const Statements& it = totals.statements[kind];
    if (it.all() == 0) continue;
    const double share = 100.0 * static_cast<double>(it.fixed) / static_cast<double>(it.all());
    text += fmt::format("{}{:.1f} % of {} {}", separator, share, it.all(), name);
    separator = ", ";
  }
  if (!text.empty()) text += '\n';
  for (const auto& [reason, runs] : totals.silent)
    text += fmt::format("{:>8} x no prediction: {}\n", runs, reason);
  return text;
}

/// Searches with so many states count as large.
constexpr std::uint64_t kLarge = 1'000;

std::uint64_t median(std::vector<std::uint64_t> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

/// Searches of a campaign in figures.
struct Figures {
  std::uint64_t complete = 0;
  std::uint64_t large = 0;           ///< with kLarge states or more
  std::uint64_t large_complete = 0;  ///< and complete
  std::uint64_t raced = 0;           ///< two steps were taken in both orders
  std::uint64_t states = 0;          ///< median
  std::uint64_t executions = 0;      ///< median
};

/// @pre there are searches
Figures figures_of(const std::vector<Searched>& searches) {
  Figures figures;
  std::vector<std::uint64_t> states;
  std::vector<std::uint64_t> executions;
  for (const Searched& it : searches) {
    const bool large = it.states >= kLarge;
    figures.complete += it.complete ? 1 : 0;
    figures.large += large ? 1 : 0;
    figures.large_complete += large && it.complete ? 1 : 0;
    figures.raced += it.races != 0 ? 1 : 0;
    states.push_back(it.states);
    executions.push_back(it.executions);
  }
  figures.states = median(std::move(states));
  figures.executions = median(std::move(executions));
  return figures;
}

Json searches_json(const std::vector<Searched>& searches) {
  const Figures figures = figures_of(searches);
  return {{"searches", searches.size()},
          {"complete", figures.complete},
          {"incomplete", searches.size() - figures.complete},
          {"large", figures.large},
          {"large_complete", figures.large_complete},
          {"raced", figures.raced},
          {"median_states", figures.states},
          {"median_executions", figures.executions}};
}

std::string searches_text(const std::vector<Searched>& searches) {
  const Figures figures = figures_of(searches);
  return fmt::format(
      "{} searches: {} complete, {} incomplete; {} have {} states or more ({} of them complete); "
      "in {} two steps raced; medians {} states, {} executions\n",
      searches.size(), figures.complete, searches.size() - figures.complete, figures.large, kLarge,
      figures.large_complete, figures.raced, figures.states, figures.executions);
}

}  // namespace

Json results_document(const Results& results) {
  const Totals& totals = results.totals;
  Json json = {{"format", "fenceline-campaign-1"},
               {"constraints", results.constraints},
               {"policy", policy_word(results.options)},
               {"kmd", results.options.settings.kmd},
               {"set", results.options.overrides},
               {"first_seed", results.options.first_seed},
               {"runs", totals.runs},
               {"complete", totals.complete},
               {"failed", totals.failed}};
  if (results.options.settings.predict) json["reference"] = reference_json(totals);
  if (totals.coverage.runs() != 0) {
    const coverage::Table::Share share = totals.coverage.share();
    json["coverage"] = {{"hit", share.hit}, {"points", share.all}};
  }
  if (!totals.searches.empty()) json["searches"] = searches_json(totals.searches);
  json["failures"] = Json::array();
  std::size_t i = 0;
  for (const auto& [key, group] : totals.groups) {
    const Finding& finding = results.findings.at(i++);
    json["failures"].push_back({{"cause", group.failure.cause},
                                {"reason", finding.reason},
                                {"rule", group.failure.rule},
                                {"runs", group.count},
                                {"seeds", group.seeds},
                                {"scenario", finding.file},
                                {"shrink_runs", finding.shrink_runs}});
  }
  return json;
}

std::string results_json(const Results& results) {
  return results_document(results).dump(2) + "\n";
}

std::string results_text(const Results& results) {
  const Totals& totals = results.totals;
  std::string text = fmt::format("{} runs from seed {}, policy {}, constraints {}: {} failed\n",
                                 totals.runs, results.options.first_seed,
                                 policy_word(results.options), results.constraints, totals.failed);
  if (!totals.searches.empty()) text += searches_text(totals.searches);
  if (totals.coverage.runs() != 0) text += coverage::summary_text(totals.coverage);
  if (results.options.settings.predict) text += reference_text(totals);
  std::size_t i = 0;
  for (const auto& [key, group] : totals.groups) {
    const Finding& finding = results.findings.at(i++);
    text +=
        fmt::format("{:>8} x {}: {}\n{}           first seed {}{}\n", group.count,
                    group.failure.cause, finding.reason, rule_line(group.failure, "           "),
                    group.seeds.front(), finding.file.empty() ? "" : ", " + finding.file);
  }
  return text;
}

void write_results(const Results& results, report::RunFolder& folder, const Repeat& repeat) {
  std::vector<report::TestCase> cases;
  std::size_t i = 0;
  for (const auto& [key, group] : results.totals.groups) {
    const Finding& finding = results.findings.at(i++);
    folder.create(finding.file)->write_whole(finding.scenario);
    const std::string reason =
        reason_text(group, finding, repeat.failure(group.failure, finding.file));
    folder.create(finding.file + ".txt")->write_whole(reason);
    cases.push_back({"campaign", group.failure.cause, reason});
  }
  if (cases.empty()) cases.push_back({"campaign", "no run fails", ""});
  folder.create("junit.xml")
      ->write_whole(report::junit_file(report::junit_suite("campaign", cases)));
  if (results.totals.coverage.runs() != 0)
    folder.create(coverage::kTableFile)->write_whole(coverage::table_json(results.totals.coverage));
  folder.create("campaign.json")->write_whole(results_json(results));
  const auto runs = folder.create("runs.csv");
  report::Output lines(*runs);
  const bool timed = results.options.policy == scenario::PolicyKind::kTiming;
  write_runs_csv(results.totals.figures, timed, lines);
  lines.finish();
  if (report::campaign_page().shell.empty()) return;
  const auto sink = folder.create("report.html");
  report::Output out(*sink);
  write_page(report::campaign_page(), results, repeat, out);
  out.finish();
}

}  // namespace fenceline::campaign
