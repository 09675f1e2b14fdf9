#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

#include "tb/explore/search/flight.h"
#include "tb/explore/search/search_report.h"
#include "tb/run/process/watched_process.h"

namespace fenceline::explore {

/// Work for a process of its own, where it may crash or never end. Its result is sent to the parent
/// process; it records its progress in the Flight.
using Task = std::function<std::string(Flight&)>;

/// Limits of watched processes.
struct Watch {
  std::size_t max_steps = 0;                       ///< of one run
  std::chrono::milliseconds stuck{10'000};         ///< of CPU time that one step may take
  unsigned at_once = 1;                            ///< processes
  std::vector<Frontier> before;                    ///< by task, for `progress`; may be empty
  const std::atomic<bool>* interrupted = nullptr;  ///< true: all processes must stop
  std::function<void(const Flight::Counts&)>
      progress;  ///< called periodically with the sums over all processes
};

/// End of a task: normal, by a crash, or killed because a step took too long.
struct Ended : run::Ended {
  Trace trace;  ///< the run in which it died, including the fatal step
};

/// The step in which a task died. @pre the task did not end normally.
FatalStep fatal_step(const Ended& ended, bool anywhere);

/// The user wants to stop, and a task does not react.
struct Interrupted : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Runs the tasks in processes and returns how each ended. An exception that a task throws is
/// thrown here, as std::invalid_argument or std::runtime_error. Throws Interrupted when a task that
/// must stop has not reacted within half a second. @pre one thread.
std::vector<Ended> run_contained(const std::vector<Task>& tasks, const Watch& watch);

}  // namespace fenceline::explore
