#include "tb/explore/search/search_state.h"

#include <algorithm>
#include <cmath>

namespace fenceline::explore {

std::size_t Path::open() const {
  std::size_t count = 0;
  for (const Fork& fork : forks) count += fork.open.size();
  return count;
}

std::uint64_t WaySizes::end() {
  if (now != 0) {
    if (first == 0) {
      first = now;
    } else {
      later += now;
      ++later_ways;
    }
  }
  now = 0;
  return first + later;
}

namespace {
std::size_t class_of(double first) {
  return first < 2 ? 0 : std::min<std::size_t>(63, static_cast<std::size_t>(std::log2(first)));
}
}  // namespace

void WayRatios::learn(const WaySizes& sizes) {
  if (sizes.later_ways == 0) return;
  const auto first = static_cast<double>(sizes.first);
  Sums& of = sums[class_of(first)];
  of.later += static_cast<double>(sizes.later);
  of.expected += first * static_cast<double>(sizes.later_ways);
}

void WayRatios::add(const WayRatios& later) {
  for (std::size_t i = 0; i < sums.size(); ++i) {
    sums[i].later += later.sums[i].later;
    sums[i].expected += later.sums[i].expected;
  }
}

double WayRatios::later(double first) const {
  for (std::size_t i = class_of(first) + 1; i-- > 0;)
    if (sums[i].expected > 0) return std::max(1.0, first * sums[i].later / sums[i].expected);
  return std::max(1.0, first);
}

Path split(Path& path) {
  Path other = path;
  bool larger = true;  // share of an odd number, in turn
  for (std::size_t i = 0; i < path.forks.size(); ++i) {
    Fork& mine = path.forks[i];
    Fork& given = other.forks[i];
    const std::size_t all = mine.open.size();
    const auto count = static_cast<std::ptrdiff_t>(all / 2 + (larger ? all % 2 : 0));
    if (all % 2 != 0) larger = !larger;
    given.open.erase(given.open.begin() + count, given.open.end());
    mine.open.erase(mine.open.begin(), mine.open.begin() + count);
    if (!given.open.empty())
      given.elsewhere.insert(given.elsewhere.end(), mine.open.begin(), mine.open.end());
    given.sizes.later = given.sizes.later_ways = given.sizes.now = 0;  // they count once
    // Findings of one path about the choice do not close ways of the other.
    mine.fresh = given.fresh = false;
  }
  return other;
}

bool cyclic(const std::vector<Edge>& edges) {
  struct State {
    std::uint32_t entries = 0;  ///< incoming edges from states that are not removed
    std::uint32_t first = 0;    ///< of its edges out, in `out`
    std::uint32_t count = 0;
  };
  std::unordered_map<std::uint64_t, State> states;
  for (const Edge& edge : edges) {
    ++states[edge.from].count;
    ++states[edge.to].entries;
  }
  std::uint32_t place = 0;
  for (auto& [key, state] : states) {
    state.first = place;
    place += state.count;
    state.count = 0;
  }
  std::vector<std::uint64_t> out(edges.size());
  for (const Edge& edge : edges) {
    State& from = states[edge.from];
    out[from.first + from.count++] = edge.to;
  }
  // Remove states without incoming edges until only cycles remain.
  std::vector<std::uint64_t> free;
  for (const auto& [key, state] : states)
    if (state.entries == 0) free.push_back(key);
  std::size_t gone = 0;
  for (; !free.empty(); ++gone) {
    const State& state = states[free.back()];
    free.pop_back();
    for (std::uint32_t i = 0; i < state.count; ++i)
      if (--states[out[state.first + i]].entries == 0) free.push_back(out[state.first + i]);
  }
  return gone != states.size();
}

void SearchState::begin_again() {
  footprints.begin_again();
  cache.clear();
  edges.clear();
  paths.clear();
}

const OtherFinding* other_finding(const std::string& name) {
  const auto found = std::find_if(kOtherFindings.begin(), kOtherFindings.end(),
                                  [&](const OtherFinding& it) { return it.name == name; });
  return found == kOtherFindings.end() ? nullptr : &*found;
}

std::string cause_of(const check::Violation& violation) {
  // A crash or an error that nothing has foreseen is one cause, whatever it says.
  if (violation.name == violation.invariant) return violation.invariant;
  std::string cause = violation.invariant + " ";
  const std::string& text = violation.message;
  constexpr const char* kHexadecimal = "0123456789abcdefx";
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\'')  // a name
      i = std::min(text.find('\'', i + 1), text.size());
    else if (text[i] == '0' && text.compare(i, 2, "0x") == 0)
      i = std::min(text.find_first_not_of(kHexadecimal, i), text.size()) - 1;
    else if (text[i] < '0' || text[i] > '9')
      cause += text[i];
  }
  return cause;
}

namespace {

void keep_shorter(std::map<std::string, Finding>& all, const std::string& invariant,
                  const Finding& later, std::uint64_t runs_before) {
  const auto [known, fresh] = all.try_emplace(invariant);
  Finding& finding = known->second;
  if (finding.execution == 0 && later.execution != 0)
    finding.execution = runs_before + later.execution;
  if (!fresh && finding.trace.size() <= later.trace.size()) return;
  finding.violation = later.violation;
  finding.trace = later.trace;
}

}  // namespace

void add(SearchReport& all, const SearchReport& later) {
  for (const auto& [invariant, finding] : later.findings)
    keep_shorter(all.findings, invariant, finding, all.executions + all.fallback);
  all.interrupted |= later.interrupted;
  all.late |= later.late;
  if (all.why_incomplete.empty()) all.why_incomplete = later.why_incomplete;
  all.executions += later.executions;
  for (const ExecutionEnd& it : kExecutionEnds) all.*it.count += later.*it.count;
  all.completes |= later.completes;
  all.waits |= later.waits;
  all.steps += later.steps;
  all.restarts += later.restarts;
  all.fallback += later.fallback;
  add(all.coverage, later.coverage);
  all.deepest = std::max(all.deepest, later.deepest);
  all.choices = std::max(all.choices, later.choices);
}

void add(SearchState& state, const Part& part) {
  add(state.report, part.report);
  if (part.alone) state.footprints.begin_again();
  state.footprints.add(part.footprints);
  state.ratios.add(part.ratios);
  state.begun = true;
  state.sets = state.sets && part.sets;
  if (part.outcome == Part::Outcome::kAgain) return;
  if (part.alone) {
    state.cache.clear();
    state.edges.clear();
  }
  for (std::size_t i = 0; i < state.narrowed.size(); ++i)
    state.narrowed[i] = std::max(state.narrowed[i], part.narrowed[i]);
  for (const auto& [key, asleep] : part.cache) {
    const auto [known, fresh] = state.cache.try_emplace(key, asleep);
    // Each list is valid by itself: the steps searched from the state do not depend on other lists.
    if (!fresh && asleep.size() < known->second.size()) known->second = asleep;
  }
  state.edges.insert(state.edges.end(), part.edges.begin(), part.edges.end());
  state.report.states = state.cache.size();
  if (part.path.open() > 0) state.paths.push_back(part.path);
}

}  // namespace fenceline::explore
