#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <sys/types.h>
#include <vector>

#include "tb/sweep/journal.h"
#include "tb/sweep/plan.h"

namespace fenceline::sweep {

using Shards = std::set<std::uint64_t>;

/// Something that runs workers elsewhere, one for each shard.
class Engine {
 public:
  virtual ~Engine() = default;
  /// Has workers begin these shards. Throws std::runtime_error if that fails.
  virtual void submit(const Shards& shards) = 0;
  /// The shards that a worker is at, or will be; no value if nobody can say.
  virtual std::optional<Shards> active() = 0;
  /// Why nobody could say, the last time; empty if that is not known.
  virtual std::string trouble() const { return {}; }
  /// Ends all workers and those still to begin.
  virtual void cancel() = 0;
};

/// What workers are started with.
struct WorkerCommand {
  std::string program;  ///< path of fenceline
  std::string folder;   ///< the work folder
  unsigned jobs = 1;    ///< processes of one worker

  /// A line for a shell. @param shard as "i/n"; empty: the scheduler's environment says.
  std::string line(const std::string& shard) const;
};

/// Job arrays of Slurm, by sbatch, squeue and scancel.
class SlurmEngine final : public Engine {
 public:
  struct Options {
    WorkerCommand worker;
    std::string job;                          ///< name of the jobs
    std::string logs;                         ///< folder
    std::uint64_t at_once = 0;                ///< tasks at once; 0: as many as there is room for
    std::vector<std::string> options;         ///< more of sbatch
    std::chrono::milliseconds limit{60'000};  ///< of one call of a Slurm program
  };

  explicit SlurmEngine(Options options) : options_(std::move(options)) {}
  void submit(const Shards& shards) override;
  std::optional<Shards> active() override;
  std::string trouble() const override { return trouble_; }
  void cancel() override;

 private:
  Options options_;
  std::string trouble_;
};

/// A command line for each shard, which runs the worker or submits it to something.
class CommandEngine final : public Engine {
 public:
  struct Options {
    WorkerCommand worker;
    std::string submit_template;  ///< with {worker}, {shard}, {shards}, {folder}
    std::uint64_t shards = 1;
    std::string logs;           ///< folder
    std::uint64_t at_once = 0;  ///< command lines at once; 0: all
  };

  explicit CommandEngine(Options options) : options_(std::move(options)) {}
  ~CommandEngine() override;
  CommandEngine(const CommandEngine&) = delete;
  CommandEngine& operator=(const CommandEngine&) = delete;
  void submit(const Shards& shards) override;
  /// Those whose command line runs, and those whose has ended well: it may have been a submission,
  /// and nobody says what became of it.
  std::optional<Shards> active() override;
  void cancel() override;

 private:
  void start_some();
  std::string command_of(std::uint64_t shard) const;

  Options options_;
  Shards waiting_;
  std::map<pid_t, std::uint64_t> running_;
  Shards submitted_;
};

/// How an engine is watched.
struct LeadOptions {
  const std::atomic<bool>* interrupted = nullptr;
  std::function<void(std::uint64_t)> progress;  ///< how many runs are there
  std::chrono::milliseconds poll{2'000};
  std::chrono::milliseconds patience{120'000};  ///< with an engine that nobody can reach
  unsigned attempts = 5;  ///< at a shard without one more run of it, after which to give up
};

/// Has an engine make all runs that no journal has: submits shards, looks at what becomes of them,
/// and submits those again that nobody is at. Returns false when interrupted. Throws
/// std::runtime_error when it gives up; what is there stays.
bool lead(Engine& engine, const Plan& plan, const WorkFolder& folder, const LeadOptions& options);

}  // namespace fenceline::sweep
