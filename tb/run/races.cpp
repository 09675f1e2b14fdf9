#include "tb/run/races.h"

#include <algorithm>
#include <string>
#include <tuple>
#include <utility>

namespace fenceline::run {

namespace {

constexpr unsigned kOperationBits = 8;
static_assert(common::kOperationCount <= 1U << kOperationBits);

}  // namespace

std::uint32_t step_number(common::AgentId agent, common::Operation operation) {
  return static_cast<std::uint32_t>(agent) << kOperationBits |
         static_cast<std::uint32_t>(operation);
}

std::string step_name(const common::Steps& steps, std::uint32_t number) {
  const auto agent = static_cast<common::AgentId>(number >> kOperationBits);
  const auto operation = static_cast<common::Operation>(number & ((1U << kOperationBits) - 1));
  return steps.name(agent) + " " + common::operation_name(operation);
}

void Races::decide(const std::vector<common::Candidate>& candidates, std::size_t picked) {
  const common::Candidate& winner = candidates[picked];
  if (winner.footprint.size() == 0) return;
  const std::uint32_t first = step_number(winner.agent, winner.operation);
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    if (i == picked || !winner.footprint.conflicts(candidates[i].footprint)) continue;
    const std::uint32_t second = step_number(candidates[i].agent, candidates[i].operation);
    const bool lower = first < second;
    Wins& wins =
        wins_[static_cast<std::uint64_t>(lower ? first : second) << 32 | (lower ? second : first)];
    ++(lower ? wins.lower : wins.upper);
  }
}

std::vector<report::Race> Races::by_name(const common::Steps& steps) const {
  std::vector<report::Race> races;
  races.reserve(wins_.size());
  for (const auto& [pair, wins] : wins_) {
    report::Race race{step_name(steps, static_cast<std::uint32_t>(pair >> 32)),
                      step_name(steps, static_cast<std::uint32_t>(pair)), wins.lower, wins.upper};
    if (race.second < race.first) {
      std::swap(race.first, race.second);
      std::swap(race.first_won, race.second_won);
    }
    races.push_back(std::move(race));
  }
  std::sort(races.begin(), races.end(), [](const report::Race& a, const report::Race& b) {
    return std::tie(a.first, a.second) < std::tie(b.first, b.second);
  });
  return races;
}

}  // namespace fenceline::run
