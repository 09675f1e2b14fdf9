#pragma once

#include "tb/os/contexts/context_table.h"

namespace fenceline::os {

/// Waits and signals between the buffers of a context, as the thread of VidSch handles them.
class ContextWaits {
 public:
  ContextWaits(ContextTable& table, MonitoredFences& fences) : table_(table), fences_(fences) {}

  /// True if the wait is over. The first call adds its waiter to the fence.
  bool run_wait(const ContextQueue& context, ContextQueue::HeldWait& wait);
  /// False while buffers before the signal are not complete.
  bool run_signal(ContextQueue& context, const ContextQueue::Packet& packet);
  /// A packet is dropped: its waiter leaves the fence.
  void give_up(const ContextQueue::Packet& packet) const;
  /// Without os.hold_gpu_waits: emits the end of waits that are satisfied by now.
  bool clear_passed(ContextQueue& context);

  /// Owner of the waiters of a native fence.
  std::function<FenceScheduler&(const NativeFence&)> scheduler_of;

 private:
  void unblocked(const ContextQueue& context, const ContextQueue::HeldWait& wait);

  ContextTable& table_;
  MonitoredFences& fences_;
};

}  // namespace fenceline::os
