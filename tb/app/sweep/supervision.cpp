#include <algorithm>
#include <fmt/format.h>
#include <optional>
#include <stdexcept>
#include <thread>

#include "tb/app/sweep/engine.h"
#include "tb/app/sweep/work.h"

namespace fenceline::sweep {

namespace {

using Clock = std::chrono::steady_clock;

class Supervisor {
 public:
  Supervisor(Engine& engine, const Plan& plan, const WorkFolder& folder,
             const SupervisionOptions& options)
      : engine_(engine),
        plan_(plan),
        folder_(folder),
        options_(options),
        index_(folder.journals()),
        attempts_(plan.shards) {}

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
          fmt::format("the scheduler does not say what runs{}; go on with --resume when it does",
                      why.empty() ? "" : " (" + why + ")"));
    }
    return active;
  }

  std::uint64_t runs_there(std::uint64_t shard) const {
    const std::vector<std::uint64_t> runs = runs_of(plan_, shard);
    return static_cast<std::uint64_t>(std::count_if(
        runs.begin(), runs.end(), [this](std::uint64_t run) { return index_.has(run); }));
  }

  Shards missing_shards() const {
    Shards missing;
    for (std::uint64_t shard = 0; shard < plan_.shards; ++shard)
      if (runs_there(shard) != runs_of(plan_, shard).size()) missing.insert(shard);
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
        throw std::runtime_error(fmt::format("{}; go on with --resume", error.what()));
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
                    "{}; go on with --resume",
                    shard, options_.attempts, folder_.logs().string()));
  }

  /// Waits for one poll interval, or until a stop is requested.
  void wait_for_poll() const {
    const Clock::time_point end = Clock::now() + options_.poll;
    while (!stopped() && Clock::now() < end)
      std::this_thread::sleep_for(
          std::min<Clock::duration>(std::chrono::milliseconds(100), options_.poll));
  }

  Engine& engine_;
  const Plan& plan_;
  const WorkFolder& folder_;
  const SupervisionOptions& options_;
  run::JournalIndex index_;
  std::vector<Attempts> attempts_;
  std::optional<Clock::time_point> reached_;
  unsigned refused_ = 0;
};

}  // namespace

bool supervise(Engine& engine, const Plan& plan, const WorkFolder& folder,
               const SupervisionOptions& options) {
  return Supervisor(engine, plan, folder, options).run();
}

}  // namespace fenceline::sweep
