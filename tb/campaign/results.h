#pragma once

#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "tb/campaign/campaign.h"
#include "tb/report/record/run_folder.h"

namespace fenceline::campaign {

/// A group of failures as the folder of a campaign shows it.
struct Finding {
  std::string file;               ///< of the scenario in the folder
  std::string scenario;           ///< document: the shrunk scenario, or that of the first seed
  std::string reason;             ///< one sentence
  std::string counterexample;     ///< of a search, explained; empty: none
  std::uint64_t shrink_runs = 0;  ///< runs that made it small; 0: it was not shrunk
};

/// Result of a campaign: totals and findings, in the order of Totals::groups.
struct Results {
  CampaignOptions options;
  std::string constraints;  ///< file or preset, for people
  Totals totals;
  std::vector<Finding> findings;
};

/// Settings, counts and groups of failures.
nlohmann::ordered_json results_document(const Results& results);
/// campaign.json: the same as text.
std::string results_json(const Results& results);
/// Lines for people.
std::string results_text(const Results& results);
/// Commands that repeat something.
struct Repeat {
  /// The failure of a scenario file.
  std::function<std::string(const Failure& failure, const std::string& file)> failure;
  std::string run;  ///< one run of the campaign, without its seed; empty: it depends on others
};
/// Writes campaign.json, runs.csv, junit.xml, the page if the program has one, and for each finding
/// its scenario and its reason. Throws report::WriteError.
void write_results(const Results& results, report::RunFolder& folder, const Repeat& repeat);

}  // namespace fenceline::campaign
