// Finds the switches that would prevent a violation: searches again with each stronger value.
#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <set>

#include "tb/explore/explore.h"
#include "tb/explore/process/contained.h"
#include "tb/explore/search/bytes.h"
#include "tb/scenario/shapes/ordering_names.h"
#include "tb/scenario/text/json_tree.h"

namespace fenceline::explore {

namespace {

using scenario::SwitchInfo;

/// A switch at another value than in the scenario, and the result of the search with it.
struct Trial {
  std::string name;   ///< of the switch
  std::string value;  ///< as JSON
  bool decided = false;
  std::set<std::string> broken;  ///< invariants that still break

  std::string text() const {
    return fmt::format("{}={}", name,
                       scenario::json_tree<nlohmann::json>(value).is_string()
                           ? value.substr(1, value.size() - 2)
                           : value);
  }
};

/// Values of a switch to try: those stronger than that of the scenario, weakest first; all others
/// if none is stronger.
std::vector<Trial> trials_of(const SwitchInfo& info, const nlohmann::json& now) {
  std::vector<Trial> trials;
  bool stronger = !info.ranked;
  for (const SwitchInfo::Value& it : info.values) {
    const bool current = scenario::json_tree<nlohmann::json>(it.json) == now;
    if (stronger && !current) trials.push_back({info.name, it.json, false, {}});
    if (current) stronger = true;
  }
  return trials;
}

Task search_with(const Trial& trial, const Load& load, const ExploreOptions& options) {
  return [&trial, &load, quick = options](Flight& flight) mutable {
    quick.interrupted = &flight.stopped();
    quick.progress = [&flight](const SearchReport& /*report*/, const Frontier* /*frontier*/) {
      flight.start();
    };
    bool decided = false;
    std::set<std::string> broken;
    try {
      const Exploration with =
          explore(load({fmt::format("/platform/ordering/{}={}", trial.name, trial.value)}), quick);
      decided = with.verdict == Verdict::kProved ||
                (with.search.complete && with.verdict == Verdict::kViolated);
      for (const auto& [cause, finding] : with.search.findings)
        broken.insert(finding.violation.invariant);
    } catch (const std::exception&) {  // the scenario cannot have this value
    }
    return to_bytes(decided, broken);
  };
}

void search_all(std::vector<Trial>& trials, const Load& load, const ExploreOptions& options) {
  ExploreOptions quick = options;
  quick.explain = false;
  quick.jobs = 1;
  quick.limits.fallback = 0;
  quick.limits.fatal = 0;
  quick.limits.strategy = Strategy::kSystematic;
  quick.limits.executions = std::min<std::uint64_t>(options.limits.executions, 200'000);
  std::vector<Task> tasks;
  tasks.reserve(trials.size());
  for (const Trial& trial : trials) tasks.push_back(search_with(trial, load, quick));
  Watch watch;
  watch.stuck = options.limits.stuck;
  watch.at_once = options.jobs;
  watch.interrupted = options.interrupted;
  const std::vector<Ended> ended = run_contained(tasks, watch);
  for (std::size_t i = 0; i < trials.size(); ++i) {
    if (ended[i].how != Ended::How::kWell) continue;
    from_bytes(ended[i].result, trials[i].decided, trials[i].broken);
  }
}

/// The weakest value of each switch with which the invariant holds.
std::vector<std::string> enough(const std::vector<Trial>& trials, const std::string& invariant) {
  std::vector<std::string> result;
  std::string last;
  for (const Trial& trial : trials) {
    if (!trial.decided || trial.broken.count(invariant) != 0 || trial.name == last) continue;
    result.push_back(trial.text());
    last = trial.name;
  }
  return result;
}

/// Values in the scenario of the switches in `prevented_by`, where they are not the default.
std::vector<std::string> mechanisms_of(const Counterexample& found,
                                       const nlohmann::json& ordering) {
  std::vector<std::string> result;
  for (const SwitchInfo& info : scenario::switch_infos()) {
    const auto names = [&info](const std::string& cure) {
      return cure.compare(0, info.name.size() + 1, info.name + "=") == 0;
    };
    if (std::none_of(found.prevented_by.begin(), found.prevented_by.end(), names)) continue;
    for (std::size_t i = 0; i < info.values.size(); ++i) {
      if (i == info.initial ||
          scenario::json_tree<nlohmann::json>(info.values[i].json) != ordering[info.name])
        continue;
      const std::string value = Trial{info.name, info.values[i].json, false, {}}.text();
      result.push_back(fmt::format("{}: {}", value, meaning_of_value(value)));
    }
  }
  return result;
}

/// The reason why `prevented_by` is empty.
std::string why_none(const std::vector<Trial>& trials) {
  std::vector<std::string> open;
  for (const Trial& trial : trials)
    if (!trial.decided) open.push_back(trial.text());
  std::string why =
      fmt::format("no single switch prevents it ({} values tried)", trials.size() - open.size());
  if (!open.empty())
    why += fmt::format("; not decided within the limits: {}", fmt::join(open, ", "));
  return why;
}

/// Adds the prevention of each counterexample for which none is known.
bool add_preventions(const std::vector<Trial>& trials, Exploration& exploration) {
  bool all = true;
  for (Counterexample& found : exploration.counterexamples) {
    if (found.prevented_by.empty()) found.prevented_by = enough(trials, found.violation.invariant);
    all = all && !found.prevented_by.empty();
  }
  return all;
}

}  // namespace

std::string meaning_of_value(const std::string& switch_value) {
  for (const SwitchInfo& info : scenario::switch_infos())
    for (const SwitchInfo::Value& it : info.values)
      if (Trial{info.name, it.json, false, {}}.text() == switch_value)
        return it.meaning.empty() ? info.doc : it.meaning;
  return {};
}

void find_preventions(const scenario::Scenario& scenario, const Load& load,
                      const ExploreOptions& options, Exploration& exploration) {
  if (exploration.counterexamples.empty()) return;
  if (exploration.search.deepest > options.limits.long_run) {
    for (Counterexample& found : exploration.counterexamples)
      found.not_prevented =
          fmt::format("no switch was tried: a run has more than {} steps", options.limits.long_run);
    return;
  }
  const auto effective = scenario::json_tree<nlohmann::json>(scenario.effective_json);
  const auto& ordering = effective["platform"]["ordering"];
  std::vector<Trial> tried;
  // Values without an order are tried only for counterexamples that no stronger value prevents.
  for (const bool ranked : {true, false}) {
    std::vector<Trial> trials;
    for (const SwitchInfo& info : scenario::switch_infos()) {
      if (info.ranked != ranked || !ordering.contains(info.name)) continue;
      for (Trial& trial : trials_of(info, ordering[info.name])) trials.push_back(std::move(trial));
    }
    search_all(trials, load, options);
    tried.insert(tried.end(), trials.begin(), trials.end());
    if (add_preventions(trials, exploration)) break;
  }
  for (Counterexample& found : exploration.counterexamples) {
    found.mechanisms = mechanisms_of(found, ordering);
    if (found.prevented_by.empty()) found.not_prevented = why_none(tried);
  }
}

}  // namespace fenceline::explore
