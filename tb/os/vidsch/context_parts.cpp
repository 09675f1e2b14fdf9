// VidSch: parts of buffers with patch locations.
#include "models/abi/packets.h"
#include "tb/os/driver/kernel_address.h"
#include "tb/os/vidsch/context_scheduler.h"

namespace fenceline::os {

using Packet = ContextQueue::Packet;
using Location = D3DDDI_PATCHLOCATIONLIST;

/// Without preemption awareness, parts of a buffer follow each other on their node.
/// Source: WDDM, GPU preemption: what Windows 7 guarantees.
bool ContextScheduler::kept_for_another(const Node& node, const ContextQueue& context) {
  return node.kept != nullptr && node.kept != &context && !node.kept->ended;
}

void ContextScheduler::keep(Node& node, ContextQueue& context, const Packet& packet) {
  node.kept = packet.part != nullptr && !packet.part->last && !is_aware(node) ? &context : nullptr;
}

/// Emits the bindings of the part, and the number of its broadcast.
void ContextScheduler::announce(const ContextQueue& context, const PatchedPart& part,
                                UINT id) const {
  common::Simulation& simulation = cpu_.simulation();
  const common::AgentId agent = simulation.steps.current();
  const std::uint32_t adapter = context.adapter.object();

  const std::uint64_t buffer = part.buffer->memory.gpu_physical();
  simulation.events.emit(agent,
                         event::PartGiven{adapter, id, context.node + 1, part.buffer->broadcast,
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
    simulation.events.emit(
        agent, event::PatchLocation{
                   adapter, id, context.node + 1, abi::bound_address(location.slot(), address),
                   buffer + location.PatchOffset - offsetof(abi::BindPacket, address)});
  }
}

/// DxgkDdiPatch with the part's own patch locations, then DxgkDdiSubmitCommand, with one id.
void ContextScheduler::give_part(const ContextQueue& context, const PatchedPart& part, UINT id,
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
  if (!NT_SUCCESS(status))
    adapter.bug_check(VIDEO_SCHEDULER_INTERNAL_ERROR,
                      {fenceline::wddm::kSchedulerPatchFailed, static_cast<std::uint32_t>(status)},
                      "DxgkDdiPatch failed");
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
  const KIRQL old = cpu_.raise(DISPATCH_LEVEL);
  status = adapter.call<Ddi::DxgkDdiSubmitCommand>(adapter.handle(), &submit);
  cpu_.lower(old);
  if (!NT_SUCCESS(status))
    adapter.bug_check(VIDEO_SCHEDULER_INTERNAL_ERROR,
                      {fenceline::wddm::kSchedulerSubmitFailed, static_cast<std::uint32_t>(status)},
                      "DxgkDdiSubmitCommand failed");
}

}  // namespace fenceline::os
