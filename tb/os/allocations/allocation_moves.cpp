#include "tb/os/allocations/allocation_moves.h"

#include <algorithm>

#include "models/abi/mutant.h"
#include "tb/os/dxgk/process.h"

namespace fenceline::os {

using event::Placement;

namespace {

void map_gpu(Allocation& allocation) {
  const bool vram = allocation.placement == Placement::kVram;
  allocation.process->space->map_pages(allocation.gpu_address,
                                       vram ? allocation.vram : allocation.system, vram);
  allocation.process->space->flush_tlb();
}

void unmap_gpu(const Allocation& allocation) {
  allocation.process->space->unmap_pages(allocation.gpu_address, allocation.pages);
  allocation.process->space->flush_tlb();
}

}  // namespace

/// True if it has no locks, or if the CPU could keep using its locks in VRAM. One that was locked
/// outside between MakeResident and its move waits there for the unlock.
bool AllocationMoves::may_be_in_vram(const Allocation& allocation) const {
  if (!allocation.supports(kVramSegment)) return false;
  if (allocation.locks == 0) return true;
  if (!state_.adapter.system().lock_rules) return true;
  if (allocation.pinned) return false;
  if (!allocation.has(Allocation::Flags::kCpuVisible) || allocation.has(Allocation::Flags::kCached))
    return false;
  return state_.adapter.vram_cpu_visible() || parts_.windows.has_room(allocation);
}

bool AllocationMoves::bring_in(Allocation& allocation, const std::vector<Allocation*>& named) {
  allocation.last_made_resident = ++stamp_;
  if (allocation.placement != Placement::kSystem) return true;
  const bool aperture = allocation.supports(kApertureSegment);
  if (allocation.preferred == kVramSegment || !aperture) {
    if (may_be_in_vram(allocation) && make_room(allocation, named)) {
      move(allocation, Placement::kVram);
      return allocation.placement != Placement::kSystem;
    }
  }
  if (aperture) move(allocation, Placement::kAperture);
  return aperture;
}

/// True if it is wanted resident, or if work from that time may be incomplete. A context allocation
/// is wanted while a context has work; otherwise two of them could evict each other forever.
bool AllocationMoves::in_use(const Allocation& allocation) const {
  if (allocation.residency != 0) return true;
  if (std::any_of(allocation.contexts.begin(), allocation.contexts.end(),
                  [](const ContextQueue* context) { return context->buffers != 0; }))
    return true;
  return parts_.requests.end_use_of(allocation);
}

/// Allocations that may leave VRAM: unwanted ones first, then by the age of their last
/// MakeResident. Those of the same call leave only for one that must be in VRAM.
std::vector<Allocation*> AllocationMoves::victims(const Allocation& wanted,
                                                  const std::vector<Allocation*>& named) const {
  std::vector<Allocation*> others;
  for (Allocation* allocation : state_.allocations) {
    const bool stays = wanted.supports(kApertureSegment) &&
                       std::find(named.begin(), named.end(), allocation) != named.end();
    if (allocation->placement != Placement::kVram || stays || !allocation->alive) continue;
    if (in_use(*allocation) && !allocation->supports(kApertureSegment)) continue;
    others.push_back(allocation);
  }
  std::sort(others.begin(), others.end(), [this](const Allocation* left, const Allocation* right) {
    const bool wanted_left = in_use(*left);
    const bool wanted_right = in_use(*right);
    if (wanted_left != wanted_right)
      return abi::mutant(abi::Mutant::kEvictsResident) ? wanted_left : wanted_right;
    return left->last_made_resident < right->last_made_resident;
  });
  return others;
}

/// Moves others out of VRAM until `wanted` fits. Keeps allocations in use that support no aperture
/// segment and, if `wanted` supports it, `named` ones.
bool AllocationMoves::make_room(const Allocation& wanted, const std::vector<Allocation*>& named) {
  const std::uint64_t pages = wanted.pages;
  const bool contiguous = wanted.has(Allocation::Flags::kAccessedPhysically);
  const std::vector<Allocation*> others = victims(wanted, named);
  std::uint64_t there = parts_.pages.vram().free();
  for (const Allocation* other : others) there += other->pages;
  if (there < pages) return false;
  for (Allocation* victim : others) {
    if (parts_.pages.vram().has_room(pages, contiguous)) break;
    const bool stays = in_use(*victim);
    // It may have come into use while another allocation was moved.
    if (stays && !victim->supports(kApertureSegment)) continue;
    move(*victim, stays ? Placement::kAperture : Placement::kSystem);
  }
  return parts_.pages.vram().has_room(pages, contiguous);
}

void AllocationMoves::set_reached(Allocation& allocation, bool reached) const {
  allocation.reached = reached;
  for (const ContextQueue* context : allocation.contexts)
    state_.cpu.simulation().emit(event::ContextMemory{context->object, allocation.number, reached});
}

void AllocationMoves::wait_for_accessors(const Allocation& allocation) {
  while (allocation.accessors != 0) {
    state_.work.clear();
    if (allocation.accessors != 0) state_.cpu.block(state_.work, nullptr);
  }
}

/// Holds everything that could use the allocation, until `end`.
void AllocationMoves::begin(Allocation& allocation) {
  parts_.claims.claim(allocation);
  state_.pager.set_subject(allocation);
  wait_for_accessors(allocation);
  state_.contexts.table.hold(allocation.process);
  set_reached(allocation, false);
  while (!state_.contexts.table.quiet(allocation.process)) {
    state_.work.clear();
    if (!state_.contexts.table.quiet(allocation.process)) state_.cpu.block(state_.work, nullptr);
  }
  state_.work.set();  // the list may need more than this wake-up
  if (on_hold) on_hold(*allocation.process, true);
  if (state_.adapter.system().preemption.leaves_contexts)
    for (ContextQueue* context : allocation.contexts) state_.contexts.dispatch.leave(*context);
  state_.drain_all_cores();
}

void AllocationMoves::end(Allocation& allocation) {
  set_reached(allocation, allocation.placement != Placement::kSystem);
  state_.end_early_loads();
  state_.contexts.table.release(allocation.process);
  if (!allocation.of_context) parts_.reports.report_place(allocation);
  parts_.claims.let_go(allocation);
  if (on_hold) on_hold(*allocation.process, false);
}

void AllocationMoves::move(Allocation& allocation, Placement to) {
  begin(allocation);
  // During the wait it may have been locked, or others may have taken pages of the window or
  // memory.
  const bool contiguous = allocation.has(Allocation::Flags::kAccessedPhysically);
  const bool room = parts_.pages.vram().has_room(allocation.pages, contiguous);
  if (to == Placement::kVram && (!may_be_in_vram(allocation) || !room))
    to = allocation.supports(kApertureSegment) ? Placement::kAperture : allocation.placement;
  if (allocation.placement != to && allocation.exists) place(allocation, to);
  end(allocation);
}

void AllocationMoves::place(Allocation& allocation, Placement to) {
  const Placement from = allocation.placement;
  if (from != Placement::kSystem) unmap_gpu(allocation);
  if (from == Placement::kAperture) parts_.paging.unmap_aperture(allocation);
  allocation.placement = to;
  if (from == Placement::kVram) leave_vram(allocation);
  if (to == Placement::kVram) enter_vram(allocation);
  if (to != Placement::kVram) parts_.pages.give_system(allocation);
  if (to == Placement::kAperture) parts_.paging.map_aperture(allocation);
  if (to != Placement::kSystem) map_gpu(allocation);
}

void AllocationMoves::leave_vram(Allocation& allocation) {
  parts_.windows.close(allocation);
  parts_.pages.give_system(allocation);
  parts_.paging.transfer(allocation, false);
  parts_.pages.take_vram(allocation);
}

void AllocationMoves::enter_vram(Allocation& allocation) {
  parts_.pages.give_vram(allocation);
  if (allocation.locks != 0 && !state_.adapter.vram_cpu_visible()) parts_.windows.open(allocation);
  if (!allocation.system.empty()) {
    parts_.caches.leave(allocation);
    parts_.paging.transfer(allocation, true);
    parts_.pages.take_system(allocation);
  } else if (allocation.of_context) {
    parts_.paging.init_state(allocation);
  } else {
    parts_.paging.fill(allocation);
  }
}

void AllocationMoves::take_away(Allocation& allocation) {
  parts_.windows.close(allocation);
  if (allocation.placement != Placement::kSystem) unmap_gpu(allocation);
  if (allocation.placement == Placement::kAperture) parts_.paging.unmap_aperture(allocation);
  parts_.caches.leave(allocation);
  parts_.pages.take_vram(allocation);
  parts_.pages.take_system(allocation);
}

}  // namespace fenceline::os
