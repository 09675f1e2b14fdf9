// VidSch: timeout detection and recovery.
#include <algorithm>

#include "tb/os/context_scheduler.h"

namespace fenceline::os {

using common::EventKind;
using common::RecoveryStage;
using common::Time;

void ContextScheduler::report(const Node& node, RecoveryStage stage, std::uint64_t id) const {
  common::Simulation& simulation = cpu_.simulation();
  simulation.events.emit(EventKind::kRecovery, simulation.steps.current(), node.adapter->object(),
                         static_cast<std::uint64_t>(stage), id, node.node + 1);
}

/// The node has not answered a preemption. Source: WDDM, TDR: what the scheduler does, in order.
void ContextScheduler::recover(Node& node) {
  report(node, RecoveryStage::kTimeout, node.last_preemption);
  // From now on nothing that the node reports counts.
  node.adapter->ignore_node(node.node, true);
  bool empty = false;
  {
    LockScope lock(cpu_, lock_, DISPATCH_LEVEL);
    empty = node.in_flight.empty();
  }
  if (!empty && !(node.adapter->caps().SupportPerEngineTDR != FALSE && reset_engine(node)))
    reset_adapter(*node.adapter);
  node.adapter->ignore_node(node.node, false);
  LockScope lock(cpu_, lock_, DISPATCH_LEVEL);
  node.preempting = false;
  node.since = cpu_.simulation().steps.simulated();
  work_.set();
}

/// False if the whole adapter has to be reset.
bool ContextScheduler::reset_engine(Node& node) {
  Adapter& adapter = *node.adapter;
  DXGKARG_QUERYDEPENDENTENGINEGROUP group{};
  group.NodeOrdinal = node.node;
  adapter.call(Ddi::kQueryDependentEngineGroup, [&](auto& ddi) {
    return ddi.DxgkDdiQueryDependentEngineGroup(adapter.handle(), &group);
  });
  if ((group.DependentNodeOrdinalMask >> node.node & 1U) == 0)
    adapter.bug_check(VIDEO_SCHEDULER_INTERNAL_ERROR,
                      {fenceline::wddm::kSchedulerDependentNodeMask},
                      "a node does not depend on itself, says DxgkDdiQueryDependentEngineGroup");
  DXGKARG_RESETENGINE reset{};
  reset.NodeOrdinal = node.node;
  const NTSTATUS status = adapter.call(Ddi::kResetEngine, [&](auto& ddi) {
    return ddi.DxgkDdiResetEngine(adapter.handle(), &reset);
  });
  if (!NT_SUCCESS(status)) return false;
  report(node, RecoveryStage::kEngineReset, reset.LastAbortedFenceId);
  ++node.timeouts;
  std::size_t count = 0;
  {
    LockScope lock(cpu_, lock_, DISPATCH_LEVEL);
    const auto it = std::find_if(
        node.in_flight.begin(), node.in_flight.end(),
        [&](const Node::Given& given) { return given.id == reset.LastAbortedFenceId; });
    if (it == node.in_flight.end())
      adapter.bug_check(VIDEO_SCHEDULER_INTERNAL_ERROR,
                        {fenceline::wddm::kSchedulerAbortedFenceRange, reset.LastAbortedFenceId},
                        "DxgkDdiResetEngine names a fence that was not in the node's queue");
    count = static_cast<std::size_t>(it - node.in_flight.begin()) + 1;
  }
  const bool paging = std::any_of(node.in_flight.begin(),
                                  node.in_flight.begin() + static_cast<std::ptrdiff_t>(count),
                                  [](const Node::Given& given) { return given.context->paging; });
  if (paging) return false;
  abort(node, count);
  return true;
}

/// What any node of the adapter was given is lost. Stops the machine where that has happened too
/// often, or does not help.
void ContextScheduler::reset_adapter(Adapter& adapter) {
  const Time now = cpu_.simulation().steps.simulated();
  adapter_resets_.push_back(now);
  while (now - adapter_resets_.front() > preemption_.tdr_limit_time) adapter_resets_.pop_front();
  if (adapter_resets_.size() > preemption_.tdr_limit_count)
    adapter.bug_check(VIDEO_TDR_FAILURE, {adapter_resets_.size()},
                      "more than TdrLimitCount timeouts within TdrLimitTime");
  for (const auto& node : nodes_)
    if (node->adapter == &adapter) adapter.ignore_node(node->node, true);
  const NTSTATUS status = adapter.call(Ddi::kResetFromTimeout, [&](auto& ddi) {
    return ddi.DxgkDdiResetFromTimeout(adapter.handle());
  });
  if (!NT_SUCCESS(status))
    adapter.bug_check(VIDEO_TDR_FAILURE, {0, 0, static_cast<std::uint32_t>(status)},
                      "DxgkDdiResetFromTimeout failed");
  for (const auto& node : nodes_) {
    if (node->adapter != &adapter) continue;
    report(*node, RecoveryStage::kAdapterReset, 0);
    abort(*node, node->in_flight.size());
    LockScope lock(cpu_, lock_, DISPATCH_LEVEL);
    node->preempting = false;
  }
  adapter.call(Ddi::kRestartFromTimeout,
               [&](auto& ddi) { return ddi.DxgkDdiRestartFromTimeout(adapter.handle()); });
  for (const auto& node : nodes_) {
    if (node->adapter != &adapter) continue;
    report(*node, RecoveryStage::kRestart, 0);
    adapter.ignore_node(node->node, false);
  }
}

/// The first `count` buffers of the node are lost, and with them what else their processes have
/// submitted; the others come back to their contexts.
void ContextScheduler::abort(Node& node, std::size_t count) {
  std::vector<ContextQueue*> hit;
  {
    LockScope lock(cpu_, lock_, DISPATCH_LEVEL);
    if (!preemption_.spares_others) count = node.in_flight.size();
    for (std::size_t i = 0; i < count; ++i) {
      ContextQueue& context = *node.in_flight.front().context;
      if (std::find(hit.begin(), hit.end(), &context) == hit.end()) hit.push_back(&context);
      --context.in_flight;
      --context.buffers;
      if (on_listed && !context.lists.empty()) ++context.lists_done;
      node.in_flight.pop_front();
    }
    take_back(node, true);
    node.last = nullptr;
    node.kept = nullptr;
  }
  common::Simulation& simulation = cpu_.simulation();
  for (const ContextQueue* lost : hit) {
    {
      LockScope lock(cpu_, lock_, DISPATCH_LEVEL);
      for (const auto& context : contexts_) {
        if (context->owner != lost->owner || &context->adapter != node.adapter || context->ended)
          continue;
        simulation.events.emit(EventKind::kContextEnded, simulation.steps.current(),
                               context->object);
        context->ended = true;
        context->packets.clear();
        context->preempted.clear();
        context->buffers = context->in_flight;
        context->room.set();
      }
    }
    if (on_aborted) on_aborted(*lost);
  }
}

}  // namespace fenceline::os
