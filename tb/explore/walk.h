#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "tb/explore/search/replay.h"
#include "tb/explore/search/stage.h"

namespace fenceline::explore {

/// A step that an agent could take now.
struct Way {
  std::string agent;
  std::string operation;
  std::string text;  ///< its effect, in words
};

/// A step of the run so far.
struct WalkedStep {
  std::size_t number = 0;  ///< from 1
  std::string agent;
  std::string operation;
  std::vector<std::string> events;  ///< its events in words: "core0.dpc: ..."
  bool chosen = false;              ///< another agent could have taken a step instead
};

/// Steps through a scenario choice by choice, as its caller decides, and back.
///
/// To know the effect of a way, the walk takes it and restores the state before it. To be used in
/// the body of a stage, one walk per body.
class Walk : public common::Policy, public common::EventSink {
 public:
  /// Runs to the first choice.
  explicit Walk(Stage& stage);

  /// The ways at this choice, at least two; empty at the end of the run.
  const std::vector<Way>& ways() const { return ways_; }
  /// The way that EagerPolicy takes. @pre not at the end
  std::size_t by_default();
  /// Takes a way and then all steps up to the next choice. @pre way < ways().size()
  void take(std::size_t way);
  /// Goes back to the previous choice; false if this is the first.
  bool back();
  /// Goes back to the first choice.
  void restart();

  /// The steps since the previous choice.
  std::vector<WalkedStep> latest() const;
  /// The ways taken so far: these calls of take() lead here from the first choice.
  std::vector<std::size_t> taken() const;
  /// Agents of all steps so far, in order.
  std::vector<std::string> trace() const;
  std::size_t steps() const { return trace_.size(); }
  /// Violations so far; at the end of the run including a hang and a bug check.
  std::vector<check::Violation> broken();
  /// Lines of run::explain_waiting.
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
  std::vector<Point> points_;  ///< choices up to here; the last one is the current one
  std::vector<Way> ways_;
  std::vector<ReplayedStep> trace_;
  std::vector<common::Candidate>
      choice_;  ///< candidates of the current choice; empty at the end of the run
  std::optional<std::size_t> forced_;  ///< the way to be taken next
  bool one_step_ = false;              ///< stop after it
};

}  // namespace fenceline::explore
