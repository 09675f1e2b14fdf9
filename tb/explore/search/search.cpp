#include "tb/explore/search/search.h"

#include <algorithm>
#include <utility>

namespace fenceline::explore {

using common::AgentId;
using common::Candidate;

namespace {
template <typename Sleepers>
bool sleeps(const Sleepers& sleepers, AgentId agent) {
  return std::any_of(sleepers.begin(), sleepers.end(),
                     [agent](const auto& sleeper) { return sleeper.agent == agent; });
}
}  // namespace

Search::Search(Stage& stage, const SearchLimits& limits, SearchState& state,
               const std::atomic<bool>* interrupted, Flight* flight)
    : stage_(stage),
      steps_(stage.steps()),
      limits_(limits),
      interrupted_(interrupted),
      flight_(flight),
      state_(state),
      footprints_(state.footprints),
      report_(part_.report),
      narrowed_(part_.narrowed),
      cache_(part_.cache),
      sets_(limits.reduce && state.sets && steps_.agent_count() <= Footprints::kMaxAgents) {
  report_.deepest = state.report.deepest;
  narrowed_ = state.narrowed;
  if (!limits_.reduce) return;
  for (const std::string& name : limits_.first)
    if (const AgentId agent = steps_.find_agent(name); agent < first_.size()) first_.set(agent);
  first_.reset(0);
}

const char* strategy_name(Strategy strategy) {
  switch (strategy) {
    case Strategy::kSystematic:
      return "systematic";
    case Strategy::kPct:
      return "pct";
    case Strategy::kRandom:
      break;
  }
  return "random";
}

Part Search::search(const Path& path, std::uint64_t executions, bool alone) {
  executions_ = executions;
  bool over = false;
  if (!state_.begun) warm_up();
  if (!state_.begun && report_.deepest > limits_.long_run) {
    report_.why_incomplete =
        "runs of more than " + std::to_string(limits_.long_run) + " steps have too many orders";
    return part();
  }
  if (path.forks.empty()) {
    begin_again();
  } else {
    resume(path);
    over = !back();
  }
  while (!over && !search_on()) {
    part_.outcome = Part::Outcome::kAgain;
    if (!alone) return part();
    ++report_.restarts;
    part_.outcome = Part::Outcome::kDone;
    part_.alone = true;
    begin_again();
  }
  return part();
}

bool Search::always_breaks(const Snapshot& start, const std::string& invariant) {
  start_ = &start;
  wanted_ = invariant;
  executions_ = limits_.executions;
  warm_up();
  while (!clean_run_) {
    begin_again();
    if (search_on()) break;
    ++report_.restarts;
  }
  report_.complete = part_.outcome == Part::Outcome::kDone && report_.why_incomplete.empty();
  return !clean_run_;
}

/// Searches until it is complete or pauses; false if the whole search has to begin again because
/// agents share more than was known.
bool Search::search_on() {
  const bool sets = sets_;
  for (;;) {
    ++report_.executions;
    go_on();
    arrive();
    if (footprints_.outdated() || halt_ == Halt::kOutdated || sets_ != sets) return false;
    part_.outcome = Part::Outcome::kPaused;
    if (clean_run_ || pauses()) return true;
    part_.outcome = Part::Outcome::kDone;
    if (!back()) return true;
  }
}

void Search::go_on() {
  halt_ = Halt::kNone;
  stepping_ = false;
  stage_.go_on(*this);
}

/// The current step is over: its footprint is known now.
void Search::finish_step() {
  if (!stepping_) return;
  stepping_ = false;
  if (stage_.died()) {  // the step was not taken
    branching_ = false;
    return;
  }
  touched_ = touched_by(steps_.touched());
  if (learns_) footprints_.learn(step_, steps_.touched(), touched_, positions_);
  races_.step(trace_.size() - 1, step_, touched_, enabled_);
  if (!footprints_.rely(touched_, outside_)) halt_ = Halt::kOutdated;
  const auto wake = limits_.reduce ? wakes : conflict;
  asleep_.erase(std::remove_if(asleep_.begin(), asleep_.end(),
                               [&](const Sleeper& sleeper) {
                                 return sleeper.agent == step_.agent ||
                                        wake(touched_, sleeper.touched);
                               }),
                asleep_.end());
  if (!std::exchange(branching_, false)) return;
  Node& node = nodes_[depth_ - 1];
  node.asleep.push_back({step_.agent, touched_});
  if (sets_ && node.fresh && !node.open.empty()) narrow(node);
}

/// The actual footprint of the step is smaller than the one expected. With it, some of the other
/// ways may be left for later.
void Search::narrow(Node& node) {
  const Footprints::Standing standing{node.candidates, enabled_, alive_, positions_};
  const AgentSet set = footprints_.independent(standing, step_.agent, touched_);
  if (set == alive_) return;
  std::vector<std::size_t> open;
  for (const std::size_t way : node.open)
    if (set[node.candidates[way].agent]) open.push_back(way);
  if (open.size() == node.open.size()) return;
  ++narrowed_[step_.agent];
  node.open = std::move(open);
  node.set = set;
  node.outside = alive_ & ~set;
  footprints_.rely(touched_, node.outside);
  footprints_.rely_on_waiting(set & ~enabled_, node.outside, positions_);
}

std::size_t Search::pick(const std::vector<Candidate>& candidates,
                         const std::function<std::uint64_t()>& state) {
  const bool stepped = stepping_;
  finish_step();
  look_around(candidates, stepped);
  if (other_ == nullptr && (halt_ == Halt::kOutdated || footprints_.outdated())) {
    halt_ = Halt::kOutdated;
    return kStop;
  }
  if (stage_.beyond_bounds()) {
    halt_ = Halt::kBeyond;
    return kStop;
  }
  std::size_t chosen = kStop;
  if (forced_ != kStop) {
    chosen = std::exchange(forced_, kStop);
    branching_ = true;
    const Node& node = nodes_[depth_ - 1];
    outside_ = node.set[candidates[chosen].agent] ? node.outside : AgentSet();
    report_.coverage.take(candidates[chosen]);
  } else if (other_ != nullptr) {
    outside_.reset();
    chosen = other_->pick(candidates, state);
    if (!learns_) note_choice(candidates, chosen);
  } else if (chosen = first_step(candidates); chosen != kStop) {
    outside_.reset();
  } else {
    chosen = only_way(candidates);
  }
  if (chosen == kStop) {
    if (halt_ == Halt::kChoice) {
      at_choice_ = candidates;
      key_ = state();
    }
    return kStop;
  }
  step_ = candidates[chosen];
  stepping_ = true;
  ++report_.steps;
  trace_.push_back({step_.agent, step_.operation});
  return chosen;
}

/// Updates the sets of enabled and living agents, and learns whom the step just taken enabled.
void Search::look_around(const std::vector<Candidate>& candidates, bool stepped) {
  AgentSet enabled;
  for (const Candidate& candidate : candidates) enabled.set(candidate.agent);
  if (stepped && learns_) footprints_.learn_enabled(step_.agent, enabled & ~enabled_, positions_);
  enabled_ = enabled;
  alive_.reset();
  const std::size_t agents = std::min(steps_.agent_count(), positions_.size());
  for (std::size_t i = 1; i < agents; ++i) {
    const auto agent = static_cast<AgentId>(i);
    positions_[i] = static_cast<std::uint16_t>(steps_.position(agent));
    if (steps_.alive(agent)) alive_.set(i);
  }
}

/// The only candidate that is not asleep; otherwise kStop, and halt_ has the reason.
std::size_t Search::only_way(const std::vector<Candidate>& candidates) {
  AgentSet asleep;
  for (const Sleeper& sleeper : asleep_) asleep.set(sleeper.agent);
  set_ = sets_ && candidates.size() > 1
             ? footprints_.independent({candidates, enabled_, alive_, positions_}, asleep)
             : alive_;
  outside_ = alive_ & ~set_;
  std::size_t awake = 0;
  std::size_t chosen = kStop;
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    if (!set_[candidates[i].agent] || sleeps(asleep_, candidates[i].agent)) continue;
    ++awake;
    chosen = i;
  }
  if (outside_.any()) footprints_.rely_on_waiting(set_ & ~enabled_, outside_, positions_);
  if (awake == 1) return chosen;
  halt_ = awake == 0 ? Halt::kAsleep : Halt::kChoice;
  return kStop;
}

