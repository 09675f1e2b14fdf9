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
  for (const auto& [cause, finding] : exploration.search.findings)
    names.insert(finding.violation.invariant);
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

/// What no other search can tell of this one.
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
