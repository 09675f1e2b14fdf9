#include "tb/run/policies.h"

#include <algorithm>

namespace fenceline::run {

std::size_t RandomPolicy::pick(const std::vector<common::Candidate>& candidates,
                               const std::function<std::uint64_t()>& state) {
  if (candidates.size() == 1) return 0;
  const auto index = static_cast<std::size_t>(random_.below(candidates.size()));
  const common::Candidate& chosen = candidates[index];
  if (keeps_choices_)
    choices_.push_back(
        {steps_.name(chosen.agent), common::operation_name(chosen.operation), state()});
  races_.decide(candidates, index);
  return index;
}

std::size_t FollowPolicy::pick(const std::vector<common::Candidate>& candidates,
                               const std::function<std::uint64_t()>& state) {
  std::size_t index = 0;
  if (next_ < agents_.size()) {
    const auto wanted = std::find_if(
        candidates.begin(), candidates.end(),
        [&](const common::Candidate& it) { return steps_.name(it.agent) == agents_[next_]; });
    if (wanted == candidates.end())
      next_ = agents_.size();
    else
      index = static_cast<std::size_t>(wanted - candidates.begin());
    ++next_;
  }
  const common::Candidate& chosen = candidates[index];
  if (candidates.size() > 1)
    choices_.push_back(
        {steps_.name(chosen.agent), common::operation_name(chosen.operation), state()});
  return index;
}

std::size_t ReplayPolicy::pick(const std::vector<common::Candidate>& candidates,
                               const std::function<std::uint64_t()>& state) {
  const std::size_t index = follow(candidates, state);
  races_.decide(candidates, index);
  return index;
}

std::size_t ReplayPolicy::follow(const std::vector<common::Candidate>& candidates,
                                 const std::function<std::uint64_t()>& state) {
  if (candidates.size() == 1 || next_ == choices_.size()) return 0;
  const report::Choice& choice = choices_[next_++];
  const std::string where =
      "hidden nondeterminism at step " + std::to_string(next_) + ", agent " + choice.agent;
  if (state() != choice.state_hash)
    throw HiddenNondeterminism(where + ": the state before the step is not the recorded one");
  for (std::size_t i = 0; i < candidates.size(); ++i)
    if (steps_.name(candidates[i].agent) == choice.agent &&
        common::operation_name(candidates[i].operation) == choice.op)
      return i;
  throw HiddenNondeterminism(where + ": it cannot " + choice.op + " here");
}

}  // namespace fenceline::run
