#include "kmd_stub/core/work/patching.h"

#include <cstddef>
#include <optional>

#include "kmd_stub/core/adapter.h"
#include "kmd_stub/core/memory/segments.h"
#include "models/abi/packets.h"

namespace fenceline::kmd {

namespace {

std::uint64_t buffer_address(PHYSICAL_ADDRESS whole, UINT offset) {
  return (static_cast<std::uint64_t>(whole.QuadPart) + offset) | abi::kSystemMemoryBit;
}

bool is_part(UINT segment, PHYSICAL_ADDRESS address, UINT size, UINT start, UINT end) {
  const auto whole = static_cast<std::uint64_t>(address.QuadPart);
  return segment == kSystemSegment && whole != 0 && whole % 8 == 0 &&
         (whole & abi::kSystemMemoryBit) == 0 && start % 8 == 0 && end % 8 == 0 && start <= end &&
         end <= size;
}

/// GPU physical address of a patch location. 0 without an allocation; none if the device cannot
/// reach the allocation.
std::optional<std::uint64_t> address_of(const DXGKARG_PATCH& args,
                                        const D3DDDI_PATCHLOCATIONLIST& location) {
  const DXGK_ALLOCATIONLIST& allocation = args.pAllocationList[location.AllocationIndex];
  if (allocation.hDeviceSpecificAllocation == nullptr) return 0;
  // Here segment 0 means that the allocation is not placed yet.
  if (allocation.segment() == kSystemSegment) return std::nullopt;
  const auto base = gpu_physical(allocation.segment(),
                                 static_cast<std::uint64_t>(allocation.PhysicalAddress.QuadPart));
  if (!base) return std::nullopt;
  return *base + location.AllocationOffset;
}

/// True if the location takes an address.
bool takes_address(const D3DDDI_PATCHLOCATIONLIST& location) {
  return location.slot() != D3DDDI_PATCHLOCATIONLIST::kNoSlot;
}

bool is_location(const DXGKARG_PATCH& args, UINT index) {
  const D3DDDI_PATCHLOCATIONLIST& location = args.pPatchLocationList[index];
  if (!takes_address(location)) return true;
  return location.AllocationIndex < args.AllocationListSize && location.PatchOffset % 8 == 0 &&
         location.PatchOffset >= args.DmaBufferSubmissionStartOffset &&
         location.PatchOffset + 8 <= args.DmaBufferSubmissionEndOffset &&
         index < BindTables::kEntries && address_of(args, location).has_value();
}

bool fits(const DXGKARG_PATCH& args) {
  const UINT first = args.PatchLocationListSubmissionStart;
  const UINT count = args.PatchLocationListSubmissionLength;
  if (args.pDmaBuffer == nullptr || args.EngineOrdinal != 0 || args.Flags.Value != 0 ||
      !is_part(args.DmaBufferSegmentId, args.DmaBufferPhysicalAddress, args.DmaBufferSize,
               args.DmaBufferSubmissionStartOffset, args.DmaBufferSubmissionEndOffset) ||
      first > args.PatchLocationListSize || count > args.PatchLocationListSize - first)
    return false;
  if (count != 0 && (args.pPatchLocationList == nullptr || args.pAllocationList == nullptr))
    return false;
  for (UINT i = first; i < first + count; ++i)
    if (!is_location(args, i)) return false;
  return true;
}

/// True if addresses go into a table outside the buffer.
bool uses_table(const Adapter& adapter) {
  return adapter.caps().linked && !adapter.caps().patches_in_place;
}

}  // namespace

NTSTATUS BindTables::begin(kmd_host::HostPort& port) {
  if (memory_.kernel_address == nullptr) memory_ = port.allocate_contiguous(8 * kEntries * kTables);
  if (memory_.kernel_address == nullptr) return STATUS_INSUFFICIENT_RESOURCES;
  ++begun_;
  return STATUS_SUCCESS;
}

void BindTables::store(kmd_host::HostPort& port, UINT index, std::uint64_t address) const {
  auto* const words = static_cast<std::uint64_t*>(memory_.kernel_address);
  port.write_memory(words + begun_ % kTables * kEntries + index, address);
}

std::uint64_t BindTables::current() const {
  if (begun_ == 0) return 0;
  return (memory_.physical_address + 8ULL * kEntries * (begun_ % kTables)) | abi::kSystemMemoryBit;
}

NTSTATUS DxgkDdiPatch(Adapter& adapter, const DXGKARG_PATCH& args) {
  const auto* context = from_handle<Context>(args.hContext);
  if (context == nullptr) return STATUS_INVALID_HANDLE;
  if (&context->adapter != &adapter || !fits(args)) return STATUS_INVALID_PARAMETER;
  if (adapter.caps().refuses_patches) return STATUS_INVALID_PARAMETER;
  if (const NTSTATUS status = adapter.submission().prepare(context->node); !NT_SUCCESS(status))
    return status;
  BindTables& tables = adapter.submission().tables(context->node);
  const bool aside = uses_table(adapter);
  if (aside)
    if (const NTSTATUS status = tables.begin(adapter.port()); !NT_SUCCESS(status)) return status;
  auto* const buffer = static_cast<std::byte*>(args.pDmaBuffer);
  const UINT first = args.PatchLocationListSubmissionStart;
  for (UINT i = first; i < first + args.PatchLocationListSubmissionLength; ++i) {
    const D3DDDI_PATCHLOCATIONLIST& location = args.pPatchLocationList[i];
    if (!takes_address(location)) continue;
    const std::uint64_t address = *address_of(args, location);
    if (aside)
      tables.store(adapter.port(), i, address);
    else
      adapter.port().write_memory(buffer + location.PatchOffset, address);
  }
  return STATUS_SUCCESS;
}

NTSTATUS DxgkDdiSubmitCommand(Adapter& adapter, const DXGKARG_SUBMITCOMMAND& args) {
  const auto* context = from_handle<Context>(args.hContext);
  if (context == nullptr) return STATUS_INVALID_HANDLE;
  constexpr UINT kKnown = DXGK_SUBMITCOMMANDFLAGS::kResubmission;
  if (&context->adapter != &adapter || args.NodeOrdinal != context->node ||
      args.EngineOrdinal != 0 || args.DmaBufferVirtualAddress != 0 ||
      (args.Flags.Value & ~kKnown) != 0 || !adapter.submission().fed(context->node) ||
      !is_part(args.DmaBufferSegmentId, args.DmaBufferPhysicalAddress, args.DmaBufferSize,
               args.DmaBufferSubmissionStartOffset, args.DmaBufferSubmissionEndOffset))
    return STATUS_INVALID_PARAMETER;
  Submission::Part part;
  part.address = buffer_address(args.DmaBufferPhysicalAddress, args.DmaBufferSubmissionStartOffset);
  part.bytes = args.DmaBufferSubmissionEndOffset - args.DmaBufferSubmissionStartOffset;
  part.id = args.SubmissionFenceId;
  part.again = (args.Flags.Value & DXGK_SUBMITCOMMANDFLAGS::kResubmission) != 0;
  part.table = uses_table(adapter) ? adapter.submission().tables(context->node).current() : 0;
  adapter.interrupts().note_submitted(context->node, args.SubmissionFenceId);
  adapter.submission().submit_part(*context, part);
  return STATUS_SUCCESS;
}

}  // namespace fenceline::kmd
