// VidMm: moving allocations between VRAM and system memory.
#include <algorithm>
#include <array>

#include "tb/os/kernel.h"

namespace fenceline::os {

using common::Placement;

namespace {
constexpr UINT kSystemSegment = 0;
}  // namespace

/// The CPU could go on using what it has locked, or nothing is locked.
bool VideoMemory::may_be_in_vram(const Allocation& allocation) const {
  if (!allocation.supports(kVramSegment)) return false;
  if (allocation.locks == 0) return true;
  if (!adapter_.system().lock_rules) return true;
  if (!allocation.has(Flags::kCpuVisible) || allocation.has(Flags::kCached)) return false;
  return adapter_.vram_cpu_visible() || window_has_room(allocation);
}

/// To a place where the GPU reaches it; false if there is none now.
bool VideoMemory::bring_in(Allocation& allocation, const Request& request) {
  allocation.last_made_resident = ++stamp_;
  if (allocation.placement != Placement::kSystem) return true;
  const bool aperture = allocation.supports(kApertureSegment);
  if (allocation.preferred == kVramSegment || !aperture) {
    if (may_be_in_vram(allocation) && make_room(allocation, request)) {
      move(allocation, Placement::kVram);
      return allocation.placement != Placement::kSystem;
    }
  }
  if (aperture) move(allocation, Placement::kAperture);
  return aperture;
}

/// Somebody wants it resident, or work that was queued while that was so may not be done. A
/// context allocation is wanted while a context has work: two of them that drive each other out
/// would keep both from running.
bool VideoMemory::in_use(const Allocation& allocation) const {
  if (allocation.residency != 0) return true;
  if (std::any_of(allocation.contexts.begin(), allocation.contexts.end(),
                  [](const ContextQueue* context) { return context->buffers != 0; }))
    return true;
  return std::any_of(requests_.begin(), requests_.end(), [&](const Request& request) {
    const bool ends_use =
        request.kind == Request::Kind::kEvict || request.kind == Request::Kind::kRelease;
    return ends_use &&
           std::find(request.list.begin(), request.list.end(), &allocation) != request.list.end();
  });
}

/// Moves others out of VRAM until so many pages are free: first what nobody wants resident, then
/// what was made resident longest ago. Nothing that the request names, and nothing that has to stay
/// where `wanted` is to go.
bool VideoMemory::make_room(const Allocation& wanted, const Request& request) {
  const std::uint64_t pages = wanted.pages;
  const bool contiguous = wanted.has(Flags::kAccessedPhysically);
  std::vector<Allocation*> others;
  std::uint64_t there = vram_.free();
  for (Allocation* allocation : allocations_) {
    const bool named =
        std::find(request.list.begin(), request.list.end(), allocation) != request.list.end();
    if (allocation->placement != Placement::kVram || named || !allocation->alive) continue;
    if (in_use(*allocation) && !allocation->supports(kApertureSegment)) continue;
    others.push_back(allocation);
    there += allocation->pages;
  }
  if (there < pages) return false;
  std::sort(others.begin(), others.end(), [this](const Allocation* left, const Allocation* right) {
    const bool wanted_left = in_use(*left);
    const bool wanted_right = in_use(*right);
    if (wanted_left != wanted_right) return wanted_right;
    return left->last_made_resident < right->last_made_resident;
  });
  for (Allocation* victim : others) {
    if (vram_.has_room(pages, contiguous)) break;
    const bool stays = in_use(*victim);
    // It may have come into use while another was moved.
    if (stays && !victim->supports(kApertureSegment)) continue;
    move(*victim, stays ? Placement::kAperture : Placement::kSystem);
  }
  return vram_.has_room(pages, contiguous);
}

/// All that might use it stands still until end_move.
void VideoMemory::begin_move(Allocation& allocation) {
  claim(allocation);
  pager_.set_subject(allocation);
  const auto block_until = [&](KernelEvent& event, auto&& over) {
    while (!over()) {
      event.clear();
      if (!over()) cpu_.block(event, nullptr);
    }
  };
  block_until(work_, [&] { return allocation.accessors == 0; });
  contexts_.hold(allocation.process);
  set_reached(allocation, false);
  block_until(work_, [&] { return contexts_.quiet(allocation.process); });
  work_.set();  // the list may hold more than what has woken us
  if (on_hold) on_hold(*allocation.process, true);
  if (adapter_.system().preemption.leaves_contexts)
    for (ContextQueue* context : allocation.contexts) contexts_.leave(*context);
  drain_all_cores();
}

void VideoMemory::end_move(Allocation& allocation) {
  set_reached(allocation, allocation.placement != Placement::kSystem);
  contexts_.release(allocation.process);
  if (!allocation.of_context) report_place(allocation);
  let_go(allocation);
  if (on_hold) on_hold(*allocation.process, false);
}

void VideoMemory::move(Allocation& allocation, Placement to) {
  begin_move(allocation);
  // While others were waited for it may have been locked, or somebody have taken the window's room
  // or the memory.
  const bool contiguous = allocation.has(Flags::kAccessedPhysically);
  const bool room = vram_.has_room(allocation.pages, contiguous);
  if (to == Placement::kVram && (!may_be_in_vram(allocation) || !room))
    to = allocation.supports(kApertureSegment) ? Placement::kAperture : allocation.placement;
  const Placement from = allocation.placement;
  if (from != to && allocation.exists) {
    if (from != Placement::kSystem) unmap_gpu(allocation);
    if (from == Placement::kAperture) unmap_aperture(allocation);
    allocation.placement = to;
    if (from == Placement::kVram) leave_vram(allocation);
    if (to == Placement::kVram) enter_vram(allocation);
    if (to != Placement::kVram) give_system_pages(allocation);
    if (to == Placement::kAperture) map_aperture(allocation);
    if (to != Placement::kSystem) map_gpu(allocation);
  }
  end_move(allocation);
}

void VideoMemory::leave_vram(Allocation& allocation) {
  close_window(allocation);
  give_system_pages(allocation);
  transfer(allocation, false);
  vram_.give(allocation.vram);
  allocation.vram.clear();
}

void VideoMemory::enter_vram(Allocation& allocation) {
  const bool contiguous = allocation.has(Allocation::Flags::kAccessedPhysically);
  allocation.vram = *vram_.take(allocation.pages, contiguous);
  if (allocation.locks != 0 && !adapter_.vram_cpu_visible()) open_window(allocation);
  if (allocation.system.empty()) {
    allocation.of_context ? init_state(allocation) : fill(allocation);
  } else {
    leave_caches(allocation);
    transfer(allocation, true);
    system_.give(allocation.system);
    allocation.system.clear();
  }
}

/// By the copy engine, a run of pages that lie behind each other in VRAM at a time.
void VideoMemory::transfer(Allocation& allocation, bool to_vram) {
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
        static_cast<LONGLONG>(allocation.vram[first] - adapter_.vram_segment_base());
    DXGK_TRANSFEREND system{};
    system.SegmentId = kSystemSegment;
    system.pMdl = &list;
    args.Transfer.Source = to_vram ? system : vram;
    args.Transfer.Destination = to_vram ? vram : system;
    pager_.build(args);
    first = end;
  }
  pager_.run(adapter_.system().waits_for_transfers);
}

