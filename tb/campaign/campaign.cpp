#include "tb/campaign/campaign.h"

#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "tb/report/writers/json_writers.h"
#include "tb/run/process/journal.h"
#include "tb/run/process/pool.h"
#include "tb/scenario/loader.h"
#include "tb/scenario/text/diagnostics.h"
#include "tb/scenario/text/json_tree.h"

namespace fenceline::campaign {

namespace {

constexpr std::uint64_t kBatch = 512;     ///< runs between two looks at the clock
constexpr std::uint64_t kSearches = 16;   ///< the same of searches, which take longer
constexpr std::uint64_t kSteered = 128;   ///< the same, where coverage decides what comes next
constexpr std::size_t kSeedsOfGroup = 8;  ///< seeds that are kept

using Clock = std::chrono::steady_clock;

Evaluation failed(std::string cause, std::string reason) {
  Evaluation result;
  result.failures.push_back({std::move(cause), "", std::move(reason), ""});
  return result;
}

std::string name_of(std::uint64_t seed) { return fmt::format("seed {}", seed); }

/// Policy, overrides and seed of a run.
scenario::LoadOptions load_options(const CampaignOptions& options, std::uint64_t seed) {
  scenario::LoadOptions load;
  load.set = {fmt::format("/policy={}", report::policy_name(options.policy))};
  load.set.insert(load.set.end(), options.overrides.begin(), options.overrides.end());
  load.seed = seed;
  return load;
}

/// The scenario of a seed.
scenario::Scenario loaded(const CampaignOptions& options, std::uint64_t seed) {
  return scenario::load_text(options.generate(seed), name_of(seed), load_options(options, seed));
}

Evaluation result_of(const run::Finished& finished) {
  if (finished.ended.how == run::Ended::How::kWell) return evaluation_of(finished.ended.result);
  Evaluation result;
  result.failures.push_back(failure_of_death(finished.ended));
  return result;
}

void add(const CampaignOptions& options, const Evaluation& evaluation, std::uint64_t seed,
         Totals& totals) {
  ++totals.runs;
  totals.statements += evaluation.statements;
  if (evaluation.searched) totals.searches.push_back(*evaluation.searched);
  totals.figures.push_back(figures_of(seed, evaluation));
  if (evaluation.coverage) totals.coverage.add(*evaluation.coverage);
  if (!evaluation.silent.empty()) ++totals.silent[evaluation.silent];
  if (evaluation.failures.empty()) return;
  ++totals.failed;
  // Further failures of a run mostly follow from the first.
  const Failure& failure = evaluation.failures.front();
  Group& group = totals.groups[failure.key()];
  if (group.count++ == 0) {
    group.failure = failure;
    group.scenario = scenario_of(options, seed);
  }
  if (group.seeds.size() < kSeedsOfGroup) group.seeds.push_back(seed);
}

/// Runs that this process makes or takes from the journals.
bool is_own(const CampaignOptions& options, std::uint64_t run) {
  return run % options.shards == options.shard;
}

/// Runs of a batch that this process has to make: those that are not in the journals.
std::vector<std::uint64_t> missing_runs(const CampaignOptions& options,
                                        const run::JournalIndex& index, std::uint64_t first,
                                        std::uint64_t last) {
  std::vector<std::uint64_t> missing;
  for (std::uint64_t run = first; run < last; ++run)
    if (is_own(options, run) && !index.has(run)) missing.push_back(run);
  return missing;
}

void tell_earlier_runs(const CampaignOptions& options, const run::JournalIndex& index) {
  for (std::uint64_t run = 0; run < options.runs; ++run)
    if (index.has(run)) options.evaluated(evaluation_of(index.row_of(run)), false);
}

std::uint64_t batch_of(const CampaignOptions& options) {
  if (options.steer) return kSteered;
  return (options.settings.search ? kSearches : kBatch) * options.shards;
}

}  // namespace

Evaluation make_run(const CampaignOptions& options, std::uint64_t seed, run::Pulse* pulse) {
  try {
    return evaluate(loaded(options, seed), options.settings, pulse);
  } catch (const scenario::ScenarioError& error) {
    return failed("invalid scenario", error.what());
  } catch (const std::exception& error) {
    return failed("error", error.what());
  }
}

const char* policy_word(const CampaignOptions& options) {
  return options.settings.search ? "search" : report::policy_name(options.policy);
}

std::string scenario_of(const CampaignOptions& options, std::uint64_t seed) {
  return scenario::overridden_text(options.generate(seed), name_of(seed),
                                   load_options(options, seed));
}

nlohmann::json effective_scenario(const CampaignOptions& options, std::uint64_t seed) {
  return scenario::json_tree<nlohmann::json>(loaded(options, seed).effective_json);
}

void check_overrides(const CampaignOptions& options) {
  if (!options.overrides.empty()) loaded(options, options.first_seed);
}

Totals run_campaign(const CampaignOptions& options) {
  std::filesystem::create_directories(options.journals);
  const Clock::time_point start = Clock::now();
  run::JournalWriter journal(
      options.journals, options.shards == 1 ? "runs" : fmt::format("shard-{:06}", options.shard));
  run::JournalIndex index(options.journals);
  index.update();
  run::PoolOptions pool;
  pool.jobs = options.jobs;
  pool.stuck = options.stuck;
  pool.interrupted = options.interrupted;
  const auto work = [&](std::uint64_t run, run::Pulse& pulse) {
    return to_bytes(make_run(options, options.first_seed + run, &pulse));
  };
  std::uint64_t done = index.size();
  std::map<std::uint64_t, Evaluation> fresh;  // runs of the batch that this process has made
  const auto finished = [&](const run::Finished& it) {
    const Evaluation& evaluation = fresh[it.work] = result_of(it);
    journal.add(it.work, {"", to_bytes(evaluation)});
    if (options.evaluated) options.evaluated(evaluation, true);
    if (options.progress) options.progress(++done);
  };
  if (options.evaluated) tell_earlier_runs(options, index);
  Totals totals;
  bool goes_on = true;
  const std::uint64_t batch = batch_of(options);
  // Runs that the journals have count, also those beyond the one at which this process stops.
  for (std::uint64_t first = 0;
       first < options.runs && (goes_on || index.has(first + options.shard)); first += batch) {
    const std::uint64_t last = std::min(options.runs, first + batch);
    if (options.steer) options.steer(totals.coverage);
    goes_on =
        goes_on && run::run_pool(missing_runs(options, index, first, last), work, pool, finished);
    index.update();
    for (std::uint64_t run = first; run < last; ++run) {
      if (!is_own(options, run) || !index.has(run)) continue;
      const auto made = fresh.find(run);
      add(options, made == fresh.end() ? evaluation_of(index.row_of(run)) : made->second,
          options.first_seed + run, totals);
    }
    fresh.clear();
    goes_on = goes_on && (!options.time || Clock::now() - start < *options.time);
  }
  totals.complete = totals.runs == (options.runs - options.shard - 1) / options.shards + 1;
  return totals;
}

}  // namespace fenceline::campaign