/// The run has stopped: at a choice, at its end, or where it need not continue.
void Search::arrive() {
  finish_step();
  switch (halt_) {
    case Halt::kAsleep:
      ++report_.asleep;
      return collect(stage_.violations());
    case Halt::kNone:
      collect_end();
      return count_end();
    case Halt::kBeyond:
      ++report_.beyond;
      return;
    case Halt::kOutdated:
      ++report_.outdated;
      return;
    case Halt::kChoice:
      return arrive_at_choice();
  }
}

void Search::arrive_at_choice() {
  std::vector<AgentId> asleep;
  for (const Sleeper& sleeper : asleep_)
    if (std::any_of(at_choice_.begin(), at_choice_.end(),
                    [&](const Candidate& c) { return c.agent == sleeper.agent; }))
      asleep.push_back(sleeper.agent);
  const auto is_in = [](const std::vector<AgentId>& set, AgentId agent) {
    return std::find(set.begin(), set.end(), agent) != set.end();
  };
  // Without a cache every state counts as new.
  const std::uint64_t key = limits_.reduce ? key_ : states();
  if (depth_ > 0 && limits_.reduce) part_.edges.push_back({nodes_[depth_ - 1].key, key});
  const auto [known, fresh] = enter(key, asleep);
  std::vector<std::size_t> open;
  for (std::size_t i = at_choice_.size(); i-- > 0;) {
    const AgentId agent = at_choice_[i].agent;
    // In a state that was met before, only agents that slept then and do not sleep now are open.
    if (is_in(asleep, agent)) continue;
    if (fresh ? set_[agent] : is_in(known->second, agent)) open.push_back(i);
  }
  if (open.empty()) {
    ++report_.met;
    if (on_the_way(key)) sets_ = false;
    return collect(stage_.violations());
  }
  if (!fresh) {
    // Agents that sleep in both visits are those whose steps were taken in neither.
    auto& stored = known->second;
    const auto drop = [](auto& list, auto gone) {
      list.erase(std::remove_if(list.begin(), list.end(), gone), list.end());
    };
    drop(stored, [&](AgentId agent) { return !is_in(asleep, agent); });
    drop(asleep_, [&](const Sleeper& sleeper) {
      return is_in(asleep, sleeper.agent) && !is_in(stored, sleeper.agent);
    });
  }
  push(std::move(open), fresh, key);
}

