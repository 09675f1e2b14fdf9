#include "tb/app/cli/commands/run_job.h"

#include <algorithm>
#include <chrono>
#include <exception>
#include <fenceline_version.h>
#include <filesystem>
#include <fmt/format.h>
#include <ostream>
#include <stdexcept>
#include <sys/resource.h>
#include <thread>

#include "tb/app/cli/interrupt.h"
#include "tb/app/cli/live/live_runs.h"
#include "tb/app/cli/outputs/progress.h"
#include "tb/explore/search/bytes.h"
#include "tb/report/record/run_folder.h"
#include "tb/report/writers/page.h"
#include "tb/report/writers/write_run.h"

namespace fenceline::cli {

template <class Archive>
void serialize(Archive& archive, Outcome& it) {
  archive(it.scenario, it.file, it.seed, it.exit_code, it.verdict, it.reasons, it.broken,
          it.end_time, it.events, it.interrupts, it.released, it.title, it.details, it.latencies,
          it.json, it.suite, it.files, it.error);
}

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

/// Number of events that the run keeps for traces.
std::uint64_t event_limit(const Job& job, const Options& options) {
  if (job.kept_events != 0) return job.kept_events;
  if (job.folder.empty()) return 0;
  if (!options.trace) return report::kDefaultEventLimit;
  return options.trace->any() ? report::Recorder::kUnlimited : 0;
}

std::string files_text(const std::string& folder, const std::vector<std::string>& names) {
  std::string text = folder + ":";
  for (const std::string& name : names) text += " " + name;
  return text;
}

/// Writes the files of a run.
void write_files(const report::RunReport& report, const Options& options,
                 const report::Record& record, double seconds, report::RunFolder& folder,
                 Outcome& outcome) {
  const bool too_long = !options.trace && record.recorder.truncated();
  const report::TraceSet traces =
      too_long ? report::TraceSet{} : options.trace.value_or(report::TraceSet::all());
  const report::HostTiming timing{seconds, 0, peak_memory_bytes()};
  const auto names = report::write_run(report, record, traces, {timing, options.window}, folder);
  outcome.files = files_text(folder.target().string(), names);
  if (too_long) {
    outcome.files += fmt::format(" (no traces: more than {} events; ask with --trace)",
                                 report::kDefaultEventLimit);
  }
  const std::string no_page = traces.html ? missing_page_reason(report) : "";
  if (!no_page.empty()) outcome.files += fmt::format(" (no report.html: {})", no_page);
}

/// The scenario with this seed: programs and faults use it for random draws.
std::shared_ptr<const scenario::Scenario> with_seed(
    const std::shared_ptr<const scenario::Scenario>& scenario, std::uint64_t seed) {
  if (scenario->seed == seed) return scenario;
  const auto seeded = std::make_shared<scenario::Scenario>(*scenario);
  seeded->seed = seed;
  return seeded;
}

Outcome blank(const Job& job) {
  Outcome outcome;
  outcome.file = job.file;
  outcome.scenario =
      job.scenario ? job.scenario->name : std::filesystem::path(job.file).stem().string();
  outcome.seed = job.request.seed;
  if (job.scenario) outcome.title = job.scenario->title;
  return outcome;
}

/// Fills report and folder of a run that crashed or made no progress.
void describe_death(const Job& job, const run::Ended& ended, const Options& options,
                    const Console& console, std::optional<report::RunFolder>& folder,
                    Outcome& outcome) {
  const bool endless = ended.how == run::Ended::How::kStuck;
  const auto scenario = with_seed(job.scenario, job.request.seed);
  report::RunReport report;
  report.scenario = scenario.get();
  report.version = FENCELINE_VERSION;
  report.seed = job.request.seed;
  report.ending = endless ? report::Ending::kEndlessLoop : report::Ending::kCrash;
  report.verdict = report::ending_name(report.ending);
  report.end_time = ended.now;
  const bool plug_in = ended.by_driver(job.request.kmd);
  report.exit_code = plug_in ? kExitFailed : kExitInternal;
  report.reasons = {(plug_in ? "the driver " + job.request.kmd : "fenceline itself") + ": " +
                    ended.what()};
  if (ended.how == run::Ended::How::kKilled)
    report.reasons.emplace_back("the process may have been killed from outside, as for its memory");
  if (endless)
    report.reasons.emplace_back(
        "whether a step takes too long depends on the machine; --stuck sets the limit");
  outcome.exit_code = report.exit_code;
  if (folder) {
    folder->clear();
    Options no_traces = options;
    no_traces.trace = report::TraceSet{};
    write_files(report, no_traces, report::Record(0), 0, *folder, outcome);
  }
  describe(report, console.out_is_terminal, outcome);
}

/// The jobs of one command in progress.
class Runs {
 public:
  Runs(const std::vector<Job>& jobs, const Options& options, const Services& services,
       const Console& console, Live& live, const std::function<void(const Outcome&)>& made)
      : jobs_(jobs),
        options_(options),
        services_(services),
        console_(console),
        made_(made),
        folders_(jobs.size()),
        outcomes_(jobs.size()),
        live_(live, jobs) {}

  bool make() {
    run::Works works;
    works.count = jobs_.size();
    works.prepare = [this](std::size_t number) { return prepare(number); };
    works.work = [this](std::size_t number, run::Pulse& pulse) { return work(number, pulse); };
    works.ended = [this](std::size_t number, run::Ended ended) { end(number, std::move(ended)); };
    run::Watch watch = watch_of(options_);
    watch.progress = [this](std::size_t number, const run::Pulse& pulse) {
      progress_.update(jobs_[number], next_, jobs_.size(), pulse.now());
      live_.update(number, pulse.now());
    };
    services_.contain(works, watch);
    progress_.clear();
    live_.finish();
    return next_ == jobs_.size();
  }

