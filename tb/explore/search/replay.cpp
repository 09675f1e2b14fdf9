#include "tb/explore/search/replay.h"

#include <algorithm>
#include <map>

namespace fenceline::explore {

using common::AgentId;
using common::Candidate;
using common::HoldRule;

std::size_t TracePolicy::pick(const std::vector<Candidate>& candidates,
                              const std::function<std::uint64_t()>& /*state*/) {
  if (next_ == trace_.size()) return kStop;
  for (std::size_t i = 0; i < candidates.size(); ++i)
    if (candidates[i].agent == trace_[next_].agent) {
      ++next_;
      return i;
    }
  return kStop;
}

EagerPolicy::EagerPolicy(const common::Steps& steps) : rank_(steps.agent_count()) {
  const auto ends = [](const std::string& name, const std::string& end) {
    return name.size() >= end.size() &&
           name.compare(name.size() - end.size(), end.size(), end) == 0;
  };
  for (std::size_t id = 1; id < rank_.size(); ++id) {
    const std::string& name = steps.name(static_cast<AgentId>(id));
    const bool queue = name.find(".vram") != std::string::npos ||
                       name.find(".host") != std::string::npos ||
                       name.find(".pcie") != std::string::npos;
    if (queue)
      rank_[id] = 0;
    else if (ends(name, ".cmp"))
      rank_[id] = 1;
    else if (ends(name, ".dpc"))
      rank_[id] = 4;
    else if (ends(name, ".isr"))
      rank_[id] = 5;
    else
      rank_[id] = name.find('.') != std::string::npos ? 2 : 3;
  }
}

std::size_t EagerPolicy::pick(const std::vector<Candidate>& candidates,
                              const std::function<std::uint64_t()>& /*state*/) {
  std::size_t best = 0;
  for (std::size_t i = 1; i < candidates.size(); ++i)
    if (rank_[candidates[i].agent] < rank_[candidates[best].agent]) best = i;
  return best;
}

namespace {

/// Follows a trace and records its steps.
class Recorder : public common::Policy, public common::EventSink {
 public:
  Recorder(Stage& stage, const Trace& trace)
      : stage_(stage), follow_(trace), eager_(stage.steps()) {}

  std::size_t pick(const std::vector<Candidate>& candidates,
                   const std::function<std::uint64_t()>& state) override {
    finish_step();
    std::size_t picked = follow_.pick(candidates, state);
    if (picked == kStop) picked = eager_.pick(candidates, state);
    const Candidate& candidate = candidates[picked];
    const std::uint32_t nth = ++counts_[{candidate.agent, candidate.operation}];
    note_possible(candidates);
    steps_.push_back({{candidate.agent, candidate.operation, nth},
                      candidate.footprint,
                      {},
                      {},
                      candidates.size() > 1,
                      possible_.at(candidate.agent)});
    possible_.erase(candidate.agent);
    return picked;
  }

  void on_event(const common::Event& event) override {
    const Arena::Outside outside;
    if (!steps_.empty()) steps_.back().events.push_back(event);
  }

  void finish_step() {
    if (steps_.empty()) return;
    steps_.back().touched = stage_.died() ? all_touched() : touched_by(stage_.steps().touched());
  }

  std::vector<ReplayedStep> take() { return std::move(steps_); }

 private:
  /// Records since when each candidate could have been taken.
  void note_possible(const std::vector<Candidate>& candidates) {
    std::map<AgentId, std::size_t> now;
    for (const Candidate& candidate : candidates) {
      const auto before = possible_.find(candidate.agent);
      now[candidate.agent] = before == possible_.end() ? steps_.size() : before->second;
    }
    possible_ = std::move(now);
  }

  /// The footprint of a fatal step is unknown: it may depend on everything touched before.
  Touched all_touched() const {
    std::vector<common::Steps::Touch> all;
    for (const ReplayedStep& step : steps_)
      for (const auto& access : step.touched) all.push_back({{access.location, true}, 0});
    return touched_by(all);
  }

  Stage& stage_;
  TracePolicy follow_;
  EagerPolicy eager_;
  std::map<std::pair<AgentId, common::Operation>, std::uint32_t> counts_;
  std::map<AgentId, std::size_t> possible_;
  std::vector<ReplayedStep> steps_;
};

}  // namespace

std::vector<ReplayedStep> replay(Stage& stage, const Trace& trace,
                                 const std::function<void()>& at_end) {
  stage.restart();
  Recorder recorder(stage, trace);
  stage.listen(recorder);
  stage.go_on(recorder);
  recorder.finish_step();
  if (at_end) at_end();
  stage.restart();
  return recorder.take();
}

bool same(const common::OperationInstance& a, const common::OperationInstance& b) {
  return a.agent == b.agent && a.operation == b.operation && a.nth == b.nth;
}

std::size_t number_of(const std::vector<ReplayedStep>& steps,
                      const common::OperationInstance& instance) {
  for (std::size_t i = 0; i < steps.size(); ++i)
    if (same(steps[i].instance, instance)) return i + 1;
  return 0;
}

std::vector<HoldRule> orders_of(const std::vector<ReplayedStep>& steps) {
  std::vector<HoldRule> orders;
  for (std::size_t later = 1; later < steps.size(); ++later) {
    std::vector<AgentId> seen{steps[later].instance.agent};
    for (std::size_t earlier = later; earlier-- > 0;) {
      const AgentId agent = steps[earlier].instance.agent;
      if (std::find(seen.begin(), seen.end(), agent) != seen.end()) continue;
      if (!conflict(steps[earlier].touched, steps[later].touched)) continue;
      seen.push_back(agent);
      orders.push_back({steps[later].instance, steps[earlier].instance});
    }
  }
  return orders;
}

bool breaks(Stage& stage, const std::vector<HoldRule>& holds, const std::string& cause) {
  stage.restart();
  stage.hold(holds);
  EagerPolicy eager(stage.steps());
  stage.go_on(eager);
  bool broken = false;
  const bool over = stage.died() || stage.steps().failure() || stage.steps().held().empty();
  if (!stage.too_long() && over)
    for (const check::Violation& violation : stage.judge_end())
      broken |= cause_of(violation) == cause;
  stage.restart();
  return broken;
}

}  // namespace fenceline::explore
