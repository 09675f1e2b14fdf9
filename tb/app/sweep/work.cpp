#include "tb/app/sweep/work.h"

#include <cstring>
#include <stdexcept>

#include "tb/report/record.h"
#include "tb/run/process/pool.h"
#include "tb/run/run_scenario.h"
#include "tb/scenario/loader.h"

namespace fenceline::sweep {

namespace {

// The documented exit codes of the program.
constexpr int kExitFailed = 1;
constexpr int kExitUsage = 2;
constexpr int kExitInternal = 4;

/// Message without path and position: these locate the file, not the wrong value.
std::string reason_of(const scenario::ScenarioError& error) {
  scenario::Diagnostic diagnostic = error.diagnostic();
  std::string text = diagnostic.pointer.empty() ? "" : diagnostic.pointer + ": ";
  text += diagnostic.message;
  if (!diagnostic.expected.empty()) text += "; expected " + diagnostic.expected;
  return text;
}

Row simulate(const Plan& plan, const Design& design, std::uint64_t run, run::Pulse* pulse) {
  scenario::LoadOptions load{plan.overrides, plan.first_seed + design.repetition_of(run)};
  for (std::string& it : design.assignments(design.point_of(run)))
    load.set.push_back(std::move(it));
  const scenario::Scenario scenario = scenario::load_text(plan.text, plan.path, load);
  run::RunOptions options;
  options.seed = scenario.seed;
  options.policy = scenario.policy;
  options.stop_at = plan.stop_at;
  options.kmd = plan.kmd;
  options.pulse = pulse;
  report::Record record(0);
  return row_of(run, run::run_scenario(scenario, options, record));
}

/// Both parts of a row as one string.
std::string joined(const run::PackedRow& row) {
  const std::uint64_t size = row.columns.size();
  std::string bytes(sizeof size, '\0');
  std::memcpy(bytes.data(), &size, sizeof size);
  return bytes + row.columns + row.row;
}

run::PackedRow split(const std::string& bytes) {
  std::uint64_t size = 0;
  if (bytes.size() < sizeof size) throw std::runtime_error("a run sent no row");
  std::memcpy(&size, bytes.data(), sizeof size);
  if (bytes.size() - sizeof size < size) throw std::runtime_error("a run sent half a row");
  return {bytes.substr(sizeof size, size), bytes.substr(sizeof size + size)};
}

run::PackedRow row_of(const Plan& plan, const run::Finished& finished) {
  using How = run::Ended::How;
  const run::Ended& ended = finished.ended;
  if (ended.how == How::kWell) return split(ended.result);
  const std::string why = ended.what();
  if (ended.how == How::kKilled || ended.how == How::kInterrupted)
    return pack(failed_row(finished.work, kExitInternal, "killed", why));
  return pack(failed_row(finished.work, ended.by_driver(plan.kmd) ? kExitFailed : kExitInternal,
                         ended.how == How::kStuck ? "endless_loop" : "crash", why));
}

}  // namespace

Row make_run(const Plan& plan, const Design& design, std::uint64_t run, run::Pulse* pulse) {
  try {
    return simulate(plan, design, run, pulse);
  } catch (const scenario::ScenarioError& error) {
    return failed_row(run, kExitUsage, "invalid", reason_of(error));
  } catch (const std::invalid_argument& error) {  // errors that only the built machine detects
    return failed_row(run, kExitUsage, "invalid", error.what());
  } catch (const std::exception& error) {
    return failed_row(run, kExitInternal, "error", error.what());
  }
}

std::vector<std::uint64_t> runs_of(const Plan& plan, std::optional<std::uint64_t> shard) {
  std::vector<std::uint64_t> runs;
  const std::uint64_t all = Design(plan.sweep).runs();
  const std::uint64_t every = shard ? plan.shards : 1;
  for (std::uint64_t run = shard.value_or(0); run < all; run += every) runs.push_back(run);
  return runs;
}

bool make_missing(const Plan& plan, const WorkFolder& folder,
                  const std::vector<std::uint64_t>& runs, const std::string& label,
                  const WorkOptions& options) {
  const Design design(plan.sweep);
  run::JournalIndex index(folder.journals());
  index.update();
  std::vector<std::uint64_t> missing;
  for (const std::uint64_t run : runs)
    if (!index.has(run)) missing.push_back(run);
  std::uint64_t done = runs.size() - missing.size();
  run::JournalWriter journal(folder.journals(), label);
  run::PoolOptions pool;
  pool.jobs = options.jobs;
  pool.stuck = std::chrono::seconds(plan.stuck);
  pool.interrupted = options.interrupted;
  const auto work = [&](std::uint64_t run, run::Pulse& pulse) {
    return joined(pack(make_run(plan, design, run, &pulse)));
  };
  const auto finished = [&](const run::Finished& it) {
    const run::PackedRow row = row_of(plan, it);
    journal.add(it.work, row);
    if (options.made) options.made(row.row);
    if (options.progress) options.progress(++done);
  };
  if (options.progress) options.progress(done);
  return run::run_pool(missing, work, pool, finished);
}

}  // namespace fenceline::sweep
