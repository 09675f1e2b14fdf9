#pragma once

#include <cstdint>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

#include "models/common/steps/steps.h"
#include "tb/report/record/run_report.h"
#include "tb/run/races.h"

namespace fenceline::run {

/// Picks uniformly at random from a seed. Counts races.
class RandomPolicy : public common::Policy {
 public:
  /// @param keeps_choices what it picks is kept for a replay, which costs a state hash each.
  RandomPolicy(const common::Steps& steps, std::uint64_t seed, bool keeps_choices = true)
      : steps_(steps), random_(seed), keeps_choices_(keeps_choices) {}
  std::size_t pick(const std::vector<common::Candidate>& candidates,
                   const std::function<std::uint64_t()>& state) override;

  const std::vector<report::Choice>& choices() const { return choices_; }
  std::vector<report::Race> races() const { return races_.by_name(steps_); }

 private:
  const common::Steps& steps_;
  common::Random random_;
  const bool keeps_choices_;
  std::vector<report::Choice> choices_;
  Races races_;
};

/// Follows a list of agents, one a step, and keeps the choices for a replay. Where the list ends,
/// or names an agent that cannot go on, it picks the first candidate from there.
class FollowPolicy : public common::Policy {
 public:
  FollowPolicy(const common::Steps& steps, const std::vector<std::string>& agents)
      : steps_(steps), agents_(agents) {}
  std::size_t pick(const std::vector<common::Candidate>& candidates,
                   const std::function<std::uint64_t()>& state) override;

  const std::vector<report::Choice>& choices() const { return choices_; }

 private:
  const common::Steps& steps_;
  const std::vector<std::string>& agents_;
  std::size_t next_ = 0;
  std::vector<report::Choice> choices_;
};

/// The state of a replay is not that of the run it replays: something outside the choices decides.
class HiddenNondeterminism : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Follows recorded choices and checks the state before each. Throws HiddenNondeterminism where
/// the state differs or the recorded agent cannot go on. After the last one it picks the first
/// candidate. Counts races as the run did that it follows.
class ReplayPolicy : public common::Policy {
 public:
  ReplayPolicy(const common::Steps& steps, const std::vector<report::Choice>& choices)
      : steps_(steps), choices_(choices) {}
  std::size_t pick(const std::vector<common::Candidate>& candidates,
                   const std::function<std::uint64_t()>& state) override;

  std::vector<report::Race> races() const { return races_.by_name(steps_); }
  /// Choices that the run has not come to.
  std::size_t left() const { return choices_.size() - next_; }

 private:
  std::size_t follow(const std::vector<common::Candidate>& candidates,
                     const std::function<std::uint64_t()>& state);

  const common::Steps& steps_;
  const std::vector<report::Choice>& choices_;
  std::size_t next_ = 0;
  Races races_;
};

/// Asks before each step that another policy picks; stops where the answer is no.
class AskedPolicy : public common::Policy {
 public:
  using Ask = std::function<bool(const common::Candidate&)>;
  /// @param ask empty: every step is taken.
  AskedPolicy(common::Policy& picks, const Ask& ask) : picks_(picks), ask_(ask) {}
  std::size_t pick(const std::vector<common::Candidate>& candidates,
                   const std::function<std::uint64_t()>& state) override {
    const std::size_t picked = picks_.pick(candidates, state);
    return picked == kStop || !ask_ || ask_(candidates[picked]) ? picked : kStop;
  }

 private:
  common::Policy& picks_;
  const Ask& ask_;
};

}  // namespace fenceline::run
