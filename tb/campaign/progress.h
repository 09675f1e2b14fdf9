#pragma once

#include <string>
#include <vector>

#include "tb/campaign/observation.h"

namespace fenceline::campaign {

/// Counts the operations of all agents while a run goes on.
class Progress {
 public:
  /// Index of a new agent.
  std::size_t add(Agent::Kind kind, std::string name) {
    agents_.push_back({kind, std::move(name)});
    counts_.push_back(0);
    return counts_.size() - 1;
  }
  /// At least `count` operations of the agent are over.
  void reach(std::size_t agent, std::uint64_t count) {
    if (counts_[agent] < count) counts_[agent] = count;
  }
  const std::vector<Agent>& agents() const { return agents_; }
  const Counts& counts() const { return counts_; }

 private:
  std::vector<Agent> agents_;
  Counts counts_;
};

}  // namespace fenceline::campaign
