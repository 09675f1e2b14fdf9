#include "tb/app/cli/commands/bite_command.h"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <iterator>
#include <nlohmann/json.hpp>
#include <ostream>

#include "fenceline_version.h"
#include "tb/app/cli/commands/campaign_folder.h"
#include "tb/app/cli/commands/generate_command.h"
#include "tb/app/cli/commands/run_job.h"
#include "tb/app/cli/interrupt.h"
#include "tb/app/cli/mutants.h"
#include "tb/app/cli/outputs/output_places.h"
#include "tb/app/cli/outputs/sweep_text.h"
#include "tb/generate/generate.h"
#include "tb/reference/predict.h"
#include "tb/report/record/run_folder.h"
#include "tb/run/process/journal.h"
#include "tb/scenario/brief.h"
#include "tb/scenario/shapes/ordering_names.h"
#include "tb/scenario/text/diagnostics.h"

namespace fenceline::cli {

namespace fs = std::filesystem;

using campaign::Bite;
using campaign::Target;
using Json = nlohmann::ordered_json;

namespace {

constexpr std::uint64_t kDefaultTime = 600'000;  ///< [ms] for a target

/// A switch value as --set takes it, without the quotes of a word.
std::string bare(std::string json) {
  json.erase(std::remove(json.begin(), json.end(), '"'), json.end());
  return json;
}

/// A machine whose switches have these values. @param values such as "os.resample=off"
Target target_of(const std::vector<std::string>& values, std::string kind, std::string what) {
  Target target;
  target.name = fmt::format("{}", fmt::join(values, " "));
  target.kind = std::move(kind);
  target.what = std::move(what);
  for (const std::string& value : values) target.overrides.push_back("/platform/ordering/" + value);
  return target;
}

void add_switches(std::vector<Target>& targets) {
  for (const scenario::SwitchInfo& info : scenario::switch_infos())
    for (std::size_t i = 0; i < info.values.size(); ++i) {
      const scenario::SwitchInfo::Value& value = info.values[i];
      if (i == info.initial || value.safe()) continue;
      targets.push_back(target_of({info.name + "=" + bare(value.json)}, "switch",
                                  value.meaning.empty() ? info.doc : value.meaning));
    }
}

/// Values of which another mechanism prevents what they would break, always or mostly. All of a set
/// together break something: reference/switches.md.
struct Together {
  std::vector<std::string> values;
  const char* what;
};
const std::vector<Together>& weak_together() {
  static const std::vector<Together> sets{
      {{"gpu.signal_barrier=before_raise", "cmp.mv_barrier=self"},
       "a barrier only before a notice, and one of the CMP's own writes only"},
      {{"gpu.signal_barrier=before_raise", "gpu.load_hoist=true", "cmp.mv_barrier=drain"},
       "MonitoredValue is read early, and a signal in progress holds up no update"},
      {{"gpu.signal_barrier=before_raise", "gpu.suspend_barrier=false"},
       "a suspension is reported ahead of the writes of a signal"},
      {{"cmp.value=reread", "cmp.clear_first=false"},
       "a notice that merges after the read is cleared, and the CMP reads once for both"},
      {{"mem.cv_home=sysmem", "barrier.reach=gpu", "pcie.completion_ordered=false"},
       "the read of the CMP overtakes a value on its way to system memory"},
      {{"mem.cv_home=sysmem", "barrier.reach=gpu", "pcie.id_based_ordering=true"},
       "a packet of another function overtakes a value on its way to system memory"},
      {{"kmd.update_logs=none", "gpu.log_barrier=true", "os.load_barrier=false"},
       "on a weak host entries are loaded before the index"},
      {{"kmd.destroy_drain=1", "isr.live_filter=false"},
       "interrupts of a destroyed fence are neither drained nor dropped"},
      {{"kmd.connect_scan=false", "umd.ring_again=false"},
       "nobody looks for work that was rung for before the connection"},
      {{"os.lockless_signal=true", "os.store_barrier=false", "kmd.store_barrier=false"},
       "signaller and waiter may both read before the other's store is visible"}};
  return sets;
}

void add_sets(std::vector<Target>& targets) {
  for (const Together& set : weak_together())
    targets.push_back(target_of(set.values, "switches together", set.what));
}

/// Faults that a switch makes are among the switches.
void add_faults(std::vector<Target>& targets) {
  if constexpr (abi::kMutants)
    for (const MutantInfo& info : mutant_infos()) {
      if (info.fault == abi::Mutant::kNone) continue;
      targets.push_back({info.name, info.room, info.what, info.fault, {}, {}});
      if (*info.ordering != '\0')
        targets.back().overrides.push_back(fmt::format("/platform/ordering/{}", info.ordering));
      if (info.of_reference)
        targets.back().predict = [fault = info.fault](const nlohmann::json& scenario) {
          return predict_with(fault, scenario);
        };
    }
}

std::vector<Target> all_targets(const Options& options) {
  if (!options.kmd.empty())
    return {{fs::path(options.kmd).stem().string(),
             "driver",
             "a driver of its own",
             {},
             {},
             options.kmd}};
  std::vector<Target> targets;
  add_faults(targets);
  add_switches(targets);
  add_sets(targets);
  return targets;
}

campaign::Manner manner(const std::string& preset, scenario::PolicyKind policy,
                        std::optional<campaign::SearchBounds> search = std::nullopt) {
  const auto generate = [constraints = generate::preset(preset)](std::uint64_t seed) {
    return scenario::brief_text(generate::generate(constraints, seed));
  };
  return {preset, policy, generate, search};
}

/// The presets take turns, and the cycle timeline with random orders. A search of all orders of a
/// small scenario comes last: it may take as long as a hundred other runs.
std::vector<campaign::Manner> manners() {
  constexpr std::uint64_t kBound = 20'000;
  constexpr const char* kSearched = "search";
  std::vector<campaign::Manner> result;
  for (const std::string& preset : generate::preset_names())
    for (const auto policy : {scenario::PolicyKind::kTiming, scenario::PolicyKind::kRandom})
      if (preset != kSearched) result.push_back(manner(preset, policy));
  campaign::SearchBounds bounds;
  bounds.executions = bounds.states = kBound;
  result.push_back(manner(kSearched, scenario::PolicyKind::kTiming, bounds));
  return result;
}

campaign::BiteOptions bite_options(const Options& options) {
  const run::Watch watch = watch_of(options);
  campaign::BiteOptions result;
  result.manners = manners();
  result.predict = reference::predict;
  if (options.bite.runs) result.runs = *options.bite.runs;
  if (options.time || !options.bite.runs)
    result.time = std::chrono::milliseconds(options.time.value_or(kDefaultTime));
  result.jobs = watch.jobs;
  result.stuck = std::chrono::duration_cast<std::chrono::seconds>(watch.stuck);
  result.interrupted = watch.interrupted;
  return result;
}

std::string settings_text(const std::vector<Target>& targets,
                          const campaign::BiteOptions& options) {
  Json settings = {{"version", FENCELINE_VERSION}, {"targets", Json::array()}};
  for (const Target& target : targets) settings["targets"].push_back(target.name);
  settings["runs"] = options.runs;
  settings["time"] = options.time ? options.time->count() : 0;
  for (const campaign::Manner& manner : options.manners)
    settings["presets"].push_back(manner.preset);
  settings["first_scenario"] = options.manners.back().generate(1);
  return settings.dump(2) + "\n";
}

/// Numbers of the targets without a result, in groups that run together: wrong references do.
std::vector<std::vector<std::size_t>> missing_groups(const std::vector<Target>& targets,
                                                     const run::JournalIndex& index) {
  std::vector<std::vector<std::size_t>> groups;
  std::vector<std::size_t> references;
  for (std::size_t i = 0; i < targets.size(); ++i) {
    if (index.has(i)) continue;
    if (targets[i].predict)
      references.push_back(i);
    else
      groups.push_back({i});
  }
  if (!references.empty()) groups.push_back(std::move(references));
  return groups;
}

/// Results that the journals do not have yet are made. False when interrupted.
bool make_results(const std::vector<Target>& targets, const Options& options,
                  const campaign::BiteOptions& settings, const CampaignFolder& work,
                  const Console& console) {
  fs::create_directories(work.journals());
  run::JournalIndex index(work.journals());
  index.update();
  run::JournalWriter journal(work.journals(), "targets");
  SweepProgress progress(console, options, "bite", targets.size());
  const auto groups = missing_groups(targets, index);
  std::uint64_t done = targets.size();
  for (const std::vector<std::size_t>& group : groups) done -= group.size();
  for (const std::vector<std::size_t>& group : groups) {
    std::vector<Target> together;
    together.reserve(group.size());
    for (const std::size_t i : group) together.push_back(targets[i]);
    const auto add = [&](std::size_t number, const Bite& bite) {
      journal.add(group[number], {"", campaign::bite_json(together[number], bite).dump()});
      progress.update(++done);
    };
    if (!campaign::bite(together, settings, add)) return false;
  }
  return true;
}

/// Writes bite.json and the smallest scenario of each target.
void write_results(const std::vector<Json>& rows, report::RunFolder& folder) {
  Json results = {{"format", "fenceline-bite-1"}, {"targets", Json::array()}};
  for (Json row : rows) {
    if (row.at("found")) {
      row["file"] = row.at("target").get<std::string>() + ".json";
      folder.create(row["file"])->write_whole(row.at("scenario").dump(2) + "\n");
      row.erase("scenario");
    }
    results["targets"].push_back(std::move(row));
  }
  folder.create("bite.json")->write_whole(results.dump(2) + "\n");
}

int print_targets(const std::vector<Target>& targets, const Console& console) {
  for (const Target& target : targets)
    console.out << fmt::format("{} ({}): {}\n", target.name, target.kind, target.what);
  return kExitOk;
}

}  // namespace

std::vector<Target> bite_targets(const Options& options) {
  std::vector<Target> all = all_targets(options);
  if (options.bite.only.empty()) return all;
  std::vector<Target> chosen;
  for (const std::string& name : options.bite.only) {
    const std::size_t before = chosen.size();
    std::copy_if(all.begin(), all.end(), std::back_inserter(chosen),
                 [&](const Target& target) { return target.name == name || target.kind == name; });
    if (chosen.size() == before)
      throw UsageError(fmt::format("--only: there is no {}; --list prints all names", name));
  }
  return chosen;
}

int run_bite(const Options& options, const Console& console) {
  const std::vector<Target> targets = bite_targets(options);
  if (options.bite.list) return print_targets(targets, console);
  const InterruptGuard guard;
  check_output_folders({options.out}, options.force);
  const campaign::BiteOptions settings = bite_options(options);
  CampaignFolder work(options, "bite");
  work.begin(settings_text(targets, settings), options.force);
  if (!make_results(targets, options, settings, work, console)) {
    console.err << "fenceline: interrupted"
                << (options.out.empty() ? "" : "; the same command goes on with the bite") << '\n';
    return kExitInterrupted;
  }
  run::JournalIndex index(work.journals());
  index.update();
  std::vector<Json> rows;
  for (std::size_t i = 0; i < targets.size(); ++i) rows.push_back(Json::parse(index.row_of(i)));
  bool all = true;
  for (std::size_t i = 0; i < targets.size(); ++i) {
    const Bite bite = campaign::bite_of(rows[i]);
    all = all && bite.found;
    if (!options.quiet || !bite.found) console.out << campaign::bite_text(targets[i], bite);
  }
  if (!options.out.empty()) {
    report::RunFolder folder(options.out, options.force);
    write_results(rows, folder);
    folder.commit();
    work.remove();
  }
  return all ? kExitOk : kExitFailed;
}

}  // namespace fenceline::cli
