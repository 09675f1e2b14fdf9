#pragma once

#include <cstddef>
#include <exception>
#include <functional>
#include <memory>
#include <vector>

#include "models/common/steps/steps.h"

namespace fenceline::common {

/// Concurrent accesses of one agent.
///
/// Each access runs in its own process on behalf of the agent, in parallel to the agent's own time.
/// An access may not take a step that a policy can see: Operation::kIdle only. While exploring,
/// time stands still and nothing can overlap: `begin` then performs the access itself.
class Overlap {
 public:
  explicit Overlap(Steps& steps) : steps_(steps) {}
  Overlap(const Overlap&) = delete;
  Overlap& operator=(const Overlap&) = delete;

  /// Starts `access` for the current agent. First waits while `max` other accesses are in progress.
  /// @param max at least 1. Everything that `access` refers to must live until `finish` returns.
  void begin(std::size_t max, std::function<void()> access);
  /// Waits until all accesses have ended. Rethrows the exception of the first one that failed.
  void finish();

 private:
  struct Worker {
    sc_core::sc_event start;
    std::function<void()> access;  ///< empty: the worker is free
  };
  void run(Worker& worker);
  void wait_until_under_way(std::size_t max);

  Steps& steps_;
  AgentId agent_ = 0;  ///< agent of the accesses
  std::vector<std::unique_ptr<Worker>> workers_;
  std::size_t under_way_ = 0;
  sc_core::sc_event ended_;
  std::exception_ptr failure_;
};

}  // namespace fenceline::common