 private:
  /// False if the run cannot start.
  bool prepare(std::size_t number) {
    const Job& job = jobs_[number];
    Outcome outcome = blank(job);
    try {
      if (!job.error.empty()) throw report::FolderError(job.error);
      if (!job.folder.empty()) folders_[number].emplace(job.folder, options_.force);
      live_.begin(number);
      return true;
    } catch (const report::FolderError& error) {
      outcome.error = error.what();
      outcome.exit_code = kExitUsage;
    }
    made(number, std::move(outcome));
    return false;
  }

  /// Runs in the process of the run.
  std::string work(std::size_t number, run::Pulse& pulse) {
    const Job& job = jobs_[number];
    Outcome outcome = blank(job);
    try {
      make_run(number, pulse, folders_[number], outcome);
    } catch (const std::invalid_argument& error) {  // e.g. a driver that does not load
      outcome.error = error.what();
      outcome.exit_code = kExitUsage;
    } catch (const std::exception& error) {
      outcome.error = error.what();
      outcome.exit_code = kExitInternal;
    }
    return explore::to_bytes(outcome);
  }

  void make_run(std::size_t number, run::Pulse& pulse, std::optional<report::RunFolder>& folder,
                Outcome& outcome) const {
    const Job& job = jobs_[number];
    report::Record record(event_limit(job, options_));
    run::RunOptions request = job.request;
    request.pulse = &pulse;
    const std::unique_ptr<LiveRun> live = live_.observer(number);
    if (live) request.observer = live.get();
    const Clock::time_point start = Clock::now();
    const auto scenario = with_seed(job.scenario, request.seed);
    report::RunReport report = services_.run(*scenario, request, record);
    const double seconds = seconds_since(start);
    report.scenario = scenario.get();
    report.version = FENCELINE_VERSION;
    report.seed = request.seed;
    outcome.exit_code = report.exit_code;
    if (pulse.stopped()) return;  // the outcome is no longer needed
    if (folder) {
      write_files(report, options_, record, seconds, *folder, outcome);
    } else {
      outcome.files = "none; --out DIR writes results and traces";
    }
    describe(report, console_.out_is_terminal, outcome);
    if (job.after) job.after(report, record, outcome);
  }

  void end(std::size_t number, run::Ended ended) {
    using How = run::Ended::How;
    const Job& job = jobs_[number];
    live_.end(number);
    Outcome outcome = blank(job);
    try {
      // After an interrupt unfinished runs leave no folder.
      if (interrupted().load()) ended.how = How::kInterrupted;
      switch (ended.how) {
        case How::kWell:
          explore::from_bytes(ended.result, outcome);
          break;
        case How::kCrashed:
        case How::kStuck:
        case How::kKilled:
          describe_death(job, ended, options_, console_, folders_[number], outcome);
          break;
        case How::kInterrupted:
          return folders_[number].reset();
      }
      if (folders_[number] && outcome.error.empty()) folders_[number]->commit();
    } catch (const std::exception& error) {
      outcome.error = error.what();
      outcome.exit_code = kExitInternal;
      if (dynamic_cast<const report::FolderError*>(&error) != nullptr)
        outcome.exit_code = kExitUsage;
    }
    folders_[number].reset();
    made(number, std::move(outcome));
  }

  /// Reports outcomes in the order of the jobs.
  void made(std::size_t number, Outcome outcome) {
    outcomes_[number] = std::move(outcome);
    for (; next_ < outcomes_.size() && outcomes_[next_]; ++next_) {
      progress_.clear();
      const Outcome& it = *outcomes_[next_];
      if (!it.error.empty()) console_.err << "fenceline: " << it.error << '\n';
      made_(it);
      live_.made(it);
      outcomes_[next_]->json.clear();  // free the memory
    }
  }

  const std::vector<Job>& jobs_;
  const Options& options_;
  const Services& services_;
  const Console& console_;
  const std::function<void(const Outcome&)>& made_;
  std::vector<std::optional<report::RunFolder>> folders_;
  std::vector<std::optional<Outcome>> outcomes_;
  std::size_t next_ = 0;
  LiveRuns live_;
  Progress progress_{console_, options_};
};

}  // namespace

LoadRequest load_request(const std::string& path, const Options& options) {
  LoadRequest request{path, std::nullopt, options.overrides, options.seed};
  if (options.policy) {
    request.overrides.push_back(
        fmt::format("/policy=\"{}\"", report::policy_name(*options.policy)));
  }
  return request;
}

run::Watch watch_of(const Options& options) {
  run::Watch watch;
  watch.jobs = options.jobs.value_or(std::max(1U, std::thread::hardware_concurrency()));
  if (options.stuck) watch.stuck = std::chrono::seconds(*options.stuck);
  watch.interrupted = &interrupted();
  return watch;
}

Outcome outcome_of_death(const Job& job, const run::Ended& ended, const Options& options,
                         const Console& console) {
  Outcome outcome = blank(job);
  std::optional<report::RunFolder> nowhere;
  describe_death(job, ended, options, console, nowhere, outcome);
  return outcome;
}

bool run_jobs(const std::vector<Job>& jobs, const Options& options, const Services& services,
              const Console& console, Live& live, const std::function<void(const Outcome&)>& made) {
  return Runs(jobs, options, services, console, live, made).make();
}

bool run_jobs(const std::vector<Job>& jobs, const Options& options, const Services& services,
              const Console& console, const std::function<void(const Outcome&)>& made) {
  Live none;
  return run_jobs(jobs, options, services, console, none, made);
}

}  // namespace fenceline::cli
