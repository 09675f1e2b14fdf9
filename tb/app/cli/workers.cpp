#include "tb/app/cli/workers.h"

#include <algorithm>
#include <cstdlib>

#include "tb/app/sweep/command.h"
#include "tb/app/sweep/shard_number.h"

namespace fenceline::cli {

namespace {

constexpr std::uint64_t kDefaultShards = 64;

std::unique_ptr<sweep::Engine> engine_of(const Workers& workers, const Options& options) {
  sweep::WorkerCommand worker;
  const std::string program = std::filesystem::read_symlink("/proc/self/exe").string();
  worker.words = sweep::shell_word(program) + " " + workers.words;
  worker.folder = workers.folder.string();
  worker.jobs = options.jobs.value_or(1);
  if (options.engine.runs_on == RunsOn::kSlurm) {
    sweep::SlurmEngine::Options slurm;
    slurm.worker = worker;
    slurm.job = workers.job;
    slurm.logs = workers.work.logs.string();
    slurm.at_once = options.engine.at_once;
    slurm.options = options.engine.submit_options;
    return std::make_unique<sweep::SlurmEngine>(std::move(slurm));
  }
  sweep::CommandEngine::Options command;
  command.worker = worker;
  command.submit_template = options.engine.submit_template;
  command.shards = workers.work.shards;
  command.logs = workers.work.logs.string();
  command.at_once = options.engine.at_once;
  return std::make_unique<sweep::CommandEngine>(std::move(command));
}

}  // namespace

std::uint64_t shards_of(const Options& options, std::uint64_t runs) {
  return std::min(options.engine.shards.value_or(kDefaultShards), runs);
}

std::uint64_t shard_of(const Options& options, std::uint64_t shards) {
  if (!options.engine.shard.empty()) return sweep::parse_shard(options.engine.shard, shards);
  return sweep::shard_from(
      [](const char* variable) -> const char* {
        return std::getenv(variable);  // NOLINT(concurrency-mt-unsafe): there is one thread
      },
      shards);
}

bool run_workers(const Workers& workers, const Options& options,
                 const sweep::SupervisionOptions& supervision) {
  const auto engine = engine_of(workers, options);
  return sweep::supervise(*engine, workers.work, supervision);
}

}  // namespace fenceline::cli
