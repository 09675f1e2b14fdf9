#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace fenceline::generate {

using AgentId = std::size_t;

/// An action of an agent; its actions count from 1. 0: before all of them.
struct Event {
  AgentId agent = 0;
  std::uint64_t index = 0;
};

/// For each agent the number of its actions that are known to be over: a vector clock.
class Clock {
 public:
  bool knows(const Event& event) const {
    return event.index == 0 || (event.agent < over_.size() && over_[event.agent] >= event.index);
  }
  bool knows(const Clock& other) const {
    for (AgentId agent = 0; agent < other.over_.size(); ++agent)
      if (!knows(Event{agent, other.over_[agent]})) return false;
    return true;
  }
  std::uint64_t over(AgentId agent) const { return agent < over_.size() ? over_[agent] : 0; }
  void learn(const Event& event) {
    if (event.agent >= over_.size()) over_.resize(event.agent + 1);
    over_[event.agent] = std::max(over_[event.agent], event.index);
  }
  void learn(const Clock& other) {
    for (AgentId agent = 0; agent < other.over_.size(); ++agent)
      learn(Event{agent, other.over_[agent]});
  }

 private:
  std::vector<std::uint64_t> over_;
};

}  // namespace fenceline::generate
