// VidSch: gives buffers of contexts to drivers and makes nodes leave contexts.
#include <algorithm>

#include "tb/os/vidmm/allocation.h"
#include "tb/os/vidsch/context_scheduler.h"

namespace fenceline::os {

using Packet = ContextQueue::Packet;

/// A preempted paging buffer keeps its id; other buffers get a new one.
UINT ContextScheduler::give_id(Node& node, const ContextQueue& context, const Packet& packet,
                               DXGK_SUBMITCOMMANDFLAGS& flags) const {
  if (context.paging) flags.Value |= DXGK_SUBMITCOMMANDFLAGS::kPaging;
  if (packet.leaves) flags.Value |= DXGK_SUBMITCOMMANDFLAGS::kContextSwitch;
  if (packet.flips)
    flags.Value |= DXGK_SUBMITCOMMANDFLAGS::kPresent | DXGK_SUBMITCOMMANDFLAGS::kFlip;
  if (packet.id != 0 && context.paging && preemption_.paging_first) return packet.id;
  if (packet.id != 0) flags.Value |= DXGK_SUBMITCOMMANDFLAGS::kResubmission;
  return node.next_id++;
}

bool ContextScheduler::state_there(const ContextQueue& context) {
  return std::all_of(context.states.begin(), context.states.end(),
                     [](const Allocation* state) { return state->reached; });
}

/// True if the node can reach all state memory of the context; otherwise VidMm is asked for it.
bool ContextScheduler::has_state(ContextQueue& context) const {
  if (state_there(context)) return true;
  if (!preemption_.awaits_memory) return true;
  if (context.holds == 0 && !context.state_asked) {
    context.state_asked = true;
    on_state_needed(context);
  }
  return false;
}

void ContextScheduler::state_returned(ContextQueue& context) {
  LockScope lock(cpu_, lock_, DISPATCH_LEVEL);
  context.state_asked = false;
  work_.set();
}

bool ContextScheduler::run_buffer(ContextQueue& context, const Packet& packet) {
  if (!has_state(context)) return false;
  DXGKARG_SUBMITCOMMANDVIRTUAL args{};
  {
    LockScope lock(cpu_, lock_, DISPATCH_LEVEL);
    Node& node = node_of(context.adapter, context.node);
    // The state may have been evicted while this thread waited for the lock; the lock now keeps it.
    if (node.in_flight.size() >= kInFlight || context.holds != 0 || context.ended ||
        node.preempting || must_preempt(context, node) || kept_for_another(node, context) ||
        (!state_there(context) && preemption_.awaits_memory))
      return false;
    ++context.in_flight;
    args = reserve(node, context, packet);
    keep(node, context, packet);
    if (on_listed) context.lists.push_back(packet.listed);
  }
  if (!packet.listed.empty()) on_listed(context.adapter, packet.listed, ListedWork::kBegins);
  give(context, packet, args);
  return true;
}

/// Makes the node leave a context that VidMm is about to move. False if there is nothing to leave
/// or it must wait.
bool ContextScheduler::run_leave(ContextQueue& context) {
  if (!context.leaving || context.leave_given) return false;
  Packet packet;
  packet.leaves = true;
  DXGKARG_SUBMITCOMMANDVIRTUAL args{};
  {
    LockScope lock(cpu_, lock_, DISPATCH_LEVEL);
    Node& node = node_of(context.adapter, context.node);
    if (!context.leaving || context.leave_given || node.in_flight.size() >= kInFlight ||
        node.preempting)
      return false;
    context.leave_given = true;
    args = reserve(node, context, packet);
  }
  give(context, packet, args);
  return true;
}

/// Records the buffer as given to the node. The lock is held.
DXGKARG_SUBMITCOMMANDVIRTUAL ContextScheduler::reserve(Node& node, ContextQueue& context,
                                                       const Packet& packet) {
  DXGKARG_SUBMITCOMMANDVIRTUAL args{};
  args.hContext = context.driver_handle;
  args.DmaBufferVirtualAddress = packet.address;
  args.DmaBufferSize = packet.bytes;
  args.NodeOrdinal = context.node;
  args.SubmissionFenceId = context.last_id = give_id(node, context, packet, args.Flags);
  if (node.in_flight.empty()) node.since = cpu_.simulation().steps.simulated();
  node.in_flight.push_back({args.SubmissionFenceId, &context, packet.copy()});
  if (!packet.leaves && !context.states.empty() && !node.holds(context))
    node.held.push_back(&context);
  return args;
}

void ContextScheduler::give(ContextQueue& context, const Packet& packet,
                            const DXGKARG_SUBMITCOMMANDVIRTUAL& args) {
  Adapter& adapter = context.adapter;
  common::Simulation& simulation = cpu_.simulation();
  simulation.emit(event::ContextGiven{context.object, packet.number, args.SubmissionFenceId,
                                      context.node + 1, args.Flags.Value, adapter.object()});
  simulation.emit(event::ContextSubmit{context.object, args.SubmissionFenceId, adapter.object()});
  if (packet.part != nullptr)
    return give_part(context, *packet.part, args.SubmissionFenceId, args.Flags);
  const NTSTATUS status = adapter.call<Ddi::DxgkDdiSubmitCommandVirtual>(adapter.handle(), &args);
  if (status == STATUS_INVALID_PARAMETER)
    refused(context, args.SubmissionFenceId);
  else if (!NT_SUCCESS(status))
    adapter.bug_check(VIDEO_SCHEDULER_INTERNAL_ERROR,
                      {fenceline::wddm::kSchedulerSubmitFailed, static_cast<std::uint32_t>(status)},
                      "DxgkDdiSubmitCommandVirtual failed");
}

void ContextScheduler::leave(ContextQueue& context) {
  for (;;) {
    {
      LockScope lock(cpu_, lock_, DISPATCH_LEVEL);
      context.leaving = node_of(context.adapter, context.node).holds(context);
      if (!context.leaving) return;
      context.left.clear();
      work_.set();
    }
    cpu_.block(context.left, nullptr);
  }
}

/// The states of all contexts are now in memory, except contexts with buffers on the node. A
/// context that begins there saves the state of the one before, and no report says when that is
/// visible.
void ContextScheduler::has_left(Node& node, ContextQueue& context) {
  context.leave_given = false;
  const auto gone = [&](const ContextQueue* held) {
    return std::none_of(node.in_flight.begin(), node.in_flight.end(),
                        [held](const Node::Given& given) { return given.context == held; });
  };
  for (ContextQueue* held : node.held)
    if (gone(held)) held->left.set();
  node.held.erase(std::remove_if(node.held.begin(), node.held.end(), gone), node.held.end());
}

}  // namespace fenceline::os
