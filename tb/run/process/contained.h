#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <functional>
#include <string>

#include "tb/run/process/watched_process.h"

namespace fenceline::run {

/// Limits and callbacks of watched processes.
struct Watch {
  unsigned jobs = 1;                        ///< processes at once
  std::chrono::milliseconds stuck{10'000};  ///< of CPU time that may pass between two beats
  const std::atomic<bool>* interrupted = nullptr;
  bool begins_all = false;  ///< work that has not begun when interrupted still begins, and is told
  /// Called now and then with one that is under way; may be empty.
  std::function<void(std::size_t, const Pulse&)> progress;
};

/// Pieces of work, numbered from 0.
struct Works {
  std::size_t count = 0;
  /// Called in this process just before the work begins; false: it is not to begin. May be empty.
  std::function<bool(std::size_t)> prepare;
  /// The work. Must not throw.
  std::function<std::string(std::size_t, Pulse&)> work;
  /// What the work shares with this process; asked for just before it begins. May be empty: each
  /// has a Pulse of its own.
  std::function<Pulse&(std::size_t)> pulse;
  /// Called in this process for each that has begun, in the order in which they end.
  std::function<void(std::size_t, Ended)> ended;
};

/// Does pieces of work, each in a process that is forked from this one and dies with it. A crash
/// takes nothing else with it. Once interrupted, nothing more begins, and all that is under way is
/// over within half a second, or has said that it hears (Pulse::hear). @pre one thread.
void run_contained(const Works& works, const Watch& watch);

/// The same in this process, one after another and without any protection: for tests.
void run_here(const Works& works, const Watch& watch);

}  // namespace fenceline::run
