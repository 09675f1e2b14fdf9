// The scenarios of the tree against the reference model: a run does nothing but what it allows.
#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <string>
#include <vector>

#include "tb/campaign/campaign.h"
#include "tb/reference/predict.h"
#include "tb/scenario/loader.h"
#include "tb/test/support/temp_folder.h"

namespace fenceline::reference::test_predictions {

namespace {

bool breaks_nothing(const scenario::Scenario& it) {
  return it.policy == scenario::PolicyKind::kTiming && it.negatives.empty() &&
         it.expect.violations.empty() && it.expect.outcome == scenario::Outcome::kCompletes;
}

/// Files of scenarios that break nothing, in alphabetical order. NAME_small stands for NAME.
std::vector<std::string> files() {
  std::vector<std::string> result;
  const std::filesystem::path root = std::string(FENCELINE_SOURCE_DIR) + "/scenarios";
  for (const auto& entry : std::filesystem::recursive_directory_iterator(root)) {
    const std::string folder = entry.path().parent_path().string();
    const bool other = folder.find("/profiles") != std::string::npos ||
                       folder.find("/schema") != std::string::npos;
    const std::string small =
        (entry.path().parent_path() / entry.path().stem()).string() + "_small.json";
    if (other || entry.path().extension() != ".json" || std::filesystem::exists(small)) continue;
    if (breaks_nothing(scenario::load(entry.path().string()))) result.push_back(entry.path());
  }
  std::sort(result.begin(), result.end());
  return result;
}

/// Runs the files as a campaign: the seed of a run is the index of its file.
campaign::Totals run_all(const std::vector<std::string>& files, const support::TempFolder& folder) {
  campaign::CampaignOptions options;
  options.generate = [&files](std::uint64_t seed) {
    return scenario::read_scenario_file(files.at(seed));
  };
  options.settings.predict = predict;
  options.first_seed = 0;
  options.runs = files.size();
  options.jobs = 2;
  options.journals = folder.path();
  return campaign::run_campaign(options);
}

}  // namespace

TEST_CASE("every scenario ends as the reference model says", "[reference]") {
  const support::TempFolder folder;
  const std::vector<std::string> all = files();
  const campaign::Totals totals = run_all(all, folder);
  CHECK(totals.complete);
  for (const auto& [key, group] : totals.groups) {
    if (group.failure.rule.empty()) continue;  // an expectation that needs the seed of the file
    std::string failed;
    for (const std::uint64_t seed : group.seeds) failed += " " + all.at(seed);
    INFO(failed);
    FAIL_CHECK(group.failure.cause + ": " + group.failure.reason);
  }
  std::uint64_t silent = 0;
  for (const auto& [reason, runs] : totals.silent) silent += runs;
  CHECK(totals.runs - silent > 100);
  const campaign::Statements& values = totals.statements[campaign::DifferenceKind::kValue];
  CHECK(values.fixed * 10 > values.all() * 6);
}

}  // namespace fenceline::reference::test_predictions
