#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "tb/check/core/world.h"

namespace fenceline::check {

/// Waits by the CPU: I1 NO_LOST_WAITER, I3 RELEASE_BOUND, I4 NO_EARLY.
///
/// A waiter may wait for several fences. It is then registered with each of them, and its WaitAdd
/// may name its `WaitKind`. If the kind is unknown, verdicts that depend on it are skipped.
class WaiterChecks : public Checks<WaiterChecks> {
 public:
  WaiterChecks(World& world, std::uint64_t release_bound)
      : Checks(world), release_bound_(release_bound) {}

  void on(const common::At<event::CurrentValueVisible>& event);
  void on(const common::At<event::CurrentValueRead>& event);
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

  /// True if an unreleased waiter has waited for the fence since before event `seq`.
  bool waited_for(std::uint32_t number, std::uint64_t seq);
  /// MonitoredValue for the current waiters: the lowest waited value minus 1, UINT64_MAX without
  /// waiters. Only unreleased waits for values above 0 that are not reached count; `all` includes
  /// reached ones.
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
    std::uint64_t crossed = kNever;  ///< time at which the fence reached the value
    std::uint64_t seq = 0;
    std::uint64_t position = 0;  ///< position of the fence at that time
    std::uint32_t thread = 0;
    std::uint32_t process = 0;  ///< process whose handle names the fence, 0 if unknown
    bool released = false;
    bool read = false;  ///< the OS has read the value since
  };
  struct Fence {
    std::vector<Registration> waiters;
    std::uint64_t next = UINT64_MAX;  ///< lowest value that a write can newly reach
    /// Process and its number of opens.
    std::vector<std::pair<std::uint64_t, std::uint32_t>> opens;
    bool unwaits_late = false;  ///< its waiters stay until the fence is destroyed
  };
  struct Waiter {
    std::uint64_t number = 0;
    std::uint32_t total = 0;
    std::uint32_t live = 0;
    std::uint32_t early = 0;  ///< registrations that ended without their value
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

  /// CurrentValue has had the value since that position, or a write of the value is under way.
  bool satisfied(std::uint32_t fence, std::uint64_t value, std::uint64_t since) const;
  bool satisfied(std::uint32_t fence, const Registration& registration) const;
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
  std::uint64_t ended_ = 0;  ///< registrations that resumed or timed out: tests of I1 that passed
  std::uint64_t max_release_ = 0;
  std::uint64_t unjudged_ = 0;
};

/// Waits by the GPU: I2 NO_LOST_GPU_WAIT, and the part of I19 that says a wait ends only with its
/// value.
class QueueWaitChecks : public Checks<QueueWaitChecks> {
 public:
  explicit QueueWaitChecks(World& world) : Checks(world) {}

  void on(const common::At<event::GpuWaitBegin>& event);
  void on(const common::At<event::GpuWaitUnblock>& event);
  void on(const common::At<event::QueueState>& event);
  /// The OS holds the waits of such a context.
  void on(const common::At<event::SoftwarePacket>& event) { queues_[event.context].held = true; }
  /// The device of the context is in error: its waits do not matter any more.
  void on(const common::At<event::ContextEnded>& event) { queues_[event.context].fence = 0; }
  void on_destroyed(std::uint32_t fence) override;
  /// A packet of a destroyed fence no longer blocks its queue.
  void on(const common::At<event::StalePacket>& event) { queues_[event.queue].fence = 0; }
  void finish_quiescent() override;
  void add_to(Canonical& hash) const override;
  /// Lowest value, minus 1, of a wait for the fence that the OS holds for a context and that is not
  /// reached; UINT64_MAX: none.
  std::uint64_t held_for(std::uint32_t fence) const;

 private:
  struct Queue {
    std::uint32_t fence = 0;  ///< fence it waits for, 0: it does not wait
    std::uint64_t value = 0;
    std::uint64_t time = 0;
    std::uint64_t position = 0;  ///< position of the fence when the wait began
    bool suspended = false;
    bool held = false;  ///< a context: the OS waits for it
  };
  bool reached(const Queue& queue) const;

  Dense<Queue> queues_;
  std::uint64_t ended_ = 0;  ///< waits that were unblocked: tests of I2 that passed
};

}  // namespace fenceline::check
