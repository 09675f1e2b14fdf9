#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "kmd_stub/wddm/base.h"
#include "tb/report/record/run_report.h"

namespace fenceline::campaign {

/// Does operations, one after another.
struct Agent {
  enum class Kind : std::uint8_t { kThread, kQueue, kContext };
  Kind kind = Kind::kThread;
  /// Of a thread, or "process/queue" or "process/context", or reference::part_name: the part of one
  /// submitter.
  std::string name;
};

/// Number of operations of each agent that have taken effect, by its index in Observation::agents.
/// Without entry: 0. Operations are counted as in reference::Progress: a `repeat` is a step that
/// ends at once, and a command of a queue or context is a packet of user mode. A signal takes
/// effect when its value can be seen; a submission, a destruction and an error of devices when they
/// begin; other operations when they end.
using Counts = std::vector<std::uint64_t>;

/// A step that a thread has begun.
struct StepSeen {
  std::string pointer;  ///< JSON pointer of the step in the scenario
  bool ended = false;
  std::vector<NTSTATUS> statuses;  ///< of its calls
  std::optional<std::uint64_t> loaded;
  Counts over;  ///< when it ended
};

/// A command that was recorded for a queue or context.
struct CommandSeen {
  std::string
      pointer;  ///< JSON pointer of the command in the scenario, or of the step that makes it
  bool done = false;
  Counts over;                 ///< when it was done
  std::string submitter{};     ///< name of a thread, or JSON pointer of a program of the queue
  std::uint64_t times = 0;     ///< that it was done, without the times before its buffer began anew
  std::uint64_t finished = 0;  ///< commands of its queue that were done before it, the same twice
};

/// Contents of allocations by "process/allocation": 64-bit words by their offset in bytes.
using Words = std::map<std::string, std::map<std::uint64_t, std::uint64_t>>;

/// Result of a run in the terms of reference::Outcome.
struct Observation {
  report::Ending ending = report::Ending::kCompleted;
  std::string bug_check;             ///< its name; empty: none
  std::vector<std::string> waiting;  ///< agents that wait at the end, one line each
  std::vector<check::Violation> violations;
  std::map<std::string, std::uint64_t> fences;  ///< CurrentValue at the end, by "process/fence"
  Words words;                                  ///< at the end: those that were asked for
  std::vector<Agent> agents;
  std::map<std::string, std::vector<StepSeen>> threads;      ///< in the order of their beginning
  std::map<std::string, std::vector<CommandSeen>> commands;  ///< in the order of their recording
};

}  // namespace fenceline::campaign
