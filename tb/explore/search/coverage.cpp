#include "tb/explore/search/coverage.h"

#include <algorithm>

#include "tb/run/races.h"

namespace fenceline::explore {

namespace {

constexpr std::size_t kFarthest = 128;

void add(Coverage::Wins& all, const Coverage::Wins& later) {
  all.first += later.first;
  all.second += later.second;
}

}  // namespace

std::size_t Coverage::both_ways() const {
  return static_cast<std::size_t>(std::count_if(
      races.begin(), races.end(), [](const auto& race) { return race.second.both(); }));
}

void Coverage::offer(const std::vector<common::Candidate>& steps) {
  for (const common::Candidate& it : steps) ++ways[static_cast<std::size_t>(it.operation)].offered;
}

void Coverage::take(const common::Candidate& step) {
  ++ways[static_cast<std::size_t>(step.operation)].taken;
}

void add(Coverage& all, const Coverage& later) {
  for (const auto& [pair, wins] : later.races) add(all.races[pair], wins);
  for (std::size_t i = 0; i < all.ways.size(); ++i) {
    all.ways[i].offered += later.ways[i].offered;
    all.ways[i].taken += later.ways[i].taken;
  }
  for (std::size_t i = 0; i < all.tested.size(); ++i) all.tested[i] += later.tested[i];
}

void RaceFinder::step(std::size_t place, const common::Candidate& step, const Touched& touched,
                      const AgentSet& enabled) {
  if (place >= run_.size()) run_.resize(place + 1);
  Taken& second = run_[place];
  second.agent = step.agent;
  second.operation = step.operation;
  second.touched = touched;
  second.enabled = enabled;
  // Go back to the step before which the agent could not take this step.
  const std::size_t oldest = place > kFarthest ? place - kFarthest : 0;
  for (std::size_t i = place; i-- > oldest;) {
    const Taken& first = run_[i];
    if (first.agent == step.agent || !first.enabled[step.agent]) break;
    if (conflict(first.touched, touched)) note(first, second);
  }
}

void RaceFinder::note(const Taken& first, const Taken& second) {
  const std::uint32_t winner = run::step_number(first.agent, first.operation);
  const std::uint32_t loser = run::step_number(second.agent, second.operation);
  const bool lower = winner < loser;
  Coverage::Wins& wins =
      wins_[static_cast<std::uint64_t>(lower ? winner : loser) << 32 | (lower ? loser : winner)];
  ++(lower ? wins.first : wins.second);
}

void RaceFinder::forget(std::size_t place) {
  run_.resize(std::max(run_.size(), place));
  for (std::size_t i = 0; i < place; ++i) run_[i].enabled.reset();
}

std::map<Coverage::Pair, Coverage::Wins> RaceFinder::races(const common::Steps& steps) const {
  std::map<Coverage::Pair, Coverage::Wins> races;
  for (const auto& [pair, wins] : wins_) {
    const std::string lower = run::step_name(steps, static_cast<std::uint32_t>(pair >> 32));
    const std::string upper = run::step_name(steps, static_cast<std::uint32_t>(pair));
    if (lower < upper)
      add(races[{lower, upper}], wins);
    else
      add(races[{upper, lower}], {wins.second, wins.first});
  }
  return races;
}

}  // namespace fenceline::explore
