#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tb/scenario/checks/checks.h"

namespace fenceline::scenario {

/// The loops around the checked step or command, and its number of executions.
class Loops {
 public:
  explicit Loops(const Places& places) : places_(places) {}

  /// Counts one step or command, as often as the loops around it run. Throws ScenarioError at
  /// `pointer` if all programs together become too long.
  void count_one(const std::string& pointer);
  /// Enters the loop at `pointer`. Throws ScenarioError if its count may be too large or negative,
  /// or if an outer loop has the same counter name.
  void enter(const Expression& count, const std::string& counter, const std::string& pointer);
  void leave() { loops_.pop_back(); }
  /// Throws ScenarioError at `pointer` if `expression` uses a counter of no enclosing loop.
  void check(const Expression& expression, const std::string& pointer) const;

 private:
  struct Loop {
    std::string counter;       ///< may be empty
    std::uint64_t rounds;      ///< maximum
    std::uint64_t executions;  ///< maximum number of executions of this loop in the whole run
  };
  const Loop* find(const std::string& counter) const;
  std::uint64_t most_rounds(const Expression& count, const std::string& pointer) const;

  const Places& places_;
  std::vector<Loop> loops_;
  std::uint64_t total_ = 0;
};

/// Checks commands of queues and contexts.
class CommandChecker {
 public:
  CommandChecker(const Places& places, const ProcessNames& own, Loops& loops)
      : places_(places),
        own_(own),
        owner_("process \"" + own.process->name + "\""),
        loops_(loops) {}

  /// @param context true: the commands go to a context, else to a hardware queue.
  void walk(const Commands& commands, const Queue& queue, bool context = false);

  // Each throws ScenarioError if the name at `pointer` does not resolve.
  const Queue& queue(const std::string& name, const std::string& pointer) const;
  const Queue& context(const std::string& name, const std::string& pointer) const;
  void hardware_context(const std::string& name, const std::string& pointer) const;
  void fence(const std::string& name, const std::string& pointer) const;
  /// @param pointer pointer of the object with "fence" and "value".
  void point(const FencePoint& point, const std::string& pointer) const;

  /// Checks the name of an allocation of the memory manager.
  void managed(const std::string& name, const std::string& pointer) const;

  /// Checks the name of an allocation that the display can show.
  void primary(const std::string& name, const std::string& pointer) const;

  void operator()(const SignalCommand& command) { fence_command(command.point, at_ + "/signal"); }
  void operator()(const WaitCommand& command) { fence_command(command.point, at_ + "/wait"); }
  void operator()(const WriteCommand& command);
  void operator()(const CopyCommand& command);
  void operator()(const DispatchCommand& command);
  void operator()(const DrawCommand& command);
  void operator()(const SplitCommand& command);
  void operator()(const RepeatCommands& command);
  template <class T>
  void operator()(const T&) {}

 private:
  void fence_command(const FencePoint& point, const std::string& pointer) const;
  const Allocation& allocation(const std::string& name, const std::string& pointer) const;
  bool patched() const;
  /// The value of a name of the process in a map. Throws ScenarioError if there is none.
  template <class V>
  const V& find(const char* what, const std::string& name, const std::map<std::string, V>& values,
                const std::string& pointer) const {
    return places_.find(pointer, what, name, values, owner_).second;
  }
  void grid(const DispatchCommand& command, const std::string& pointer) const;
  template <class C>
  void traffic(const C& command, const std::string& pointer) const;
  /// Throws ScenarioError unless the queue's engine is one of these kinds.
  void require_engine(const std::vector<engine::EngineKind>& kinds, const std::string& verb,
                      const std::string& which) const;

  const Places& places_;
  const ProcessNames& own_;
  const std::string owner_;  ///< the process, for messages
  Loops& loops_;
  const Queue* queue_ = nullptr;
  bool context_ = false;
  std::string at_;  ///< pointer of the command
};

}  // namespace fenceline::scenario
