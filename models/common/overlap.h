#pragma once

#include <cstddef>
#include <exception>
#include <functional>
#include <memory>
#include <vector>

#include "models/common/steps.h"

namespace fenceline::common {

/// Accesses that one agent has under way at the same time.
///
/// Each access runs in a process of its own that acts for the agent: its time passes beside the
/// agent's own. No access may take a step that a policy can see: Operation::kIdle only. While
/// exploring, time stands still and nothing can overlap: `begin` then does the access itself.
class Overlap {
 public:
  explicit Overlap(Steps& steps) : steps_(steps) {}
  Overlap(const Overlap&) = delete;
  Overlap& operator=(const Overlap&) = delete;

  /// Starts `access` for the current agent, which waits first while `most` others are under way.
  /// @param most at least 1. What `access` refers to must live until `finish` returns.
  void begin(std::size_t most, std::function<void()> access);
  /// Waits until every access has ended. Throws what the first of them that failed has thrown.
  void finish();

 private:
  struct Worker {
    sc_core::sc_event start;
    std::function<void()> access;  ///< empty: the worker is free
  };
  void run(Worker& worker);
  void wait_until_under_way(std::size_t most);

  Steps& steps_;
  AgentId agent_ = 0;  ///< whose accesses they are
  std::vector<std::unique_ptr<Worker>> workers_;
  std::size_t under_way_ = 0;
  sc_core::sc_event ended_;
  std::exception_ptr failure_;
};

}  // namespace fenceline::common
