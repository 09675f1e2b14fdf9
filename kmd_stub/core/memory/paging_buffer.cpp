#include "kmd_stub/core/memory/paging_buffer.h"

#include <cstddef>

#include "kmd_stub/core/adapter.h"
#include "kmd_stub/core/memory/segments.h"
#include "models/abi/mutant.h"
#include "models/abi/packets.h"

namespace fenceline::kmd {

namespace {

constexpr std::uint64_t kPage = abi::kPageBytes;

/// Source or destination pages of a transfer.
class TransferPages {
 public:
  TransferPages(const Adapter& adapter, const DXGK_TRANSFEREND& end, UINT list_offset)
      : adapter_(adapter), end_(end), list_offset_(list_offset) {}

  /// GPU physical address of a page of the allocation; none if the page is out of range.
  std::optional<std::uint64_t> page(std::uint64_t number) const {
    if (end_.SegmentId == kSystemSegment) {
      const std::uint64_t at = number + list_offset_;
      if (end_.pMdl == nullptr || end_.pMdl->PageFrameNumbers == nullptr ||
          (at + 1) * kPage > end_.pMdl->ByteCount)
        return std::nullopt;
      return gpu_physical(kSystemSegment, end_.pMdl->PageFrameNumbers[at] * kPage);
    }
    const auto start = static_cast<std::uint64_t>(end_.SegmentAddress.QuadPart);
    if (start % kPage != 0) return std::nullopt;
    const std::uint64_t offset = start + number * kPage;
    if (end_.SegmentId == kApertureSegment) {
      const auto system = adapter_.aperture_segment().find(offset / kPage);
      if (!system) return std::nullopt;
      return gpu_physical(kSystemSegment, *system * kPage);
    }
    if (end_.SegmentId != kVramSegment || offset > adapter_.vram_bytes() - kReservedVram - kPage)
      return std::nullopt;
    return gpu_physical(kVramSegment, offset);
  }

