#include "tb/app/cli/commands/sweep_command.h"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <iterator>
#include <optional>
#include <ostream>
#include <thread>

#include "tb/app/cli/inputs.h"
#include "tb/app/cli/interrupt.h"
#include "tb/app/cli/live/live_sweep.h"
#include "tb/app/cli/outputs/output_places.h"
#include "tb/app/cli/outputs/sweep_text.h"
#include "tb/app/cli/sweep_plan.h"
#include "tb/app/cli/workers.h"
#include "tb/app/sweep/results.h"
#include "tb/app/sweep/work.h"
#include "tb/report/record/run_folder.h"
#include "tb/run/process/work_folder.h"

namespace fenceline::cli {

namespace fs = std::filesystem;
using sweep::Plan;
using sweep::Summary;
using sweep::WorkFolder;

namespace {

unsigned cores() { return std::max(1U, std::thread::hardware_concurrency()); }

class StreamSink final : public report::Sink {
 public:
  explicit StreamSink(std::ostream& stream) : stream_(stream) {}
  void write(const char* data, std::size_t size) override {
    stream_.write(data, static_cast<std::streamsize>(size));
  }
  void close() override {}

 private:
  std::ostream& stream_;
};

void check_build(const Plan& plan, const WorkFolder& folder) {
  if (sweep::build_of(plan.kmd) != plan.build)
    throw UsageError(fmt::format(
        "{} was begun by another build of fenceline, or of the driver: rows of both do not belong "
        "in one table; begin again with --force",
        folder.path().string()));
}

/// Makes the missing runs; false when interrupted.
bool make_runs(const Plan& plan, const WorkFolder& folder, const Options& options,
               const Console& console, Live& live) {
  const std::vector<std::uint64_t> runs = sweep::runs_of(plan, std::nullopt);
  SweepProgress progress(console, options, plan.name, runs.size());
  const bool here = !options.engine.elsewhere();
  const unsigned jobs = options.jobs.value_or(cores());
  LiveSweep page(live, plan.name, sweep::Design(plan.sweep).points(), runs.size(), here ? jobs : 0);
  const auto show = [&](std::uint64_t done) {
    progress.update(done);
    page.update(done);
  };
  if (here) {
    sweep::WorkOptions work{jobs, &interrupted(), show, {}};
    if (live.on()) work.made = [&](const std::string& row) { page.add(row); };
    return sweep::make_missing(plan, folder, runs, "local", work);
  }
  sweep::SupervisionOptions supervision;
  supervision.interrupted = &interrupted();
  supervision.progress = show;
  const sweep::ShardedWork all{runs.size(), plan.shards, folder.journals(), folder.logs(),
                               "go on with --resume"};
  return run_workers({"sweep", folder.path(), plan.job, all}, options, supervision);
}

int interrupted_code(const std::string& out, const Console& console) {
  console.err << "fenceline: interrupted";
  if (!out.empty()) console.err << fmt::format("; go on with fenceline sweep --resume {}", out);
  console.err << '\n';
  return kExitInterrupted;
}

int report_summary(const Plan& plan, const Summary& summary, const std::string& out,
                   const Options& options, const Console& console) {
  if (options.json)
    console.out << sweep::result_json(plan, summary);
  else if (!options.quiet || summary.failed != 0)
    console.out << sweep_text(plan, summary, out);
  return summary.failed == 0 ? kExitOk : kExitFailed;
}

/// Completes a sweep with an existing work folder.
int finish(const Plan& plan, const WorkFolder& work, const std::string& out, const Options& options,
           const Console& console) {
  const run::FolderLock only_one(work.path());
  check_output_folders({out}, plan.replace);
  Live live(options, console, "sweep");
  if (!make_runs(plan, work, options, console, live)) return interrupted_code(out, console);
  run::JournalIndex index(work.journals());
  index.update();
  report::RunFolder folder(out, plan.replace);
  const Summary summary = sweep::write_results(plan, index, folder);
  folder.commit();
  work.remove();
  live.add_result("files", out);
  return report_summary(plan, summary, out, options, console);
}

int print_sweep(const Plan& plan, const Options& options, const Console& console) {
  const run::TemporaryFolder hidden("fenceline-sweep");
  const WorkFolder work(hidden.path());
  work.create(plan);
  Live live(options, console, "sweep");
  if (!make_runs(plan, work, options, console, live)) return interrupted_code({}, console);
  run::JournalIndex index(work.journals());
  index.update();
  StreamSink sink(console.out);
  return sweep::print_csv(plan, index, sink).failed == 0 ? kExitOk : kExitFailed;
}

/// Creates the work folder of a new sweep.
void begin(const Plan& plan, const WorkFolder& work, const std::string& out) {
  check_output_folders({out}, plan.replace);
  if (work.exists()) {
    const run::FolderLock only_one(work.path());
    if (!plan.replace)
      throw UsageError(fmt::format(
          "{} has a sweep that has not come to its end: go on with --resume {}, or begin again "
          "with --force",
          work.path().string(), out));
    work.remove();
  }
  work.create(plan);
}

int begin_sweep(const Options& options, const Console& console) {
  const std::vector<std::string> files = expand_inputs(options.inputs);
  if (files.size() != 1) throw UsageError("sweep takes one scenario");
  const bool local = !options.engine.elsewhere();
  if (options.out.empty() && (!local || options.sweep.plan || options.json))
    throw UsageError(fmt::format("{} goes with --out", !local ? "--engine slurm or command"
                                                       : options.sweep.plan ? "--plan"
                                                                            : "--json"));
  const Plan plan = plan_sweep(files[0], options);
  if (options.out.empty()) return print_sweep(plan, options, console);
  const WorkFolder work = WorkFolder::beside(options.out);
  begin(plan, work, options.out);
  if (!options.sweep.plan) return finish(plan, work, options.out, options, console);
  console.out << fmt::format(
      "{} runs in {} shards, from 0 to {}. A worker of one: fenceline sweep --worker {}\n"
      "When all have ended: fenceline sweep --resume {}\n",
      sweep::Design(plan.sweep).runs(), plan.shards, plan.shards - 1, options.out, options.out);
  return kExitOk;
}

void check_resume(const Options& options) {
  const SweepOptions& sweep = options.sweep;
  const bool other = !sweep.vary.empty() || sweep.design || sweep.points || sweep.seeds ||
                     options.engine.shards || sweep.plan || !options.overrides.empty() ||
                     options.seed || options.stop_at || options.policy || options.stuck ||
                     !options.kmd.empty() || !options.inputs.empty() || options.force ||
                     !options.out.empty();
  if (other)
    throw UsageError(
        "--resume takes the sweep as it was begun: beside it only --engine and its options, "
        "--jobs, --json, --live, --quiet, --verbose and --no-progress");
}

int resume_sweep(const Options& options, const Console& console) {
  check_resume(options);
  const WorkFolder work = WorkFolder::beside(options.resume);
  const fs::path result = fs::path(options.resume) / sweep::kResultFile;
  if (!work.exists() && fs::exists(result))
    throw UsageError(fmt::format("{} is complete: there is nothing to go on with", options.resume));
  const Plan plan = work.read_plan();
  check_build(plan, work);
  // The sweep was killed after it wrote its results and before it removed its work folder.
  if (std::ifstream file(result, std::ios::binary); file) {
    try {
      const Summary summary = sweep::read_result(plan, {std::istreambuf_iterator<char>(file), {}});
      work.remove();
      return report_summary(plan, summary, options.resume, options, console);
    } catch (const std::invalid_argument&) {  // results of a sweep that this one replaces
    }
  }
  return finish(plan, work, options.resume, options, console);
}

int make_shard(const Options& options, const Console& console) {
  const std::string& name = options.engine.worker;
  const WorkFolder given{fs::absolute(name)};
  const WorkFolder work = given.exists() ? given : WorkFolder::beside(name);
  const Plan plan = work.read_plan();
  check_build(plan, work);
  const std::uint64_t shard = shard_of(options, plan.shards);
  const std::vector<std::uint64_t> runs = sweep::runs_of(plan, shard);
  SweepProgress progress(console, options, plan.name, runs.size());
  const bool all = sweep::make_missing(plan, work, runs, fmt::format("shard-{:06}", shard),
                                       {options.jobs.value_or(cores()),
                                        &interrupted(),
                                        [&](std::uint64_t done) { progress.update(done); },
                                        {}});
  return all ? static_cast<int>(kExitOk) : interrupted_code({}, console);
}

}  // namespace

int sweep_scenario(const Options& options, const Console& console) {
  const InterruptGuard guard;
  if (!options.engine.worker.empty()) return make_shard(options, console);
  if (!options.resume.empty()) return resume_sweep(options, console);
  return begin_sweep(options, console);
}

}  // namespace fenceline::cli
