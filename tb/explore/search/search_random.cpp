// Random runs of a search.
#include <algorithm>

#include "tb/explore/search/random_policies.h"
#include "tb/explore/search/replay.h"
#include "tb/explore/search/search.h"

namespace fenceline::explore {

namespace {
constexpr int kWarmUps = 64;               ///< random runs from which footprints are learnt
constexpr std::uint64_t kWarmUpPart = 16;  ///< divisor of SearchLimits::sampled
constexpr unsigned kDepth = 3;             ///< of bugs that random priorities are tuned to find
}  // namespace

/// Runs some random orders, so that most footprints are known before the search.
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

/// A step was chosen at random. Random runs after a search has given up would hide its own ways.
void Search::note_choice(const std::vector<common::Candidate>& candidates, std::size_t chosen) {
  if (limits_.strategy == Strategy::kSystematic) return;
  if (candidates.size() < 2 || chosen == kStop) return;
  report_.coverage.offer(candidates);
  report_.coverage.take(candidates[chosen]);
}

/// True if no more random runs are to be made. @param steps limit of all steps.
bool Search::ends_sampling(std::chrono::steady_clock::time_point until, std::uint64_t steps) {
  report_.interrupted |= is_interrupted();
  report_.late |= is_past(until);
  return report_.interrupted || report_.late || report_.steps >= steps;
}

/// Whole runs in random orders. Random priorities may find what a search cannot reach: each run
/// finds a bug with a known probability.
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
    if (&counter == &report_.executions) count_end();
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
