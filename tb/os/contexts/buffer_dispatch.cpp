#include "tb/os/contexts/buffer_dispatch.h"

#include "models/abi/mutant.h"
#include "models/abi/packets.h"
#include "tb/os/guard/kernel_address.h"

namespace fenceline::os {

using Location = D3DDDI_PATCHLOCATIONLIST;
using Packet = ContextQueue::Packet;

namespace {

/// Without preemption awareness, parts of a buffer follow each other on their node.
/// Source: WDDM, GPU preemption: what Windows 7 guarantees.
bool kept_for_another(const ContextNode& node, const ContextQueue& context) {
  return node.kept != nullptr && node.kept != &context && !node.kept->stopped();
}

void keep(ContextNode& node, ContextQueue& context, const Packet& packet) {
  node.kept = packet.part != nullptr && !packet.part->last && !node.aware ? &context : nullptr;
}

}  // namespace

/// A preempted paging buffer keeps its id; other buffers get a new one.
UINT BufferDispatch::give_id(ContextNode& node, const ContextQueue& context, const Packet& packet,
                             DXGK_SUBMITCOMMANDFLAGS& flags) const {
  if (context.paging) flags.Value |= DXGK_SUBMITCOMMANDFLAGS::kPaging;
  if (packet.leaves) flags.Value |= DXGK_SUBMITCOMMANDFLAGS::kContextSwitch;
  if (packet.flips)
    flags.Value |= DXGK_SUBMITCOMMANDFLAGS::kPresent | DXGK_SUBMITCOMMANDFLAGS::kFlip;
  if (packet.id != 0 && context.paging && table_.preemption.paging_first) return packet.id;
  if (packet.id != 0) flags.Value |= DXGK_SUBMITCOMMANDFLAGS::kResubmission;
  return node.next_id++;
}

/// True if the node can reach all state memory of the context; otherwise VidMm is asked for it.
bool BufferDispatch::has_state(ContextQueue& context) const {
  if (context.has_states()) return true;
  if (!table_.preemption.awaits_memory) return true;
  if (context.holds == 0 && !context.state_asked) {
    context.state_asked = true;
    on_state_needed(context);
  }
  return false;
}

void BufferDispatch::state_returned(ContextQueue& context) {
  LockScope lock(table_.cpu, table_.lock, DISPATCH_LEVEL);
  context.state_asked = false;
  table_.work.set();
}

/// False while the node is asked to stop, or its adapter is reset or asleep. The lock is held.
bool BufferDispatch::takes_buffers(const ContextNode& node) const {
  if (node.preempting || table_.sleeps(*node.adapter)) return false;
  return table_.resetting != node.adapter || abi::mutant(abi::Mutant::kGivenDuringReset);
}

bool BufferDispatch::run_buffer(ContextQueue& context, const Packet& packet) {
  if (!has_state(context)) return false;
  // A reset of the adapter waits for what is reserved here, and then finds it at the device.
  const Adapter::Visit visit(context.adapter);
  DXGKARG_SUBMITCOMMANDVIRTUAL args{};
  {
    LockScope lock(table_.cpu, table_.lock, DISPATCH_LEVEL);
    ContextNode& node = table_.node_of(context.adapter, context.node);
    // The state may have been evicted while this thread waited for the lock; the lock now keeps it.
    if (node.in_flight.size() >= kInFlight || context.holds != 0 || context.stopped() ||
        !takes_buffers(node) || policy_.must_preempt(context, node) ||
        kept_for_another(node, context) ||
        (!context.has_states() && table_.preemption.awaits_memory))
      return false;
    ++context.in_flight;
    args = reserve(node, context, packet);
    keep(node, context, packet);
    if (table_.on_listed) context.lists.push_back(packet.listed);
  }
  if (!packet.listed.empty()) table_.on_listed(context.adapter, packet.listed, ListedWork::kBegins);
  give(context, packet, args);
  return true;
}

bool BufferDispatch::run_leave(ContextQueue& context) {
  if (!context.leaving || context.leave_given) return false;
  Packet packet;
  packet.leaves = true;
  const Adapter::Visit visit(context.adapter);
  DXGKARG_SUBMITCOMMANDVIRTUAL args{};
  {
    LockScope lock(table_.cpu, table_.lock, DISPATCH_LEVEL);
    ContextNode& node = table_.node_of(context.adapter, context.node);
    if (!context.leaving || context.leave_given || node.in_flight.size() >= kInFlight ||
        !takes_buffers(node))
      return false;
    context.leave_given = true;
    args = reserve(node, context, packet);
  }
  give(context, packet, args);
  return true;
}

/// Records the buffer as given to the node. The lock is held.
DXGKARG_SUBMITCOMMANDVIRTUAL BufferDispatch::reserve(ContextNode& node, ContextQueue& context,
                                                     const Packet& packet) {
  DXGKARG_SUBMITCOMMANDVIRTUAL args{};
  args.hContext = context.driver_handle;
  args.DmaBufferVirtualAddress = packet.address;
  args.DmaBufferSize = packet.bytes;
  args.NodeOrdinal = context.node;
  args.SubmissionFenceId = context.last_id = give_id(node, context, packet, args.Flags);
  if (node.in_flight.empty()) node.since = table_.cpu.simulation().steps.simulated();
  node.in_flight.push_back({args.SubmissionFenceId, &context, packet});
  if (!packet.leaves && !context.states.empty() && !node.holds(context))
    node.held.push_back(&context);
  return args;
}

void BufferDispatch::give(ContextQueue& context, const Packet& packet,
                          const DXGKARG_SUBMITCOMMANDVIRTUAL& args) {
  Adapter& adapter = context.adapter;
  common::Simulation& simulation = table_.cpu.simulation();
  simulation.emit(event::ContextGiven{context.object, packet.number, args.SubmissionFenceId,
                                      context.node + 1, args.Flags.Value, adapter.object()});
  simulation.emit(event::ContextSubmit{context.object, args.SubmissionFenceId, adapter.object()});
  if (packet.part != nullptr)
    return give_part(context, *packet.part, args.SubmissionFenceId, args.Flags);
  const NTSTATUS status = adapter.call<Ddi::DxgkDdiSubmitCommandVirtual>(adapter.handle(), &args);
  if (status == STATUS_INVALID_PARAMETER)
    returns_.refused(context, args.SubmissionFenceId);
  else
    adapter.must_succeed(status, Ddi::DxgkDdiSubmitCommandVirtual, VIDEO_SCHEDULER_INTERNAL_ERROR,
                         fenceline::wddm::kSchedulerSubmitFailed);
}

void BufferDispatch::leave(ContextQueue& context) {
  for (;;) {
    {
      LockScope lock(table_.cpu, table_.lock, DISPATCH_LEVEL);
      context.leaving = table_.node_of(context.adapter, context.node).holds(context);
      if (!context.leaving) return;
      context.left.clear();
      table_.work.set();
    }
    table_.cpu.block(context.left, nullptr);
  }
}

/// Emits the bindings of the part, and the number of its broadcast.
void BufferDispatch::announce(const ContextQueue& context, const PatchedPart& part, UINT id) const {
  common::Simulation& simulation = table_.cpu.simulation();
  const std::uint32_t adapter = context.adapter.object();
  const std::uint64_t buffer = part.buffer->memory.gpu_physical();
  simulation.emit(event::PartGiven{adapter, id, context.node + 1, part.buffer->broadcast,
                                   buffer + part.range.start});
  // Parts that stay together may rely on each other's bindings.
  const bool alone = context.adapter.has_cap(DXGK_VIDSCHCAPS::kPreemptionAware);
  for (UINT i = alone ? part.range.first : 0; i < part.range.last; ++i) {
    const Location& location = part.buffer->locations[i];
    if (location.slot() == Location::kNoSlot) continue;
    const DXGK_ALLOCATIONLIST& bound = (*part.allocations)[location.AllocationIndex];
    const std::uint64_t address =
        bound.hDeviceSpecificAllocation == nullptr
            ? 0
            : context.adapter.vram_segment_base() +
                  static_cast<std::uint64_t>(bound.PhysicalAddress.QuadPart);
    simulation.emit(event::PatchLocation{
        adapter, id, context.node + 1, abi::bound_address(location.slot(), address),
        buffer + location.PatchOffset - offsetof(abi::BindPacket, address)});
  }
}

/// DxgkDdiPatch with the part's own patch locations, then DxgkDdiSubmitCommand, with one id.
void BufferDispatch::give_part(const ContextQueue& context, const PatchedPart& part, UINT id,
                               DXGK_SUBMITCOMMANDFLAGS flags) {
  announce(context, part, id);
  Adapter& adapter = context.adapter;
  const PatchedBuffer& buffer = *part.buffer;
  DXGKARG_PATCH patch{};
  patch.hContext = context.driver_handle;
  patch.DmaBufferPhysicalAddress.QuadPart = static_cast<LONGLONG>(buffer.memory.address);
  patch.pDmaBuffer = adapter.driver_port().give(buffer.memory.address, buffer.memory.bytes);
  patch.DmaBufferSize = buffer.bytes;
  patch.DmaBufferSubmissionStartOffset = part.range.start;
  patch.DmaBufferSubmissionEndOffset = part.range.end;
  patch.pAllocationList = part.allocations->data();
  patch.AllocationListSize = static_cast<UINT>(part.allocations->size());
  patch.pPatchLocationList = buffer.locations.data();
  patch.PatchLocationListSize = static_cast<UINT>(buffer.locations.size());
  patch.PatchLocationListSubmissionStart = part.range.first;
  patch.PatchLocationListSubmissionLength = part.range.last - part.range.first;
  patch.SubmissionFenceId = id;
  NTSTATUS status = adapter.call(Ddi::DxgkDdiPatch, [&](auto& ddi) {
    return ddi.DxgkDdiPatch == nullptr ? STATUS_NOT_SUPPORTED
                                       : ddi.DxgkDdiPatch(adapter.handle(), &patch);
  });
  adapter.must_succeed(status, Ddi::DxgkDdiPatch, VIDEO_SCHEDULER_INTERNAL_ERROR,
                       fenceline::wddm::kSchedulerPatchFailed);
  DXGKARG_SUBMITCOMMAND submit{};
  submit.hContext = context.driver_handle;
  submit.DmaBufferPhysicalAddress = patch.DmaBufferPhysicalAddress;
  submit.DmaBufferSize = buffer.bytes;
  submit.DmaBufferSubmissionStartOffset = part.range.start;
  submit.DmaBufferSubmissionEndOffset = part.range.end;
  submit.SubmissionFenceId = id;
  submit.Flags = flags;
  submit.NodeOrdinal = context.node;
  const Adapter::Visit visit(adapter);
  const KIRQL old = table_.cpu.raise(DISPATCH_LEVEL);
  status = adapter.call<Ddi::DxgkDdiSubmitCommand>(adapter.handle(), &submit);
  table_.cpu.lower(old);
  adapter.must_succeed(status, Ddi::DxgkDdiSubmitCommand, VIDEO_SCHEDULER_INTERNAL_ERROR,
                       fenceline::wddm::kSchedulerSubmitFailed);
}

}  // namespace fenceline::os
