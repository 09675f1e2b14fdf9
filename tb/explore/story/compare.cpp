// Compares a search with others that leave out less.
#include <algorithm>
#include <fmt/format.h>
#include <set>

#include "tb/explore/explore.h"

namespace fenceline::explore {

namespace {

std::set<std::string> broken(const Exploration& exploration) {
  std::set<std::string> names;
  for (const auto& [cause, finding] : exploration.search.findings)
    names.insert(finding.violation.invariant);
  return names;
}

}  // namespace

namespace {

/// Searches again, leaving out less, and compares.
void compare_with(const scenario::Scenario& scenario, const ExploreOptions& thorough,
                  const Exploration& exploration, const char* how, Comparison& result) {
  const Exploration other = explore(scenario, thorough);
  const std::set<std::string> with = broken(exploration);
  const std::set<std::string> without = broken(other);
  const bool lost = !std::includes(with.begin(), with.end(), without.begin(), without.end());
  if (lost || (other.search.complete && with != without))
    result.differs = fmt::format("{}: the search finds [{}], and {} [{}]", scenario.name,
                                 fmt::join(with, " "), how, fmt::join(without, " "));
  if (!other.search.complete)
    result.uncompared.push_back(fmt::format("the search {} gave up ({}) after {} executions", how,
                                            other.search.why_incomplete, other.search.executions));
}

/// Reasons why this search cannot be compared.
void note_limits(const Exploration& exploration, Comparison& result) {
  const SearchReport& search = exploration.search;
  if (!search.complete)
    result.uncompared.push_back(
        fmt::format("the search itself gave up ({}): {} runs in random orders took its place",
                    search.why_incomplete, search.fallback));
  const std::set<std::string> found = broken(exploration);
  for (const char* fatal : {kCrash, kEndlessLoop})
    if (found.count(fatal) != 0)
      result.uncompared.push_back(
          fmt::format("{}: what comes after the steps that end a run so", fatal));
}

}  // namespace

Comparison compare_unreduced(const scenario::Scenario& scenario, const ExploreOptions& options,
                             const Exploration& exploration) {
  Comparison result;
  note_limits(exploration, result);
  ExploreOptions thorough = options;
  thorough.explain = false;
  thorough.limits.fallback = 0;
  thorough.limits.memory = Memory::kWholeOrder;
  compare_with(scenario, thorough, exploration, "with all orders remembered", result);
  if (!result.differs.empty()) return result;
  thorough.limits.reduce = false;
  compare_with(scenario, thorough, exploration, "without reductions", result);
  return result;
}

}  // namespace fenceline::explore
