#pragma once

#include <cstdint>

#include "tb/check/world.h"

namespace fenceline::check {

/// What is to be logged: I70 LOG_TYPES, I71 LOG_LEVEL, and of I19 LOG_ONCE that nothing is missing.
///
/// A wait is judged at the next event of the agent that ran it, for its log comes last. Commands
/// that were recorded before verbose logging last changed are not judged by its level.
class LogLevelChecks {
 public:
  explicit LogLevelChecks(World& world) : world_(world) {}

  void on_log_set(const common::Event& event);
  void on_doorbell(const common::Event& event);
  void forget(std::uint32_t fence) { traced_.forget(fence); }
  void on_fence_traced(const common::Event& event) { traced_[event.object].set = true; }
  void on_level(const common::Event& event);
  void on_queued(const common::Event& event) { ++queues_[low(event.c)].recorded; }
  void on_signal_begin(const common::Event& event) { begin(event, false); }
  void on_wait_unblock(const common::Event& event) { begin(event, true); }
  void on_entry_issued(const common::Event& event) { commands_[event.agent].logged = true; }
  void on_signal_end(const common::Event& event) { judge(commands_[event.agent]); }
  /// The agent goes on to something else than the log of its wait.
  void on_next(const common::Event& event);
  /// The engine hangs over the queue, and a reset will end what it is at.
  void on_hang(std::uint32_t queue);
  void clear();
  void add_to(Canonical& hash) const;

 private:
  struct Command {
    void clear() { *this = {}; }
    std::uint64_t value = 0;
    std::uint32_t queue = 0;  ///< 0: none is under way
    std::uint32_t fence = 0;
    bool wait = false;
    bool logged = false;
  };
  struct Queue {
    void clear() { *this = {}; }
    bool waits = false;  ///< it has a log of them
    bool signals = false;
    std::uint64_t recorded = 0;  ///< commands
    std::uint64_t executed = 0;
    std::uint64_t before = 0;  ///< recorded when verbose logging changed last
  };
  struct Flag {
    void clear() { set = false; }
    bool set = false;
  };

  static std::uint32_t low(std::uint64_t word) { return static_cast<std::uint32_t>(word); }
  void begin(const common::Event& event, bool wait);
  void judge(Command& command);
  void judge_level(const Command& command, bool stale);
  void fail(Invariant invariant, const Command& command, const std::string& what);

  World& world_;
  common::LogLevel level_ = common::LogLevel::kNormal;
  Dense<Command> commands_;  ///< by agent
  Dense<Queue> queues_;
  Dense<Flag> traced_;  ///< fences
};

}  // namespace fenceline::check
