#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "tb/explore/search/search_report.h"
#include "tb/explore/search/trace.h"
#include "tb/run/process/pulse.h"

namespace fenceline::explore {

/// Shared-memory recorder of a process that searches: heartbeat, and steps of the current run. It
/// survives a crash of the process.
class Flight : public run::Pulse {
 public:
  /// @param max_steps of one run; later steps are not recorded.
  explicit Flight(std::size_t max_steps);
  ~Flight();
  Flight(const Flight&) = delete;
  Flight& operator=(const Flight&) = delete;

  /// A step is about to be taken. @param before steps of the run before it.
  void step(std::uint64_t before, TraceStep step) {
    if (before < max_steps_) steps_[before] = step;
    shared_->length.store(before + 1, std::memory_order_relaxed);
    beat();
  }
  /// A new run begins.
  void start() {
    shared_->length.store(0, std::memory_order_relaxed);
    beat();
  }
  /// Steps of the current run; the last one may not be over. Empty if the run was too long.
  Trace trace() const;

  /// How far the process has come.
  struct Counts {
    std::uint64_t executions = 0;
    std::uint64_t states = 0;
    Frontier frontier;
  };
  void count(std::uint64_t executions, std::uint64_t states);
  void count(const Frontier& frontier);
  Counts counts() const;

 private:
  struct Shared {
    std::atomic<std::uint64_t> length;
    std::atomic<std::uint64_t> executions;
    std::atomic<std::uint64_t> states;
    std::atomic<std::uint64_t> open;
    std::atomic<double> left;
  };
  static_assert(std::atomic<double>::is_always_lock_free,
                "others have no meaning between processes");
  const std::size_t max_steps_;
  const std::size_t bytes_;
  Shared* shared_;
  TraceStep* steps_;  ///< behind `shared_`
};

}  // namespace fenceline::explore
