#include "tb/app/cli/commands/campaign_command.h"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fmt/format.h>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <ostream>

#include "fenceline_version.h"
#include "models/abi/mutant.h"
#include "tb/app/cli/commands/campaign_folder.h"
#include "tb/app/cli/commands/generate_command.h"
#include "tb/app/cli/commands/run_job.h"
#include "tb/app/cli/commands/shrink_command.h"
#include "tb/app/cli/interrupt.h"
#include "tb/app/cli/live/live_campaign.h"
#include "tb/app/cli/outputs/output_places.h"
#include "tb/app/cli/outputs/sweep_text.h"
#include "tb/app/cli/workers.h"
#include "tb/app/sweep/command.h"
#include "tb/app/sweep/plan.h"
#include "tb/campaign/results.h"
#include "tb/campaign/search_run.h"
#include "tb/campaign/shrink.h"
#include "tb/campaign/shrink_time.h"
#include "tb/campaign/steering.h"
#include "tb/generate/generate.h"
#include "tb/reference/predict.h"
#include "tb/report/writers/json_writers.h"
#include "tb/scenario/brief.h"
#include "tb/scenario/loader.h"
#include "tb/scenario/text/diagnostics.h"

namespace fenceline::cli {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t kMaxShrunk = 20;  ///< groups of failures that are made small

std::string constraints_name(const GenerateOptions& options) {
  return options.constraints.empty() ? options.preset : options.constraints;
}

campaign::CampaignOptions campaign_options(const Options& options, const CampaignFolder& folder) {
  const run::Watch watch = watch_of(options);
  campaign::CampaignOptions result;
  const generate::Constraints base = constraints_for(options.generate);
  const auto constraints = std::make_shared<generate::Constraints>(base);
  result.generate = [constraints](std::uint64_t seed) {
    return scenario::brief_text(generate::generate(*constraints, seed));
  };
  if (options.generate.steer)
    result.steer = [constraints, base](const coverage::Table& so_far) {
      *constraints = campaign::steered(base, so_far);
    };
  result.settings.covers = true;
  result.settings.kmd = options.kmd;
  result.settings.predict = reference::predict;
  result.settings.search = search_bounds(options);
  result.policy = options.policy.value_or(scenario::PolicyKind::kTiming);
  result.overrides = options.overrides;
  result.first_seed = options.seed.value_or(1);
  result.runs = options.generate.runs;
  if (options.time) result.time = std::chrono::milliseconds(*options.time);
  result.jobs = watch.jobs;
  result.stuck = std::chrono::duration_cast<std::chrono::seconds>(watch.stuck);
  result.journals = folder.journals();
  result.interrupted = watch.interrupted;
  return result;
}

/// The campaign command with all that decides the result of a run, but for its seed.
std::string campaign_words(const Options& options) {
  const GenerateOptions& generate = options.generate;
  std::string command = generate.constraints.empty()
                            ? "campaign --preset " + sweep::shell_word(generate.preset)
                            : "campaign --constraints " + sweep::shell_word(generate.constraints);
  if (options.search_each)
    command += " --policy search";
  else if (options.policy)
    command += fmt::format(" --policy {}", report::policy_name(*options.policy));
  if (options.executions) command += fmt::format(" --executions {}", *options.executions);
  if (options.states) command += fmt::format(" --states {}", *options.states);
  for (const std::string& it : options.overrides) command += " --set " + sweep::shell_word(it);
  if (!options.kmd.empty()) command += " --kmd " + sweep::shell_word(options.kmd);
  return command;
}

/// The command that makes one run again, without its seed. Empty if the scenario of a run depends
/// on the runs before it.
std::string run_command(const Options& options) {
  if (options.generate.steer) return {};
  return "fenceline " + campaign_words(options) + " --runs 1";
}

/// Everything that decides the results of the runs, and not how many there are.
std::string settings_text(const campaign::CampaignOptions& options,
                          [[maybe_unused]] const std::string& mutant) {
  nlohmann::ordered_json settings = {
      {"version", FENCELINE_VERSION},
      {"build", sweep::build_of(options.settings.kmd)},
      {"first_seed", options.first_seed},
      {"policy", campaign::policy_word(options)},
      {"steered", static_cast<bool>(options.steer)},
      {"set", options.overrides},
      {"kmd",
       options.settings.kmd.empty() ? std::string() : fs::absolute(options.settings.kmd).string()},
      {"first_scenario", options.generate(options.first_seed)}};
  if constexpr (abi::kMutants) settings["mutant"] = mutant;
  if (const auto& search = options.settings.search)
    settings["bounds"] = {{"executions", search->executions}, {"states", search->states}};
  return settings.dump(2) + "\n";
}

campaign::Finding finding_of(const campaign::CampaignOptions& options, const campaign::Group& group,
                             std::size_t number, campaign::ShrinkTime& time) {
  campaign::Finding finding;
  finding.file = fmt::format("failure-{}.json", number + 1);
  finding.scenario = group.scenario;
  finding.reason = group.failure.reason;
  if (number >= kMaxShrunk) return finding;
  campaign::ShrinkOptions shrink;
  shrink.settings = options.settings;
  shrink.jobs = options.jobs;
  shrink.stuck = options.stuck;
  shrink.interrupted = options.interrupted;
  shrink.time = time.next(std::chrono::steady_clock::now());
  try {
    const auto shrunk = campaign::shrink(finding.scenario, finding.file, shrink, group.failure);
    if (!shrunk) return finding;
    finding.scenario = shrunk->text;
    finding.reason = shrunk->failure.reason;
    finding.shrink_runs = shrunk->runs;
    if (options.settings.search)
      finding.counterexample = campaign::counterexamples(
          scenario::load_text(finding.scenario, finding.file), options.settings);
  } catch (const scenario::ScenarioError&) {
    // The generator made a scenario that the loader refuses: that is the finding.
  } catch (const std::invalid_argument&) {
    // No order has a story: the programs do not begin.
  }
  return finding;
}

campaign::Results make_results(const Options& options, campaign::CampaignOptions settings,
                               const Console& console, Live& live) {
  campaign::Results results;
  results.constraints = constraints_name(options.generate);
  LiveCampaign page(live, results.constraints, settings.runs);
  {
    SweepProgress progress(console, options, "campaign", settings.runs);
    settings.progress = [&](std::uint64_t done) {
      progress.update(done);
      page.update(done);
    };
    if (live.on())
      settings.evaluated = [&](const auto& evaluation, bool now) { page.add(evaluation, now); };
    results.totals = campaign::run_campaign(settings);
  }
  settings.progress = nullptr;
  settings.evaluated = nullptr;
  page.finish();
  const std::size_t small = std::min(results.totals.groups.size(), kMaxShrunk);
  campaign::ShrinkTime time(settings.time, small, std::chrono::steady_clock::now());
  for (const auto& [key, group] : results.totals.groups) {
    if (interrupted()) break;
    page.shrink(results.findings.size(), results.totals.groups.size(), group.failure.cause);
    results.findings.push_back(finding_of(settings, group, results.findings.size(), time));
  }
  results.options = std::move(settings);
  return results;
}

void check_elsewhere(const Options& options) {
  if (!options.engine.elsewhere() && options.engine.worker.empty()) return;
  const char* const with = options.engine.worker.empty() ? "--engine slurm or command" : "--worker";
  if (options.generate.steer || options.time)
    throw UsageError(fmt::format("--{} goes with runs on this machine, not with {}",
                                 options.generate.steer ? "steer" : "time", with));
  if (options.out.empty() == options.engine.worker.empty())
    throw UsageError(options.out.empty() ? "--engine slurm or command goes with --out"
                                         : "--out goes with the command that leads the workers");
}

/// Makes one shard of a campaign that another process leads.
int make_shard(const Options& options, const CampaignFolder& work,
               campaign::CampaignOptions settings) {
  work.join(settings_text(settings, options.mutant));
  settings.shards = shards_of(options, settings.runs);
  settings.shard = shard_of(options, settings.shards);
  return campaign::run_campaign(settings).complete ? kExitOk : kExitInterrupted;
}

/// Has workers elsewhere make the runs. False when interrupted.
bool make_elsewhere(const Options& options, const CampaignFolder& work,
                    const campaign::CampaignOptions& settings, const Console& console) {
  Options whole = options;  // a worker may be in another folder
  for (std::string* path : {&whole.kmd, &whole.generate.constraints})
    if (!path->empty()) *path = fs::absolute(*path).string();
  Workers workers;
  workers.work = {settings.runs, shards_of(options, settings.runs), work.journals(), work.logs(),
                  "go on with the same command"};
  workers.words =
      fmt::format("{} --seed {} --runs {} --shards {} --stuck {}", campaign_words(whole),
                  settings.first_seed, settings.runs, workers.work.shards, settings.stuck.count());
  workers.folder = work.path();
  workers.job = fmt::format("fenceline-{:016x}", std::hash<std::string>()(workers.folder.string()));
  SweepProgress progress(console, options, "campaign", settings.runs);
  sweep::SupervisionOptions supervision;
  supervision.interrupted = &interrupted();
  supervision.progress = [&](std::uint64_t done) { progress.update(done); };
  return run_workers(workers, options, supervision);
}

int interrupted_code(const Options& options, const Console& console) {
  console.err << "fenceline: interrupted"
              << (options.out.empty() ? "" : "; the same command goes on with the campaign")
              << '\n';
  return kExitInterrupted;
}

}  // namespace

