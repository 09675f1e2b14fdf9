#include "tb/cli/run_job.h"

#include <chrono>
#include <exception>
#include <fenceline_version.h>
#include <fmt/format.h>
#include <ostream>
#include <stdexcept>
#include <sys/resource.h>

#include "tb/cli/progress.h"
#include "tb/report/run_folder.h"
#include "tb/report/write_run.h"

namespace fenceline::cli {

namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

std::uint64_t peak_memory_bytes() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  return static_cast<std::uint64_t>(usage.ru_maxrss) * 1024;
}

/// How many events the run keeps for the traces.
std::uint64_t event_limit(const Job& job, const Options& options) {
  if (job.folder.empty()) return 0;
  if (!options.trace) return report::kDefaultEventLimit;
  return options.trace->any() ? report::Recorder::kUnlimited : 0;
}

std::string files_text(const std::string& folder, const std::vector<std::string>& names) {
  std::string text = folder + ":";
  for (const std::string& name : names) text += " " + name;
  return text;
}

/// Writes the folder of the run that `outcome` holds.
void write_files(const Options& options, const report::Record& record, double seconds,
                 report::RunFolder& folder, Outcome& outcome) {
  const bool too_long = !options.trace && record.recorder.truncated();
  const report::TraceSet traces =
      too_long ? report::TraceSet{} : options.trace.value_or(report::TraceSet::all());
  const report::HostTiming timing{seconds, 0, peak_memory_bytes()};
  const auto names = report::write_run(outcome.report, record, traces, timing, folder);
  folder.commit();
  outcome.files = files_text(folder.target().string(), names);
  if (too_long) {
    outcome.files += fmt::format(" (no traces: more than {} events; ask with --trace)",
                                 report::kDefaultEventLimit);
  }
}

/// Programs and faults draw by the scenario's seed.
std::shared_ptr<const scenario::Scenario> with_seed(
    const std::shared_ptr<const scenario::Scenario>& scenario, std::uint64_t seed) {
  if (scenario->seed == seed) return scenario;
  const auto seeded = std::make_shared<scenario::Scenario>(*scenario);
  seeded->seed = seed;
  return seeded;
}

void make_run(const Job& job, const Options& options, const Services& services,
              const Console& console, Outcome& outcome) {
  std::optional<report::RunFolder> folder;
  if (!job.folder.empty()) folder.emplace(job.folder, options.force);
  report::Record record(event_limit(job, options));
  RunRequest request = job.request;
  Progress progress(console, options, outcome.scenario, job);
  request.progress = [&](std::uint64_t now) { progress.update(now); };
  const Clock::time_point start = Clock::now();
  outcome.ran = with_seed(job.scenario, request.seed);
  outcome.report = services.run(*outcome.ran, request, record);
  const double seconds = seconds_since(start);
  progress.clear();
  outcome.report.scenario = outcome.ran.get();
  outcome.report.version = FENCELINE_VERSION;
  outcome.report.seed = request.seed;
  outcome.exit_code = outcome.report.exit_code;
  if (request.interrupted != nullptr && request.interrupted->load()) {
    outcome.report.verdict = "interrupted";
    outcome.exit_code = kExitInterrupted;
    outcome.files = "none: interrupted";
  } else if (folder) {
    write_files(options, record, seconds, *folder, outcome);
  } else {
    outcome.files = "none; --out DIR writes results and traces";
  }
}

}  // namespace

LoadRequest load_request(const std::string& path, const Options& options) {
  LoadRequest request{path, std::nullopt, options.overrides, options.seed};
  if (options.policy) {
    request.overrides.push_back(
        fmt::format("/policy=\"{}\"", report::policy_name(*options.policy)));
  }
  return request;
}

Outcome run_job(const Job& job, const Options& options, const Services& services,
                const Console& console) {
  Outcome outcome;
  outcome.scenario = job.scenario->name;
  outcome.report.seed = job.request.seed;
  try {
    make_run(job, options, services, console, outcome);
  } catch (const report::FolderError& error) {
    outcome.error = error.what();
    outcome.exit_code = kExitUsage;
  } catch (const std::invalid_argument& error) {  // a driver that does not load
    outcome.error = error.what();
    outcome.exit_code = kExitUsage;
  } catch (const std::exception& error) {
    outcome.error = error.what();
    outcome.exit_code = kExitInternal;
  }
  if (!outcome.error.empty()) console.err << "fenceline: " << outcome.error << '\n';
  return outcome;
}

}  // namespace fenceline::cli
