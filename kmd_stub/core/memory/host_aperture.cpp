#include "kmd_stub/core/memory/host_aperture.h"

#include <set>

#include "kmd_stub/core/adapter.h"
#include "kmd_stub/core/memory/segments.h"
#include "models/abi/page_table.h"
#include "models/abi/registers.h"

namespace fenceline::kmd {

namespace {

constexpr std::uint64_t kReservedPages = kReservedVram / abi::kPageBytes;

/// Checks of map and unmap.
NTSTATUS check_pages(const Adapter& adapter, WORD segment, WORD physical_adapter, UINT64 count,
                     const UINT32* pages) {
  const std::uint32_t window = host_aperture_pages(adapter);
  if (window == 0) return STATUS_NOT_SUPPORTED;
  if (segment != kVramSegment || physical_adapter != 0 || count == 0 || count > window ||
      pages == nullptr)
    return STATUS_INVALID_PARAMETER;
  std::set<UINT32> seen;
  for (UINT64 i = 0; i < count; ++i)
    if (pages[i] >= window || !seen.insert(pages[i]).second) return STATUS_INVALID_PARAMETER;
  return STATUS_SUCCESS;
}

/// Waits until earlier posted writes have reached the device.
void flush(Adapter& adapter) { adapter.port().read_register(abi::kHostApertureControl); }

}  // namespace

std::uint32_t host_aperture_pages(const Adapter& adapter) {
  const std::uint64_t bar = adapter.vram_bar().bytes;
  return bar < adapter.vram_bytes() ? static_cast<std::uint32_t>(bar / abi::kPageBytes) : 0;
}

void enable_host_aperture(Adapter& adapter) {
  if (host_aperture_pages(adapter) == 0) return;
  adapter.port().write_register(abi::kHostApertureControl, 1);
  flush(adapter);
}

NTSTATUS DxgkDdiMapCpuHostAperture(Adapter& adapter, const DXGKARG_MAPCPUHOSTAPERTURE& args) {
  const NTSTATUS status = check_pages(adapter, args.SegmentId, args.PhysicalAdapterIndex,
                                      args.NumberOfPages, args.pCpuHostAperturePages);
  if (!NT_SUCCESS(status)) return status;
  if (args.pMemorySegmentPages == nullptr) return STATUS_INVALID_PARAMETER;
  if (args.hAllocation != nullptr && from_handle<Allocation>(args.hAllocation) == nullptr)
    return STATUS_INVALID_HANDLE;
  const std::uint64_t segment_pages = adapter.vram_bytes() / abi::kPageBytes - kReservedPages;
  for (UINT64 i = 0; i < args.NumberOfPages; ++i)
    if (args.pMemorySegmentPages[i] >= segment_pages) return STATUS_INVALID_PARAMETER;
  for (UINT64 i = 0; i < args.NumberOfPages; ++i)
    adapter.port().write_register(
        abi::kHostApertureEntry,
        abi::host_aperture_entry(args.pCpuHostAperturePages[i],
                                 args.pMemorySegmentPages[i] + kReservedPages, true));
  flush(adapter);
  return STATUS_SUCCESS;
}

NTSTATUS DxgkDdiUnmapCpuHostAperture(Adapter& adapter, const DXGKARG_UNMAPCPUHOSTAPERTURE& args) {
  const NTSTATUS status = check_pages(adapter, args.SegmentId, args.PhysicalAdapterIndex,
                                      args.NumberOfPages, args.pCpuHostAperturePages);
  if (!NT_SUCCESS(status)) return status;
  for (UINT64 i = 0; i < args.NumberOfPages; ++i)
    adapter.port().write_register(
        abi::kHostApertureEntry, abi::host_aperture_entry(args.pCpuHostAperturePages[i], 0, false));
  flush(adapter);
  return STATUS_SUCCESS;
}

}  // namespace fenceline::kmd
