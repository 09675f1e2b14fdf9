#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace fenceline::reference {

/// Values that the documents allow in one place.
struct Allowed {
  bool open = false;               ///< the documents do not say: every value is allowed
  std::set<std::uint64_t> values;  ///< otherwise one of these

  bool fixed() const { return !open && values.size() == 1; }
  /// There is no value: what has it is gone.
  bool none() const { return !open && values.empty(); }
  bool allows(std::uint64_t value) const { return open || values.count(value) != 0; }
};

/// Whether something happens before a run ends, the surest first.
enum class Happens : std::uint8_t { kAlways, kMaybe, kNever };
/// Of two things one at least happens.
inline Happens one_of(Happens one, Happens other) { return std::min(one, other); }
/// Of two things both happen.
inline Happens both_of(Happens one, Happens other) { return std::max(one, other); }

/// What must be over before an operation can be. Of the last operation that counts, only its effect
/// must be there: a signal is visible before its command is over. So {"app/q", 3} says that two
/// commands of the queue are over, and that the third has taken effect and may be under way. An
/// operation says only what the operation before it in the same list does not say already.
///
/// Progress of agents: by the name of a thread, or "process/queue" or "process/context", the number
/// of its operations (steps of a thread, commands of a queue or context) that are over. Of a queue
/// or context to which several submit, each one's part has a name of its own: `part_name`.
using Progress = std::map<std::string, std::uint64_t>;

/// @param queue "process/queue" or "process/context"
/// @param submitter name of a thread, or JSON pointer of a program of the queue
inline std::string part_name(const std::string& queue, const std::string& submitter) {
  return queue + " by " + submitter;
}

/// One step of a thread.
struct StepOutcome {
  std::string pointer;  ///< JSON pointer of the step in the scenario
  Happens begins = Happens::kAlways;
  Happens ends = Happens::kAlways;
  std::set<std::string> statuses;  ///< NTSTATUS names that its call may return; empty: not judged
  Allowed loaded{true, {}};        ///< value that a `load` returns
  Progress after;                  ///< the step cannot end before all this is over
};

/// One command of a hardware queue or context.
struct CommandOutcome {
  std::string pointer;  ///< JSON pointer of the command in the scenario
  Happens done = Happens::kAlways;
  Progress after;           ///< the command cannot be done before all this is over
  std::string submitter{};  ///< name of a thread, or JSON pointer of a program of the queue
};

/// 64 bits of an allocation, by their offset in bytes.
using Content = std::map<std::uint64_t, Allowed>;

/// What must come out of a scenario.
struct Outcome {
  Happens hangs = Happens::kNever;      ///< a thread, queue or context waits at the end
  Happens bug_check = Happens::kNever;  ///< the operating system stops the machine
  /// CurrentValue at the end, by "process/fence". No value is allowed: the fence is gone.
  std::map<std::string, Allowed> fences;
  std::map<std::string, Content> contents;  ///< of allocations at the end, by "process/allocation"
  std::map<std::string, std::vector<StepOutcome>> threads;  ///< by name, in the order of the steps
  /// By "process/queue" or "process/context". The commands of each submitter are in their order;
  /// those of several are in none.
  std::map<std::string, std::vector<CommandOutcome>> commands;
  /// Parts of the scenario about which nothing is said, by JSON pointer, each with the reason.
  std::map<std::string, std::string> silent;
};

}  // namespace fenceline::reference
