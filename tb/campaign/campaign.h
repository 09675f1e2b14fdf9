#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "tb/campaign/evaluation.h"
#include "tb/campaign/run_figures.h"
#include "tb/coverage/table.h"

namespace fenceline::campaign {

/// Runs of a campaign: run i has the seed first_seed + i.
struct CampaignOptions {
  /// Text of the scenario of a seed.
  std::function<std::string(std::uint64_t seed)> generate;
  /// Called before each batch with the coverage of all runs before it: the scenarios that
  /// `generate` makes from here on may depend on it. Empty: they depend on the seed alone.
  std::function<void(const coverage::Table& so_far)> steer;
  RunSettings settings;
  scenario::PolicyKind policy = scenario::PolicyKind::kTiming;
  std::vector<std::string> overrides;  ///< values of --set
  std::uint64_t first_seed = 1;
  std::uint64_t runs = 1000;
  /// Makes only each run whose number is `shard` modulo `shards`.
  std::uint64_t shard = 0;
  std::uint64_t shards = 1;
  std::optional<std::chrono::milliseconds> time;  ///< limit; the runs of a batch are made whole
  unsigned jobs = 1;
  std::chrono::seconds stuck{10};  ///< limit of CPU time between two beats of a run
  std::filesystem::path journals;  ///< folder that keeps the results of runs, also of earlier ones
  const std::atomic<bool>* interrupted = nullptr;
  std::function<void(std::uint64_t runs)> progress;  ///< may be empty
  /// Called for each run of the journals, and then for each run made. May be empty.
  std::function<void(const Evaluation&, bool made)> evaluated;
};

/// Failures with one cause and shape.
struct Group {
  Failure failure;                   ///< of the first seed
  std::vector<std::uint64_t> seeds;  ///< the first few, ascending
  std::uint64_t count = 0;           ///< runs that fail so
  std::string scenario;              ///< of the first seed, as the campaign has run it
};

struct Totals {
  std::uint64_t runs = 0;
  std::uint64_t failed = 0;  ///< runs
  Coverage statements;
  coverage::Table coverage;
  std::map<std::string, std::uint64_t> silent;  ///< runs without a prediction, by reason
  std::map<std::string, Group> groups;          ///< by Failure::key
  std::vector<Searched> searches;               ///< in the order of their seeds
  std::vector<RunFigures> figures;              ///< the same
  bool complete = false;                        ///< all runs are made
};

/// Makes the runs that the journals do not have, in watched processes, and sums all up. The totals
/// of the same runs depend on nothing but the seeds. Throws report::WriteError.
Totals run_campaign(const CampaignOptions& options);

/// Makes the run of a seed in this process.
Evaluation make_run(const CampaignOptions& options, std::uint64_t seed, run::Pulse* pulse);
/// How orders are chosen: "timing", "random" or "search".
const char* policy_word(const CampaignOptions& options);

/// The scenario of a seed as the campaign runs it: with overrides, policy and seed.
std::string scenario_of(const CampaignOptions& options, std::uint64_t seed);

/// The same with defaults filled in, as a prediction reads it. Errors: scenario::ScenarioError.
nlohmann::json effective_scenario(const CampaignOptions& options, std::uint64_t seed);

/// Errors: scenario::ScenarioError if the scenario of the first run does not take the overrides.
void check_overrides(const CampaignOptions& options);

}  // namespace fenceline::campaign
