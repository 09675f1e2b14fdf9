#pragma once

#include <vector>

#include "kmd_stub/wddm/wddm.h"
#include "models/common/simulation.h"

namespace fenceline::os {

class Adapter;

/// Report of a DxgkCbNotifyInterrupt call for the DPC.
struct FenceNotification {
  bool all = false;            ///< NULL array: scan everything
  std::vector<HANDLE> fences;  ///< OS handles
  // With OptimizedNativeFenceSignaledInterrupt:
  std::vector<HANDLE> queues{};  ///< driver's handles: their logs tell
  std::vector<UINT> nodes{};     ///< NULL handle: the logs of all queues of the node tell
  bool monitored = false;        ///< monitored fences are to be looked at too
  struct Completion {
    UINT node;
    UINT id;
    bool faulted = false;  ///< it was given up instead
  };
  std::vector<Completion> completions{};  ///< DMA buffers, in the order of their reports
  struct Preemption {
    UINT node;
    UINT id;
    UINT last_completed;
  };
  std::vector<Preemption> preemptions{};
  struct Suspension {
    HANDLE context;  ///< of the OS
    UINT64 fence;
  };
  std::vector<Suspension> suspensions{};
  std::vector<UINT> timeouts{};        ///< nodes that the device takes for hung
  std::vector<std::uint64_t> syncs{};  ///< primaries that are scanned out since
  /// No native fence is concerned.
  bool only_monitored() const {
    return !all && fences.empty() && queues.empty() && nodes.empty() &&
           (monitored || !completions.empty() || !preemptions.empty() || !syncs.empty() ||
            !suspensions.empty() || !timeouts.empty());
  }
};

/// What interrupts of one adapter have reported and no DPC has taken yet; and the bug checks for
/// what they must not report. Guarded by the interrupt lock.
class InterruptReports : public common::Hashed {
 public:
  explicit InterruptReports(Adapter& adapter) : adapter_(adapter) {}

  /// DxgkCbNotifyInterrupt.
  void record(const DXGKARGCB_NOTIFY_INTERRUPT_DATA& data);
  /// The pending reports, for the DPC.
  FenceNotification take();
  /// What is reported of a node from now on counts no more, or does again.
  void ignore(UINT node, bool ignored);
  /// The node must not interrupt, or may again.
  void silence(UINT node, bool silent);
  /// Covers the driver's state too: the interrupt lock protects it.
  std::uint64_t state_hash() const override;

 private:
  void check_silence(const DXGKARGCB_NOTIFY_INTERRUPT_DATA& data);
  void buffer_preempted(const DXGKARGCB_NOTIFY_INTERRUPT_DATA& data);
  void buffer_completed(const DXGKARGCB_NOTIFY_INTERRUPT_DATA& data);
  void buffer_faulted(const DXGKARGCB_NOTIFY_INTERRUPT_DATA& data);
  void vertical_sync(const DXGKARGCB_NOTIFY_INTERRUPT_DATA& data);
  void fence_signaled(const DXGKARGCB_NOTIFY_INTERRUPT_DATA& data);
  void fences_named(const DXGKARGCB_NOTIFY_INTERRUPT_DATA& data);
  void name_fence(HANDLE fence, UINT index, const DXGKARGCB_NOTIFY_INTERRUPT_DATA& data);
  void queue_named(const DXGKARGCB_NOTIFY_INTERRUPT_DATA& data);
  [[noreturn]] void page_faulted(const DXGKARGCB_NOTIFY_INTERRUPT_DATA& data);
  bool ignores(UINT node) const { return (ignored_nodes_ >> node & 1U) != 0; }

  Adapter& adapter_;
  FenceNotification pending_;
  std::uint64_t ignored_nodes_ = 0;  ///< a bit for each node
  std::uint64_t silent_nodes_ = 0;   ///< the same
};

}  // namespace fenceline::os
