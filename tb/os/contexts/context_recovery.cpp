#include "tb/os/contexts/context_recovery.h"

#include <algorithm>
#include <optional>

namespace fenceline::os {

using common::Time;
using event::RecoveryStage;

void ContextRecovery::recover(ContextNode& node) {
  std::optional<MutexScope> alone;
  if (resets_others) alone.emplace(resets_.one_at_a_time());
  {
    LockScope lock(table_.cpu, table_.lock, DISPATCH_LEVEL);
    const bool answered =
        table_.preemption.preempts_first && !policy_.not_asked(node) && !node.preempting;
    if (answered || node.idle()) return;
    table_.report(node, RecoveryStage::kTimeout, node.last_preemption);
    table_.recovered = true;
  }
  table_.pause();
  // Reports of the node up to here count; later ones are ignored.
  node.adapter->ignore_node(node.node, true);
  node.adapter->flush_deferred_calls();
  bool empty = false;
  {
    LockScope lock(table_.cpu, table_.lock, DISPATCH_LEVEL);
    empty = node.idle();
  }
  if (!empty && !(node.adapter->caps().SupportPerEngineTDR != FALSE && reset_engine(node)))
    reset_adapter(*node.adapter);
  node.adapter->ignore_node(node.node, false);
  LockScope lock(table_.cpu, table_.lock, DISPATCH_LEVEL);
  node.preempting = false;
  node.since = table_.cpu.simulation().steps.simulated();
  table_.work.set();
}

/// False if the whole adapter must be reset.
bool ContextRecovery::reset_engine(ContextNode& node) {
  std::vector<ContextNode*> group;
  if (table_.preemption.preempts_dependents) {
    group = dependents(node);
    preempt_dependents(group);
  } else {
    dependents(node);
  }
  group.push_back(&node);
  std::sort(group.begin(), group.end(), [](const ContextNode* left, const ContextNode* right) {
    return left->node < right->node;
  });
  bool whole = true;
  for (ContextNode* one : group) {
    const bool stopped = one != &node && !one->preempting;
    if (whole && !stopped) whole = reset_node(*one);
  }
  return whole;
}

/// Other nodes with work that are reset along with `node`, by their ordinals.
std::vector<ContextNode*> ContextRecovery::dependents(const ContextNode& node) {
  Adapter& adapter = *node.adapter;
  DXGKARG_QUERYDEPENDENTENGINEGROUP group{};
  group.NodeOrdinal = node.node;
  adapter.call<Ddi::DxgkDdiQueryDependentEngineGroup>(adapter.handle(), &group);
  if ((group.DependentNodeOrdinalMask >> node.node & 1U) == 0)
    adapter.bug_check(VIDEO_SCHEDULER_INTERNAL_ERROR,
                      {fenceline::wddm::kSchedulerDependentNodeMask},
                      "a node does not depend on itself, says DxgkDdiQueryDependentEngineGroup");
  std::vector<ContextNode*> result;
  LockScope lock(table_.cpu, table_.lock, DISPATCH_LEVEL);
  for (const auto& other : table_.nodes)
    if (other->adapter == &adapter && other.get() != &node && !other->idle() &&
        (group.DependentNodeOrdinalMask >> other->node & 1U) != 0)
      result.push_back(other.get());
  return result;
}

/// Dependent nodes get some time to stop; a node that stops loses nothing.
/// Source: WDDM, TDR in Windows 8: engines that depend on each other.
void ContextRecovery::preempt_dependents(const std::vector<ContextNode*>& nodes) {
  const Time until = table_.cpu.simulation().steps.simulated() + table_.preemption.dependents_delay;
  for (ContextNode* node : nodes) {
    table_.report(*node, RecoveryStage::kDependent, node->last_preemption + 1ULL);
    bool asked = false;
    {
      LockScope lock(table_.cpu, table_.lock, DISPATCH_LEVEL);
      asked = node->preempting || node->in_flight.empty();
    }
    if (!asked) returns_.preempt(*node);
  }
  for (;;) {
    bool pending = false;
    {
      LockScope lock(table_.cpu, table_.lock, DISPATCH_LEVEL);
      for (const ContextNode* node : nodes) pending = pending || node->preempting;
      table_.work.clear();
    }
    const Time now = table_.cpu.simulation().steps.simulated();
    if (!pending || now >= until) return;
    const Time left = until - now;
    if (!table_.cpu.block(table_.work, &left, common::Fires::kLast)) return;
  }
}

/// False if the whole adapter must be reset.
bool ContextRecovery::reset_node(ContextNode& node) {
  Adapter& adapter = *node.adapter;
  adapter.ignore_node(node.node, true);
  adapter.flush_deferred_calls();
  DXGKARG_RESETENGINE reset{};
  reset.NodeOrdinal = node.node;
  const NTSTATUS status = adapter.call<Ddi::DxgkDdiResetEngine>(adapter.handle(), &reset);
  if (!NT_SUCCESS(status)) return false;
  table_.report(node, RecoveryStage::kEngineReset, reset.LastAbortedFenceId);
  ++node.timeouts;
  std::size_t count = 0;
  {
    LockScope lock(table_.cpu, table_.lock, DISPATCH_LEVEL);
    const auto it = node.find(reset.LastAbortedFenceId);
    // The node may have completed its queue before the reset.
    const bool known =
        it != node.in_flight.end() || reset.LastAbortedFenceId == node.last_completed;
    if (!known)
      adapter.bug_check(VIDEO_SCHEDULER_INTERNAL_ERROR,
                        {fenceline::wddm::kSchedulerAbortedFenceRange, reset.LastAbortedFenceId},
                        "DxgkDdiResetEngine names a fence that was not in the node's queue");
    if (it != node.in_flight.end())
      count = static_cast<std::size_t>(it - node.in_flight.begin()) + 1;
  }
  table_.pause();
  const bool paging = std::any_of(
      node.in_flight.begin(), node.in_flight.begin() + static_cast<std::ptrdiff_t>(count),
      [](const ContextNode::Given& given) { return given.context->paging; });
  if (paging) return false;
  const ContextQueue* const lost = count != 0 ? node.in_flight[count - 1].context : nullptr;
  lost_.abort(node, count);
  if (lost != nullptr) count_timeout(*lost);
  {
    LockScope lock(table_.cpu, table_.lock, DISPATCH_LEVEL);
    node.last_completed = reset.LastAbortedFenceId;
    node.preempting = false;
  }
  adapter.ignore_node(node.node, false);
  return true;
}

/// Counts a timeout of the process; it may be blocked from the adapter afterwards.
void ContextRecovery::count_timeout(const ContextQueue& lost) {
  if (!resets_.blocks(lost.owner)) return;
  table_.cpu.simulation().emit(
      event::Recovery{lost.adapter.object(), RecoveryStage::kBlocked, lost.process, lost.node + 1});
  if (on_blocked) on_blocked(lost);
}

void ContextRecovery::set_resetting(const Adapter* adapter) {
  LockScope lock(table_.cpu, table_.lock, DISPATCH_LEVEL);
  table_.resetting = adapter;
  table_.work.set();
}

void ContextRecovery::reset_adapter(Adapter& adapter) {
  set_resetting(&adapter);
  for (const auto& node : table_.nodes)
    if (node->adapter == &adapter) adapter.ignore_node(node->node, true);
  resets_.reset(adapter);
  for (const auto& node : table_.nodes) {
    if (node->adapter != &adapter) continue;
    table_.report(*node, RecoveryStage::kAdapterReset, 0);
    const UINT last = node->in_flight.empty() ? node->last_completed : node->in_flight.back().id;
    lost_.abort(*node, node->in_flight.size());
    LockScope lock(table_.cpu, table_.lock, DISPATCH_LEVEL);
    node->last_completed = last;
    node->preempting = false;
  }
  AdapterResets::restart(adapter);
  for (const auto& node : table_.nodes) {
    if (node->adapter != &adapter) continue;
    table_.report(*node, RecoveryStage::kRestart, 0);
    adapter.ignore_node(node->node, false);
  }
  set_resetting(nullptr);
  if (on_restarted) on_restarted(adapter);
}

}  // namespace fenceline::os
