#include "tb/campaign/results.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "tb/report/writers/junit.h"

namespace fenceline::campaign {

namespace {

using Json = nlohmann::ordered_json;

const char* policy_of(const Results& results) {
  return results.options.policy == scenario::PolicyKind::kRandom ? "random" : "timing";
}

std::string reason_text(const Group& group, const Finding& finding, const std::string& repeat) {
  std::string seeds;
  for (const std::uint64_t seed : group.seeds) seeds += fmt::format(" {}", seed);
  return fmt::format("{}\n{}\n\n{} runs fail so; the first seeds:{}\nrepeat it with: {}\n",
                     group.failure.cause, finding.reason, group.count, seeds, repeat);
}

}  // namespace

std::string results_json(const Results& results) {
  const Totals& totals = results.totals;
  Json json = {{"format", "fenceline-campaign-1"},
               {"constraints", results.constraints},
               {"policy", policy_of(results)},
               {"kmd", results.options.settings.kmd},
               {"set", results.options.overrides},
               {"first_seed", results.options.first_seed},
               {"runs", totals.runs},
               {"complete", totals.complete},
               {"failed", totals.failed}};
  json["failures"] = Json::array();
  std::size_t i = 0;
  for (const auto& [key, group] : totals.groups) {
    const Finding& finding = results.findings.at(i++);
    json["failures"].push_back({{"cause", group.failure.cause},
                                {"reason", finding.reason},
                                {"runs", group.count},
                                {"seeds", group.seeds},
                                {"scenario", finding.file},
                                {"shrink_runs", finding.shrink_runs}});
  }
  return json.dump(2) + "\n";
}

std::string results_text(const Results& results) {
  const Totals& totals = results.totals;
  std::string text = fmt::format("{} runs from seed {}, policy {}, constraints {}: {} failed\n",
                                 totals.runs, results.options.first_seed, policy_of(results),
                                 results.constraints, totals.failed);
  std::size_t i = 0;
  for (const auto& [key, group] : totals.groups) {
    const Finding& finding = results.findings.at(i++);
    text += fmt::format("{:>8} x {}: {}\n           first seed {}{}\n", group.count,
                        group.failure.cause, finding.reason, group.seeds.front(),
                        finding.file.empty() ? "" : ", " + finding.file);
  }
  return text;
}

void write_results(const Results& results, report::RunFolder& folder,
                   const std::function<std::string(const std::string& file)>& repeat) {
  std::vector<report::TestCase> cases;
  std::size_t i = 0;
  for (const auto& [key, group] : results.totals.groups) {
    const Finding& finding = results.findings.at(i++);
    folder.create(finding.file)->write_whole(finding.scenario);
    const std::string reason = reason_text(group, finding, repeat(finding.file));
    folder.create(finding.file + ".txt")->write_whole(reason);
    cases.push_back({"campaign", group.failure.cause, reason});
  }
  if (cases.empty()) cases.push_back({"campaign", "no run fails", ""});
  folder.create("junit.xml")
      ->write_whole(report::junit_file(report::junit_suite("campaign", cases)));
  folder.create("campaign.json")->write_whole(results_json(results));
}

}  // namespace fenceline::campaign
