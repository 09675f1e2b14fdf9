#include "tb/explore/process/rounds.h"

#include <algorithm>
#include <fmt/format.h>
#include <numeric>
#include <stdexcept>

#include "tb/explore/search/first_agents.h"
#include "tb/explore/search/search.h"
#include "tb/explore/search/search_fields.h"

namespace fenceline::explore {

namespace {
constexpr std::uint64_t kRound = 20'000;  ///< executions of one process in a round
constexpr std::size_t kLarge = 20'000;    ///< states from which on a search is shared out
/// Independent of the number of processes. With more shares too many states are searched twice
/// before the results are merged.
constexpr std::size_t kShares = 2;
constexpr std::size_t kExact = 4;  ///< so many fatal steps are left out in one state each

constexpr const char* kTimeUp = "the time is up";

/// Thrown where a scenario has more fatal steps than can be left out one by one.
struct TooManyFatal {};

SearchLimits limits_of(const scenario::Scenario& scenario, const ExploreOptions& options) {
  SearchLimits limits = options.limits;
  limits.first = first_agents(scenario);
  return limits;
}
}  // namespace

Rounds::Rounds(const scenario::Scenario& scenario, const ExploreOptions& options)
    : scenario_(scenario), options_(options), limits_(limits_of(scenario, options)) {}

SearchReport Rounds::run() {
  SearchReport& report = state_.report;
  report.strategy = limits_.strategy;
  try {
    if (limits_.strategy != Strategy::kSystematic) {
      sample(limits_.strategy, limits_.executions);
      report.why_incomplete = report.interrupted ? "interrupted"
                              : report.late      ? kTimeUp
                                                 : "random orders prove nothing";
      return report;
    }
    while (round()) {
    }
    const bool enough = limits_.first_only && !report.findings.empty();
    if (!report.complete && !report.interrupted && !enough)
      sample(Strategy::kPct, limits_.fallback);
    if (report.complete && report.left_out != 0) {
      report.complete = false;
      report.why_incomplete = "steps like those that crash or do not come to an end are left out";
    }
  } catch (const TooManyFatal&) {
    give_up_on_fatal();
  }
  return report;
}

void Rounds::resume(const std::string& left) { from_bytes(left, state_); }

void Rounds::keep_left() {
  if (!options_.keep_left) return;
  left_ = to_bytes(state_);
}

/// Runs one round; false if the search is complete or gives up.
bool Rounds::round() {
  if (!state_.begun) state_.paths.assign(1, {});
  SearchReport& report = state_.report;
  if (state_.paths.empty() && state_.shared && cyclic(state_.edges)) begin_again(false);
  report.complete = state_.paths.empty();
  if (report.complete) return false;
  const std::string reason = reason_to_stop();
  if (!reason.empty()) {
    if (left_.empty()) keep_left();
    report.why_incomplete = reason;
    return false;
  }
  share_out();
  const bool alone = state_.paths.size() == 1;
  const std::uint64_t left = limits_.executions - report.executions;
  if (left < kRound * state_.paths.size()) keep_left();  // only whole rounds count
  std::vector<Body> bodies;
  std::vector<Frontier> before;
  for (const Path& path : state_.paths)
    before.push_back(frontier_of(path.forks, path.forks.size(), state_.ratios));
  for (std::size_t i = 0; i < state_.paths.size(); ++i) {
    const std::uint64_t mine =
        left / state_.paths.size() + (i < left % state_.paths.size() ? 1 : 0);
    bodies.emplace_back([this, i, alone, runs = std::min(mine, kRound)](Search& search) {
      const Path path = state_.paths[i];
      return search.search(path, runs, alone);
    });
  }
  return put_together(in_processes(bodies, before));
}

/// Adds the parts of a round; false if the search was interrupted or goes wrong.
bool Rounds::put_together(const std::vector<Part>& parts) {
  const auto any = [&](const auto& is) { return std::any_of(parts.begin(), parts.end(), is); };
  const bool interrupted = any([](const Part& part) { return part.report.interrupted; });
  const bool late = any([](const Part& part) { return part.report.late; });
  if ((interrupted || late) && left_.empty()) keep_left();
  state_.paths.clear();
  for (const Part& part : parts) add(state_, part);
  const bool again = any([](const Part& part) { return part.outcome == Part::Outcome::kAgain; });
  if (again || state_.footprints.outdated()) begin_again(state_.sets);
  if (late) state_.report.why_incomplete = kTimeUp;
  if (interrupted) state_.report.why_incomplete = "interrupted";
  return state_.report.why_incomplete.empty();
}

/// Begins the search again. @param sets see SearchState; without them the search is not shared out.
void Rounds::begin_again(bool sets) {
  ++state_.report.restarts;
  state_.begin_again();
  state_.sets = sets;
  state_.shared = false;
  state_.paths.emplace_back();
}

/// Splits a large search into shares: splits the path with the most open ways until there are
/// enough.
void Rounds::share_out() {
  if (!state_.sets || !limits_.reduce || state_.cache.size() < kLarge) return;
  while (state_.paths.size() < kShares) {
    const auto most =
        std::max_element(state_.paths.begin(), state_.paths.end(),
                         [](const Path& a, const Path& b) { return a.open() < b.open(); });
    if (most->open() < 2) return;
    state_.shared = true;
    state_.paths.push_back(split(*most));
  }
}

std::string Rounds::reason_to_stop() const {
  if (limits_.first_only && !state_.report.findings.empty()) return "one finding is enough";
  if (state_.report.executions >= limits_.executions) return "the limit of executions is reached";
  if (state_.cache.size() >= limits_.states) return "the limit of states is reached";
  return {};
}

void Rounds::sample(Strategy strategy, std::uint64_t runs) {
  const std::vector<Part> parts =
      in_processes({[=](Search& search) { return search.sample(strategy, runs); }});
  add(state_.report, parts[0].report);
}

/// Runs the bodies in child processes. If one dies, it runs again without the fatal step.
/// @param before work of each body; empty: they run random orders
std::vector<Part> Rounds::in_processes(const std::vector<Body>& bodies,
                                       const std::vector<Frontier>& before) {
  Watch watch;
  watch.max_steps = limits_.steps;
  watch.stuck = limits_.stuck;
  watch.at_once = options_.jobs;
  watch.interrupted = options_.interrupted;
  watch.progress = [&](const Flight::Counts& counts) {
    if (!options_.progress) return;
    SearchReport report = state_.report;
    report.executions += counts.executions;
    report.states += counts.states;
    options_.progress(report, before.empty() ? nullptr : &counts.frontier);
  };
  std::vector<Part> parts(bodies.size());
  std::vector<std::vector<FatalStep>> fatal(bodies.size(), state_.fatal);
  std::vector<std::size_t> open(bodies.size());
  std::iota(open.begin(), open.end(), std::size_t{0});
  while (!open.empty()) {
    std::vector<Task> tasks;
    tasks.reserve(open.size());
    watch.before.clear();
    for (const std::size_t i : open) {
      tasks.push_back(task(bodies[i], fatal[i]));
      if (!before.empty()) watch.before.push_back(before[i]);
    }
    const std::vector<Ended> ended = run_contained(tasks, watch);
    std::vector<std::size_t> again;
    for (std::size_t k = 0; k < open.size(); ++k) {
      const std::size_t i = open[k];
      if (ended[k].how == Ended::How::kWell) {
        from_bytes(ended[k].result, parts[i]);
        continue;
      }
      fatal[i].push_back(fatal_of(ended[k], fatal[i]));
      if (!ended[k].by_driver(options_.kmd)) state_.report.own_fault = true;
      again.push_back(i);
      if (fatal[i].size() <= limits_.fatal && !fatal[i].back().trace.empty()) continue;
      state_.fatal = fatal[i];
      throw TooManyFatal{};
    }
    open = std::move(again);
  }
  const std::size_t known = state_.fatal.size();
  for (const auto& list : fatal)
    state_.fatal.insert(state_.fatal.end(), list.begin() + static_cast<std::ptrdiff_t>(known),
                        list.end());
  return parts;
}

Task Rounds::task(const Body& body, const std::vector<FatalStep>& fatal) {
  return [&](Flight& flight) {
    Stage stage(scenario_, options_.kmd, limits_.steps, limits_.memory, fatal, &flight);
    stage.judge_with(options_.judge);
    if (!limits_.reduce) stage.steps().keep_all_steps();
    std::string bytes;
    stage.play([&] {
      Search search(stage, limits_, state_, &flight.stopped(), &flight);
      bytes = to_bytes(body(search));
    });
    return bytes;
  };
}

FatalStep Rounds::fatal_of(const Ended& ended, const std::vector<FatalStep>& known) const {
  FatalStep step = fatal_step(ended, known.size() >= kExact);
  for (const FatalStep& it : known)
    if (it.trace.size() == step.trace.size() &&
        std::equal(it.trace.begin(), it.trace.end(), step.trace.begin(),
                   [](const TraceStep& a, const TraceStep& b) { return a.agent == b.agent; }))
      throw std::runtime_error(
          fmt::format("the exploration itself dies ({}), not a step of the scenario", step.why));
  return step;
}

/// More steps are fatal than can be left out: reports only the known ones.
void Rounds::give_up_on_fatal() {
  SearchReport& report = state_.report;
  const std::vector<FatalStep> all = state_.fatal;
  const FatalStep& last = all.back();
  report.why_incomplete = last.trace.empty() ? "the set-up of the scenario does not get through"
                                             : "too many steps crash or do not come to an end";
  if (!last.trace.empty()) {
    try {
      const auto parts = in_processes({[&all](Search& search) { return search.witness(all); }});
      return add(report, parts[0].report);
    } catch (const TooManyFatal&) {  // even that fails
    }
  }
  check::Violation violation;
  violation.invariant = violation.name = last.finding;
  violation.message = "before the first step: " + last.why;
  report.findings[cause_of(violation)].violation = violation;
}

}  // namespace fenceline::explore
