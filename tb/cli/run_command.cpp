#include "tb/cli/run_command.h"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <ostream>

#include "tb/cli/inputs.h"
#include "tb/cli/interrupt.h"
#include "tb/cli/repro.h"
#include "tb/cli/run_job.h"
#include "tb/cli/summary.h"

namespace fenceline::cli {

namespace {

using ScenarioPointer = std::shared_ptr<const scenario::Scenario>;

/// Folder of one of several runs: DIR/<scenario>, with the seed where a scenario runs repeatedly,
/// and a number where two scenarios share a name.
std::string subfolder(const Options& options, const std::string& scenario, std::uint64_t seed,
                      std::map<std::string, int>& used) {
  std::string name = scenario;
  if (options.repeat > 1) name += fmt::format("-seed{}", seed);
  const int nth = ++used[name];
  if (nth > 1) name += fmt::format("-{}", nth);
  return (std::filesystem::path(options.out) / name).string();
}

std::vector<Job> plan_runs(const Options& options, const Services& services) {
  const std::vector<std::string> files = expand_inputs(options.inputs);
  const bool several = files.size() > 1 || options.repeat > 1;
  std::map<std::string, int> used;
  std::vector<Job> jobs;
  for (const std::string& file : files) {
    const auto scenario =
        std::make_shared<scenario::Scenario>(services.load(load_request(file, options)));
    const std::uint64_t first = scenario->seed;
    for (std::uint64_t i = 0; i < options.repeat; ++i) {
      Job job;
      job.scenario = scenario;
      job.request.seed = first + i;
      job.request.stop_at = options.stop_at;
      job.request.policy = scenario->policy;
      job.request.kmd = options.kmd;
      job.request.interrupted = &interrupted();
      if (!options.out.empty()) {
        job.folder = several ? subfolder(options, scenario->name, first + i, used) : options.out;
      }
      jobs.push_back(std::move(job));
    }
  }
  return jobs;
}

Results::Style style_of(const Options& options, bool several) {
  if (options.json) return several ? Results::Style::kJsonList : Results::Style::kJson;
  if (options.quiet) return Results::Style::kOnlyFailures;
  return several ? Results::Style::kTable : Results::Style::kDetails;
}

int run_all(const std::vector<Job>& jobs, const Options& options, const Services& services,
            const Console& console) {
  std::size_t width = 0;
  for (const Job& job : jobs) width = std::max(width, job.scenario->name.size());
  Results results(style_of(options, jobs.size() > 1), width, console);
  int code = kExitOk;
  for (const Job& job : jobs) {
    if (interrupted().load()) break;
    const Outcome outcome = run_job(job, options, services, console);
    code = worse_exit(code, outcome.exit_code);
    results.add(outcome);
  }
  results.finish();
  return interrupted().load() ? static_cast<int>(kExitInterrupted) : code;
}

nlohmann::json read_json(const std::string& path) {
  std::ifstream file(path);
  if (!file) throw UsageError(fmt::format("cannot read {}", path));
  try {
    return nlohmann::json::parse(file);
  } catch (const nlohmann::json::exception& error) {
    throw UsageError(fmt::format("{} is no repro.json: {}", path, error.what()));
  }
}

/// The run that a repro.json describes.
Job plan_replay(const std::string& path, const Options& options, const Services& services) {
  const nlohmann::json repro = read_json(path);
  Job job;
  try {
    const auto scenario = std::make_shared<scenario::Scenario>(
        services.load({path, repro.at("scenario").dump(2), {}, std::nullopt}));
    scenario->policy = repro.at("policy") == "random" ? scenario::PolicyKind::kRandom
                                                      : scenario::PolicyKind::kTiming;
    job.scenario = scenario;
    job.request.seed = repro.at("seed").get<std::uint64_t>();
    job.request.policy = scenario->policy;
    for (const auto& it : repro.at("choices")) {
      job.request.choices.push_back({it.at("agent"), it.at("op"),
                                     std::stoull(it.at("state").get<std::string>(), nullptr, 16)});
    }
  } catch (const nlohmann::json::exception&) {
    throw UsageError(fmt::format(
        "{} is no repro.json: scenario, policy, seed and choices are expected; `run --out` writes "
        "one beside a failed run",
        path));
  } catch (const std::logic_error&) {  // std::stoull
    throw UsageError(fmt::format("{}: a state is no hexadecimal number", path));
  }
  job.request.kmd = options.kmd;
  job.request.interrupted = &interrupted();
  job.folder = options.out;
  return job;
}

/// Replays a run that crashes or does not come to an end, if that is what the repro.json has;
/// returns the exit code if it does so now, and no value if it may be replayed as any other.
std::optional<int> replay_fatal(const std::string& path, const Job& job, const Services& services,
                                const Console& console) {
  const std::string was = read_json(path).value("verdict", "");
  if (!is_fatal(was)) return std::nullopt;
  const std::string now = replay_contained(job, services);
  if (now.empty()) return std::nullopt;
  const bool same = was == now;
  console.err << fmt::format("{}: {} ({})\n", path, same ? "reproduced" : "not reproduced",
                             same ? was : fmt::format("was {}, now {}", was, now));
  return kExitFailed;
}

/// Says whether a replay came to what its repro.json had.
std::string compare(const std::string& path, const Outcome& outcome) {
  const nlohmann::json repro = read_json(path);
  std::vector<std::string> broken;
  for (const check::Violation& it : outcome.report.violations) broken.push_back(it.invariant);
  const bool same = repro.value("verdict", "") == outcome.report.verdict &&
                    repro.value("invariants", std::vector<std::string>{}) == broken;
  return fmt::format(
      "{}: {} ({})", path, same ? "reproduced" : "not reproduced",
      same ? outcome.report.verdict
           : fmt::format("was {}, now {}", repro.value("verdict", ""), outcome.report.verdict));
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
  Results::Style style = style_of(options, files.size() > 1);
  if (style == Results::Style::kTable) style = Results::Style::kDetails;
  Results results(style, 0, console);
  int code = kExitOk;
  for (const std::string& file : files) {
    const Job job = plan_replay(file, options, services);
    if (const auto fatal = replay_fatal(file, job, services, console)) {
      code = worse_exit(code, *fatal);
      continue;
    }
    const Outcome outcome = run_job(job, options, services, console);
    code = worse_exit(code, outcome.exit_code);
    results.add(outcome);
    console.err << compare(file, outcome) << '\n';
    if (interrupted().load()) break;
  }
  results.finish();
  return interrupted().load() ? static_cast<int>(kExitInterrupted) : code;
}

}  // namespace fenceline::cli
