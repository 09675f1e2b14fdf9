#include "tb/campaign/results.h"

#include <array>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <utility>

#include "tb/report/writers/json_writers.h"
#include "tb/report/writers/junit.h"

namespace fenceline::campaign {

namespace {

using Json = nlohmann::ordered_json;

std::string rule_line(const Failure& failure, const char* start) {
  return failure.rule.empty() ? "" : fmt::format("{}rule: {}\n", start, failure.rule);
}

std::string reason_text(const Group& group, const Finding& finding, const std::string& repeat) {
  std::string seeds;
  for (const std::uint64_t seed : group.seeds) seeds += fmt::format(" {}", seed);
  return fmt::format("{}\n{}\n{}\n{} runs fail so; the first seeds:{}\nrepeat it with: {}\n",
                     group.failure.cause, finding.reason, rule_line(group.failure, ""), group.count,
                     seeds, repeat);
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

}  // namespace

std::string results_json(const Results& results) {
  const Totals& totals = results.totals;
  Json json = {{"format", "fenceline-campaign-1"},
               {"constraints", results.constraints},
               {"policy", report::policy_name(results.options.policy)},
               {"kmd", results.options.settings.kmd},
               {"set", results.options.overrides},
               {"first_seed", results.options.first_seed},
               {"runs", totals.runs},
               {"complete", totals.complete},
               {"failed", totals.failed}};
  if (results.options.settings.predict) json["reference"] = reference_json(totals);
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
  return json.dump(2) + "\n";
}

std::string results_text(const Results& results) {
  const Totals& totals = results.totals;
  std::string text =
      fmt::format("{} runs from seed {}, policy {}, constraints {}: {} failed\n", totals.runs,
                  results.options.first_seed, report::policy_name(results.options.policy),
                  results.constraints, totals.failed);
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
    const std::string reason = reason_text(group, finding, repeat(group.failure, finding.file));
    folder.create(finding.file + ".txt")->write_whole(reason);
    cases.push_back({"campaign", group.failure.cause, reason});
  }
  if (cases.empty()) cases.push_back({"campaign", "no run fails", ""});
  folder.create("junit.xml")
      ->write_whole(report::junit_file(report::junit_suite("campaign", cases)));
  folder.create("campaign.json")->write_whole(results_json(results));
}

}  // namespace fenceline::campaign
