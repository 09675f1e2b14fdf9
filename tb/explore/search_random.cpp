// The runs of a search that are not systematic.
#include <algorithm>

#include "tb/explore/random_policies.h"
#include "tb/explore/replay.h"
#include "tb/explore/search.h"

namespace fenceline::explore {

namespace {
constexpr int kWarmUps = 64;               ///< random runs that show who shares what
constexpr std::uint64_t kWarmUpPart = 16;  ///< of the steps of random runs
constexpr unsigned kDepth = 3;             ///< of bugs that random priorities are tuned to find
}  // namespace

/// Runs some random orders, so that most of what is shared is known before the search.
void Search::warm_up() {
  DicePolicy dice(1);
  other_ = &dice;
  const auto enough = [this] {
    return clean_run_ || ends_sampling(limits_.search_until, limits_.sampled / kWarmUpPart);
  };
  for (int i = 0; i < kWarmUps && !enough(); ++i) {
    restart();
    go_on();
    collect_end();
  }
  for (std::uint64_t seed = 1; seed <= kWarmUps * 6 && !enough(); ++seed) {
    PriorityPolicy priorities(seed, kDepth, std::max<std::uint64_t>(report_.deepest, 1));
    other_ = &priorities;
    restart();
    go_on();
    collect_end();
  }
  other_ = nullptr;
}

/// Runs in random orders have come to an end. @param steps so many are enough.
bool Search::ends_sampling(std::chrono::steady_clock::time_point until, std::uint64_t steps) {
  report_.interrupted |= is_interrupted();
  report_.late |= is_past(until);
  return report_.interrupted || report_.late || report_.steps >= steps;
}

/// Whole runs in random orders. What a search cannot reach, random priorities may: each run has a
/// known chance.
Part Search::sample(Strategy strategy, std::uint64_t runs) {
  std::uint64_t& counter =
      limits_.strategy == Strategy::kSystematic ? report_.fallback : report_.executions;
  learns_ = false;
  for (std::uint64_t seed = 1; seed <= runs; ++seed) {
    if (ends_sampling(limits_.sample_until, limits_.sampled)) break;
    PriorityPolicy priorities(seed, kDepth, std::max<std::uint64_t>(report_.deepest, 1));
    DicePolicy dice(seed);
    other_ = &dice;
    if (strategy == Strategy::kPct) other_ = &priorities;
    ++counter;
    restart();
    go_on();
    collect_end();
    count();
  }
  other_ = nullptr;
  return part();
}

Part Search::witness(const std::vector<FatalStep>& fatal) {
  for (const FatalStep& it : fatal) {
    TracePolicy follow(it.trace);
    other_ = &follow;
    restart();
    go_on();
    collect_end();
  }
  other_ = nullptr;
  return part();
}

}  // namespace fenceline::explore
