#include "tb/app/cli/commands/explore_command.h"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <ostream>
#include <thread>

#include "tb/app/cli/commands/explored_runs.h"
#include "tb/app/cli/commands/run_job.h"
#include "tb/app/cli/inputs.h"
#include "tb/app/cli/interrupt.h"
#include "tb/app/cli/live/live_search.h"
#include "tb/app/cli/outputs/exploration_page.h"
#include "tb/app/cli/outputs/notices.h"
#include "tb/app/cli/outputs/output_places.h"
#include "tb/app/cli/outputs/repro.h"
#include "tb/app/cli/outputs/search_progress.h"
#include "tb/check/core/invariants.h"
#include "tb/explore/process/checkpoint.h"
#include "tb/explore/process/contained.h"
#include "tb/explore/story/exploration_json.h"
#include "tb/report/record/run_folder.h"
#include "tb/report/writers/junit.h"
#include "tb/report/writers/write_run.h"
#include "tb/scenario/text/diagnostics.h"

namespace fenceline::cli {

namespace {

using scenario::Scenario;

bool is_finding(const std::string& name) {
  const auto& all = check::all_invariants();
  return explore::other_finding(name) != nullptr ||
         std::any_of(all.begin(), all.end(), [&](const auto& it) { return name == it.id; });
}

void check_about(const Options& options) {
  for (const std::string& name : options.about)
    if (!is_finding(name))
      throw UsageError(fmt::format("--about: \"{}\" is no invariant, such as I1", name));
}

unsigned jobs_of(const Options& options) {
  return options.jobs.value_or(std::max(1U, std::thread::hardware_concurrency()));
}

explore::ExploreOptions explore_options(const Options& options, const Scenario& scenario) {
  explore::ExploreOptions result;
  result.limits.strategy = options.search;
  const bool all_orders = options.search == explore::Strategy::kSystematic;
  result.limits.executions = options.executions.value_or(all_orders ? scenario.explore.executions
                                                                    : result.limits.fallback);
  result.limits.states = options.states.value_or(scenario.explore.states);
  if (options.stuck) result.limits.stuck = std::chrono::milliseconds(*options.stuck * 1000);
  if (options.executions || scenario.explore.executions != scenario::ExploreSettings{}.executions)
    result.limits.long_run = UINT64_MAX;
  if (options.executions && !all_orders) result.limits.sampled = UINT64_MAX;
  if (options.seconds) {
    const std::chrono::milliseconds all(*options.seconds * 1000);
    result.limits.sample_until = std::chrono::steady_clock::now() + all;
    result.limits.search_until = std::chrono::steady_clock::now() + all * 2 / 3;
  }
  result.jobs = jobs_of(options);
  result.kmd = options.kmd;
  result.keep_holds = options.keep_holds;
  result.limits.about.insert(options.about.begin(), options.about.end());
  result.interrupted = &interrupted();
  return result;
}

/// A run for a picture that crashed or made no progress fails the exploration, as it fails `run`.
void note_death(const explore::Ended& ended, const Options& options, const std::string& name,
                explore::Judgement& judgement) {
  const bool plug_in = ended.by_driver(options.kmd);
  judgement.reasons.push_back(
      fmt::format("there is no picture of {}: {}: {}", name,
                  plug_in ? "the driver " + options.kmd : "fenceline itself", ended.what()));
  judgement.as_expected = false;
  judgement.exit_code = worse_exit(judgement.exit_code, plug_in ? kExitFailed : kExitInternal);
}

/// Writes a repro.json per counterexample, and a run with pictures for those that also break on the
/// cycle timeline. Returns the name of each counterexample: its files begin with it.
std::vector<std::string> write_counterexamples(const Options& options, const Scenario& scenario,
                                               const explore::Exploration& exploration,
                                               explore::Judgement& judgement,
                                               report::RunFolder& folder) {
  const Scenario free = free_scenario(scenario, options.keep_holds);
  std::vector<std::string> names;
  std::map<std::string, int> causes;  // so far, by invariant; numbers the files of later ones
  for (const explore::Counterexample& found : exploration.counterexamples) {
    std::string& name = names.emplace_back(found.violation.invariant);
    if (const int before = causes[name]++; before != 0) name += "_" + std::to_string(before + 1);
    if (found.trace.empty()) continue;
    if (const std::string repro = repro_of(free, options.kmd, found); !repro.empty())
      write_text(folder, name + ".repro.json", repro);
    if (!found.timed) continue;
    const std::chrono::milliseconds stuck = watch_of(options).stuck;
    const explore::Ended ended = write_timed_run(scenario, options.kmd, found, name, stuck, folder);
    if (ended.how != explore::Ended::How::kWell) note_death(ended, options, name, judgement);
  }
  return names;
}

void write_exploration(const Options& options, const Scenario& scenario,
                       const explore::Exploration& exploration, explore::Judgement& judgement,
                       report::RunFolder& folder) {
  const std::vector<std::string> names =
      write_counterexamples(options, scenario, exploration, judgement, folder);
  report::RunReport report;
  report.scenario = &scenario;
  report.seed = scenario.seed;
  report.kmd = options.kmd;
  const std::string result = exploration_json(scenario, exploration, judgement);
  write_text(folder, "config.json", report::config_json(report));
  write_text(folder, "result.json", result);
  write_text(folder, "story.txt", exploration_text(scenario, exploration, judgement));
  write_exploration_page(result, report, names, folder);
}

/// Returns a loader of the scenario of `file` with overrides.
explore::Load loader(const std::string& file, const Options& options,
                     const explore::Checkpoint& checkpoint, const Services& services) {
  return [&](const std::vector<std::string>& overrides) {
    LoadRequest request = load_request(file.empty() ? options.resume : file, options);
    if (file.empty()) request.text = checkpoint.scenario;
    request.overrides.insert(request.overrides.end(), overrides.begin(), overrides.end());
    return services.load(request);
  };
}

/// Checkpoint that an earlier exploration left in its folder.
explore::Checkpoint read_checkpoint(const std::string& folder) {
  const std::string path = (std::filesystem::path(folder) / explore::Checkpoint::kFile).string();
  std::ifstream file(path, std::ios::binary);
  if (!file) throw UsageError(fmt::format("--resume: {} has no checkpoint", folder));
  const std::string bytes{std::istreambuf_iterator<char>(file), {}};
  try {
    return explore::Checkpoint::of(bytes);
  } catch (const std::invalid_argument& error) {
    throw UsageError(fmt::format("--resume: {} {}", path, error.what()));
  }
}

/// Options and scenario of the exploration to resume. @param file empty: the scenario of the
/// checkpoint.
Scenario take_up(const std::string& file, const explore::Checkpoint& checkpoint, Options& options,
                 const Services& services) {
  LoadRequest request = load_request(file.empty() ? options.resume : file, options);
  if (file.empty()) request.text = checkpoint.scenario;
  Scenario scenario = services.load(request);
  if (scenario.effective_json != checkpoint.scenario)
    throw UsageError(fmt::format("--resume: {} is of another scenario", options.resume));
  if (!options.kmd.empty() && options.kmd != checkpoint.kmd)
    throw UsageError(fmt::format("--resume: {} is of another driver", options.resume));
  options.kmd = checkpoint.kmd;
  options.keep_holds = checkpoint.keep_holds;
  options.about = checkpoint.about;
  return scenario;
}

struct Explored {
  std::string text;
  Outcome outcome;  ///< with its json and suite
};

/// If --verify could not compare everything, the search is incomplete.
void note_uncompared(const explore::Comparison& compared, explore::Judgement& judgement) {
  for (const std::string& sentence : compared.uncompared)
    judgement.reasons.push_back("--verify could not compare: " + sentence);
  if (compared.uncompared.empty()) return;
  judgement.as_expected = false;
  judgement.exit_code = worse_exit(judgement.exit_code, kExitIncomplete);
}

/// A JUnit suite with one test: whether the search met the expectations, with its bounds.
std::string suite_of(const Scenario& scenario, const explore::Exploration& exploration,
                     const explore::Judgement& judgement) {
  std::string failure;
  if (!judgement.as_expected) failure = verdict_name(exploration.verdict);
  for (const std::string& reason : judgement.reasons) failure += "\n" + reason;
  return report::junit_suite(
      scenario.name,
      {{"explore", "the search comes to its verdict", judgement.as_expected ? "" : failure}}, "",
      {{"verdict", verdict_name(exploration.verdict)},
       {"bounds", exploration.bounds.text()},
       {"states", std::to_string(exploration.search.states)},
       {"executions", std::to_string(exploration.search.executions)}});
}

Outcome outcome_of(const Scenario& scenario, const explore::Exploration& exploration,
                   const explore::Judgement& judgement) {
  Outcome outcome;
  outcome.scenario = scenario.name;
  outcome.exit_code = judgement.exit_code;
  outcome.verdict = verdict_name(exploration.verdict);
  outcome.reasons = judgement.reasons;
  outcome.json = exploration_json(scenario, exploration, judgement);
  outcome.suite = suite_of(scenario, exploration, judgement);
  return outcome;
}

Explored explore_one(const std::string& file, const Options& given, const Services& services,
                     const Console& console, Live& live, std::string out) {
  Options options = given;
  explore::Checkpoint checkpoint;
  if (!options.resume.empty()) checkpoint = read_checkpoint(options.resume);
  const Scenario scenario = options.resume.empty() ? services.load(load_request(file, options))
                                                   : take_up(file, checkpoint, options, services);
  const bool in_place = !options.resume.empty() && out.empty();
  if (in_place) out = options.resume;
  std::optional<report::RunFolder> folder;
  if (!out.empty()) folder.emplace(out, options.force || in_place);
  SearchProgress progress(console, options, scenario.name);
  explore::ExploreOptions search = explore_options(options, scenario);
  LiveSearch page(live, scenario.name, search.limits);
  search.progress = [&](const explore::SearchReport& report, const explore::Frontier* frontier) {
    progress.update(report);
    page.update(report, frontier);
  };
  search.keep_left = folder.has_value();
  search.limits.watched = live.on();
  explore::Exploration exploration = explore::explore(scenario, search, checkpoint.state);
  page.finish(exploration);
  live.enter("looks for switches that prevent the findings");
  try {
    find_preventions(scenario, loader(file, options, checkpoint, services), search, exploration);
  } catch (const explore::Interrupted&) {  // the results so far stay
  }
  explore::Judgement judgement = judge(scenario, exploration);
  if (options.verify) {
    live.enter("searches again without reductions");
    const explore::Comparison compared = compare_unreduced(scenario, search, exploration);
    if (!compared.differs.empty()) throw std::runtime_error(compared.differs);
    note_uncompared(compared, judgement);
  }
  if (folder) {
    write_exploration(options, scenario, exploration, judgement, *folder);
    if (!exploration.left.empty())
      write_text(*folder, explore::Checkpoint::kFile,
                 explore::Checkpoint{scenario.effective_json, options.kmd, options.keep_holds,
                                     options.about, exploration.left}
                     .file());
    folder->commit();
  }
  Explored explored;
  explored.text = exploration_text(scenario, exploration, judgement);
  explored.outcome = outcome_of(scenario, exploration, judgement);
  explored.outcome.file = file;
  return explored;
}

Explored explore_subsets(const std::string& file, const Options& options, const Services& services,
                         Live& live, const std::string& out) {
  const Scenario scenario = services.load(load_request(file, options));
  const std::vector<std::string> switches =
      options.matrix->empty() ? scenario.explore.matrix : *options.matrix;
  if (switches.empty())
    throw UsageError(
        fmt::format("--matrix: {} names no switches at /explore/matrix; name some, such as "
                    "--matrix=cmp.recheck,os.resample,kmd.umv_ack",
                    file));
  std::optional<report::RunFolder> folder;
  if (!out.empty()) folder.emplace(out, options.force);
  explore::ExploreOptions search = explore_options(options, scenario);
  search.jobs = 1;  // every subset already has a process of its own
  search.explain = folder.has_value();
  LiveMatrix page(live, scenario.name);
  const explore::Matrix matrix = explore_matrix(
      switches, loader(file, options, {}, services), search, jobs_of(options),
      [&](const explore::MatrixRow& row, std::size_t rows) { page.update(row, rows); });
  if (folder) {
    report::RunReport report;
    report.scenario = &scenario;
    report.seed = scenario.seed;
    report.kmd = options.kmd;
    write_text(*folder, "config.json", report::config_json(report));
    const std::string result = matrix_json(scenario, matrix);
    write_text(*folder, "matrix.json", result);
    write_matrix_page(
        result, [&](std::size_t most) { return counterexamples_json(matrix, most); },
        subset_command(file, options), *folder);
    write_text(*folder, "matrix.svg", matrix_svg(scenario, matrix));
    folder->commit();
  }
  const explore::Judgement judgement = explore::judge(matrix);
  Explored explored;
  explored.text = matrix_text(matrix);
  for (const std::string& reason : judgement.reasons) explored.text += reason + "\n";
  explored.outcome.exit_code = judgement.exit_code;
  explored.outcome.reasons = judgement.reasons;
  explored.outcome.scenario = scenario.name;
  explored.outcome.verdict = "matrix";
  explored.outcome.json = matrix_json(scenario, matrix);
  explored.outcome.suite = report::junit_suite(
      scenario.name,
      {{"explore", "the matrix", fmt::format("{}", fmt::join(judgement.reasons, "; "))}});
  explored.outcome.file = file;
  return explored;
}

/// Output folder of each exploration; empty without --out.
std::vector<std::string> folders_of(const std::vector<std::string>& files, const Options& options) {
  if (options.out.empty() || files.size() == 1) return {files.size(), options.out};
  std::vector<std::string> folders;
  std::map<std::string, int> used;
  for (const std::string& file : files) {
    const std::string name = numbered(std::filesystem::path(file).stem().string(), used);
    folders.push_back((std::filesystem::path(options.out) / name).string());
  }
  return folders;
}

/// The exploration of one file, or the error for an invalid scenario.
Explored explore_file(const std::string& file, const Options& options, const Services& services,
                      const Console& console, Live& live, bool several, const std::string& out) {
  try {
    return options.matrix ? explore_subsets(file, options, services, live, out)
                          : explore_one(file, options, services, console, live, out);
  } catch (const scenario::ScenarioError& error) {
    if (!several) throw;
    console.err << "fenceline: " << error.what() << '\n';
    Explored explored;
    explored.outcome.file = file;
    explored.outcome.scenario = std::filesystem::path(file).stem().string();
    explored.outcome.error = error.what();
    explored.outcome.exit_code = kExitUsage;
    explored.outcome.json = report::error_json(explored.outcome.scenario, error.what(), kExitUsage);
    return explored;
  }
}

}  // namespace

int explore_scenarios(const Options& options, const Services& services, const Console& console) {
  const InterruptGuard guard;
  std::vector<std::string> files = expand_inputs(options.inputs);
  if (!options.resume.empty() && files.size() > 1)
    throw UsageError("--resume goes on with one scenario");
  if (files.empty()) files.emplace_back();  // use the scenario of the checkpoint
  const bool several = files.size() > 1;
  int code = kExitOk;
  std::size_t good = 0;
  std::string list;
  Notices notices(options);
  const std::vector<std::string> folders = folders_of(files, options);
  check_output_folders(folders, options.force);
  check_about(options);
  Live live(options, console, "explore");
  for (std::size_t i = 0; i < files.size(); ++i) {
    if (interrupted().load()) break;
    const Explored explored =
        explore_file(files[i], options, services, console, live, several, folders[i]);
    const Outcome& outcome = explored.outcome;
    live.add_result(outcome.scenario, outcome.error.empty() ? outcome.verdict : outcome.error);
    if (!folders[i].empty() && outcome.error.empty()) live.add_result("files", folders[i]);
    code = worse_exit(code, outcome.exit_code);
    if (outcome.exit_code == kExitOk) ++good;
    notices.add(outcome, console);
    if (options.json)
      list += (list.empty() ? "" : ",\n") + outcome.json;
    else if (options.quiet && several)
      console.out << fmt::format("{}: {}\n", outcome.scenario,
                                 outcome.error.empty() ? outcome.verdict : "error");
    else if (!options.quiet || outcome.exit_code != kExitOk)
      console.out << explored.text << (several ? "\n" : "");
  }
  if (options.json) console.out << (several ? "[\n" + list + "]\n" : list);
  if (!options.json && several)
    console.out << fmt::format("{} of {} as expected\n", good, files.size());
  if (interrupted().load()) return kExitInterrupted;
  notices.finish();
  return code;
}

}  // namespace fenceline::cli