 private:
  const Adapter& adapter_;
  const DXGK_TRANSFEREND& end_;
  const UINT list_offset_;
};

/// Appends a packet to the DMA buffer. False if it is full.
template <typename Packet>
bool append(kmd_host::HostPort& port, DXGKARG_BUILDPAGINGBUFFER& args, const Packet& packet) {
  if (args.DmaSize < sizeof packet) return false;
  port.write_memory(args.pDmaBuffer, &packet, sizeof packet);
  args.pDmaBuffer = static_cast<std::byte*>(args.pDmaBuffer) + sizeof packet;
  args.DmaSize -= static_cast<UINT>(sizeof packet);
  return true;
}

NTSTATUS check_transfer(const DXGK_BUILDPAGINGBUFFER_TRANSFER& transfer) {
  constexpr UINT kSwizzles = DXGK_TRANSFERFLAGS::kSwizzle | DXGK_TRANSFERFLAGS::kUnswizzle;
  if ((transfer.Flags.Value & kSwizzles) != 0) return STATUS_NOT_SUPPORTED;
  if (from_handle<Allocation>(transfer.hAllocation) == nullptr) return STATUS_INVALID_HANDLE;
  const std::uint64_t bytes = from_handle<Allocation>(transfer.hAllocation)->bytes;
  if (transfer.TransferOffset % kPage != 0 || transfer.TransferSize % kPage != 0 ||
      transfer.TransferOffset > bytes || transfer.TransferSize > bytes - transfer.TransferOffset)
    return STATUS_INVALID_PARAMETER;
  return STATUS_SUCCESS;
}

/// First page of a transfer and the page after its last.
struct Range {
  std::uint64_t first;
  std::uint64_t end;
};
Range range(const DXGK_BUILDPAGINGBUFFER_TRANSFER& transfer) {
  const std::uint64_t first = transfer.TransferOffset / kPage;
  return {first, first + transfer.TransferSize / kPage};
}

}  // namespace

NTSTATUS transfer(Adapter& adapter, DXGKARG_BUILDPAGINGBUFFER& args) {
  const DXGK_BUILDPAGINGBUFFER_TRANSFER& wanted = args.Transfer;
  if (const NTSTATUS status = check_transfer(wanted); !NT_SUCCESS(status)) return status;
  const auto [first, end] = range(wanted);
  const TransferPages source(adapter, wanted.Source, wanted.MdlOffset);
  const TransferPages destination(adapter, wanted.Destination, wanted.MdlOffset);
  for (std::uint64_t page = first; page < end; ++page)
    if (!source.page(page) || !destination.page(page)) return STATUS_INVALID_PARAMETER;
  for (std::uint64_t page = first + args.MultipassOffset; page < end;) {
    const std::uint64_t from = *source.page(page);
    const std::uint64_t to = *destination.page(page);
    std::uint64_t pages = 1;  // as many as are contiguous at both ends
    while (page + pages < end && *source.page(page + pages) == from + pages * kPage &&
           *destination.page(page + pages) == to + pages * kPage)
      ++pages;
    const std::uint64_t left_out =
        pages > 1 && abi::mutant(abi::Mutant::kTransferLeavesPage) ? 1 : 0;
    const auto packet = abi::make_packet<abi::Opcode::kCopy>(abi::kPhysicalAddresses, from, to,
                                                             (pages - left_out) * kPage);
    if (!append(adapter.port(), args, packet)) return STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER;
    page += pages;
    args.MultipassOffset += static_cast<UINT>(pages);
  }
  return STATUS_SUCCESS;
}

/// Fills the first pages of an allocation in VRAM. @param where Destination of the operation.
template <typename Destination>
NTSTATUS fill_pages(Adapter& adapter, DXGKARG_BUILDPAGINGBUFFER& args, const Allocation& allocation,
                    const Destination& where, std::uint64_t bytes, std::uint64_t pattern) {
  DXGK_TRANSFEREND end{};
  end.SegmentId = where.SegmentId;
  end.SegmentAddress = where.SegmentAddress;
  const TransferPages destination(adapter, end, 0);
  if (where.SegmentId != kVramSegment || bytes == 0 || bytes % kPage != 0 ||
      bytes > allocation.bytes || !destination.page(0) || !destination.page(bytes / kPage - 1))
    return STATUS_INVALID_PARAMETER;
  const auto packet = abi::make_packet<abi::Opcode::kFill>(
      abi::kPhysicalAddresses, *destination.page(0), bytes, pattern | pattern << 32);
  return append(adapter.port(), args, packet) ? STATUS_SUCCESS
                                              : STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER;
}

NTSTATUS fill(Adapter& adapter, DXGKARG_BUILDPAGINGBUFFER& args) {
  const DXGK_BUILDPAGINGBUFFER_FILL wanted = args.Fill;
  const auto* allocation = from_handle<Allocation>(wanted.hAllocation);
  if (allocation == nullptr) return STATUS_INVALID_HANDLE;
  return fill_pages(adapter, args, *allocation, wanted.Destination, wanted.FillSize,
                    wanted.FillPattern);
}

/// Context state without saved data is all zero.
NTSTATUS init_context_resource(Adapter& adapter, DXGKARG_BUILDPAGINGBUFFER& args) {
  const DXGK_BUILDPAGINGBUFFER_INITCONTEXTRESOURCE wanted = args.InitContextResource;
  const auto* allocation = from_handle<Allocation>(wanted.hAllocation);
  if (allocation == nullptr) return STATUS_INVALID_HANDLE;
  return fill_pages(adapter, args, *allocation, wanted.Destination, allocation->bytes, 0);
}

NTSTATUS map_aperture_segment(Adapter& adapter, const DXGK_BUILDPAGINGBUFFER_MAPAPERTURE& map) {
  if (map.hAllocation != nullptr && from_handle<Allocation>(map.hAllocation) == nullptr)
    return STATUS_INVALID_HANDLE;
  if (map.SegmentId != kApertureSegment || map.NumberOfPages == 0 || map.pMdl == nullptr ||
      map.pMdl->PageFrameNumbers == nullptr || map.OffsetInPages >= kAperturePages ||
      map.NumberOfPages > kAperturePages - map.OffsetInPages ||
      (map.MdlOffset + map.NumberOfPages) * kPage > map.pMdl->ByteCount)
    return STATUS_INVALID_PARAMETER;
  for (SIZE_T i = 0; i < map.NumberOfPages; ++i)
    adapter.aperture_segment().set(map.OffsetInPages + i,
                                   map.pMdl->PageFrameNumbers[map.MdlOffset + i]);
  return STATUS_SUCCESS;
}

NTSTATUS unmap_aperture_segment(Adapter& adapter,
                                const DXGK_BUILDPAGINGBUFFER_UNMAPAPERTURE& unmap) {
  if (unmap.hAllocation != nullptr && from_handle<Allocation>(unmap.hAllocation) == nullptr)
    return STATUS_INVALID_HANDLE;
  if (unmap.SegmentId != kApertureSegment || unmap.NumberOfPages == 0 ||
      unmap.OffsetInPages >= kAperturePages ||
      unmap.NumberOfPages > kAperturePages - unmap.OffsetInPages || unmap.DummyPage.QuadPart < 0 ||
      static_cast<std::uint64_t>(unmap.DummyPage.QuadPart) % kPage != 0)
    return STATUS_INVALID_PARAMETER;
  for (SIZE_T i = 0; i < unmap.NumberOfPages; ++i)
    adapter.aperture_segment().set(unmap.OffsetInPages + i,
                                   static_cast<std::uint64_t>(unmap.DummyPage.QuadPart) / kPage);
  return STATUS_SUCCESS;
}

}  // namespace fenceline::kmd
