#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "tb/explore/trace.h"
#include "tb/run/pulse.h"

namespace fenceline::explore {

/// The pulse of a process that searches, with the steps of the run it is at: they are left when it
/// dies.
class Flight : public run::Pulse {
 public:
  /// @param most_steps of one run; what comes after them is not recorded.
  explicit Flight(std::size_t most_steps);
  ~Flight();
  Flight(const Flight&) = delete;
  Flight& operator=(const Flight&) = delete;

  /// The step that comes after `before` others is about to be taken.
  void step(std::uint64_t before, TraceStep step) {
    if (before < most_steps_) steps_[before] = step;
    shared_->length.store(before + 1, std::memory_order_relaxed);
    beat();
  }
  /// A new run begins, before its first step.
  void start() {
    shared_->length.store(0, std::memory_order_relaxed);
    beat();
  }
  /// The run under way, its last step included, which may not be over; empty if it was too long.
  Trace trace() const;

  // For the line of progress.
  struct Counts {
    std::uint64_t executions = 0;
    std::uint64_t states = 0;
  };
  void count(const Counts& counts);
  Counts counts() const;

 private:
  struct Shared {
    std::atomic<std::uint64_t> length;
    std::atomic<std::uint64_t> executions;
    std::atomic<std::uint64_t> states;
  };
  const std::size_t most_steps_;
  const std::size_t bytes_;
  Shared* shared_;
  TraceStep* steps_;  ///< behind `shared_`
};

}  // namespace fenceline::explore
