#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "tb/explore/trace.h"

namespace fenceline::explore {

/// What a process that takes steps tells the one that watches it, and what is left of it when it
/// dies: memory that both share.
class Flight {
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
    shared_->beats.fetch_add(1, std::memory_order_relaxed);
  }
  /// A new run begins, before its first step.
  void start() {
    shared_->length.store(0, std::memory_order_relaxed);
    shared_->beats.fetch_add(1, std::memory_order_relaxed);
  }
  /// Changes as long as the process comes along.
  std::uint64_t beats() const { return shared_->beats.load(std::memory_order_relaxed); }
  /// The run under way, its last step included, which may not be over; empty if it was too long.
  Trace trace() const;

  // For the line of progress.
  struct Counts {
    std::uint64_t executions = 0;
    std::uint64_t states = 0;
  };
  void count(const Counts& counts);
  Counts counts() const;

  /// The watcher wants it to end soon.
  void stop() { shared_->stop.store(true, std::memory_order_relaxed); }
  const std::atomic<bool>& stopped() const { return shared_->stop; }
  /// It knows, and puts its result together.
  void hear() { shared_->heard.store(true, std::memory_order_relaxed); }
  bool heard() const { return shared_->heard.load(std::memory_order_relaxed); }

 private:
  struct Shared {
    std::atomic<std::uint64_t> beats;
    std::atomic<std::uint64_t> length;
    std::atomic<std::uint64_t> executions;
    std::atomic<std::uint64_t> states;
    std::atomic<bool> stop;
    std::atomic<bool> heard;
  };
  static_assert(std::atomic<std::uint64_t>::is_always_lock_free &&
                    std::atomic<bool>::is_always_lock_free,
                "others have no meaning between processes");

  const std::size_t most_steps_;
  const std::size_t bytes_;
  Shared* shared_;
  TraceStep* steps_;  ///< behind `shared_`
};

}  // namespace fenceline::explore
