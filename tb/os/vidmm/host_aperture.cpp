#include "tb/os/vidmm/host_aperture.h"

#include <algorithm>
#include <stdexcept>

#include "models/abi/page_table.h"
#include "models/top/gpu.h"
#include "tb/os/allocations/allocation.h"
#include "tb/os/driver/adapter.h"

namespace fenceline::os {

namespace {
constexpr std::uint32_t kReserve = 32;
constexpr std::uint32_t kReservedPart = 16;
}  // namespace

HostAperture::HostAperture(Adapter& adapter, std::uint32_t pages, bool tracks)
    : adapter_(adapter), tracks_(tracks), reserve_(std::min(kReserve, pages / kReservedPart)) {
  for (std::uint32_t page = 0; page < pages; ++page) free_.insert(free_.end(), page);
}

std::optional<std::vector<std::uint32_t>> HostAperture::map(
    HANDLE allocation, const std::vector<std::uint64_t>& vram) {
  if (vram.size() > free_pages()) return std::nullopt;
  return take(allocation, vram);
}

std::vector<std::uint32_t> HostAperture::take(HANDLE allocation,
                                              const std::vector<std::uint64_t>& vram) {
  std::vector<std::uint32_t> pages;
  auto next = free_.begin();
  for (std::size_t i = 0; i < vram.size(); ++i) pages.push_back(*next++);
  if (tracks_) free_.erase(free_.begin(), next);
  show(allocation, pages, vram);
  return pages;
}

void HostAperture::unmap(const std::vector<std::uint32_t>& pages) {
  if (pages.empty()) return;
  for (const std::uint32_t page : pages)
    if (tracks_ && mapped_.count(page) == 0)
      adapter_.bug_check(VIDEO_MEMORY_MANAGEMENT_INTERNAL,
                         {fenceline::wddm::kMemoryHostApertureFree, page},
                         "a page of the CPU host aperture is given back that nobody has");
  hide(pages);
  give_back(pages);
}

void HostAperture::give_back(const std::vector<std::uint32_t>& pages) {
  free_.insert(pages.begin(), pages.end());
}

void HostAperture::show(HANDLE allocation, std::vector<std::uint32_t> pages,
                        const std::vector<std::uint64_t>& vram) {
  std::vector<UINT64> segment_pages;
  for (std::size_t i = 0; i < pages.size(); ++i) {
    if (tracks_ && mapped_.count(pages[i]) != 0)
      adapter_.bug_check(VIDEO_MEMORY_MANAGEMENT_INTERNAL,
                         {fenceline::wddm::kMemoryHostApertureMappedTwice, pages[i]},
                         "a page of the CPU host aperture is mapped already");
    mapped_[pages[i]] = vram[i] / kPage;
    segment_pages.push_back((vram[i] - adapter_.vram_segment_base()) / kPage);
    report(pages[i], vram[i] / kPage, true);
  }
  DXGKARG_MAPCPUHOSTAPERTURE args{};
  args.hAllocation = allocation;
  args.SegmentId = kVramSegment;
  args.NumberOfPages = pages.size();
  args.pCpuHostAperturePages = pages.data();
  args.pMemorySegmentPages = segment_pages.data();
  const NTSTATUS status = adapter_.call<Ddi::DxgkDdiMapCpuHostAperture>(adapter_.handle(), &args);
  adapter_.must_succeed(status, Ddi::DxgkDdiMapCpuHostAperture, VIDEO_MEMORY_MANAGEMENT_INTERNAL,
                        fenceline::wddm::kMemoryHostApertureMapFailed);
}

void HostAperture::hide(std::vector<std::uint32_t> pages) {
  DXGKARG_UNMAPCPUHOSTAPERTURE args{};
  args.NumberOfPages = pages.size();
  args.pCpuHostAperturePages = pages.data();
  args.SegmentId = kVramSegment;
  const NTSTATUS status = adapter_.call<Ddi::DxgkDdiUnmapCpuHostAperture>(adapter_.handle(), &args);
  adapter_.must_succeed(status, Ddi::DxgkDdiUnmapCpuHostAperture, VIDEO_MEMORY_MANAGEMENT_INTERNAL,
                        fenceline::wddm::kMemoryHostApertureUnmapFailed);
  for (const std::uint32_t page : pages) {
    report(page, 0, false);
    mapped_.erase(page);
  }
}

void HostAperture::report(std::uint32_t page, std::uint64_t vram, bool mapped) const {
  adapter_.cpu().simulation().emit(event::HostAperture{adapter_.object(), page, vram, mapped});
}

void HostAperture::map_for_kernel(std::uint64_t vram, std::uint64_t bytes) {
  std::vector<std::uint64_t> fresh;
  for (std::uint64_t at = vram / kPage; at * kPage < vram + bytes; ++at)
    if (kernel_.count(at) == 0) fresh.push_back(at * kPage);
  if (fresh.empty()) return;
  if (fresh.size() > free_.size())
    throw std::invalid_argument(adapter_.gpu().config().name +
                                ": the CPU host aperture has no room left for page tables and "
                                "fences; make vram_bar larger");
  const auto pages = take(nullptr, fresh);
  for (std::size_t i = 0; i < fresh.size(); ++i) kernel_[fresh[i] / kPage] = pages[i];
}

std::uint64_t HostAperture::kernel_offset(std::uint64_t vram) const {
  return kernel_.at(vram / kPage) * kPage + vram % kPage;
}

void HostAperture::check_empty() {
  if (!mapped_.empty())
    adapter_.bug_check(VIDEO_MEMORY_MANAGEMENT_INTERNAL,
                       {fenceline::wddm::kMemoryHostApertureMappedAtD3, mapped_.size()},
                       "allocations are mapped to the CPU host aperture at D3");
}

void HostAperture::sleep() {
  std::vector<std::uint32_t> pages;
  for (const auto& [vram, page] : kernel_) pages.push_back(page);
  if (!pages.empty()) hide(pages);
}

void HostAperture::wake() {
  std::vector<std::uint32_t> pages;
  std::vector<std::uint64_t> vram;
  for (const auto& [vram_page, page] : kernel_) {
    pages.push_back(page);
    vram.push_back(vram_page * kPage);
  }
  if (!pages.empty()) show(nullptr, pages, vram);
}

}  // namespace fenceline::os
