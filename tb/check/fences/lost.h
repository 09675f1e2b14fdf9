#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "tb/check/core/world.h"

namespace fenceline::check {

/// Waits by the CPU: I1 NO_LOST_WAITER, I3 RELEASE_BOUND, I4 NO_EARLY.
///
/// A waiter may wait for several fences: it is then registered with each, and its WaitAdd may say
/// what ends it, as `WaitKind`. Where it does not, what depends on it is not judged.
class WaiterChecks : public Checks<WaiterChecks> {
 public:
  WaiterChecks(World& world, std::uint64_t release_bound)
      : Checks(world), release_bound_(release_bound) {}

  void on(const common::At<event::CurrentValueVisible>& event);
  void on(const common::At<event::WaitAdd>& event);
  void on(const common::At<event::WaitRelease>& event);
  void on(const common::At<event::WaitDone>& event);
  void on(const common::At<event::WaitTimeout>& event);
  /// The OS has ended the wait because its fence was closed.
  void on(const common::At<event::WaitLetGo>& event);
  void on(const common::At<event::FenceCreate>& event);
  void on(const common::At<event::FenceOpen>& event);
  void on(const common::At<event::FenceClose>& event);
  void on_destroyed(std::uint32_t number) override;
  void finish_quiescent() override;

  void add_to(Canonical& hash) const override;

  /// True if somebody waits for the fence, unreleased, since before event `seq`.
  bool waited_for(std::uint32_t number, std::uint64_t seq);
  /// The MonitoredValue that waiters call for: 1 less than the lowest value above 0 that an
  /// unreleased one has not reached (`all`: or has), UINT64_MAX without any.
  std::uint64_t called_for(std::uint32_t number, bool all);

  std::uint64_t max_release() const { return max_release_; }
  std::uint64_t unjudged() const { return unjudged_; }

 private:
  enum class WaitKind : std::uint8_t { kUnsaid, kAny, kAll };

  /// A waiter in the list of one fence.
  struct Registration {
    std::uint64_t waiter = 0;
    std::uint64_t value = 0;
    std::uint64_t added = 0;         ///< time
    std::uint64_t crossed = kNever;  ///< time since when the fence has the value
    std::uint64_t seq = 0;
    std::uint64_t position = 0;  ///< of the fence then
    std::uint32_t thread = 0;
    std::uint32_t process = 0;  ///< whose handle names the fence; 0: not said
    bool released = false;
  };
  struct Fence {
    std::vector<Registration> waiters;
    std::uint64_t next = UINT64_MAX;  ///< no value below it is newly reached by a write
    std::vector<std::pair<std::uint64_t, std::uint32_t>> opens;  ///< process, how often
    bool unwaits_late = false;  ///< its waiters stay until its destruction
  };
  struct Waiter {
    std::uint64_t number = 0;
    std::uint32_t total = 0;
    std::uint32_t live = 0;
    std::uint32_t early = 0;  ///< registrations that ended unsatisfied
    std::uint32_t early_fence = 0;
    std::uint64_t early_value = 0;
    std::uint64_t first_crossed = kNever;
    std::uint64_t last_crossed = 0;
    WaitKind kind = WaitKind::kUnsaid;
    bool released = false;
    bool satisfied = false;
    // While finish_quiescent() runs:
    std::uint32_t open = 0;
    std::uint32_t reached = 0;
  };

  /// CurrentValue had the value since that position, or a write of it is under way.
  bool satisfied(std::uint32_t fence, std::uint64_t value, std::uint64_t since) const;
  void remove(Fence& fence, std::size_t index);
  void end(const common::At<event::WaitDone>& event, Waiter& waiter,
           const Registration& registration);
  void measure(const common::At<event::WaitDone>& event, const Waiter& waiter,
               const Registration& registration);
  void judge_left(std::uint32_t fence, const Registration& registration);
  void fail_early(std::uint32_t fence, std::uint64_t waiter, std::uint64_t value);
  void judge_lost(std::uint32_t fence, const Registration& registration);
  template <class Visit>
  void each_open(Visit visit);

  const std::uint64_t release_bound_;
  Dense<Fence> fences_;
  NumberTable<Waiter> waiters_;
  std::uint64_t ended_ = 0;  ///< registrations that were resumed or timed out: none of them is lost
  std::uint64_t max_release_ = 0;
  std::uint64_t unjudged_ = 0;
};

/// Waits by the GPU: I2 NO_LOST_GPU_WAIT, and the half of I19 that a wait ends only with its value.
class QueueWaitChecks : public Checks<QueueWaitChecks> {
 public:
  explicit QueueWaitChecks(World& world) : Checks(world) {}

  void on(const common::At<event::GpuWaitBegin>& event);
  void on(const common::At<event::GpuWaitUnblock>& event);
  void on(const common::At<event::QueueState>& event);
  /// The device of a context is in error: what it waits for does not matter any more.
  void on(const common::At<event::ContextEnded>& event) { queues_[event.context].fence = 0; }
  void on_destroyed(std::uint32_t fence) override;
  /// A packet of a destroyed fence holds its queue up no more.
  void on(const common::At<event::StalePacket>& event) { queues_[event.queue].fence = 0; }
  void finish_quiescent() override;
  void add_to(Canonical& hash) const override;

 private:
  struct Queue {
    std::uint32_t fence = 0;  ///< 0: it does not wait
    std::uint64_t value = 0;
    std::uint64_t time = 0;
    std::uint64_t position = 0;  ///< of the fence when the wait began
    bool suspended = false;
  };
  bool reached(const Queue& queue) const;

  Dense<Queue> queues_;
  std::uint64_t ended_ = 0;  ///< waits that were unblocked: none of them is lost
};

}  // namespace fenceline::check
