#include "tb/app/cli/commands/run_command.h"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fmt/format.h>
#include <map>
#include <ostream>

#include "tb/app/cli/commands/run_job.h"
#include "tb/app/cli/inputs.h"
#include "tb/app/cli/interrupt.h"
#include "tb/app/cli/live/live.h"
#include "tb/app/cli/outputs/notices.h"
#include "tb/app/cli/outputs/output_places.h"
#include "tb/app/cli/outputs/repro.h"
#include "tb/app/cli/outputs/repro_file.h"
#include "tb/app/cli/outputs/summary.h"
#include "tb/scenario/text/diagnostics.h"

namespace fenceline::cli {

namespace {

using ScenarioPointer = std::shared_ptr<const scenario::Scenario>;

/// Folder of one of several runs: DIR/<scenario>, with the seed for repeated runs, and with a
/// number for scenarios of the same name.
std::string subfolder(const Options& options, const std::string& scenario, std::uint64_t seed,
                      std::map<std::string, int>& used) {
  std::string name = scenario;
  if (options.repeat > 1) name += fmt::format("-seed{}", seed);
  return (std::filesystem::path(options.out) / numbered(name, used)).string();
}

/// Plans the runs of one file; for an invalid file one job with the error.
void plan_file(const std::string& file, bool several, const Options& options,
               const Services& services, std::map<std::string, int>& used, std::vector<Job>& jobs) {
  Job job;
  job.file = file;
  try {
    job.scenario = std::make_shared<scenario::Scenario>(services.load(load_request(file, options)));
  } catch (const scenario::ScenarioError& error) {
    job.error = error.what();
    jobs.push_back(std::move(job));
    return;
  }
  const std::uint64_t first = job.scenario->seed;
  for (std::uint64_t i = 0; i < options.repeat; ++i) {
    job.request.seed = first + i;
    job.request.stop_at = options.stop_at;
    job.request.policy = job.scenario->policy;
    job.request.kmd = options.kmd;
    if (!options.out.empty()) {
      job.folder = several ? subfolder(options, job.scenario->name, first + i, used) : options.out;
    }
    jobs.push_back(job);
  }
}

std::vector<Job> plan_runs(const Options& options, const Services& services) {
  const std::vector<std::string> files = expand_inputs(options.inputs);
  const bool several = files.size() > 1 || options.repeat > 1;
  std::map<std::string, int> used;
  std::vector<Job> jobs;
  for (const std::string& file : files) plan_file(file, several, options, services, used, jobs);
  return jobs;
}

Results::Style style_of(const Options& options, bool several) {
  if (options.json) return several ? Results::Style::kJsonList : Results::Style::kJson;
  return several || options.quiet ? Results::Style::kTable : Results::Style::kDetails;
}

/// Makes the runs and prints the results; returns the exit code.
int run_all(const std::vector<Job>& jobs, const Options& options, const Services& services,
            const Console& console) {
  std::size_t width = 0;
  std::vector<std::string> folders;
  for (const Job& job : jobs) {
    folders.push_back(job.folder);
    if (job.scenario) width = std::max(width, job.scenario->name.size());
  }
  check_output_folders(folders, options.force);
  const bool any =
      std::any_of(jobs.begin(), jobs.end(), [](const Job& job) { return job.scenario != nullptr; });
  Live live = any ? Live(options, console, "run") : Live();
  Results results(style_of(options, jobs.size() > 1), width, console);
  Notices notices(options);
  int code = kExitOk;
  const bool all = run_jobs(jobs, options, services, console, live, [&](const Outcome& outcome) {
    code = worse_exit(code, outcome.exit_code);
    results.add(outcome);
    notices.add(outcome, console);
  });
  results.finish();
  if (!all) return kExitInterrupted;
  notices.finish();
  live.add_result("exit code", std::to_string(code));
  if (!options.out.empty()) live.add_result("files", options.out);
  return code;
}

/// The run that a repro.json describes.
Job plan_replay(const std::string& path, const ReproFile& repro, const Options& options,
                const Services& services) {
  const auto scenario =
      std::make_shared<scenario::Scenario>(services.load({path, repro.scenario, {}, std::nullopt}));
  scenario->policy = repro.policy;
  Job job;
  job.file = path;
  job.scenario = scenario;
  job.request.seed = repro.seed;
  job.request.policy = repro.policy;
  job.request.choices = repro.choices;
  job.request.kmd = options.kmd;
  job.folder = options.out;
  return job;
}

/// A run spells crash and endless_loop in lower case, an exploration does not.
std::string run_verdict(std::string verdict) {
  if (is_fatal(verdict))
    for (char& letter : verdict) letter = static_cast<char>(std::tolower(letter));
  return verdict;
}

bool is_reproduced(const ReproFile& repro, const Outcome& outcome) {
  // An exploration knows the invariants that broke before a crash; a dead process does not.
  if (is_fatal(repro.verdict)) return run_verdict(repro.verdict) == outcome.verdict;
  return repro.verdict == outcome.verdict && repro.invariants == outcome.broken;
}

}  // namespace

int run_scenarios(const Options& options, const Services& services, const Console& console) {
  const InterruptGuard guard;
  return run_all(plan_runs(options, services), options, services, console);
}

int replay_runs(const Options& options, const Services& services, const Console& console) {
  const InterruptGuard guard;
  const std::vector<std::string> files = expand_inputs(options.inputs);
  if (files.size() > 1 && !options.out.empty()) {
    throw UsageError("replay: --out takes a single repro.json");
  }
  std::map<std::string, ReproFile> repros;
  std::vector<Job> jobs;
  for (const std::string& file : files) {
    repros[file] = read_repro(file);
    jobs.push_back(plan_replay(file, repros[file], options, services));
  }
  Results::Style style = style_of(options, files.size() > 1);
  if (style == Results::Style::kTable && !options.quiet) style = Results::Style::kDetails;
  Results results(style, 0, console);
  int code = kExitOk;
  const bool all = run_jobs(jobs, options, services, console, [&](const Outcome& outcome) {
    results.add(outcome);
    code = worse_exit(code, outcome.exit_code);
    const ReproFile& repro = repros[outcome.file];
    const bool same = is_reproduced(repro, outcome);
    if (!same) code = worse_exit(code, kExitFailed);
    console.err << fmt::format(
        "{}: {} ({})\n", outcome.file, same ? "reproduced" : "not reproduced",
        same ? outcome.verdict : fmt::format("was {}, now {}", repro.verdict, outcome.verdict));
  });
  results.finish();
  return all ? code : static_cast<int>(kExitInterrupted);
}

}  // namespace fenceline::cli
