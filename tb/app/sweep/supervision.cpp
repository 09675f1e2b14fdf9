#include <algorithm>
#include <fmt/format.h>
#include <optional>
#include <stdexcept>
#include <thread>

#include "tb/app/sweep/engine.h"
#include "tb/run/process/journal.h"

namespace fenceline::sweep {

namespace {

using Clock = std::chrono::steady_clock;

class Supervisor {
 public:
  Supervisor(Engine& engine, const ShardedWork& work, const SupervisionOptions& options)
      : engine_(engine),
        work_(work),
        options_(options),
        index_(work.journals),
        attempts_(work.shards) {}

  bool run() {
    for (;;) {
      if (stopped()) {
        engine_.cancel();
        return false;
      }
      // Check the workers first and the results second: results of a worker that ended in between
      // are then seen.
      const std::optional<Shards> active = look();
      index_.update();
      if (options_.progress) options_.progress(index_.size());
      const Shards missing = missing_shards();
      if (missing.empty()) return true;
      if (active) submit(missing, *active);
      wait_for_poll();
    }
  }

 private:
  /// Attempts of a shard, and its number of runs at the last attempt.
  struct Attempts {
    unsigned count = 0;
    std::uint64_t runs = 0;
  };

  bool stopped() const { return options_.interrupted != nullptr && *options_.interrupted; }

  std::optional<Shards> look() {
    std::optional<Shards> active = engine_.active();
    if (active) {
      reached_ = Clock::now();
    } else if (!reached_ || Clock::now() - *reached_ > options_.patience) {
      const std::string why = engine_.trouble();
      throw std::runtime_error(
          fmt::format("the scheduler does not say what runs{}; {} when it does",
                      why.empty() ? "" : " (" + why + ")", work_.resume));
    }
    return active;
  }

  std::uint64_t runs_there(std::uint64_t shard) const {
    std::uint64_t count = 0;
    for (std::uint64_t run = shard; run < work_.runs; run += work_.shards)
      if (index_.has(run)) ++count;
    return count;
  }

  Shards missing_shards() const {
    Shards missing;
    for (std::uint64_t shard = 0; shard < std::min(work_.shards, work_.runs); ++shard)
      if (runs_there(shard) != (work_.runs - shard - 1) / work_.shards + 1) missing.insert(shard);
    return missing;
  }

  void submit(const Shards& missing, const Shards& active) {
    Shards inactive;
    std::set_difference(missing.begin(), missing.end(), active.begin(), active.end(),
                        std::inserter(inactive, inactive.end()));
    if (inactive.empty()) return;
    for (const std::uint64_t shard : inactive) count_attempt(shard);
    try {
      engine_.submit(inactive);
      refused_ = 0;
    } catch (const std::runtime_error& error) {
      if (++refused_ >= options_.attempts)
        throw std::runtime_error(fmt::format("{}; {}", error.what(), work_.resume));
      for (const std::uint64_t shard : inactive) --attempts_[shard].count;
    }
  }

  void count_attempt(std::uint64_t shard) {
    Attempts& attempts = attempts_[shard];
    const std::uint64_t runs = runs_there(shard);
    if (runs > attempts.runs) attempts = {0, runs};
    if (attempts.count++ < options_.attempts) return;
    throw std::runtime_error(
        fmt::format("shard {} was tried {} times without one more run; what its workers say is in "
                    "{}; {}",
                    shard, options_.attempts, work_.logs.string(), work_.resume));
  }

  /// Waits for one poll interval, or until a stop is requested.
  void wait_for_poll() const {
    const Clock::time_point end = Clock::now() + options_.poll;
    while (!stopped() && Clock::now() < end)
      std::this_thread::sleep_for(
          std::min<Clock::duration>(std::chrono::milliseconds(100), options_.poll));
  }

  Engine& engine_;
  const ShardedWork& work_;
  const SupervisionOptions& options_;
  run::JournalIndex index_;
  std::vector<Attempts> attempts_;
  std::optional<Clock::time_point> reached_;
  unsigned refused_ = 0;
};

}  // namespace

bool supervise(Engine& engine, const ShardedWork& work, const SupervisionOptions& options) {
  return Supervisor(engine, work, options).run();
}

}  // namespace fenceline::sweep
