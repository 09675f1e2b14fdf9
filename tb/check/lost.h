#pragma once

#include <cstdint>
#include <vector>

#include "tb/check/world.h"

namespace fenceline::check {

/// Waits by the CPU: I1 NO_LOST_WAITER, I3 RELEASE_BOUND, I4 NO_EARLY.
///
/// A waiter may wait for several fences: it is then registered with each, and kWaitAdd may say in
/// c[63:32] what ends it, as `WaitKind`. Where it does not, what depends on it is not judged.
class WaiterChecks {
 public:
  WaiterChecks(World& world, std::uint64_t release_bound)
      : world_(world), release_bound_(release_bound) {}

  void on_visible(std::uint32_t number, std::uint64_t value, std::uint64_t before);
  void on_add(const common::Event& event);
  void on_release(const common::Event& event);
  void on_done(const common::Event& event);
  void on_timeout(const common::Event& event);
  void on_destroy(std::uint32_t number);
  void finish_quiescent();
  void clear();
  void add_to(Canonical& hash) const;

  /// True if somebody waits for the fence, unreleased, since before event `seq`.
  bool waited_for(std::uint32_t number, std::uint64_t seq);
  /// Lowest value above 0 that an unreleased waiter has not reached (`all`: or has), or UINT64_MAX.
  std::uint64_t lowest(std::uint32_t number, bool all);

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
    bool released = false;
  };
  struct Fence {
    void clear();
    std::vector<Registration> waiters;
    std::uint64_t next = UINT64_MAX;  ///< no value below it is newly reached by a write
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
  void end(const common::Event& event, Waiter& waiter, const Registration& registration);
  void measure(const common::Event& event, const Waiter& waiter, const Registration& registration);
  void fail_early(std::uint32_t fence, std::uint64_t waiter, std::uint64_t value);
  void judge_lost(std::uint32_t fence, const Registration& registration);
  template <class Visit>
  void each_open(Visit visit);

  World& world_;
  const std::uint64_t release_bound_;
  Dense<Fence> fences_;
  NumberTable<Waiter> waiters_;
  std::uint64_t ended_ = 0;  ///< registrations that were resumed or timed out: none of them is lost
  std::uint64_t max_release_ = 0;
  std::uint64_t unjudged_ = 0;
};

/// Waits by the GPU: I2 NO_LOST_GPU_WAIT, and the half of I19 that a wait ends only with its value.
class QueueWaitChecks {
 public:
  explicit QueueWaitChecks(World& world) : world_(world) {}

  void on_begin(const common::Event& event);
  void on_unblock(const common::Event& event);
  void on_queue_state(const common::Event& event);
  /// The device of a context is in error: what it waits for does not matter any more.
  void on_context_ended(const common::Event& event) { queues_[event.object].fence = 0; }
  void on_destroy(std::uint32_t fence);
  void finish_quiescent();
  void clear() {
    queues_.clear();
    ended_ = 0;
  }
  void add_to(Canonical& hash) const;

 private:
  struct Queue {
    void clear() { *this = {}; }
    std::uint32_t fence = 0;  ///< 0: it does not wait
    std::uint64_t value = 0;
    std::uint64_t time = 0;
    std::uint64_t position = 0;  ///< of the fence when the wait began
    bool suspended = false;
  };
  bool reached(const Queue& queue) const;

  World& world_;
  Dense<Queue> queues_;
  std::uint64_t ended_ = 0;  ///< waits that were unblocked: none of them is lost
};

}  // namespace fenceline::check
