#pragma once

#include "tb/os/dxgk/system.h"

namespace fenceline::os {

/// DPCs: what the OS does with what interrupts have reported of fences, queues, buffers and flips.
class DeferredCalls {
 public:
  explicit DeferredCalls(System& system) : system_(system) {}

  /// The body of the agent that runs the DPCs of all adapters on a core.
  void run(std::uint32_t core);
  /// In a DPC: follows up what interrupts of an adapter have reported since the last one.
  void follow(AdapterState& state, const FenceNotification& notification);
  /// What an adapter has signalled while its interrupts were off, nobody has told.
  void look_at_all(const Adapter& adapter);
  /// Somebody waits for a fence of no adapter, or the adapter shares a fence with another one: a
  /// queue there may wait for it without the OS knowing.
  bool waits_elsewhere(const AdapterState& state) const;

 private:
  std::size_t scan_monitored(const AdapterState& state, const FenceNotification& notification);
  void follow_buffers(const AdapterState& state, const FenceNotification& notification,
                      MonitoredScan& what);
  void add_signalled(const void* owner, MonitoredScan& what) const;
  void follow_flips(AdapterState& state, const FenceNotification& notification);
  void follow_hw_contexts(const AdapterState& state, const FenceNotification& notification) const;
  static std::size_t follow_fences(AdapterState& state, const FenceNotification& notification);
  std::size_t follow_queues(AdapterState& state, const FenceNotification& notification);
  FenceList fences_without_logs(const AdapterState& state,
                                const FenceNotification& notification) const;

  System& system_;
};

}  // namespace fenceline::os
