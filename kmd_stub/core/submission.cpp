#include "kmd_stub/core/submission.h"

#include "kmd_stub/core/adapter.h"
#include "models/abi/packets.h"
#include "models/abi/page_table.h"

namespace fenceline::kmd {

NTSTATUS Submission::make_ring(Ring& ring, std::uint32_t node) {
  ring.memory = port_.allocate_contiguous(kRingBytes);
  if (ring.memory.kernel_address == nullptr) return STATUS_INSUFFICIENT_RESOURCES;
  const auto slot = queues_.reserve();
  if (!slot.has_value()) return STATUS_INSUFFICIENT_RESOURCES;
  ring.doorbell = port_.map_doorbell(*slot);
  queues_.enable(
      *slot, {ring.memory.physical_address | abi::kSystemMemoryBit, kRingBytes, 0, 0, node, true});
  return STATUS_SUCCESS;
}

NTSTATUS Submission::submit(std::uint32_t node, std::uint32_t address_space,
                            const DXGKARG_SUBMITCOMMANDVIRTUAL& args) {
  Ring& ring = rings_[node];
  if (ring.doorbell == nullptr)
    if (const NTSTATUS status = make_ring(ring, node); !NT_SUCCESS(status)) return status;
  const abi::RunBufferPacket packet{{abi::Opcode::kRunBuffer, 0, sizeof packet},
                                    args.DmaBufferVirtualAddress,
                                    args.DmaBufferSize,
                                    address_space,
                                    args.SubmissionFenceId};
  static_assert(kRingBytes % sizeof packet == 0, "a packet never wraps");
  auto* place = static_cast<std::byte*>(ring.memory.kernel_address) + ring.written % kRingBytes;
  port_.write_memory(place, &packet, sizeof packet);
  port_.memory_barrier();  // the packet is there before the device is told
  ring.written += sizeof packet;
  port_.write_memory(ring.doorbell, ring.written);
  return STATUS_SUCCESS;
}

NTSTATUS submit_command_virtual(Adapter& adapter, const DXGKARG_SUBMITCOMMANDVIRTUAL& args) {
  const auto* context = from_handle<Context>(args.hContext);
  if (context == nullptr) return STATUS_INVALID_HANDLE;
  if (&context->adapter != &adapter || args.NodeOrdinal != context->node ||
      args.EngineOrdinal != 0 || args.DmaBufferVirtualAddress % 8 != 0 ||
      args.DmaBufferVirtualAddress >> abi::kVirtualAddressBits != 0 ||
      args.DmaBufferSize % 8 != 0 || (args.Flags.Value & ~DXGK_SUBMITCOMMANDFLAGS::kPaging) != 0)
    return STATUS_INVALID_PARAMETER;
  return adapter.submission().submit(context->node, context->vmid, args);
}

}  // namespace fenceline::kmd
