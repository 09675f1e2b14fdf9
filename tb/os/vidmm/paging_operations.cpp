#include "tb/os/vidmm/paging_operations.h"

#include "tb/os/dxgk/process.h"

namespace fenceline::os {

namespace {

constexpr std::uint64_t kApertureBytes = 1ULL << 32;  ///< size of VidMm's aperture segment

}  // namespace

void PagingOperations::start(PagePool& system_pages) {
  aperture_pool_ = std::make_unique<PagePool>(0, kApertureBytes, "the aperture segment");
  aperture_.set_up(*aperture_pool_, kApertureBytes / kPage);
  dummy_page_ = system_pages.allocate(kPage);
}

void PagingOperations::transfer(Allocation& allocation, bool to_vram) {
  std::vector<UINT64> numbers;
  for (const std::uint64_t page : allocation.system) numbers.push_back(page / kPage);
  const MDL list{allocation.pages * kPage, numbers.data()};
  for (std::uint64_t first = 0; first < allocation.pages;) {
    std::uint64_t end = first + 1;
    while (end < allocation.pages && allocation.vram[end] == allocation.vram[end - 1] + kPage)
      ++end;
    DXGKARG_BUILDPAGINGBUFFER args{};
    args.Operation = DXGK_OPERATION_TRANSFER;
    args.Transfer = {};
    args.Transfer.hAllocation = allocation.driver_handle;
    args.Transfer.TransferSize = (end - first) * kPage;
    args.Transfer.MdlOffset = static_cast<UINT>(first);
    args.Transfer.Flags.Value = DXGK_TRANSFERFLAGS::kAllocationIsIdle |
                                (first == 0 ? DXGK_TRANSFERFLAGS::kTransferStart : 0U) |
                                (end == allocation.pages ? DXGK_TRANSFERFLAGS::kTransferEnd : 0U);
    DXGK_TRANSFEREND vram{};
    vram.SegmentId = kVramSegment;
    vram.SegmentAddress.QuadPart =
        static_cast<LONGLONG>(allocation.vram[first] - state_.adapter.vram_segment_base());
    DXGK_TRANSFEREND system{};
    system.SegmentId = kSystemSegment;
    system.pMdl = &list;
    args.Transfer.Source = to_vram ? system : vram;
    args.Transfer.Destination = to_vram ? vram : system;
    state_.pager.build(args);
    first = end;
  }
  state_.pager.run(state_.adapter.system().waits_for_transfers);
}

void PagingOperations::fill(const Allocation& allocation) {
  for (std::uint64_t first = 0; first < allocation.pages;) {
    std::uint64_t end = first + 1;
    while (end < allocation.pages && allocation.vram[end] == allocation.vram[end - 1] + kPage)
      ++end;
    DXGKARG_BUILDPAGINGBUFFER args{};
    args.Operation = DXGK_OPERATION_FILL;
    args.Fill = {};
    args.Fill.hAllocation = allocation.driver_handle;
    args.Fill.FillSize = (end - first) * kPage;
    args.Fill.Destination.SegmentId = kVramSegment;
    args.Fill.Destination.SegmentAddress.QuadPart =
        static_cast<LONGLONG>(allocation.vram[first] - state_.adapter.vram_segment_base());
    state_.pager.build(args);
    first = end;
  }
  state_.pager.run(true);
}

void PagingOperations::init_state(const Allocation& allocation) {
  DXGKARG_BUILDPAGINGBUFFER args{};
  args.Operation = DXGK_OPERATION_INIT_CONTEXT_RESOURCE;
  args.InitContextResource = {};
  args.InitContextResource.hAllocation = allocation.driver_handle;
  args.InitContextResource.Destination.SegmentId = kVramSegment;
  args.InitContextResource.Destination.SegmentAddress.QuadPart =
      static_cast<LONGLONG>(allocation.vram.front() - state_.adapter.vram_segment_base());
  args.InitContextResource.Destination.GpuVirtualAddress = allocation.gpu_address;
  state_.pager.build(args);
  state_.pager.run(true);
}

void PagingOperations::map_aperture(Allocation& allocation) {
  if (!allocation.has(Allocation::Flags::kAccessedPhysically)) return;
  allocation.aperture = aperture_.take(allocation.pages, true)->front();
  std::vector<UINT64> numbers;
  for (const std::uint64_t page : allocation.system) numbers.push_back(page / kPage);
  const MDL list{allocation.pages * kPage, numbers.data()};
  DXGKARG_BUILDPAGINGBUFFER args{};
  args.Operation = DXGK_OPERATION_MAP_APERTURE_SEGMENT;
  args.MapApertureSegment = {};
  args.MapApertureSegment.hDevice = allocation.process->space->device();
  args.MapApertureSegment.hAllocation = allocation.driver_handle;
  args.MapApertureSegment.SegmentId = kApertureSegment;
  args.MapApertureSegment.OffsetInPages = allocation.aperture / kPage;
  args.MapApertureSegment.NumberOfPages = allocation.pages;
  args.MapApertureSegment.pMdl = &list;
  state_.pager.build(args);
}

void PagingOperations::unmap_aperture(const Allocation& allocation) {
  if (!allocation.has(Allocation::Flags::kAccessedPhysically)) return;
  DXGKARG_BUILDPAGINGBUFFER args{};
  args.Operation = DXGK_OPERATION_UNMAP_APERTURE_SEGMENT;
  args.UnmapApertureSegment = {};
  args.UnmapApertureSegment.hDevice = allocation.process->space->device();
  args.UnmapApertureSegment.hAllocation = allocation.driver_handle;
  args.UnmapApertureSegment.SegmentId = kApertureSegment;
  args.UnmapApertureSegment.OffsetInPages = allocation.aperture / kPage;
  args.UnmapApertureSegment.NumberOfPages = allocation.pages;
  args.UnmapApertureSegment.DummyPage.QuadPart = static_cast<LONGLONG>(dummy_page_);
  state_.pager.build(args);
  std::vector<std::uint64_t> pages;
  for (std::uint64_t i = 0; i < allocation.pages; ++i)
    pages.push_back(allocation.aperture + i * kPage);
  aperture_.give(pages);
}

}  // namespace fenceline::os