int run_campaign(const Options& options, const Console& console) {
  const InterruptGuard guard;
  check_elsewhere(options);
  check_output_folders({options.out}, options.force);
  CampaignFolder work(options, "campaign");
  const campaign::CampaignOptions settings = campaign_options(options, work);
  if (!options.engine.worker.empty()) return make_shard(options, work, settings);
  campaign::check_overrides(settings);
  work.begin(settings_text(settings, options.mutant), options.force);
  if (options.engine.elsewhere() && !make_elsewhere(options, work, settings, console))
    return interrupted_code(options, console);
  Live live(options, console, "campaign");
  const campaign::Results results = make_results(options, settings, console, live);
  if (interrupted()) return interrupted_code(options, console);
  if (!options.out.empty()) {
    report::RunFolder folder(options.out, options.force);
    const auto repeat = [&](const campaign::Failure& failure, const std::string& file) {
      return repeat_command(options, failure, (fs::path(options.out) / file).string());
    };
    campaign::write_results(results, folder, {repeat, run_command(options)});
    folder.commit();
    work.remove();
    live.add_result("files", options.out);
  }
  if (options.json)
    console.out << campaign::results_json(results);
  else if (!options.quiet || results.totals.failed != 0)
    console.out << campaign::results_text(results);
  return results.totals.failed == 0 ? kExitOk : kExitFailed;
}

}  // namespace fenceline::cli
