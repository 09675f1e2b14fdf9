#pragma once

#include <functional>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "models/common/simulation.h"

namespace fenceline::support {

/// Takes every sequence of choices, one a round, depth first; remembers no states. For machines of
/// a few steps.
class EveryChoice : public common::Policy {
 public:
  std::size_t pick(const std::vector<common::Candidate>& candidates,
                   const std::function<std::uint64_t()>& /*state*/) override {
    if (depth_ == path_.size()) path_.push_back({0, candidates.size()});
    const Choice& choice = path_[depth_++];
    if (choice.of != candidates.size())
      throw std::logic_error("the same choices led to another state");
    return choice.taken;
  }
  /// Sets out for the next sequence; false when there is none.
  bool next() {
    depth_ = 0;
    while (!path_.empty() && path_.back().taken + 1 == path_.back().of) path_.pop_back();
    if (path_.empty()) return false;
    ++path_.back().taken;
    return true;
  }

 private:
  struct Choice {
    std::size_t taken, of;
  };
  std::vector<Choice> path_;
  std::size_t depth_ = 0;
};

/// What runs beside the machine under test, as agents of its own; from round to round the same.
class AllOrders {
 public:
  explicit AllOrders(common::Simulation& simulation)
      : simulation_(simulation), changed_(simulation.steps) {}

  /// Adds an agent that runs `body` once a round.
  void program(const std::string& name, std::function<void()> body) {
    ++programs_;
    simulation_.steps.add_agent(name, [this, body = std::move(body)] {
      for (std::uint64_t mine = 1;; ++mine) {
        simulation_.steps.wait_until(changed_, [&] { return round_ >= mine; });
        body();
        ++ended_;
      }
    });
  }

  /// Adds "name=value" to the outcome of this round. Outcomes list names in alphabetical order.
  void note(const std::string& name, std::uint64_t value) {
    notes_.insert(name + "=" + std::to_string(value));
  }
  /// Lets programs know of each other without a wire between them: a mark is set once a round.
  void set(const std::string& mark) {
    marks_.insert(mark);
    changed_.open();
  }
  void wait_for(const std::string& mark) {
    simulation_.steps.wait_until(changed_, [&] { return marks_.count(mark) != 0; });
  }
  bool is_set(const std::string& mark) const { return marks_.count(mark) != 0; }

  using Outcomes = std::set<std::string>;
  /// Runs the programs in every order. A round in which one of them cannot end has the outcome
  /// "stuck". To be called once, before the simulation starts. @param reset makes the machine as it
  /// was at first, when nothing is on its way; the first time it may take simulated time.
  Outcomes run(const std::function<void()>& reset) {
    Outcomes outcomes;
    EveryChoice policy;
    simulation_.steps.keep_all_steps();
    simulation_.steps.add_agent("controller", [&] {
      do {
        reset();
        notes_.clear();
        marks_.clear();
        ended_ = 0;
        if (++round_ == 1)
          simulation_.steps.explore(policy, ~0ULL);
        else
          simulation_.steps.go_on();
        outcomes.insert(outcome());
        if (ended_ != programs_) break;  // nobody comes back from there
      } while (policy.next());
    });
    sc_core::sc_start();
    if (simulation_.steps.failure()) std::rethrow_exception(simulation_.steps.failure());
    return outcomes;
  }
  /// Orders that `run` has begun.
  std::uint64_t rounds() const { return round_; }

 private:
  std::string outcome() const {
    if (ended_ != programs_) return "stuck";
    std::string text;
    for (const std::string& note : notes_) text += (text.empty() ? "" : " ") + note;
    return text;
  }

  common::Simulation& simulation_;
  common::Gate changed_;
  std::uint64_t round_ = 0;
  std::size_t programs_ = 0, ended_ = 0;
  std::set<std::string> notes_, marks_;
};

}  // namespace fenceline::support
