// What an exploration tells beside its own search: by searching again with something changed.
#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <set>

#include "tb/explore/bytes.h"
#include "tb/explore/contained.h"
#include "tb/explore/matrix.h"

namespace fenceline::explore {

namespace {

std::set<std::string> broken(const Exploration& exploration) {
  std::set<std::string> names;
  for (const auto& [invariant, finding] : exploration.search.findings) names.insert(invariant);
  return names;
}

}  // namespace

namespace {

/// A task that searches with a mechanism in place; it tells what still breaks, or nothing if it
/// gave up.
Task explore_with(const Mechanism& mechanism, const Load& load, const ExploreOptions& options) {
  return [&mechanism, &load, quick = options](Flight& flight) mutable {
    quick.interrupted = &flight.stopped();
    quick.progress = [&flight](const SearchReport& /*report*/) { flight.start(); };
    const Exploration with = explore(
        load({fmt::format("/platform/ordering/{}={}", mechanism.name, mechanism.on)}), quick);
    Writer out;
    out.number(with.search.complete);
    out.list(broken(with), [&](const std::string& invariant) { out.text(invariant); });
    return out.take();
  };
}

}  // namespace

void find_preventions(const scenario::Scenario& scenario, const Load& load,
                      const ExploreOptions& options, Exploration& exploration) {
  if (exploration.counterexamples.empty()) return;
  if (exploration.search.deepest > options.limits.long_run) return;  // no search would end
  const auto effective = nlohmann::json::parse(scenario.effective_json);
  const auto& ordering = effective["platform"]["ordering"];
  ExploreOptions quick = options;
  quick.explain = false;
  quick.jobs = 1;
  quick.limits.fallback = 0;
  quick.limits.fatal = 0;
  quick.limits.strategy = Strategy::kSystematic;
  quick.limits.executions = std::min<std::uint64_t>(options.limits.executions, 200'000);
  std::vector<Mechanism> absent;
  for (const Mechanism& it : all_mechanisms())
    if (ordering.contains(it.name) && ordering[it.name] != nlohmann::json::parse(it.on))
      absent.push_back(it);
  std::vector<Task> tasks;
  tasks.reserve(absent.size());
  for (const Mechanism& it : absent) tasks.push_back(explore_with(it, load, quick));
  Watch watch;
  watch.stuck = options.limits.stuck;
  watch.at_once = options.jobs;
  watch.interrupted = options.interrupted;
  const std::vector<Ended> ended = run_contained(tasks, watch);
  for (std::size_t i = 0; i < absent.size(); ++i) {
    if (ended[i].how != Ended::How::kWell) continue;
    Reader in(ended[i].result);
    if (!in.number<bool>()) continue;
    std::set<std::string> left;
    in.list([&] { left.insert(in.text()); });
    for (Counterexample& found : exploration.counterexamples)
      if (left.count(found.violation.invariant) == 0) found.prevented_by.push_back(absent[i].name);
  }
}

namespace {

/// What a search says that leaves out less, in words; empty if it says the same, or gave up before
/// it could.
std::string compare_with(const scenario::Scenario& scenario, const ExploreOptions& thorough,
                         const Exploration& exploration, const char* how) {
  const Exploration other = explore(scenario, thorough);
  const std::set<std::string> with = broken(exploration);
  const std::set<std::string> without = broken(other);
  const bool lost = !std::includes(with.begin(), with.end(), without.begin(), without.end());
  if (!lost && !(other.search.complete && with != without)) return {};
  return fmt::format("{}: the search finds [{}], and {} [{}]", scenario.name, fmt::join(with, " "),
                     how, fmt::join(without, " "));
}

}  // namespace

std::string compare_unreduced(const scenario::Scenario& scenario, const ExploreOptions& options,
                              const Exploration& exploration) {
  ExploreOptions thorough = options;
  thorough.explain = false;
  thorough.limits.fallback = 0;
  thorough.limits.memory = Memory::kWholeOrder;
  std::string differs = compare_with(scenario, thorough, exploration, "with all orders remembered");
  if (!differs.empty()) return differs;
  thorough.limits.reduce = false;
  return compare_with(scenario, thorough, exploration, "without reductions");
}

}  // namespace fenceline::explore
