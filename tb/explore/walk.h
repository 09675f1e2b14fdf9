#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "tb/explore/replay.h"
#include "tb/explore/stage.h"

namespace fenceline::explore {

/// What an agent that could go on would do.
struct Way {
  std::string agent;
  std::string operation;
  std::string text;  ///< what would happen, in words
};

/// A step that was taken.
struct WalkedStep {
  std::size_t number = 0;  ///< from 1
  std::string agent;
  std::string operation;
  std::vector<std::string> events;  ///< what happened, in words: "core0.dpc: ..."
  bool chosen = false;              ///< another agent could have gone on instead
};

/// Takes the steps of a scenario choice by choice, as somebody outside decides, and goes back.
///
/// What each way on would do is not guessed: it is taken, looked at, and taken back. To be used in
/// the body of a stage, one walk a body.
class Walk : public common::Policy, public common::EventSink {
 public:
  /// Goes to the first choice.
  explicit Walk(Stage& stage);

  /// Who could go on, at least two; empty at the end of the run.
  const std::vector<Way>& ways() const { return ways_; }
  /// The way of the default order: what is on its way arrives first. @pre not at the end
  std::size_t by_default();
  /// Takes a way on and all steps behind it that are no choice. @pre way < ways().size()
  void take(std::size_t way);
  /// Goes back to the choice before; false if this is the first.
  bool back();
  /// Goes back to the first choice.
  void restart();

  /// The steps since the choice before this one.
  std::vector<WalkedStep> latest() const;
  /// The ways taken so far: as many `take`s lead here from the first choice.
  std::vector<std::size_t> taken() const;
  /// Agents of all steps so far, in their order.
  std::vector<std::string> trace() const;
  std::size_t steps() const { return trace_.size(); }
  /// What has gone wrong so far; at the end of the run a hang and a bug check are included.
  std::vector<check::Violation> broken();
  /// What waits and what is pending, a line each.
  std::vector<std::string> waiting();

  std::size_t pick(const std::vector<common::Candidate>& candidates,
                   const std::function<std::uint64_t()>& state) override;
  void on_event(const common::Event& event) override;

 private:
  /// A choice, or the end of the run.
  struct Point {
    Snapshot snapshot;
    std::vector<common::Candidate> candidates;
    std::size_t length = 0;  ///< of the trace here
    std::size_t taken = 0;   ///< the way that was taken from here
  };
  void go_on();
  void arrive();
  void return_to(std::size_t point);
  Way look(std::size_t way);
  WalkedStep walked_step(std::size_t step) const;

  Stage& stage_;
  EagerPolicy eager_;
  std::vector<Point> points_;  ///< on the way here; the last one is where the run stands
  std::vector<Way> ways_;
  std::vector<ReplayedStep> trace_;
  std::vector<common::Candidate> choice_;  ///< at which the run has stopped; empty at its end
  std::optional<std::size_t> forced_;      ///< the way to be taken next
  bool one_step_ = false;                  ///< stop after it
};

}  // namespace fenceline::explore
