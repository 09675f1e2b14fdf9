#pragma once

#include <array>
#include <bitset>
#include <functional>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "tb/check/core/invariants.h"
#include "tb/check/core/violation.h"
#include "tb/explore/search/arena.h"
#include "tb/explore/search/flight.h"
#include "tb/explore/search/run_judge.h"
#include "tb/explore/search/search_report.h"
#include "tb/explore/search/snapshot.h"
#include "tb/explore/search/trace.h"
#include "tb/run/known_places.h"
#include "tb/run/process/last_words.h"
#include "tb/run/simulated.h"

namespace fenceline::explore {

/// A scenario built once, at the end of its set-up, to be run again and again from there.
///
/// The simulation lies in an arena; the code that uses the stage does not. A body runs inside the
/// simulation, as its controlling agent.
class Stage : public common::Policy {
 public:
  /// Throws what building and starting the machine throws.
  /// @param max_steps of one run.
  /// @param fatal steps that are not taken: a run ends before them, and judge_end() reports them.
  /// @param flight records every step; may be null.
  Stage(const scenario::Scenario& scenario, const std::string& kmd, std::uint64_t max_steps,
        Memory memory, std::vector<FatalStep> fatal = {}, Flight* flight = nullptr);
  ~Stage() override;
  Stage(const Stage&) = delete;
  Stage& operator=(const Stage&) = delete;

  /// Runs are judged by this, too. @pre before play()
  void judge_with(const MakeJudge& make) { make_judge_ = make; }
  /// Runs the set-up, then `body`, once.
  void play(const std::function<void()>& body);

  // In the body.
  common::Steps& steps() { return simulated_->simulation.steps; }
  common::EventStream& events() { return simulated_->simulation.events; }
  const Image& image() const { return *image_; }
  /// Restores the start. No holds.
  void restart() { image_->restore(); }
  void restore(const Snapshot& snapshot) { snapshot.restore(*image_); }
  /// Sets the holds from here on.
  void hold(std::vector<common::HoldRule> rules);
  /// `sink` gets every event until the stage is restarted.
  void listen(common::EventSink& sink);
  /// Runs under `policy` until it stops or no agent can take a step.
  void go_on(common::Policy& policy);
  /// Violations so far.
  const std::vector<check::Violation>& violations() const;
  /// Invariants that were tested since the start, in the order of all_invariants().
  std::bitset<check::kInvariantCount> tested() const;
  /// Judges the end of a run, where no agent can take a step: violations, including a bug check and
  /// a hang. A hang is reported only without other violations, and if no agent is held; see
  /// run::Rest.
  std::vector<check::Violation> judge_end();
  /// The run ended before a fatal step, or before one that was left out.
  bool died() const { return died_ != nullptr || left_out_; }
  /// The run ended before a step like one that was fatal elsewhere (FatalStep::anywhere). Its
  /// effect is unknown.
  bool left_out() const { return left_out_; }
  /// The executed run in which the step was fatal before which this run ended; null if it ended
  /// otherwise.
  const Trace* fatal_run() const { return died_ != nullptr ? &died_->trace : nullptr; }
  /// Result of run::rest_of() at the end that was judged last.
  run::Rest rest() const { return rest_; }
  /// The run exceeds the bounds of the scenario.
  bool beyond_bounds() const { return order_->beyond_limit(); }
  /// Lines of run::explain_waiting.
  std::vector<std::string> waiting();
  /// Names of the objects of the machine, for stories.
  run::KnownPlaces known_places();
  /// Sentences of run::unended_threads.
  std::vector<std::string> unended();
  /// Sentences of run::left_at_end.
  std::vector<std::string> left_at_end();
  bool too_long() const { return simulated_->simulation.steps.steps_taken() >= max_steps_; }

  std::size_t pick(const std::vector<common::Candidate>& candidates,
                   const std::function<std::uint64_t()>& state) override;

 private:
  void prepare(const scenario::Scenario& scenario, const std::string& kmd);
  void learn_fatal();
  template <typename Sentences>
  std::vector<std::string> copied(const Sentences& sentences);
  const FatalStep* fatal(const common::Candidate& candidate,
                         const std::function<std::uint64_t()>& state) const;
  const FatalStep* like_fatal(const common::Candidate& candidate) const;
  std::vector<check::Violation> ask_judge();

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
  run::Whereabouts* whereabouts_ = nullptr;  ///< the same; used by a process that dies
  MakeJudge make_judge_;
  RunJudge* judge_ = nullptr;  ///< in the arena; null: none
  run::Rest rest_ = run::Rest::kNobody;
  std::array<std::uint64_t, check::kInvariantCount> tested_in_set_up_{};
  std::unique_ptr<Image> image_;
  common::Policy* policy_ = nullptr;
  std::exception_ptr failure_;
};

}  // namespace fenceline::explore
