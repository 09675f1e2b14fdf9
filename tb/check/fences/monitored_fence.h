#pragma once

#include <cstdint>
#include <map>

#include "tb/check/core/world.h"

namespace fenceline::check {

/// Monitored fences: I26 WAIT32, I50 HELD_WORK, I52 FENCE_MAPPING.
class MonitoredFenceChecks : public Checks<MonitoredFenceChecks> {
 public:
  explicit MonitoredFenceChecks(World& world) : Checks(world) {}

  void on(const common::At<event::CurrentValueIssued>& event) {
    judge_value(event.fence, event.value, "the signal of the GPU");
  }
  void on(const common::At<event::CpuSignal>& event);
  void on(const common::At<event::WaitAdd>& event) {
    judge_value(event.fence, event.value, "a wait");
  }
  void on(const common::At<event::GpuWaitBegin>& event) {
    judge_value(event.fence, event.value, "a wait of the GPU");
    ++contexts_[event.queue].waits;
  }

  void on(const common::At<event::GpuWaitUnblock>& event);
  /// The fence that a context waits for is destroyed.
  void on(const common::At<event::StalePacket>& event) { end_wait(event.queue); }
  /// Comes before ContextSubmit. A preempted buffer was submitted before waits that began later.
  void on(const common::At<event::ContextGiven>& event);
  void on(const common::At<event::ContextSubmit>& event);
  void on(const common::At<event::FenceMapped>& event);
  void add_to(Canonical& hash) const override;

 private:
  void judge_value(std::uint32_t fence, std::uint64_t value, const char* what);
  void end_wait(std::size_t queue);
  struct Context {
    std::uint64_t waits = 0;    ///< waits that are not over
    std::uint64_t highest = 0;  ///< number of the last buffer given for the first time
    bool again = false;         ///< the current buffer was given before
  };

  Dense<Context> contexts_;
};

/// CPU events that the driver signals: I51 CPU_EVENT and I117 CPU_EVENT_SCOPE.
class CpuEventChecks : public Checks<CpuEventChecks> {
 public:
  explicit CpuEventChecks(World& world) : Checks(world) {}

  void on(const common::At<event::CpuEventCreate>& event) { events_[event.event].alive = true; }
  void on(const common::At<event::CpuEventUse>& event);
  /// The device has reported that a node has completed a buffer or given it up.
  void on(const common::At<event::EngineInterrupt>& event);
  void on(const common::At<event::CpuEventSignal>& event);
  void on(const common::At<event::CpuEventDestroy>& event) { events_[event.event].alive = false; }
  void add_to(Canonical& hash) const override;

 private:
  struct CpuEvent {
    bool alive = false;
    std::uint64_t node = 0;  ///< node whose buffers it follows: adapter << 32 | engine; 0: none
    std::uint64_t due = 0;   ///< signals that may still come, at most kMaxDue
  };
  static constexpr std::uint64_t kMaxDue = 2;
  void check_scope(const common::At<event::CpuEventSignal>& event);

  Dense<CpuEvent> events_;
  /// Buffers that a node has completed, at most kMaxDue. The driver may not have signalled for them
  /// when an event begins to be used.
  std::map<std::uint64_t, std::uint64_t> completed_;
};

}  // namespace fenceline::check
