#pragma once

#include <cstdint>
#include <vector>

#include "models/common/steps/steps.h"

namespace fenceline::explore {

/// Picks uniformly at random.
class DicePolicy : public common::Policy {
 public:
  explicit DicePolicy(std::uint64_t seed) : dice_(seed) {}
  std::size_t pick(const std::vector<common::Candidate>& candidates,
                   const std::function<std::uint64_t()>& /*state*/) override {
    return static_cast<std::size_t>(dice_.below(candidates.size()));
  }

 private:
  common::Random dice_;
};

/// Probabilistic concurrency testing: agents have random priorities, and the highest continues. At
/// `depth - 1` random steps the agent that would continue drops to the lowest priority. A bug that
/// takes `depth` orders among n agents is found with a probability of at least 1 / (n k^(depth -
/// 1)) in k steps. Source: Burckhardt, Kothari, Musuvathi, Nagarakatte 2010.
class PriorityPolicy : public common::Policy {
 public:
  /// @param length steps that a run takes at most, about.
  PriorityPolicy(std::uint64_t seed, unsigned depth, std::uint64_t length) : dice_(seed) {
    for (unsigned i = 1; i < depth; ++i) changes_.push_back(dice_.below(length));
  }

  std::size_t pick(const std::vector<common::Candidate>& candidates,
                   const std::function<std::uint64_t()>& /*state*/) override {
    std::size_t best = highest(candidates);
    for (const std::uint64_t change : changes_)
      if (change == step_) {
        priority(candidates[best].agent) = --lowest_;
        best = highest(candidates);
      }
    ++step_;
    return best;
  }

 private:
  std::int64_t& priority(common::AgentId agent) {
    while (priorities_.size() <= agent)
      priorities_.push_back(static_cast<std::int64_t>(dice_.below(1U << 30)));
    return priorities_[agent];
  }
  std::size_t highest(const std::vector<common::Candidate>& candidates) {
    std::size_t best = 0;
    for (std::size_t i = 1; i < candidates.size(); ++i)
      if (priority(candidates[i].agent) > priority(candidates[best].agent)) best = i;
    return best;
  }

  common::Random dice_;
  std::vector<std::uint64_t> changes_;
  std::vector<std::int64_t> priorities_;  ///< by agent
  std::int64_t lowest_ = 0;
  std::uint64_t step_ = 0;
};

}  // namespace fenceline::explore
