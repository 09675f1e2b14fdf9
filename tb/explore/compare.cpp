// What an exploration tells beside its own search: by searching again with something changed.
#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <set>

#include "tb/explore/matrix.h"

namespace fenceline::explore {

namespace {

std::set<std::string> broken(const Exploration& exploration) {
  std::set<std::string> names;
  for (const auto& [invariant, finding] : exploration.search.findings) names.insert(invariant);
  return names;
}

}  // namespace

void find_preventions(const scenario::Scenario& scenario, const Load& load,
                      const ExploreOptions& options, Exploration& exploration) {
  if (exploration.counterexamples.empty()) return;
  const auto effective = nlohmann::json::parse(scenario.effective_json);
  const auto& ordering = effective["platform"]["ordering"];
  ExploreOptions quick = options;
  quick.explain = false;
  quick.limits.fallback = 0;
  quick.limits.executions = std::min<std::uint64_t>(options.limits.executions, 200'000);
  for (const Mechanism& it : all_mechanisms()) {
    if (!ordering.contains(it.name) || ordering[it.name] == nlohmann::json::parse(it.on)) continue;
    const Exploration with =
        explore(load({fmt::format("/platform/ordering/{}={}", it.name, it.on)}), quick);
    if (!with.search.complete) continue;
    const std::set<std::string> left = broken(with);
    for (Counterexample& found : exploration.counterexamples)
      if (left.count(found.violation.invariant) == 0) found.prevented_by.push_back(it.name);
  }
}

std::string compare_unreduced(const scenario::Scenario& scenario, const ExploreOptions& options,
                              const Exploration& exploration) {
  ExploreOptions whole = options;
  whole.explain = false;
  whole.limits.reduce = false;
  whole.limits.fallback = 0;
  const Exploration other = explore(scenario, whole);
  const std::set<std::string> with = broken(exploration);
  const std::set<std::string> without = broken(other);
  if (!std::includes(with.begin(), with.end(), without.begin(), without.end()))
    return fmt::format("the search lost {}: without reductions it finds {}", scenario.name,
                       fmt::join(without, " "));
  if (other.search.complete && with != without)
    return fmt::format("the search found {} and without reductions {}", fmt::join(with, " "),
                       fmt::join(without, " "));
  return {};
}

}  // namespace fenceline::explore
