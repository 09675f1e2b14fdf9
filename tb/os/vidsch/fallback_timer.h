#pragma once

#include "tb/os/vidsch/fence_scheduler.h"

namespace fenceline::os {

/// The OS's last resort against an interrupt that never comes.
///
/// When waiters of an adapter have waited for HostConfig::fence_fallback and none of them was
/// released, every fence that is waited for is looked at, at DISPATCH_LEVEL, as if an interrupt had
/// asked for it; with SystemOptions::fallback_polls_interrupt the driver's interrupt routine is
/// called before that, which acknowledges what the device believes to have reported; then the timer
/// starts again, for twice as long if the look was in vain. Waiters of an adapter are also those
/// elsewhere that may depend on a signal of its GPU: of fences that belong to no adapter, and
/// queues of adapters that share a fence with it, which the OS does not know of: then a DPC counts
/// as news. After kMaxVain looks in a row that released nobody it rests until somebody else waits
/// or is released: a device that has hung is not its business. Source: assumptions.
///
/// While exploring it fires kEarly times a run at any choice, and further only when nothing else
/// can go on: the bound is far longer than anything else takes.
class FallbackTimer : public common::Hashed {
 public:
  static constexpr std::uint32_t kMaxVain = 8;
  static constexpr std::uint32_t kEarly = 2;

  /// @param core that the timer runs on; all must outlive it.
  FallbackTimer(Adapter& adapter, FenceScheduler& scheduler, std::uint32_t core);

  /// Somebody elsewhere may wait for what this adapter signals.
  std::function<bool()> waited_elsewhere;
  /// Looks at the fences that those wait for. Returns the number of waiters released.
  std::function<std::size_t()> look_elsewhere;
  /// Enters the drivers of the other adapters that look_elsewhere calls.
  std::function<Adapter::Visits()> visit_elsewhere;
  /// The body of its agent.
  void run();
  std::uint64_t state_hash() const override { return early_ << 8U | vain_; }

 private:
  bool waited_for() const { return scheduler_.waited_for() || waited_elsewhere(); }
  bool expires();
  void look();

  Adapter& adapter_;
  FenceScheduler& scheduler_;
  const std::uint32_t core_;
  std::uint32_t early_ = 0;  ///< firings at any choice
  std::uint32_t vain_ = 0;   ///< looks in a row that released nobody
};

}  // namespace fenceline::os
