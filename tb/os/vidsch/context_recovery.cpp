// VidSch: timeout detection and recovery.
#include <algorithm>
#include <optional>

#include "tb/os/vidsch/context_scheduler.h"

namespace fenceline::os {

using common::Time;
using event::RecoveryStage;

void ContextScheduler::report(const Node& node, RecoveryStage stage, std::uint64_t id) const {
  common::Simulation& simulation = cpu_.simulation();
  simulation.emit(event::Recovery{node.adapter->object(), stage, id, node.node + 1});
}

void ContextScheduler::report_limits() const {
  if (!preemption_.enabled) return;
  common::Simulation& simulation = cpu_.simulation();
  simulation.emit(
      event::RecoveryLimits{0, preemption_.tdr_limit_count, preemption_.tdr_limit_time});
}

/// Recovers a node that has not acknowledged a preemption. Source: WDDM, TDR: steps of the
/// scheduler.
void ContextScheduler::recover(Node& node) {
  std::optional<MutexScope> alone;
  if (resets_others) alone.emplace(resets_.one_at_a_time());
  {
    LockScope lock(cpu_, lock_, DISPATCH_LEVEL);
    const bool answered = preemption_.preempts_first && !not_asked(node) && !node.preempting;
    if (answered || (node.in_flight.empty() && !node.preempting)) return;
    report(node, RecoveryStage::kTimeout, node.last_preemption);
    recovered_ = true;
  }
  pause();
  // Reports of the node up to here count; later ones are ignored.
  node.adapter->ignore_node(node.node, true);
  node.adapter->flush_deferred_calls();
  bool empty = false;
  {
    LockScope lock(cpu_, lock_, DISPATCH_LEVEL);
    empty = node.in_flight.empty() && !node.preempting;
  }
  if (!empty && !(node.adapter->caps().SupportPerEngineTDR != FALSE && reset_engine(node)))
    reset_adapter(*node.adapter);
  node.adapter->ignore_node(node.node, false);
  LockScope lock(cpu_, lock_, DISPATCH_LEVEL);
  node.preempting = false;
  node.since = cpu_.simulation().steps.simulated();
  work_.set();
}

/// False if the whole adapter must be reset.
bool ContextScheduler::reset_engine(Node& node) {
  std::vector<Node*> group;
  if (preemption_.preempts_dependents) {
    group = dependents(node);
    preempt_dependents(group);
  } else {
    dependents(node);
  }
  group.push_back(&node);
  std::sort(group.begin(), group.end(),
            [](const Node* left, const Node* right) { return left->node < right->node; });
  bool whole = true;
  for (Node* one : group) {
    const bool stopped = one != &node && !one->preempting;
    if (whole && !stopped) whole = reset_node(*one);
  }
  return whole;
}

/// Other nodes with work that are reset along with `node`, by their ordinals.
std::vector<ContextScheduler::Node*> ContextScheduler::dependents(const Node& node) {
  Adapter& adapter = *node.adapter;
  DXGKARG_QUERYDEPENDENTENGINEGROUP group{};
  group.NodeOrdinal = node.node;
  adapter.call<Ddi::DxgkDdiQueryDependentEngineGroup>(adapter.handle(), &group);
  if ((group.DependentNodeOrdinalMask >> node.node & 1U) == 0)
    adapter.bug_check(VIDEO_SCHEDULER_INTERNAL_ERROR,
                      {fenceline::wddm::kSchedulerDependentNodeMask},
                      "a node does not depend on itself, says DxgkDdiQueryDependentEngineGroup");
  std::vector<Node*> result;
  LockScope lock(cpu_, lock_, DISPATCH_LEVEL);
  for (const auto& other : nodes_)
    if (other->adapter == &adapter && other.get() != &node && !other->in_flight.empty() &&
        (group.DependentNodeOrdinalMask >> other->node & 1U) != 0)
      result.push_back(other.get());
  return result;
}

/// Dependent nodes get some time to stop; a node that stops loses nothing.
/// Source: WDDM, TDR in Windows 8: engines that depend on each other.
void ContextScheduler::preempt_dependents(const std::vector<Node*>& nodes) {
  const Time until = cpu_.simulation().steps.simulated() + preemption_.dependents_delay;
  for (Node* node : nodes) {
    report(*node, RecoveryStage::kDependent, node->last_preemption + 1ULL);
    bool asked = false;
    {
      LockScope lock(cpu_, lock_, DISPATCH_LEVEL);
      asked = node->preempting || node->in_flight.empty();
    }
    if (!asked) preempt(*node);
  }
  for (;;) {
    bool pending = false;
    {
      LockScope lock(cpu_, lock_, DISPATCH_LEVEL);
      for (const Node* node : nodes) pending = pending || node->preempting;
      work_.clear();
    }
    const Time now = cpu_.simulation().steps.simulated();
    if (!pending || now >= until) return;
    const Time left = until - now;
    if (!cpu_.block(work_, &left, common::Fires::kLast)) return;
  }
}

/// False if the whole adapter must be reset.
bool ContextScheduler::reset_node(Node& node) {
  Adapter& adapter = *node.adapter;
  adapter.ignore_node(node.node, true);
  adapter.flush_deferred_calls();
  DXGKARG_RESETENGINE reset{};
  reset.NodeOrdinal = node.node;
  const NTSTATUS status = adapter.call<Ddi::DxgkDdiResetEngine>(adapter.handle(), &reset);
  if (!NT_SUCCESS(status)) return false;
  report(node, RecoveryStage::kEngineReset, reset.LastAbortedFenceId);
  ++node.timeouts;
  std::size_t count = 0;
  {
    LockScope lock(cpu_, lock_, DISPATCH_LEVEL);
    const auto it = std::find_if(
        node.in_flight.begin(), node.in_flight.end(),
        [&](const Node::Given& given) { return given.id == reset.LastAbortedFenceId; });
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
  pause();
  const bool paging = std::any_of(node.in_flight.begin(),
                                  node.in_flight.begin() + static_cast<std::ptrdiff_t>(count),
                                  [](const Node::Given& given) { return given.context->paging; });
  if (paging) return false;
  const bool leaves = count != 0 && node.in_flight[count - 1].packet.leaves;
  const ContextQueue* const lost =
      count != 0 && !leaves ? node.in_flight[count - 1].context : nullptr;
  abort(node, count);
  if (lost != nullptr) count_timeout(*lost);
  {
    LockScope lock(cpu_, lock_, DISPATCH_LEVEL);
    node.last_completed = reset.LastAbortedFenceId;
    node.preempting = false;
  }
  adapter.ignore_node(node.node, false);
  return true;
}

/// Counts a timeout of the process; it may be blocked from the adapter afterwards.
void ContextScheduler::count_timeout(const ContextQueue& lost) {
  if (!resets_.blocks(lost.owner)) return;
  common::Simulation& simulation = cpu_.simulation();
  simulation.emit(
      event::Recovery{lost.adapter.object(), RecoveryStage::kBlocked, lost.process, lost.node + 1});
  if (on_blocked) on_blocked(lost);
}

void ContextScheduler::reset_adapter(Adapter& adapter) {
  for (const auto& node : nodes_)
    if (node->adapter == &adapter) adapter.ignore_node(node->node, true);
  resets_.reset(adapter);
  for (const auto& node : nodes_) {
    if (node->adapter != &adapter) continue;
    report(*node, RecoveryStage::kAdapterReset, 0);
    const UINT last = node->in_flight.empty() ? node->last_completed : node->in_flight.back().id;
    abort(*node, node->in_flight.size());
    LockScope lock(cpu_, lock_, DISPATCH_LEVEL);
    node->last_completed = last;
    node->preempting = false;
  }
  AdapterResets::restart(adapter);
  for (const auto& node : nodes_) {
    if (node->adapter != &adapter) continue;
    report(*node, RecoveryStage::kRestart, 0);
    adapter.ignore_node(node->node, false);
  }
  if (on_restarted) on_restarted(adapter);
}

/// Drops the first `count` buffers of the node and all other submissions of their processes; the
/// other buffers return to their contexts. A lost paging buffer counts as complete: VidMm
/// continues, and the devices that own the memory are in error.
/// Source: WDDM, TDR: the system device is never in error.
void ContextScheduler::abort(Node& node, std::size_t count) {
  std::vector<const void*> hit;
  bool paging = false;
  {
    LockScope lock(cpu_, lock_, DISPATCH_LEVEL);
    const bool pages = std::any_of(node.in_flight.begin(), node.in_flight.end(),
                                   [](const Node::Given& given) { return given.context->paging; });
    if (!preemption_.spares_others && !pages) count = node.in_flight.size();
    for (std::size_t i = 0; i < count; ++i) {
      const Node::Given given = std::move(node.in_flight.front());
      node.in_flight.pop_front();
      ContextQueue& context = *given.context;
      if (given.packet.leaves) {
        context.leave_given = false;
        continue;
      }
      if (context.paging) {
        paging = true;
        count_complete(context);
        continue;
      }
      if (std::find(hit.begin(), hit.end(), context.owner) == hit.end())
        hit.push_back(context.owner);
      --context.in_flight;
      --context.buffers;
      if (on_listed && !context.lists.empty()) ++context.lists_done;
    }
    // The node may still hold state of these contexts; it forgets only its running work.
    node.kept = nullptr;
    take_back(node, true);
  }
  for (const void* owner : hit) end_device(*node.adapter, owner);
  if (paging && on_paging_lost) on_paging_lost(*node.adapter);
  if (on_completed) on_completed(*node.adapter);
}

void ContextScheduler::end(const Adapter& adapter, const void* owner) {
  common::Simulation& simulation = cpu_.simulation();
  const auto goes_on = [&](const auto& context) {
    return context->owner == owner && &context->adapter == &adapter && !context->ended;
  };
  if (std::none_of(contexts_.begin(), contexts_.end(), goes_on)) return;
  LockScope lock(cpu_, lock_, DISPATCH_LEVEL);
  for (const auto& context : contexts_) {
    if (!goes_on(context)) continue;
    simulation.emit(event::ContextEnded{context->object, context->process});
    context->ended = true;
    context->sender = 0;
    context->buffers = context->in_flight;
    context->room.set();
  }
  work_.set();
}

void ContextScheduler::end_device(const Adapter& adapter, const void* owner) {
  end(adapter, owner);
  if (on_aborted) on_aborted(owner);
}

void ContextScheduler::lose_memory(Adapter& adapter, const void* owner, std::uint32_t process) {
  common::Simulation& simulation = cpu_.simulation();
  simulation.emit(event::Recovery{adapter.object(), RecoveryStage::kMemoryLost, process, 0});
  end_device(adapter, owner);
}

ContextScheduler::Owners ContextScheduler::faulted(Adapter& adapter, UINT node, UINT id) {
  LockScope lock(cpu_, lock_, DISPATCH_LEVEL);
  Node& at = node_of(adapter, node);
  const auto it = std::find_if(at.in_flight.begin(), at.in_flight.end(),
                               [id](const Node::Given& given) { return given.id == id; });
  if (it == at.in_flight.end())
    adapter.bug_check(
        VIDEO_SCHEDULER_INTERNAL_ERROR, {fenceline::wddm::kSchedulerInvalidFenceId},
        adapter.gpu().config().name + ": a buffer faulted that the node does not have");
  const ContextQueue& context = *it->context;
  if (context.paging)
    adapter.bug_check(VIDEO_SCHEDULER_INTERNAL_ERROR,
                      {fenceline::wddm::kSchedulerSystemCommandFaulted, id},
                      "a paging buffer faulted");
  Owners owners = complete_through(at, id);
  if (preemption_.ends_faulted) faulted_.push_back(&context);
  work_.set();
  if (on_completed) on_completed(adapter);
  return owners;
}

/// The driver has refused the buffer. Its fence counts as completed, and its device is in error.
/// Source: WDDM, DxgkDdiSubmitCommandVirtual, STATUS_INVALID_PARAMETER.
void ContextScheduler::refused(ContextQueue& context, UINT id) {
  LockScope lock(cpu_, lock_, DISPATCH_LEVEL);
  Node& node = node_of(context.adapter, context.node);
  report(node, RecoveryStage::kRefused, id);
  const auto it = std::find_if(node.in_flight.begin(), node.in_flight.end(),
                               [id](const Node::Given& given) { return given.id == id; });
  if (it == node.in_flight.end()) return;  // it was taken back by a preemption
  node.in_flight.erase(it);
  count_complete(context);
  faulted_.push_back(&context);
  work_.set();
}

/// Puts the devices of faulted buffers in error; false if there are none.
bool ContextScheduler::end_faulted() {
  if (!faults_) return false;
  faults_ = false;
  std::vector<const ContextQueue*> faulted;
  {
    LockScope lock(cpu_, lock_, DISPATCH_LEVEL);
    faulted.swap(faulted_);
  }
  for (const ContextQueue* context : faulted) end_device(context->adapter, context->owner);
  return true;
}

}  // namespace fenceline::os
