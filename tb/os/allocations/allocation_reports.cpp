#include "tb/os/allocations/allocation_reports.h"

#include "models/common/hash.h"
#include "models/top/gpu.h"

namespace fenceline::os {

using event::Placement;

std::uint64_t AllocationReports::facts(const Allocation& allocation) const {
  HostAperture* const window = state_.adapter.allocation_window();
  std::uint64_t bits = static_cast<std::uint64_t>(allocation.placement)
                       << event::kFactPlacementShift;
  if (allocation.has(Allocation::Flags::kCpuVisible)) bits |= event::kFactCpuVisible;
  if (allocation.has(Allocation::Flags::kCached)) bits |= event::kFactCached;
  if (allocation.supports(kApertureSegment)) bits |= event::kFactAperture;
  if (state_.adapter.vram_cpu_visible()) bits |= event::kFactSegmentVisible;
  if (window != nullptr) bits |= event::kFactHostAperture;
  if (windows_.has_room(allocation)) bits |= event::kFactRoom;
  if (allocation.locks != 0) bits |= event::kFactLocked;
  if (allocation.pinned) bits |= event::kFactPinned;
  if (allocation.lost) bits |= event::kFactLost;
  return bits;
}

/// True if a core's write-combining buffers hold stores.
bool AllocationReports::cores_combine() const {
  for (std::uint32_t core = 0; core < state_.cpu.core_count(); ++core)
    if (state_.cpu.core(core).combined_pending()) return true;
  return false;
}

/// The pending store to a bus address in some core's write-combining buffers.
std::optional<std::uint64_t> AllocationReports::combined_word(std::uint64_t address) const {
  for (std::uint32_t core = 0; core < state_.cpu.core_count(); ++core)
    if (const auto word = state_.cpu.core(core).combined_word(address)) return word;
  return std::nullopt;
}

std::uint64_t AllocationReports::host_word(std::uint64_t address) const {
  if (const auto unwritten = state_.caches.unwritten(address)) return *unwritten;
  return state_.host_memory.memory().bytes().word(address);
}

/// True if write-combining buffers may hold stores to it. Without a window page, no CPU has an
/// address of VRAM that is not CPU-visible.
bool AllocationReports::may_be_combined(const Allocation& allocation) const {
  const bool reachable = allocation.placement != Placement::kVram ||
                         state_.adapter.vram_cpu_visible() || !allocation.window.empty();
  return reachable && cores_combine();
}

std::uint64_t AllocationReports::word(const Allocation& allocation, std::uint64_t offset,
                                      bool combined) const {
  const bool vram = allocation.placement == Placement::kVram;
  const auto& pages = vram ? allocation.vram : allocation.system;
  const std::uint64_t page = offset / kPage;
  if (page >= pages.size()) return 0;  // it has no pages yet
  const std::uint64_t address = pages[page] + offset % kPage;
  const std::uint64_t home =
      vram ? state_.adapter.gpu().vram().memory().bytes().word(address) : host_word(address);
  if (!combined) return home;
  return combined_word(windows_.bus_address(allocation, page) + offset % kPage).value_or(home);
}

std::uint64_t AllocationReports::word(const Allocation& allocation, std::uint64_t offset) const {
  return word(allocation, offset, may_be_combined(allocation));
}

/// Hash of the bytes at their home, including pending lines of caches and write-combining buffers.
/// The checkers compute the same hash from the expected content.
std::uint64_t AllocationReports::content(const Allocation& allocation) const {
  const bool vram = allocation.placement == Placement::kVram;
  const std::uint64_t pages = (vram ? allocation.vram : allocation.system).size();
  const bool combined = may_be_combined(allocation);
  std::uint64_t sum = 0;
  for (std::uint64_t offset = 0; offset < pages * kPage; offset += 8)
    if (const std::uint64_t found = word(allocation, offset, combined); found != 0)
      sum += common::hash_values(offset / 8, found);
  return sum;
}

event::AllocationPlaced AllocationReports::place(const Allocation& allocation) const {
  return {allocation.object, allocation.placement, content(allocation), facts(allocation)};
}

void AllocationReports::report_place(const Allocation& allocation) const {
  common::Simulation& simulation = state_.cpu.simulation();
  if (!simulation.events.wants<event::AllocationPlaced>()) return;
  simulation.emit(place(allocation));
}

void AllocationReports::report_content() const {
  for (const Allocation* allocation : state_.allocations)
    if (!allocation->busy && !allocation->of_context) report_place(*allocation);
}

}  // namespace fenceline::os
