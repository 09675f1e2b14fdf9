#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

#include "tb/explore/flight.h"
#include "tb/explore/search_report.h"
#include "tb/run/watched_process.h"

namespace fenceline::explore {

/// Something to be done in a process of its own, so that it may crash or never end. It returns what
/// the process that started it shall get, and says with each step that it comes along.
using Task = std::function<std::string(Flight&)>;

/// How processes are watched.
struct Watch {
  std::size_t most_steps = 0;                           ///< of one run
  std::chrono::milliseconds stuck{10'000};              ///< of CPU time that one step may take
  unsigned at_once = 1;                                 ///< processes
  const std::atomic<bool>* interrupted = nullptr;       ///< true: all are told to stop
  std::function<void(const Flight::Counts&)> progress;  ///< called now and then with the sums
};

/// The end of a task: well, by a crash, or killed because a step took too long.
struct Ended : run::Ended {
  Trace trace;  ///< the run in which it died, with the step
};

/// The step in which a task died. @pre it has not ended well.
FatalStep fatal_step(const Ended& ended, bool anywhere);

/// The user wants to stop, and a task does not listen.
struct Interrupted : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Runs the tasks in processes and returns what became of each. An exception that a task throws is
/// thrown here, as std::invalid_argument or std::runtime_error. Throws Interrupted when a task that
/// is to stop has not heard of it within half a second. @pre one thread.
std::vector<Ended> run_contained(const std::vector<Task>& tasks, const Watch& watch);

}  // namespace fenceline::explore
