#include "tb/os/allocations/allocation_pages.h"

#include <algorithm>
#include <array>

namespace fenceline::os {

void AllocationPages::start(PagePool& vram_pages, PagePool& system_pages) {
  const std::uint64_t segment = state_.adapter.vram_segment().CommitLimit;
  const std::uint64_t wanted = state_.adapter.system().video_memory;
  const std::uint64_t limit = wanted != 0 ? wanted : segment - segment / 4;
  vram_.set_up(vram_pages, std::min(limit, segment) / kPage);
  system_.set_up(system_pages, UINT64_MAX);
}

void AllocationPages::give_system(Allocation& allocation) {
  if (!allocation.system.empty()) return;
  allocation.system = *system_.take(allocation.pages, false);
  if (allocation.vram.empty())
    for (const std::uint64_t page : allocation.system) zero(page);
}

void AllocationPages::give_vram(Allocation& allocation) {
  const bool contiguous = allocation.has(Allocation::Flags::kAccessedPhysically);
  allocation.vram = *vram_.take(allocation.pages, contiguous);
}

void AllocationPages::take_system(Allocation& allocation) {
  system_.give(allocation.system);
  allocation.system.clear();
}

void AllocationPages::take_vram(Allocation& allocation) {
  vram_.give(allocation.vram);
  allocation.vram.clear();
}

void AllocationPages::zero(std::uint64_t page) {
  static constexpr std::array<unsigned char, kPage> kZero{};
  state_.cpu.store_lines(page, kZero.data(), kZero.size());
}

}  // namespace fenceline::os
