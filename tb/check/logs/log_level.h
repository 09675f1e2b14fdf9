#pragma once

#include <cstdint>

#include "tb/check/core/world.h"

namespace fenceline::check {

/// Rules for log contents: I70 LOG_TYPES, I71 LOG_LEVEL, and the part of I19 LOG_ONCE that says no
/// entry is missing.
///
/// A wait begins when the queue begins to wait: the device decides then whether it will be logged.
/// It is judged at the next event of its agent, because its log entry comes last. Commands recorded
/// before the last change of verbose logging are judged by its level only if they began after that,
/// and only when it is off: their entries are in the ring, and the device passes over them.
class LogLevelChecks : public Checks<LogLevelChecks> {
 public:
  explicit LogLevelChecks(World& world) : Checks(world) {}

  void on(const common::At<event::LogSet>& event);
  void on(const common::At<event::Doorbell>& event);
  void forget(std::uint32_t fence) override { traced_.forget(fence); }
  void on(const common::At<event::FenceTraced>& event) { traced_[event.fence].set = true; }
  void on(const common::At<event::LogLevelChanged>& event);
  void on(const common::At<event::SignalQueued>& event) { ++queues_[event.queue].recorded; }
  void on(const common::At<event::WaitQueued>& event) { ++queues_[event.queue].recorded; }
  void on(const common::At<event::SignalBegin>& event) {
    begin(event.agent, {event.value, event.queue, event.fence, false, false, changes_});
  }
  void on(const common::At<event::GpuWaitUnblock>& event) {
    const std::uint64_t changes = queues_[event.queue].waits_since;
    begin(event.agent, {event.value, event.queue, event.fence, true, false, changes});
  }
  void on(const common::At<event::LogEntryIssued>& event) { commands_[event.agent].logged = true; }
  void on(const common::At<event::SignalEnd>& event) { judge(commands_[event.agent]); }
  // The agent has moved on, past the log entry of its wait.
  void on(const common::At<event::GpuWaitBegin>& event) {
    next(event.agent);
    queues_[event.queue].waits_since = changes_;
  }
  void on(const common::At<event::PacketBegin>& event);
  void on(const common::At<event::QueueState>& event) { next(event.agent); }
  /// The engine hangs over the queue; a reset will end its current command.
  void on(const common::At<event::EngineFault>& event);

  void add_to(Canonical& hash) const override;

 private:
  struct Command {
    std::uint64_t value = 0;
    std::uint32_t queue = 0;  ///< 0: no command runs
    std::uint32_t fence = 0;
    bool wait = false;
    bool logged = false;
    std::uint64_t changes = 0;  ///< of verbose logging, when it began
  };
  struct Queue {
    bool waits = false;  ///< it has a log of waits
    bool signals = false;
    std::uint64_t recorded = 0;  ///< number of recorded commands
    std::uint64_t executed = 0;
    std::uint64_t before = 0;       ///< commands recorded before verbose logging last changed
    std::uint64_t waits_since = 0;  ///< changes of verbose logging when its last wait began
  };
  struct Flag {
    bool set = false;
  };

  void begin(common::AgentId agent, const Command& command);
  void next(common::AgentId agent);
  void judge(Command& command);
  void judge_level(const Command& command, bool stale);
  void fail(Invariant invariant, const Command& command, const std::string& what);

  event::LogLevel level_ = event::LogLevel::kNormal;
  std::uint64_t changes_ = 0;  ///< of level_
  Dense<Command> commands_;    ///< by agent
  Dense<Queue> queues_;
  Dense<Flag> traced_;  ///< by fence
};

}  // namespace fenceline::check
