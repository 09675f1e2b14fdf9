#pragma once

#include "tb/os/contexts/lost_work.h"
#include "tb/os/contexts/preemption_policy.h"
#include "tb/os/driver/adapter_resets.h"

namespace fenceline::os {

/// Recovery of nodes that have not acknowledged a preemption within TdrDelay: the node is reset, or
/// the adapter. At PASSIVE_LEVEL. Source: WDDM, timeout detection and recovery.
class ContextRecovery {
 public:
  struct Parts {
    ContextTable& table;
    AdapterResets& resets;
    const PreemptionPolicy& policy;
    BufferReturns& returns;
    LostWork& lost;
  };
  explicit ContextRecovery(const Parts& parts)
      : table_(parts.table),
        resets_(parts.resets),
        policy_(parts.policy),
        returns_(parts.returns),
        lost_(parts.lost) {}

  /// Recovers the node unless it has answered by now. Source: WDDM, TDR: steps of the scheduler.
  void recover(ContextNode& node);
  /// Resets the adapter; all buffers of its nodes are lost. Bug check if resets are too frequent or
  /// fail.
  void reset_adapter(Adapter& adapter);

  /// Called in the thread of VidSch: the adapter works again after a reset.
  std::function<void(Adapter&)> on_restarted;
  /// Called in the thread of VidSch: the process of the context has hung engines too often.
  std::function<void(const ContextQueue&)> on_blocked;
  /// Another thread may reset nodes, too.
  bool resets_others = false;

 private:
  bool reset_engine(ContextNode& node);
  std::vector<ContextNode*> dependents(const ContextNode& node);
  void preempt_dependents(const std::vector<ContextNode*>& nodes);
  bool reset_node(ContextNode& node);
  void count_timeout(const ContextQueue& lost);
  void set_resetting(const Adapter* adapter);

  ContextTable& table_;
  AdapterResets& resets_;
  const PreemptionPolicy& policy_;
  BufferReturns& returns_;
  LostWork& lost_;
};

}  // namespace fenceline::os
