#include "kmd_stub/core/memory/page_tables.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>

#include "kmd_stub/core/adapter.h"
#include "kmd_stub/core/memory/segments.h"
#include "models/abi/mutant.h"

namespace fenceline::kmd {

namespace {

constexpr std::uint32_t kEntriesAtOnce = 8;  // 64 bytes: one access of the port

/// VMID of a context or a hardware context.
std::optional<std::uint32_t> vmid_of(const Adapter& adapter, HANDLE context) {
  if (const auto* plain = from_handle<Context>(context);
      plain != nullptr && &plain->adapter == &adapter)
    return plain->vmid;
  if (const auto* hardware = from_handle<HwContext>(context);
      hardware != nullptr && &hardware->adapter == &adapter)
    return hardware->vmid;
  return std::nullopt;
}

/// Converts an entry to the hardware's format; none if the hardware does not support it.
std::optional<std::uint64_t> translate(const DXGK_PTE& entry, UINT level) {
  if ((entry.Flags & DXGK_PTE::kValid) == 0) return 0;
  constexpr UINT64 kUnsupported = DXGK_PTE::kZero | DXGK_PTE::kLargePage |
                                  DXGK_PTE::kPhysicalAdapterIndexMask |
                                  DXGK_PTE::kPageTablePageSizeMask;
  if ((entry.Flags & kUnsupported) != 0) return std::nullopt;
  if (entry.PageAddress >> (64 - abi::kPageBits) != 0) return std::nullopt;
  const auto segment =
      static_cast<UINT>((entry.Flags & DXGK_PTE::kSegmentMask) >> DXGK_PTE::kSegmentShift);
  const auto address = gpu_physical(segment, entry.PageAddress << abi::kPageBits);
  if (!address.has_value()) return std::nullopt;
  const bool writable = level == 0 && (entry.Flags & DXGK_PTE::kReadOnly) == 0;
  return *address | abi::kEntryValid | (writable ? abi::kEntryWritable : 0);
}

/// The entry that the update writes at index `n`.
const DXGK_PTE& source(const DXGK_BUILDPAGINGBUFFER_UPDATEPAGETABLE& update, UINT n) {
  const bool repeat = (update.Flags.Value & DXGK_UPDATEPAGETABLEFLAGS::kRepeat) != 0;
  return update.pPageTableEntries[repeat ? 0 : n];
}

NTSTATUS check(const DXGK_BUILDPAGINGBUFFER_UPDATEPAGETABLE& update) {
  if (update.UpdateMode != DXGK_PAGETABLEUPDATE_CPU_VIRTUAL ||
      (update.Flags.Value & DXGK_UPDATEPAGETABLEFLAGS::kUse64KBPages) != 0)
    return STATUS_NOT_SUPPORTED;
  if (update.PageTableLevel >= abi::kPageTableLevels ||
      update.PageTableAddress.CpuVirtual == nullptr || update.pPageTableEntries == nullptr ||
      update.StartIndex >= abi::kPageTableEntries ||
      update.NumPageTableEntries > abi::kPageTableEntries - update.StartIndex)
    return STATUS_INVALID_PARAMETER;
  for (UINT n = 0; n < update.NumPageTableEntries; ++n)
    if (!translate(source(update, n), update.PageTableLevel).has_value())
      return STATUS_INVALID_PARAMETER;
  return STATUS_SUCCESS;
}

NTSTATUS update_page_table(kmd_host::HostPort& port,
                           const DXGK_BUILDPAGINGBUFFER_UPDATEPAGETABLE& update) {
  if (const NTSTATUS status = check(update); !NT_SUCCESS(status)) return status;
  auto* table = static_cast<std::byte*>(update.PageTableAddress.CpuVirtual);
  std::array<std::uint64_t, kEntriesAtOnce> entries{};
  for (UINT n = 0; n < update.NumPageTableEntries;) {
    const UINT index = update.StartIndex + n;
    const UINT count = std::min(kEntriesAtOnce - index % kEntriesAtOnce,
                                update.NumPageTableEntries - n);  // up to a 64-byte boundary
    for (UINT i = 0; i < count; ++i)
      entries[i] =
          *translate(source(update, abi::mutant(abi::Mutant::kPageEntryRepeated) ? n : n + i),
                     update.PageTableLevel);
    port.write_memory(table + 8 * std::size_t{index}, entries.data(), 8 * std::size_t{count});
    n += count;
  }
  port.memory_barrier();
  return STATUS_SUCCESS;
}

NTSTATUS flush_tlb(Adapter& adapter, const DXGK_BUILDPAGINGBUFFER_FLUSHTLB& flush) {
  const auto* process = from_handle<Process>(flush.hProcess);
  if (process == nullptr) return STATUS_INVALID_HANDLE;
  if (&process->adapter != &adapter) return STATUS_INVALID_PARAMETER;
  if (!abi::mutant(abi::Mutant::kTlbNotFlushed)) adapter.address_spaces().invalidate(process->vmid);
  return STATUS_SUCCESS;
}

}  // namespace

SIZE_T DxgkDdiGetRootPageTableSize(AnyAdapter /*adapter*/, DXGKARG_GETROOTPAGETABLESIZE& args) {
  args.NumberOfPte = abi::kPageTableEntries;
  return 8 * SIZE_T{abi::kPageTableEntries};
}

void DxgkDdiSetRootPageTable(Adapter& adapter, const DXGKARG_SETROOTPAGETABLE& args) {
  const auto vmid = vmid_of(adapter, args.hContext);
  const auto root = gpu_physical(args.Address.SegmentId, args.Address.SegmentOffset);
  if (vmid.has_value() && root.has_value()) adapter.address_spaces().set_root(*vmid, *root);
}

NTSTATUS DxgkDdiBuildPagingBuffer(Adapter& adapter, DXGKARG_BUILDPAGINGBUFFER& args) {
  switch (args.Operation) {
    case DXGK_OPERATION_TRANSFER:
      return transfer(adapter, args);
    case DXGK_OPERATION_FILL:
      return fill(adapter, args);
    case DXGK_OPERATION_INIT_CONTEXT_RESOURCE:
      return init_context_resource(adapter, args);
    case DXGK_OPERATION_MAP_APERTURE_SEGMENT:
      return map_aperture_segment(adapter, args.MapApertureSegment);
    case DXGK_OPERATION_UNMAP_APERTURE_SEGMENT:
      return unmap_aperture_segment(adapter, args.UnmapApertureSegment);
    case DXGK_OPERATION_UPDATE_PAGE_TABLE:
      return update_page_table(adapter.port(), args.UpdatePageTable);
    case DXGK_OPERATION_FLUSH_TLB:
      return flush_tlb(adapter, args.FlushTlb);
    default:
      return STATUS_NOT_SUPPORTED;
  }
}

}  // namespace fenceline::kmd
