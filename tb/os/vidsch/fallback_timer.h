#pragma once

#include "tb/os/vidsch/fence_scheduler.h"

namespace fenceline::os {

/// The OS's last resort against a lost interrupt.
///
/// The timer expires when waiters of an adapter have waited for HostConfig::fence_fallback without
/// a release. It then scans every fence with waiters at DISPATCH_LEVEL, as for an interrupt. With
/// SystemOptions::fallback_polls_interrupt it first calls the driver's interrupt routine, which
/// acknowledges the device's reports. It then restarts, with twice the time if the scan released no
/// waiter.
///
/// Waiters elsewhere count, too, if they may depend on a signal of this GPU: waiters of fences that
/// belong to no adapter, and queues of adapters that share a fence with it. The OS cannot see those
/// queues; a DPC counts as progress for them.
///
/// After kMaxVain scans in a row without a release, the timer rests until a waiter is added or
/// released: a hung device is not its task. Source: assumptions.
///
/// While exploring, it fires kEarly times per run at any choice. After that it fires only when
/// nothing else can continue, because its time is far longer than any other.
class FallbackTimer : public common::Hashed {
 public:
  static constexpr std::uint32_t kMaxVain = 8;
  static constexpr std::uint32_t kEarly = 2;

  /// @param core on which the timer runs. All arguments must outlive it.
  FallbackTimer(Adapter& adapter, FenceScheduler& scheduler, std::uint32_t core);

  /// True if waiters elsewhere may depend on signals of this adapter.
  std::function<bool()> waited_elsewhere;
  /// Scans the fences of those waiters. Returns the number of released waiters.
  std::function<std::size_t()> look_elsewhere;
  /// Enters the other drivers that look_elsewhere calls.
  std::function<Adapter::Visits()> visit_elsewhere;
  /// Body of its agent.
  void run();
  std::uint64_t state_hash() const override { return early_ << 8U | vain_; }

 private:
  bool waited_for() const { return scheduler_.waited_for() || waited_elsewhere(); }
  bool expires();
  void look();

  Adapter& adapter_;
  FenceScheduler& scheduler_;
  const std::uint32_t core_;
  std::uint32_t early_ = 0;  ///< number of firings at any choice
  std::uint32_t vain_ = 0;   ///< scans in a row without a release
};

}  // namespace fenceline::os