/// Fresh memory is all zero.
void VideoMemory::fill(const Allocation& allocation) {
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
        static_cast<LONGLONG>(allocation.vram[first] - adapter_.vram_segment_base());
    pager_.build(args);
    first = end;
  }
  pager_.run(true);
}

/// Memory for the state of a context is as the driver wants it. It lies in one piece.
void VideoMemory::init_state(const Allocation& allocation) {
  DXGKARG_BUILDPAGINGBUFFER args{};
  args.Operation = DXGK_OPERATION_INIT_CONTEXT_RESOURCE;
  args.InitContextResource = {};
  args.InitContextResource.hAllocation = allocation.driver_handle;
  args.InitContextResource.Destination.SegmentId = kVramSegment;
  args.InitContextResource.Destination.SegmentAddress.QuadPart =
      static_cast<LONGLONG>(allocation.vram.front() - adapter_.vram_segment_base());
  args.InitContextResource.Destination.GpuVirtualAddress = allocation.gpu_address;
  pager_.build(args);
  pager_.run(true);
}

/// Pages that were somebody else's are zeroed by the CPU, unless they are overwritten at once.
void VideoMemory::give_system_pages(Allocation& allocation) {
  if (!allocation.system.empty()) return;
  allocation.system = *system_.take(allocation.pages, false);
  if (allocation.vram.empty())
    for (const std::uint64_t page : allocation.system) zero(page);
}

void VideoMemory::zero(std::uint64_t page) {
  static constexpr std::array<unsigned char, kPage> kZero{};
  auto store = cpu_.simulation().transactions.lend(
      tlm::TLM_WRITE_COMMAND, page, const_cast<unsigned char*>(kZero.data()), kZero.size());
  cpu_.compute(cpu_.core().config().store * (kPage / common::kLineBytes));
  cpu_.core().access(store, common::Operation::kIdle);
}

/// What engines use by its physical address lies in one piece in the aperture segment.
void VideoMemory::map_aperture(Allocation& allocation) {
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
  pager_.build(args);
}

void VideoMemory::unmap_aperture(const Allocation& allocation) {
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
  pager_.build(args);
  std::vector<std::uint64_t> pages;
  for (std::uint64_t i = 0; i < allocation.pages; ++i)
    pages.push_back(allocation.aperture + i * kPage);
  aperture_.give(pages);
}

void VideoMemory::map_gpu(Allocation& allocation) {
  const bool vram = allocation.placement == Placement::kVram;
  allocation.process->space->map_pages(allocation.gpu_address,
                                       vram ? allocation.vram : allocation.system, vram);
  allocation.process->space->flush_tlb();
}

void VideoMemory::unmap_gpu(Allocation& allocation) {
  allocation.process->space->unmap_pages(allocation.gpu_address, allocation.pages);
  allocation.process->space->flush_tlb();
}

/// User addresses change: every core forgets its translations, and has made its stores before.
void VideoMemory::drain_all_cores() const {
  if (!adapter_.system().drains_stores) return;
  for (std::uint32_t core = 0; core < cpu_.core_count(); ++core) cpu_.core(core).wait_for_stores();
}

}  // namespace fenceline::os
