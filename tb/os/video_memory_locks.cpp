// VidMm: how the CPU gets at allocations.
#include "models/common/hash.h"
#include "tb/os/kernel.h"

namespace fenceline::os {

using common::EventKind;
using common::Placement;

std::uint64_t VideoMemory::facts(const Allocation& allocation) const {
  HostAperture* const window = adapter_.allocation_window();
  std::uint64_t bits = static_cast<std::uint64_t>(allocation.placement)
                       << common::kFactPlacementShift;
  if (allocation.has(Flags::kCpuVisible)) bits |= common::kFactCpuVisible;
  if (allocation.has(Flags::kCached)) bits |= common::kFactCached;
  if (allocation.supports(kApertureSegment)) bits |= common::kFactAperture;
  if (adapter_.vram_cpu_visible()) bits |= common::kFactSegmentVisible;
  if (window != nullptr) bits |= common::kFactHostAperture;
  if (window_has_room(allocation)) bits |= common::kFactRoom;
  if (allocation.locks != 0) bits |= common::kFactLocked;
  if (allocation.pinned) bits |= common::kFactPinned;
  if (allocation.lost) bits |= common::kFactLost;
  return bits;
}

/// There is no other way to the allocation in VRAM, where it has to be and is not yet.
bool VideoMemory::needs_window(const Allocation& allocation) const {
  return adapter_.allocation_window() != nullptr && allocation.locks != 0 &&
         allocation.placement != Placement::kVram && !allocation.supports(kApertureSegment);
}

bool VideoMemory::window_has_room(const Allocation& allocation) const {
  HostAperture* const window = adapter_.allocation_window();
  if (window == nullptr) return false;
  if (!allocation.window.empty() || allocation.expects_window) return true;
  return window->free_pages() >= expected_window_ + allocation.pages;
}

void VideoMemory::expect_window(Allocation& allocation, bool expected) {
  if (allocation.expects_window == expected) return;
  allocation.expects_window = expected;
  expected_window_ += expected ? allocation.pages : -allocation.pages;
}

/// What is locked can be reached in VRAM as well. The room that this takes is kept for it.
bool VideoMemory::can_follow_locks(const std::vector<Allocation*>& list) {
  std::vector<Allocation*> fresh;
  for (Allocation* allocation : list) {
    const bool needs = needs_window(*allocation);
    if (allocation->pinned || (needs && !window_has_room(*allocation))) {
      for (Allocation* other : fresh) expect_window(*other, false);
      return false;
    }
    if (!needs || allocation->expects_window) continue;
    expect_window(*allocation, true);
    fresh.push_back(allocation);
  }
  return true;
}

/// The rules by segment, cacheability and residency. Source: WDDM, Lock2.
VideoMemory::Way VideoMemory::way_to_lock(const Allocation& allocation, NTSTATUS& status) const {
  status = STATUS_SUCCESS;
  if (allocation.placement != Placement::kVram || allocation.locks != 0) return Way::kDirect;
  // What nobody wants resident any more may leave, wherever else it may be.
  const bool aperture = allocation.supports(kApertureSegment) || allocation.residency == 0;
  status = STATUS_INVALID_PARAMETER;
  // Section objects cannot point at the frame buffer: the content has to come to them.
  if (!allocation.has(Flags::kCpuVisible)) return aperture ? Way::kMoveOut : Way::kRefused;
  if (allocation.has(Flags::kCached))
    return allocation.residency == 0 ? Way::kMoveOut : Way::kRefused;
  if (adapter_.vram_cpu_visible()) return Way::kDirect;
  if ((facts(allocation) & common::kFactRoom) != 0) return Way::kWindow;
  status = STATUS_NO_MEMORY;
  return aperture ? Way::kMoveOut : Way::kRefused;
}

NTSTATUS VideoMemory::lock(Allocation& allocation, const LockRules& rules) {
  if (rules.synchronizes && !rules.may_wait && is_listed(allocation))
    return STATUS_GRAPHICS_ALLOCATION_BUSY;
  if (rules.synchronizes) wait_for_listed(allocation);
  claim(allocation);
  const std::uint64_t before = facts(allocation);
  NTSTATUS status = STATUS_SUCCESS;
  Way way = way_to_lock(allocation, status);
  if (!adapter_.system().lock_rules) way = Way::kDirect;
  if (way == Way::kMoveOut && !rules.may_move) {
    way = Way::kRefused;
    status = STATUS_GRAPHICS_CANT_EVICT_PINNED_ALLOCATION;
  }
  while (way == Way::kMoveOut && allocation.exists) {
    let_go(allocation);
    KernelEvent done(cpu_.simulation().steps);
    Request request;
    request.kind = Request::Kind::kMoveOut;
    request.process = allocation.process;
    request.list = {&allocation};
    if (allocation.residency == 0) request.marks = contexts_.marks(allocation.process);
    request.done = &done;
    ask(std::move(request));
    cpu_.block(done, nullptr);
    claim(allocation);
    way = way_to_lock(allocation, status);
  }
  if (!allocation.exists) {  // destroyed while this lock waited
    let_go(allocation);
    return STATUS_INVALID_HANDLE;
  }
  if (way != Way::kRefused)
    status = allocation.locks >= kMostLocks ? STATUS_GRAPHICS_TOO_MANY_REFERENCES
                                            : lock_here(allocation, way);
  common::Simulation& simulation = cpu_.simulation();
  simulation.emit(event::AllocationLocked{allocation.object, static_cast<std::uint32_t>(status),
                                          before,
                                          static_cast<std::uint64_t>(allocation.placement)});
  let_go(allocation);
  return status;
}

/// @pre the allocation is claimed, and `way` leads to its bytes where they are.
NTSTATUS VideoMemory::lock_here(Allocation& allocation, Way way) {
  if (asleep_ && allocation.placement == Placement::kVram) wake_();
  if (way == Way::kWindow && !open_window(allocation)) return STATUS_NO_MEMORY;
  if (allocation.placement != Placement::kVram) {
    give_system_pages(allocation);
    allocation.pinned =
        allocation.placement == Placement::kSystem && !allocation.supports(kApertureSegment);
  }
  if (++allocation.locks == 1 &&
      (!adapter_.system().rotates_mappings || !adapter_.system().lock_rules))
    for (std::uint64_t page = 0; page < allocation.pages; ++page)
      allocation.frozen.push_back(bus_address(allocation, page));
  return STATUS_SUCCESS;
}

NTSTATUS VideoMemory::unlock(Allocation& allocation) {
  claim(allocation);
  const bool locked = allocation.locks != 0;
  if (locked) {
    common::Simulation& simulation = cpu_.simulation();
    simulation.emit(event::AllocationUnlocked{allocation.object});
    if (--allocation.locks == 0) {
      close_window(allocation);
      allocation.pinned = false;
      allocation.frozen.clear();
      work_.set();  // it may be moved now
    }
  }
  let_go(allocation);
  return locked ? STATUS_SUCCESS : STATUS_INVALID_PARAMETER;
}

/// Whether it is there, locked, or claimed. Those who access it do not disturb each other.
void VideoMemory::touch_use(const Allocation& allocation, bool write) const {
  cpu_.simulation().steps.touch(common::Place::kEvent, allocation.changed.id, write);
}

/// From now on nobody else moves it or changes how it is mapped, until let_go.
void VideoMemory::claim(Allocation& allocation) {
  for (;;) {
    lists_.begin();
    touch_use(allocation, true);
    if (!allocation.busy) break;
    allocation.changed.clear();
    cpu_.block(allocation.changed, nullptr);
  }
  allocation.busy = true;
}

void VideoMemory::let_go(Allocation& allocation) {
  lists_.begin();
  touch_use(allocation, true);
  allocation.busy = false;
  allocation.changed.set();
}

bool VideoMemory::open_window(Allocation& allocation) {
  HostAperture* const window = adapter_.allocation_window();
  if (window == nullptr || !allocation.window.empty()) return window != nullptr;
  expect_window(allocation, false);
  const auto pages = window->map(allocation.driver_handle, allocation.vram);
  if (pages) allocation.window = *pages;
  return pages.has_value();
}

void VideoMemory::close_window(Allocation& allocation) {
  expect_window(allocation, false);
  if (allocation.window.empty()) return;
  drain_all_cores();
  HostAperture& window = *adapter_.allocation_window();
  if (asleep_ && adapter_.system().unmaps_for_d3)
    window.give_back(allocation.window);
  else if (!asleep_)
    window.unmap(allocation.window);
  allocation.window.clear();
}

std::uint64_t VideoMemory::bus_address(const Allocation& allocation, std::uint64_t page) const {
  if (allocation.placement != Placement::kVram) return allocation.system[page];
  const std::uint64_t bar = adapter_.gpu().bars().vram;
  return bar +
         (allocation.window.empty() ? allocation.vram[page] : allocation.window[page] * kPage);
}

/// An access while the allocation is moved, or its adapter sleeps, faults and is made again after.
NTSTATUS VideoMemory::touch(Allocation& allocation, std::uint64_t offset, bool write,
                            std::uint64_t& value) {
  for (;;) {
    touch_use(allocation, false);
    if (allocation.locks == 0) return STATUS_ACCESS_VIOLATION;
    const bool fixed = !allocation.frozen.empty();
    if (allocation.busy && !fixed) {
      allocation.changed.clear();
      if (allocation.busy) cpu_.block(allocation.changed, nullptr);
    } else if (asleep_ && allocation.placement == Placement::kVram) {
      wake_();
    } else {
      break;
    }
  }
  const std::uint64_t page = offset / kPage;
  const std::uint64_t at =
      allocation.frozen.empty() ? bus_address(allocation, page) : allocation.frozen[page];
  ++allocation.accessors;
  common::Simulation& simulation = cpu_.simulation();
  const bool cached = allocation.has(Flags::kCached);
  const bool gathers = !cached && cpu_.core().combines();
  const common::Time start = simulation.steps.now();
  if (write)
    simulation.emit(
        event::CpuStore{allocation.object, offset, value, gathers ? cpu_.core().object() : 0});
  adapter_.port().access_user(at + offset % kPage, write, value, cached);
  if (!write)
    simulation.emit(event::CpuLoad{
        allocation.object, offset, value,
        load_flags(allocation, at + offset % kPage, value) | (simulation.steps.now() - start)
                                                                 << common::kLoadDurationShift});
  // Whoever moves it waits by another event than those who wait for the end of the move: each of
  // these clears it, and would take the news from him.
  if (--allocation.accessors == 0) work_.set();
  return STATUS_SUCCESS;
}

void VideoMemory::sleep() {
  drain_all_cores();
  asleep_ = true;
  HostAperture* const window = adapter_.allocation_window();
  if (window == nullptr || !adapter_.system().unmaps_for_d3) return;
  for (Allocation* allocation : allocations_)
    if (!allocation->window.empty()) window->hide(allocation->window);
}

/// Allocations have kept their pages of the window.
void VideoMemory::wake_up() {
  asleep_ = false;
  HostAperture* const window = adapter_.allocation_window();
  if (window != nullptr && adapter_.system().unmaps_for_d3)
    for (Allocation* allocation : allocations_)
      if (!allocation->window.empty())
        window->show(allocation->driver_handle, allocation->window, allocation->vram);
  work_.set();
}

/// Hash of the bytes at their home, or of those that will be there when caches and write-combining
/// buffers have nothing left; the checkers have the same of what they should be.
std::uint64_t VideoMemory::content(const Allocation& allocation) const {
  const bool vram = allocation.placement == Placement::kVram;
  const auto& pages = vram ? allocation.vram : allocation.system;
  auto& memory = vram ? adapter_.gpu().vram().memory() : host_memory_.memory();
  const auto home = [&](std::uint64_t address) {
    return vram ? memory.bytes().word(address) : host_word(address);
  };
  // Behind a window that does not show it no CPU has an address of it.
  const bool reachable = !vram || adapter_.vram_cpu_visible() || !allocation.window.empty();
  const bool combined = reachable && cores_combine();
  std::uint64_t sum = 0;
  for (std::uint64_t page = 0; page < pages.size(); ++page)
    for (std::uint64_t at = 0; at < kPage; at += 8) {
      std::uint64_t word = home(pages[page] + at);
      if (combined) word = combined_word(bus_address(allocation, page) + at).value_or(word);
      if (word != 0) sum += common::Hasher().add((page * kPage + at) / 8).add(word).value();
    }
  return sum;
}

void VideoMemory::report_place(const Allocation& allocation) const {
  common::Simulation& simulation = cpu_.simulation();
  if (!simulation.events.wants(EventKind::kAllocationPlaced)) return;
  simulation.emit(event::AllocationPlaced{allocation.object, allocation.placement,
                                          content(allocation), facts(allocation)});
}

}  // namespace fenceline::os
