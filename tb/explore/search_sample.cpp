// The random runs of a search.
#include <algorithm>

#include "tb/explore/random_policies.h"
#include "tb/explore/search.h"

namespace fenceline::explore {

namespace {
constexpr std::uint64_t kWarmUps = 64;           ///< random runs that show who shares what
constexpr std::uint64_t kPriorityWarmUps = 384;  ///< the same, with random priorities
constexpr unsigned kDepth = 3;  ///< of bugs that random priorities are tuned to find
}  // namespace

/// Runs some random orders, so that most of what is shared is known before the search.
void Search::warm_up() {
  DicePolicy dice(1);
  other_ = &dice;
  for (std::uint64_t i = 0; i < kWarmUps && !clean_run_; ++i) {
    restart();
    go_on();
    collect_end();
  }
  for (std::uint64_t seed = 1; seed <= kPriorityWarmUps && !clean_run_; ++seed) {
    PriorityPolicy priorities(seed, kDepth, std::max<std::uint64_t>(report_.deepest, 1));
    other_ = &priorities;
    restart();
    go_on();
    collect_end();
  }
  other_ = nullptr;
}

/// Whole runs in random orders. What a search cannot reach, random priorities may: each run has a
/// known chance.
void Search::sample(Strategy strategy, std::uint64_t runs, std::uint64_t& counter) {
  for (std::uint64_t seed = 1; seed <= runs; ++seed) {
    if (interrupted_ != nullptr && *interrupted_) report_.interrupted = true;
    if (report_.interrupted) break;
    PriorityPolicy priorities(seed, kDepth, std::max<std::uint64_t>(report_.deepest, 1));
    DicePolicy dice(seed);
    other_ = &dice;
    if (strategy == Strategy::kPct) other_ = &priorities;
    ++counter;
    restart();
    go_on();
    collect_end();
    if (progress_ && counter % kProgressEvery == 0) progress_(report_);
  }
  other_ = nullptr;
}

}  // namespace fenceline::explore
