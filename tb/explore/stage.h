#pragma once

#include <array>
#include <bitset>
#include <functional>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "tb/check/invariants.h"
#include "tb/check/violation.h"
#include "tb/explore/arena.h"
#include "tb/explore/flight.h"
#include "tb/explore/search_report.h"
#include "tb/explore/snapshot.h"
#include "tb/explore/trace.h"
#include "tb/run/last_words.h"
#include "tb/run/simulated.h"

namespace fenceline::explore {

/// A scenario built once, at the end of its set-up, to be run again and again from there.
///
/// Everything of the simulation lies in an arena; what uses the stage does not. A body runs inside
/// the simulation, as the agent that controls it.
class Stage : public common::Policy {
 public:
  /// @param max_steps of one run. Throws what building and starting the machine throws.
  /// @param fatal steps that are not taken: a run ends before them, and judge_end says why.
  /// @param flight hears of every step, if there is one.
  Stage(const scenario::Scenario& scenario, const std::string& kmd, std::uint64_t max_steps,
        Memory memory, std::vector<FatalStep> fatal = {}, Flight* flight = nullptr);
  ~Stage() override;
  Stage(const Stage&) = delete;
  Stage& operator=(const Stage&) = delete;

  /// Runs the set-up, then `body`, once.
  void play(const std::function<void()>& body);

  // In the body.
  common::Steps& steps() { return simulated_->simulation.steps; }
  common::EventStream& events() { return simulated_->simulation.events; }
  const Image& image() const { return *image_; }
  /// Back to the start, with nothing held.
  void restart() { image_->restore(); }
  void restore(const Snapshot& snapshot) { snapshot.restore(*image_); }
  /// From here on these hold.
  void hold(std::vector<common::HoldRule> rules);
  /// `sink` gets every event until the stage is restarted.
  void listen(common::EventSink& sink);
  /// Lets the agents go on under `policy` until it stops or nobody can.
  void go_on(common::Policy& policy);
  /// What has gone wrong so far.
  const std::vector<check::Violation>& violations() const;
  /// Invariants that were put to the test since the start, in the order of all_invariants().
  std::bitset<check::kInvariantCount> tested() const;
  /// Judges the end of a run, where nobody can go on: what has gone wrong, a bug check and a hang
  /// included. A hang is that somebody is stuck (run::Rest), and counts only if nothing else is
  /// wrong; agents that are held make none.
  std::vector<check::Violation> judge_end();
  /// The run has ended before a fatal step, or before one that was left out.
  bool died() const { return died_ != nullptr || left_out_; }
  /// Before a step that is like one that was fatal elsewhere: nobody knows what it would have done.
  bool left_out() const { return left_out_; }
  /// The run that was really taken, and in which the step was fatal before which this one has
  /// ended. Null if it has not.
  const Trace* fatal_run() const { return died_ != nullptr ? &died_->trace : nullptr; }
  /// Who was left at the end that was judged last.
  run::Rest rest() const { return rest_; }
  /// The run has gone beyond what the scenario's bounds allow.
  bool beyond_bounds() const { return order_->beyond_limit(); }
  /// What keeps the run from being done, a line each; see run::explain_waiting.
  std::vector<std::string> waiting();
  bool too_long() const { return simulated_->simulation.steps.steps_taken() >= max_steps_; }

  std::size_t pick(const std::vector<common::Candidate>& candidates,
                   const std::function<std::uint64_t()>& state) override;

 private:
  void prepare(const scenario::Scenario& scenario, const std::string& kmd);
  void learn_fatal();
  const FatalStep* fatal(const common::Candidate& candidate,
                         const std::function<std::uint64_t()>& state) const;
  const FatalStep* like_fatal(const common::Candidate& candidate) const;

  const std::uint64_t max_steps_;
  const std::vector<FatalStep> fatal_;
  std::unordered_map<std::uint64_t, const FatalStep*> fatal_by_key_;
  std::unordered_map<std::uint64_t, const FatalStep*> like_fatal_;
  const FatalStep* died_ = nullptr;
  bool left_out_ = false;
  common::Candidate last_{};  ///< the fatal step
  Flight* flight_;
  Arena arena_;
  run::Simulated* simulated_ = nullptr;      ///< in the arena
  ObservedOrder* order_ = nullptr;           ///< the same
  run::Whereabouts* whereabouts_ = nullptr;  ///< the same: for a process that dies
  run::Rest rest_ = run::Rest::kNobody;
  std::array<std::uint64_t, check::kInvariantCount> tested_in_set_up_{};
  std::unique_ptr<Image> image_;
  common::Policy* policy_ = nullptr;
  std::exception_ptr failure_;
};

}  // namespace fenceline::explore
