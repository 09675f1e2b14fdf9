#pragma once

#include "tb/os/dxgk/system.h"

namespace fenceline::os {

/// DPCs: handle the interrupt reports about fences, queues, buffers and flips.
class DeferredCalls {
 public:
  explicit DeferredCalls(System& system) : system_(system) {}

  /// Body of the agent that runs the DPCs of all adapters on a core.
  void run(std::uint32_t core);
  /// In a DPC: handles all interrupt reports of an adapter since the last DPC.
  void follow(AdapterState& state, const FenceNotification& notification);
  /// Scans all fences of an adapter whose interrupts were off: its signals were not reported.
  void look_at_all(const Adapter& adapter);
  /// True if a wait elsewhere may depend on this adapter: a fence of no adapter has waiters, or the
  /// adapter shares a fence, which another adapter's queue may wait for without the OS's knowledge.
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
