#pragma once

#include "tb/os/contexts/buffer_dispatch.h"
#include "tb/os/contexts/context_recovery.h"
#include "tb/os/contexts/context_submission.h"
#include "tb/os/contexts/context_waits.h"

namespace fenceline::os {

/// VidSch's queues of contexts, for nodes that cannot wait for fences: its parts and its thread.
///
/// The thread at PASSIVE_LEVEL handles the packet at the head of each queue. A buffer is given to
/// the driver while the node has fewer than BufferDispatch::kInFlight. A wait stays at the head
/// until the fence has its value. A signal is made once the buffers before it are complete. With
/// PreemptionOptions::enabled the thread also preempts and recovers nodes.
/// Source: WDDM, context monitoring: GPU wait.
struct ContextScheduler {
  ContextScheduler(Cpu& cpu, MonitoredFences& fences, const OsOrdering& ordering,
                   const PreemptionOptions& preemption, AdapterResets& resets)
      : table(cpu, preemption),
        submission(table),
        policy(table),
        returns(table),
        dispatch(table, policy, returns),
        waits(table, fences),
        lost_work(table, returns),
        recovery({table, resets, policy, returns, lost_work}),
        ordering_(ordering) {}

  /// Body of its thread.
  void run();

  ContextTable table;
  ContextSubmission submission;
  PreemptionPolicy policy;
  BufferReturns returns;
  BufferDispatch dispatch;
  ContextWaits waits;
  LostWork lost_work;
  ContextRecovery recovery;

 private:
  bool go_on(const std::vector<ContextQueue*>& contexts, bool more);
  bool go_on(ContextQueue& context);
  ContextQueue::Packet* head_of(ContextQueue& context);
  bool run_head(ContextQueue& context);
  bool drop_packets(ContextQueue& context);
  bool end_lists(ContextQueue& context);
  bool watch_nodes();

  const OsOrdering ordering_;
};

}  // namespace fenceline::os
