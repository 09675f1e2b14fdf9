#include "tb/os/contexts/buffer_returns.h"

#include <algorithm>

#include "models/abi/mutant.h"
#include "models/top/gpu.h"

namespace fenceline::os {

BufferReturns::Owners BufferReturns::completed(Adapter& adapter, UINT node, UINT id) {
  LockScope lock(table_.cpu, table_.lock, DISPATCH_LEVEL);
  ContextNode& at = table_.node_of(adapter, node);
  if (id == 0 || id >= at.next_id)
    adapter.bug_check(VIDEO_SCHEDULER_INTERNAL_ERROR, {fenceline::wddm::kSchedulerInvalidFenceId},
                      adapter.gpu().config().name + ": a buffer is reported that nobody submitted");
  Owners owners = complete_through(at, id);
  table_.work.set();
  if (table_.on_completed) table_.on_completed(adapter);
  return owners;
}

BufferReturns::Owners BufferReturns::faulted(Adapter& adapter, UINT node, UINT id) {
  LockScope lock(table_.cpu, table_.lock, DISPATCH_LEVEL);
  ContextNode& at = table_.node_of(adapter, node);
  const auto it = at.find(id);
  if (it == at.in_flight.end())
    adapter.bug_check(
        VIDEO_SCHEDULER_INTERNAL_ERROR, {fenceline::wddm::kSchedulerInvalidFenceId},
        adapter.gpu().config().name + ": a buffer faulted that the node does not have");
  ContextQueue& context = *it->context;
  if (context.paging)
    adapter.bug_check(VIDEO_SCHEDULER_INTERNAL_ERROR,
                      {fenceline::wddm::kSchedulerSystemCommandFaulted, id},
                      "a paging buffer faulted");
  Owners owners = complete_through(at, id);
  if (table_.preemption.ends_faulted) lose(context);
  table_.work.set();
  if (table_.on_completed) table_.on_completed(adapter);
  return owners;
}

void BufferReturns::preempted(Adapter& adapter, UINT node, UINT id, UINT last) {
  LockScope lock(table_.cpu, table_.lock, DISPATCH_LEVEL);
  ContextNode& at = table_.node_of(adapter, node);
  if (!at.preempting || id != at.last_preemption)
    adapter.bug_check(VIDEO_SCHEDULER_INTERNAL_ERROR, {fenceline::wddm::kSchedulerInvalidFenceId},
                      adapter.gpu().config().name + ": a preemption is reported that nobody asked");
  table_.cpu.simulation().emit(event::Preempted{adapter.object(), id, last, node + 1});
  at.preempting = false;
  complete_through(at, last);
  take_back(at, table_.preemption.resubmits);
  if (table_.on_completed) table_.on_completed(adapter);
}

void BufferReturns::refused(ContextQueue& context, UINT id) {
  LockScope lock(table_.cpu, table_.lock, DISPATCH_LEVEL);
  ContextNode& node = table_.node_of(context.adapter, context.node);
  table_.report(node, event::RecoveryStage::kRefused, id);
  const auto it = node.find(id);
  if (it == node.in_flight.end()) return;  // it was taken back by a preemption
  const bool leaves = it->packet.leaves;
  node.in_flight.erase(it);
  if (leaves)
    has_left(node, context);
  else
    count_complete(context);
  lose(context);
  table_.work.set();
}

void BufferReturns::lose(ContextQueue& context) const {
  context.lost = true;
  table_.faulted.push_back(&context);
}

void BufferReturns::preempt(ContextNode& node) {
  common::Simulation& simulation = table_.cpu.simulation();
  const Adapter::Visit visit(*node.adapter);
  DXGKARG_PREEMPTCOMMAND args{};
  {
    LockScope lock(table_.cpu, table_.lock, DISPATCH_LEVEL);
    if (node.in_flight.empty() || table_.resetting == node.adapter) return;  // it has ended by now
    args.PreemptionFenceId = ++node.last_preemption;
    node.preempting = true;
    // The context that had the node now comes after others of its priority.
    if (ContextQueue* const runs = node.runs()) runs->turn = ++turns_;
    node.since = simulation.steps.simulated();
    if (simulation.steps.exploring()) ++table_.quanta;
  }
  args.NodeOrdinal = node.node;
  simulation.emit(
      event::PreemptCall{node.adapter->object(), args.PreemptionFenceId, node.node + 1});
  const KIRQL old = table_.cpu.raise(DISPATCH_LEVEL);
  const NTSTATUS status =
      node.adapter->call<Ddi::DxgkDdiPreemptCommand>(node.adapter->handle(), &args);
  table_.cpu.lower(old);
  node.adapter->must_succeed(status, Ddi::DxgkDdiPreemptCommand, VIDEO_SCHEDULER_INTERNAL_ERROR,
                             fenceline::wddm::kSchedulerSubmitFailed);
}

void BufferReturns::take_back(ContextNode& node, bool resubmit) {
  for (; !node.in_flight.empty(); node.in_flight.pop_back()) {
    ContextNode::Given& given = node.in_flight.back();
    ContextQueue& context = *given.context;
    if (given.packet.leaves) {
      context.leave_given = false;
      continue;
    }
    --context.in_flight;
    if (table_.on_listed && !context.lists.empty()) context.lists.pop_back();
    if (context.ended) --context.buffers;  // the packet is dropped with the others
    if (!resubmit) {
      --context.buffers;
      context.room.set();
      continue;
    }
    given.packet.id = given.id;
    if (given.packet.part != nullptr && !node.aware)
      node.kept = given.packet.part->range.start != 0 ? &context : nullptr;
    if (abi::mutant(abi::Mutant::kTakenBackReversed))
      context.preempted.push_back(std::move(given.packet));
    else
      context.preempted.push_front(std::move(given.packet));
  }
  table_.work.set();
}

/// Several buffers may be complete at once. Ids are no measure, because paging buffers reuse
/// theirs.
BufferReturns::Owners BufferReturns::complete_through(ContextNode& node, UINT id) {
  const auto it = node.find(id);
  Owners owners;
  if (it == node.in_flight.end()) return owners;
  node.last_completed = id;
  if (!node.preempting) node.since = table_.cpu.simulation().steps.simulated();
  for (auto left = it - node.in_flight.begin() + 1; left > 0; --left) {
    const bool leaves = node.in_flight.front().packet.leaves;
    ContextQueue& context = *node.in_flight.front().context;
    node.in_flight.pop_front();
    if (leaves) {
      has_left(node, context);
      continue;
    }
    owners.push_back(context.owner);
    count_complete(context);
  }
  return owners;
}

void BufferReturns::count_complete(ContextQueue& context) const {
  --context.buffers;
  --context.in_flight;
  ++context.completed;
  if (table_.on_listed) ++context.lists_done;
  context.room.set();
}

/// The states of all contexts are now in memory, except contexts with buffers on the node. A
/// context that begins there saves the state of the one before, and no report says when that is
/// visible.
void BufferReturns::has_left(ContextNode& node, ContextQueue& context) {
  context.leave_given = false;
  const auto gone = [&](const ContextQueue* held) {
    return std::none_of(node.in_flight.begin(), node.in_flight.end(),
                        [held](const ContextNode::Given& given) { return given.context == held; });
  };
  for (ContextQueue* held : node.held)
    if (gone(held)) held->left.set();
  node.held.erase(std::remove_if(node.held.begin(), node.held.end(), gone), node.held.end());
}

}  // namespace fenceline::os
