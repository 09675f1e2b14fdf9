// Begin, pause and continuation of a search, in this process or another.
#include <algorithm>
#include <utility>

#include "tb/explore/search/search.h"

namespace fenceline::explore {

namespace {

constexpr std::uint64_t kFrontierEvery = 64;  ///< executions: adding up a path takes time

/// Follows a trace from its current step up to the length set by to().
class Walk : public common::Policy {
 public:
  explicit Walk(const Trace& trace) : trace_(trace) {}
  void to(std::size_t length) { length_ = length; }
  std::size_t pick(const std::vector<common::Candidate>& candidates,
                   const std::function<std::uint64_t()>& /*state*/) override {
    at = candidates;
    if (next_ == length_) return kStop;
    const auto it = std::find_if(candidates.begin(), candidates.end(), [this](const auto& one) {
      return one.agent == trace_[next_].agent && one.operation == trace_[next_].operation;
    });
    if (it == candidates.end()) return kStop;
    ++next_;
    return static_cast<std::size_t>(it - candidates.begin());
  }
  bool arrived() const { return next_ == length_; }

  std::vector<common::Candidate> at;  ///< candidates where it stopped

 private:
  const Trace& trace_;
  std::size_t length_ = 0;
  std::size_t next_ = 0;
};

/// Takes one step.
class OneStep : public common::Policy {
 public:
  explicit OneStep(std::size_t way) : way_(way) {}
  std::size_t pick(const std::vector<common::Candidate>& /*candidates*/,
                   const std::function<std::uint64_t()>& /*state*/) override {
    return std::exchange(way_, kStop);
  }

 private:
  std::size_t way_;
};

}  // namespace

bool Search::is_interrupted() const {
  const bool stop = interrupted_ != nullptr && *interrupted_;
  if (stop && flight_ != nullptr) flight_->hear();
  return stop;
}

void Search::count() {
  if (flight_ == nullptr) return;
  flight_->count(report_.executions + report_.fallback, fresh_);
  if (report_.executions % kFrontierEvery == 0) count_frontier();
}

void Search::count_frontier() {
  if (flight_ == nullptr || !limits_.watched) return;
  WayRatios ratios = state_.ratios;
  ratios.add(part_.ratios);
  flight_->count(frontier_of(nodes_, depth_, ratios));
}

bool Search::pauses() {
  count();
  report_.interrupted = is_interrupted();
  report_.late = is_past(limits_.search_until);
  const bool enough = limits_.first_only && !report_.findings.empty();
  return enough || report_.interrupted || report_.late || report_.executions >= executions_ ||
         states() >= limits_.states || !report_.why_incomplete.empty();
}

void Search::restart() {
  if (start_ != nullptr)
    stage_.restore(*start_);
  else
    stage_.restart();
  trace_.clear();
  first_steps_ = 0;
  at_node_ = false;
}

/// A candidate of an agent that runs before all others; kStop if there is none.
std::size_t Search::first_step(const std::vector<common::Candidate>& candidates) {
  if (start_ != nullptr || trace_.size() != first_steps_) return kStop;
  const auto it = std::find_if(candidates.begin(), candidates.end(),
                               [this](const common::Candidate& one) { return first_[one.agent]; });
  if (it == candidates.end()) return kStop;
  ++first_steps_;
  return static_cast<std::size_t>(it - candidates.begin());
}

void Search::begin_again() {
  state_.begin_again();
  cache_.clear();
  part_.edges.clear();
  fresh_ = 0;
  depth_ = 0;
  asleep_.clear();
  restart();
}

/// Adds ways that another path takes to the sleep set. Each step is run once to get its footprint.
void Search::look_elsewhere(Node& node) {
  for (const std::size_t way : std::exchange(node.elsewhere, {})) {
    stage_.restore(node.snapshot);
    OneStep step(way);
    stage_.go_on(step);
    if (!stage_.died())
      node.asleep.push_back({node.candidates.at(way).agent, touched_by(steps_.touched())});
  }
}

/// Runs the trace of the path and rebuilds a node at each of its choices.
void Search::resume(const Path& path) {
  restart();
  Walk walk(path.trace);
  for (const Fork& fork : path.forks) {
    walk.to(fork.length);
    stage_.go_on(walk);
    if (!walk.arrived())
      throw std::runtime_error("hidden nondeterminism: a run does not go as it went before");
    Node& node = nodes_.emplace_back();
    static_cast<Fork&>(node) = fork;
    node.candidates = walk.at;
    if (!fork.open.empty()) node.snapshot.take(stage_.image());
  }
  for (Node& node : nodes_)
    if (!node.open.empty()) look_elsewhere(node);
  depth_ = nodes_.size();
  trace_ = path.trace;
  races_.forget(trace_.size());
}

/// The open ways of all nodes. @pre the deepest node has some
Path Search::path_left() const {
  Path path;
  for (std::size_t i = 0; i < depth_; ++i) path.forks.push_back(nodes_[i]);
  if (!path.forks.empty())
    path.trace.assign(trace_.begin(),
                      trace_.begin() + static_cast<std::ptrdiff_t>(path.forks.back().length));
  return path;
}

/// The result of this search, relative to the state it continued.
Part Search::part() {
  part_.footprints = footprints_.bytes();
  report_.coverage.races = races_.races(steps_);
  part_.sets = sets_;
  while (depth_ > 0 && nodes_[depth_ - 1].open.empty()) leave();
  part_.path = path_left();
  count_frontier();
  for (auto it = cache_.begin(); it != cache_.end();) {
    const auto before = state_.cache.find(it->first);
    const bool same = before != state_.cache.end() && before->second == it->second;
    it = same ? cache_.erase(it) : std::next(it);
  }
  return std::move(part_);
}

/// Entry of a state in the cache; true if the state is new.
std::pair<Cache::iterator, bool> Search::enter(std::uint64_t key,
                                               const std::vector<common::AgentId>& asleep) {
  const auto [known, fresh] = cache_.try_emplace(key, asleep);
  if (!fresh) return {known, false};
  const auto before = state_.cache.find(key);
  if (before == state_.cache.end()) {
    ++fresh_;
    return {known, true};
  }
  known->second = before->second;
  return {known, false};
}

}  // namespace fenceline::explore
