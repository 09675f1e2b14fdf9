#include "tb/os/allocations/allocation_locks.h"

#include "tb/os/dxgk/process.h"

namespace fenceline::os {

using event::Placement;

/// True if incomplete work lists the allocation. Known only with allocation lists.
bool AllocationLocks::is_listed(const Allocation& allocation) const {
  return state_.adapter.system().allocation_lists && allocation.listed != 0;
}

/// With allocation lists, a lock begins a CPU access and waits for listed work.
void AllocationLocks::wait_for_listed(Allocation& allocation) {
  if (!state_.adapter.system().allocation_lists) return;
  while (!allocation.unlisted.is_set() && allocation.listed != 0)
    state_.cpu.block(allocation.unlisted, nullptr);
}

AllocationLocks::Way AllocationLocks::way_to(const Allocation& allocation, NTSTATUS& status) const {
  status = STATUS_SUCCESS;
  if (allocation.placement != Placement::kVram || allocation.locks != 0) return Way::kDirect;
  // An allocation that is no longer wanted resident may leave, even without the aperture segment.
  const bool aperture = allocation.supports(kApertureSegment) || allocation.residency == 0;
  status = STATUS_INVALID_PARAMETER;
  // Section objects cannot refer to the frame buffer: the content must move to system memory.
  if (!allocation.has(Allocation::Flags::kCpuVisible))
    return aperture ? Way::kMoveOut : Way::kRefused;
  if (allocation.has(Allocation::Flags::kCached))
    return allocation.residency == 0 ? Way::kMoveOut : Way::kRefused;
  if (state_.adapter.vram_cpu_visible()) return Way::kDirect;
  if ((parts_.reports.facts(allocation) & event::kFactRoom) != 0) return Way::kWindow;
  status = STATUS_NO_MEMORY;
  return aperture ? Way::kMoveOut : Way::kRefused;
}

/// The way that the rules allow. With lock_rules off, a fault of the OS, it is always direct.
AllocationLocks::Way AllocationLocks::way_by(const Rules& rules, const Allocation& allocation,
                                             NTSTATUS& status) const {
  const Way way = way_to(allocation, status);
  if (!state_.adapter.system().lock_rules) return Way::kDirect;
  if (way != Way::kMoveOut || rules.may_move) return way;
  status = STATUS_GRAPHICS_CANT_EVICT_PINNED_ALLOCATION;
  return Way::kRefused;
}

/// VidMm's thread moves it to system memory. @pre it is claimed; it is claimed again on return
void AllocationLocks::move_out(Allocation& allocation) {
  parts_.claims.let_go(allocation);
  MemoryRequest request{MemoryRequest::Kind::kMoveOut, allocation.process, {&allocation}};
  if (allocation.residency == 0) request.marks = state_.contexts.table.marks(allocation.process);
  parts_.requests.ask_and_wait(std::move(request));
  parts_.claims.claim(allocation);
}

NTSTATUS AllocationLocks::lock(Allocation& allocation, const Rules& rules) {
  if (rules.synchronizes && !rules.may_wait && is_listed(allocation))
    return STATUS_GRAPHICS_ALLOCATION_BUSY;
  if (rules.synchronizes) wait_for_listed(allocation);
  parts_.claims.claim(allocation);
  const NTSTATUS status = lock_claimed(allocation, rules);
  state_.end_early_loads();
  parts_.claims.let_go(allocation);
  return status;
}

NTSTATUS AllocationLocks::lock_claimed(Allocation& allocation, const Rules& rules) {
  const std::uint64_t before = parts_.reports.facts(allocation);
  NTSTATUS status = STATUS_SUCCESS;
  Way way = way_by(rules, allocation, status);
  while (way == Way::kMoveOut && allocation.exists) {
    move_out(allocation);
    way = way_to(allocation, status);
  }
  if (!allocation.exists) return STATUS_INVALID_HANDLE;  // destroyed while this lock waited
  if (way != Way::kRefused)
    status = allocation.locks >= kMost ? STATUS_GRAPHICS_TOO_MANY_REFERENCES
                                       : lock_here(allocation, way);
  state_.cpu.simulation().emit(
      event::AllocationLocked{allocation.object, static_cast<std::uint32_t>(status), before,
                              static_cast<std::uint64_t>(allocation.placement)});
  return status;
}

/// The adapter stays in D0 until D3 knows of the window.
bool AllocationLocks::open_window(Allocation& allocation) {
  const Adapter::VramUse use(state_.adapter);
  return parts_.windows.open(allocation);
}

/// @pre the allocation is claimed, and `way` reaches its bytes at their current place
NTSTATUS AllocationLocks::lock_here(Allocation& allocation, Way way) {
  if (state_.asleep && allocation.placement == Placement::kVram) state_.wake();
  if (way == Way::kWindow && !open_window(allocation)) return STATUS_NO_MEMORY;
  if (allocation.placement != Placement::kVram) {
    parts_.pages.give_system(allocation);
    allocation.pinned =
        allocation.placement == Placement::kSystem && !allocation.supports(kApertureSegment);
  }
  if (++allocation.locks == 1 &&
      (!state_.adapter.system().rotates_mappings || !state_.adapter.system().lock_rules))
    for (std::uint64_t page = 0; page < allocation.pages; ++page)
      allocation.frozen.push_back(parts_.windows.bus_address(allocation, page));
  return STATUS_SUCCESS;
}

NTSTATUS AllocationLocks::unlock(Allocation& allocation) {
  parts_.claims.claim(allocation);
  const bool locked = allocation.locks != 0;
  if (locked) {
    state_.cpu.simulation().emit(event::AllocationUnlocked{allocation.object});
    if (--allocation.locks == 0) {
      parts_.windows.close(allocation);
      allocation.pinned = false;
      allocation.frozen.clear();
      state_.work.set();  // it may be moved now
    }
  }
  parts_.claims.let_go(allocation);
  return locked ? STATUS_SUCCESS : STATUS_INVALID_PARAMETER;
}

/// Blocks until the CPU can reach the allocation. False if nothing is mapped.
bool AllocationLocks::wait_for_mapping(Allocation& allocation) {
  for (;;) {
    parts_.claims.touch_use(allocation, false);
    if (allocation.locks == 0) return false;
    const bool fixed = !allocation.frozen.empty();
    if (allocation.busy && !fixed) {
      allocation.changed.clear();
      if (allocation.busy) state_.cpu.block(allocation.changed, nullptr);
    } else if (state_.asleep && allocation.placement == Placement::kVram) {
      state_.wake();
    } else {
      return true;
    }
  }
}

NTSTATUS AllocationLocks::touch(Allocation& allocation, std::uint64_t offset, bool write,
                                std::uint64_t& value) {
  if (!wait_for_mapping(allocation)) return STATUS_ACCESS_VIOLATION;
  access(allocation, offset, write, value);
  return STATUS_SUCCESS;
}

void AllocationLocks::access(Allocation& allocation, std::uint64_t offset, bool write,
                             std::uint64_t& value) {
  const std::uint64_t page = offset / kPage;
  const std::uint64_t at = allocation.frozen.empty() ? parts_.windows.bus_address(allocation, page)
                                                     : allocation.frozen[page];
  ++allocation.accessors;
  common::Simulation& simulation = state_.cpu.simulation();
  const bool cached = allocation.has(Allocation::Flags::kCached);
  const bool gathers = !cached && state_.cpu.core().combines();
  const common::Time start = simulation.steps.now();
  if (write)
    simulation.emit(event::CpuStore{allocation.object, offset, value,
                                    gathers ? state_.cpu.core().object() : 0});
  state_.adapter.port().access_user(at + offset % kPage, write, value, cached);
  if (!write)
    simulation.emit(
        event::CpuLoad{allocation.object, offset, value,
                       parts_.caches.load_flags(allocation, at + offset % kPage, value) |
                           (simulation.steps.now() - start) << event::kLoadDurationShift});
  state_.end_access(allocation);
}

}  // namespace fenceline::os
