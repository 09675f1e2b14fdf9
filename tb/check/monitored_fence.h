#pragma once

#include <cstdint>
#include <set>

#include "tb/check/world.h"

namespace fenceline::check {

/// Monitored fences: I26 WAIT32, I50 HELD_WORK, I52 FENCE_MAPPING.
class MonitoredFenceChecks {
 public:
  explicit MonitoredFenceChecks(World& world) : world_(world) {}

  /// A value that somebody waits for or signals, as asked for.
  void on_value(std::uint32_t fence, std::uint64_t value, const char* what);
  void on_gpu_wait(const common::Event& event) { ++contexts_[queue_of(event)].waits; }
  void on_unblock(const common::Event& event);
  /// The fence that a context waits for is gone.
  void on_stale(const common::Event& event) { end_wait(event.object); }
  /// Comes before on_context_submit: what was preempted was submitted before waits that begin
  /// since.
  void on_context_given(const common::Event& event);
  void on_context_submit(const common::Event& event);
  void on_mapped(const common::Event& event);
  void clear() { contexts_.clear(); }
  void add_to(Canonical& hash) const;

 private:
  void end_wait(std::size_t queue);
  struct Context {
    void clear() {
      waits = highest = 0;
      again = false;
    }
    std::uint64_t waits = 0;    ///< that are not over
    std::uint64_t highest = 0;  ///< number of the last buffer given for the first time
    bool again = false;         ///< the one at hand was given before
  };
  static std::uint32_t queue_of(const common::Event& event) {
    return static_cast<std::uint32_t>(event.c);
  }

  World& world_;
  Dense<Context> contexts_;
};

/// CPU events that the driver signals: I51 CPU_EVENT and I117 CPU_EVENT_SCOPE.
class CpuEventChecks {
 public:
  explicit CpuEventChecks(World& world) : world_(world) {}

  void on_create(const common::Event& event) { event_of(event).alive = true; }
  void on_use(const common::Event& event);
  /// The device has reported that a node has completed a buffer, or given it up.
  void on_engine_interrupt(const common::Event& event);
  void on_signal(const common::Event& event);
  void on_destroy(const common::Event& event) { event_of(event).alive = false; }
  void clear() {
    events_.clear();
    completed_.clear();
  }
  void add_to(Canonical& hash) const;

 private:
  struct CpuEvent {
    void clear() { *this = CpuEvent(); }
    bool alive = false;
    std::uint64_t node = 0;  ///< whose buffers it is about: adapter << 32 | engine; 0: none
    std::uint64_t due = 0;   ///< signals that may come, at most kMostDue
  };
  static constexpr std::uint64_t kMostDue = 2;
  CpuEvent& event_of(const common::Event& event) { return events_[event.a]; }
  void check_scope(const common::Event& event);

  World& world_;
  Dense<CpuEvent> events_;
  std::set<std::uint64_t> completed_;  ///< nodes that have ever completed a buffer
};

}  // namespace fenceline::check
