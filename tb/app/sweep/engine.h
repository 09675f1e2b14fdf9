#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <sys/types.h>
#include <vector>

namespace fenceline::sweep {

using Shards = std::set<std::uint64_t>;

/// Starts workers on other hosts, one per shard.
class Engine {
 public:
  virtual ~Engine() = default;
  /// Starts workers for these shards. Throws std::runtime_error on failure.
  virtual void submit(const Shards& shards) = 0;
  /// Shards with a running or queued worker; none if unknown.
  virtual std::optional<Shards> active() = 0;
  /// Reason why the last query failed; empty if unknown.
  virtual std::string trouble() const { return {}; }
  /// Ends all workers and cancels queued ones.
  virtual void cancel() = 0;
};

/// Command of a worker.
struct WorkerCommand {
  std::string words;   ///< the program, its command and options, as a shell takes them
  std::string folder;  ///< the work folder
  unsigned jobs = 1;   ///< processes per worker

  /// Shell command line. @param shard "i/n"; empty: the scheduler's environment gives the shard.
  std::string line(const std::string& shard) const;
};

/// Job arrays of Slurm, with sbatch, squeue and scancel.
class SlurmEngine final : public Engine {
 public:
  struct Options {
    WorkerCommand worker;
    std::string job;                          ///< name of the jobs
    std::string logs;                         ///< folder
    std::uint64_t at_once = 0;                ///< concurrent tasks; 0: no limit
    std::vector<std::string> options;         ///< further options of sbatch
    std::chrono::milliseconds limit{60'000};  ///< time limit of a Slurm call
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

/// Runs one command line per shard. It runs the worker or submits it to another system.
class CommandEngine final : public Engine {
 public:
  struct Options {
    WorkerCommand worker;
    std::string submit_template;  ///< with {worker}, {shard}, {shards}, {folder}
    std::uint64_t shards = 1;
    std::string logs;           ///< folder
    std::uint64_t at_once = 0;  ///< concurrent command lines; 0: all
  };

  explicit CommandEngine(Options options) : options_(std::move(options)) {}
  ~CommandEngine() override;
  CommandEngine(const CommandEngine&) = delete;
  CommandEngine& operator=(const CommandEngine&) = delete;
  void submit(const Shards& shards) override;
  /// Shards whose command line runs or ended successfully. A successful command may have been a
  /// submission, and its result is unknown.
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

/// Parameters of supervision.
struct SupervisionOptions {
  const std::atomic<bool>* interrupted = nullptr;
  std::function<void(std::uint64_t)> progress;  ///< gets the number of completed runs
  std::chrono::milliseconds poll{2'000};
  std::chrono::milliseconds patience{
      120'000};           ///< time with an unreachable engine before giving up
  unsigned attempts = 5;  ///< attempts per shard without a new run before giving up
};

/// Runs in shards: run r belongs to shard r % shards.
struct ShardedWork {
  std::uint64_t runs = 0;
  std::uint64_t shards = 1;
  std::filesystem::path journals;  ///< folder
  std::filesystem::path logs;      ///< folder
  std::string resume;              ///< what a user does to go on, for messages
};

/// Makes an engine do all runs that are missing in the journals: submits shards, checks their
/// progress, and resubmits shards without a worker. Returns false when interrupted. Throws
/// std::runtime_error when it gives up; existing results stay.
bool supervise(Engine& engine, const ShardedWork& work, const SupervisionOptions& options);

}  // namespace fenceline::sweep
