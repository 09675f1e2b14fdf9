#include "kmd_stub/core/work/submission.h"

#include "kmd_stub/core/adapter.h"
#include "models/abi/packets.h"
#include "models/abi/page_table.h"

namespace fenceline::kmd {

NTSTATUS Submission::make_ring(Ring& ring, std::uint32_t node) {
  ring.memory = port_.allocate_contiguous(kRingBytes);
  if (ring.memory.kernel_address == nullptr) return STATUS_INSUFFICIENT_RESOURCES;
  const auto slot = queues_.reserve();
  if (!slot.has_value()) return STATUS_INSUFFICIENT_RESOURCES;
  ring.doorbell = port_.map_doorbell(abi::kNodeDoorbell + node);
  if (ring.doorbell == nullptr) return STATUS_INSUFFICIENT_RESOURCES;
  queues_.enable(
      *slot, {ring.memory.physical_address | abi::kSystemMemoryBit, kRingBytes, 0, 0, node, true});
  return STATUS_SUCCESS;
}

NTSTATUS Submission::prepare(std::uint32_t node) {
  return rings_[node].doorbell == nullptr ? make_ring(rings_[node], node) : STATUS_SUCCESS;
}

template <class Packet>
void Submission::append(Ring& ring, const Packet& packet) {
  static_assert(kRingBytes % sizeof packet == 0, "a packet never wraps");
  auto* place = static_cast<std::byte*>(ring.memory.kernel_address) + ring.written % kRingBytes;
  port_.write_memory(place, &packet, sizeof packet);
  ring.written += sizeof packet;
}

void Submission::ring_doorbell(const Ring& ring) {
  port_.memory_barrier();  // the packets must be visible before the doorbell
  port_.write_memory(ring.doorbell, ring.written);
}

void Submission::submit_part(const Context& context, const Part& part) {
  Ring& ring = rings_[context.node];
  if (part.table != 0) append(ring, abi::make_packet<abi::Opcode::kBindTable>(0, part.table));
  std::uint16_t flags = abi::kPhysicalBuffer;
  if (part.again && port_.policy().resume_state) flags |= abi::kResume;
  append(ring, abi::make_packet<abi::Opcode::kRunBuffer>(
                   flags, part.address, part.bytes, static_cast<std::uint16_t>(context.vmid),
                   static_cast<std::uint16_t>(context.save_area.slot), part.id));
  ring_doorbell(ring);
}

NTSTATUS Submission::submit(const Context& context, const DXGKARG_SUBMITCOMMANDVIRTUAL& args) {
  Ring& ring = rings_[context.node];
  if (const NTSTATUS status = prepare(context.node); !NT_SUCCESS(status)) return status;
  const bool leaves = (args.Flags.Value & DXGK_SUBMITCOMMANDFLAGS::kContextSwitch) != 0;
  const bool again = (args.Flags.Value & DXGK_SUBMITCOMMANDFLAGS::kResubmission) != 0;
  std::uint16_t flags = leaves ? abi::kNullContext : 0;
  if (again && port_.policy().resume_state) flags |= abi::kResume;
  // The OS marks the buffers that DxgkDdiPresent wrote.
  if ((args.Flags.Value & DXGK_SUBMITCOMMANDFLAGS::kPresent) != 0) flags |= abi::kDriverBuffer;
  const std::uint32_t slot = leaves ? 0 : context.save_area.slot;
  append(ring, abi::make_packet<abi::Opcode::kRunBuffer>(
                   flags, args.DmaBufferVirtualAddress, leaves ? 0 : args.DmaBufferSize,
                   static_cast<std::uint16_t>(context.vmid), static_cast<std::uint16_t>(slot),
                   args.SubmissionFenceId));
  ring_doorbell(ring);
  return STATUS_SUCCESS;
}

namespace {
constexpr UINT kKnownFlags = DXGK_SUBMITCOMMANDFLAGS::kPaging | DXGK_SUBMITCOMMANDFLAGS::kPresent |
                             DXGK_SUBMITCOMMANDFLAGS::kFlip |
                             DXGK_SUBMITCOMMANDFLAGS::kContextSwitch |
                             DXGK_SUBMITCOMMANDFLAGS::kResubmission;
}  // namespace

NTSTATUS DxgkDdiSubmitCommandVirtual(Adapter& adapter, const DXGKARG_SUBMITCOMMANDVIRTUAL& args) {
  const auto* context = from_handle<Context>(args.hContext);
  if (context == nullptr) return STATUS_INVALID_HANDLE;
  if (&context->adapter != &adapter || args.NodeOrdinal != context->node ||
      args.EngineOrdinal != 0 || args.DmaBufferVirtualAddress % 8 != 0 ||
      args.DmaBufferVirtualAddress >> abi::kVirtualAddressBits != 0 ||
      args.DmaBufferSize % 8 != 0 || (args.Flags.Value & ~kKnownFlags) != 0)
    return STATUS_INVALID_PARAMETER;
  const bool users =
      args.DmaBufferSize != 0 && (args.Flags.Value & DXGK_SUBMITCOMMANDFLAGS::kPaging) == 0;
  if (users && adapter.caps().submit_answer != kmd_host::SubmitAnswer::kTakes)
    return adapter.caps().submit_answer == kmd_host::SubmitAnswer::kInvalidParameter
               ? STATUS_INVALID_PARAMETER
               : STATUS_UNSUCCESSFUL;
  adapter.interrupts().note_submitted(context->node, args.SubmissionFenceId);
  return adapter.submission().submit(*context, args);
}

}  // namespace fenceline::kmd