/// Adds a node for the current choice.
void Search::push(std::vector<std::size_t> open, bool fresh, std::uint64_t key) {
  if (depth_ == nodes_.size()) nodes_.emplace_back();
  Node& node = nodes_[depth_++];
  at_node_ = true;
  if (open.size() > 1) node.snapshot.take(stage_.image());
  node.candidates = at_choice_;
  // Agents that often turned out to be independent of all others are taken first: last in the list.
  std::stable_sort(open.begin(), open.end(), [this](std::size_t a, std::size_t b) {
    return narrowed_[at_choice_[a].agent] < narrowed_[at_choice_[b].agent];
  });
  node.open = std::move(open);
  node.sizes = {};
  node.elsewhere.clear();
  node.fresh = fresh;
  node.asleep = asleep_;
  node.set = set_;
  node.outside = outside_;
  node.length = trace_.size();
  node.key = key;
  ++report_.at_choice;
  report_.choices = std::max<std::uint64_t>(report_.choices, depth_);
  report_.coverage.offer(at_choice_);
}

/// True if the state lies on the current run, so that the run has a cycle. Steps left for later
/// might then never be taken, so none may be left for later.
bool Search::on_the_way(std::uint64_t key) const {
  return std::any_of(nodes_.begin(), nodes_.begin() + static_cast<std::ptrdiff_t>(depth_),
                     [key](const Node& node) { return node.key == key; });
}

/// All ways of the deepest choice were taken.
void Search::leave() {
  WaySizes& sizes = nodes_[--depth_].sizes;
  const std::uint64_t executions = sizes.end();
  part_.ratios.learn(sizes);
  if (depth_ > 0) nodes_[depth_ - 1].sizes.now += executions;
}

/// Goes back to the deepest choice with an open way; false if there is none.
bool Search::back() {
  while (depth_ > 0 && nodes_[depth_ - 1].open.empty()) leave();
  if (depth_ == 0) return false;
  Node& node = nodes_[depth_ - 1];
  if (!std::exchange(at_node_, false)) stage_.restore(node.snapshot);
  trace_.resize(node.length);
  asleep_ = node.asleep;
  forced_ = node.open.back();
  node.open.pop_back();
  node.sizes.begin();
  return true;
}

/// Collects violations as findings, each with the shortest run that shows it.
void Search::collect(const std::vector<check::Violation>& violations) {
  report_.deepest = std::max<std::uint64_t>(report_.deepest, trace_.size());
  const auto tested = stage_.tested();
  for (std::size_t i = 0; i < tested.size(); ++i) report_.coverage.tested[i] += tested[i] ? 1 : 0;
  for (const check::Violation& violation : violations) {
    if (!limits_.about.empty() && limits_.about.count(violation.invariant) == 0) continue;
    const auto [known, fresh] = report_.findings.try_emplace(cause_of(violation));
    Finding& finding = known->second;
    if (finding.execution == 0) finding.execution = report_.executions + report_.fallback;
    // For a crash, the run that really crashed.
    const bool crash = violation.invariant == kCrash || violation.invariant == kEndlessLoop;
    const Trace& run = crash && stage_.fatal_run() != nullptr ? *stage_.fatal_run() : trace_;
    if (!fresh && finding.trace.size() <= run.size()) continue;
    finding.violation = violation;
    finding.trace = run;
  }
}

/// Counts an execution that no choice has cut short.
void Search::count_end() {
  ++(stage_.beyond_bounds() ? report_.beyond
     : stage_.left_out()    ? report_.left_out
                            : report_.finished);
}

void Search::collect_end() {
  finish_step();
  if (stage_.beyond_bounds()) return;
  if (stage_.too_long()) {
    report_.why_incomplete =
        "a run takes more than " + std::to_string(limits_.steps) + " steps: it may never end";
    return collect(stage_.violations());
  }
  const std::vector<check::Violation> violations = stage_.judge_end();
  if (stage_.left_out()) return collect(violations);
  report_.completes |= stage_.rest() == run::Rest::kNobody;
  report_.waits |= stage_.rest() == run::Rest::kWaiting;
  clean_run_ |= !wanted_.empty() && std::none_of(violations.begin(), violations.end(),
                                                 [this](const check::Violation& it) {
                                                   return it.invariant == wanted_;
                                                 });
  collect(violations);
}

}  // namespace fenceline::explore
