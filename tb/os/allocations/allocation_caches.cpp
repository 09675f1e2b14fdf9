#include "tb/os/allocations/allocation_caches.h"

#include <algorithm>

namespace fenceline::os {

using common::CacheMaintenance;
using event::CacheCall;

/// An allocation outside system memory, or not cached, has no lines. If its pages are taken away
/// meanwhile, the mover has maintained their lines.
void AllocationCaches::maintain(const Allocation& allocation, std::uint64_t offset,
                                std::uint64_t bytes, CacheMaintenance what,
                                CacheCall caller) const {
  if (state_.snoops || !allocation.has(Allocation::Flags::kCached)) return;
  for (std::uint64_t done = 0; done < bytes;) {
    const std::uint64_t at = offset + done;
    const std::uint64_t piece = std::min(bytes - done, kPage - at % kPage);
    if (at / kPage >= allocation.system.size()) return;
    state_.adapter.port().maintain_caches(allocation.system[at / kPage] + at % kPage, piece, what);
    done += piece;
  }
  state_.cpu.simulation().emit(event::CacheMaintained{allocation.object, offset, bytes, caller});
}

void AllocationCaches::invalidate(Allocation& allocation, std::uint64_t offset,
                                  std::uint64_t bytes) {
  while (allocation.busy) {
    allocation.changed.clear();
    if (allocation.busy) state_.cpu.block(allocation.changed, nullptr);
  }
  ++allocation.accessors;
  maintain(allocation, offset, bytes, CacheMaintenance::kInvalidate, CacheCall::kUserMode);
  state_.end_access(allocation);
}

void AllocationCaches::leave(const Allocation& allocation) const {
  if (state_.adapter.system().flushes_moves)
    maintain(allocation, 0, allocation.system.size() * kPage, CacheMaintenance::kForget,
             CacheCall::kMove);
}

void AllocationCaches::follow_lists(const std::vector<Allocation*>& listed, ListedWork work) {
  const SystemOptions& system = state_.adapter.system();
  for (Allocation* allocation : listed) {
    const std::uint64_t bytes = allocation->pages * kPage;
    if (work == ListedWork::kBegins && system.flushes_listed)
      maintain(*allocation, 0, bytes, CacheMaintenance::kClean, CacheCall::kBeforeListed);
    if (work == ListedWork::kBegins) continue;
    if (work == ListedWork::kEnds && system.invalidates_listed)
      maintain(*allocation, 0, bytes, CacheMaintenance::kInvalidate, CacheCall::kAfterListed);
    if (--allocation->listed == 0) allocation->unlisted.set();
  }
}

std::uint64_t AllocationCaches::load_flags(const Allocation& allocation, std::uint64_t address,
                                           std::uint64_t value) const {
  if (address >= state_.host_memory.config().size_bytes) return event::kLoadUncached;
  if (state_.snoops || !allocation.has(Allocation::Flags::kCached)) return 0;
  std::uint64_t flags = event::kLoadNotSnooped;
  if (state_.host_memory.memory().bytes().word(address) != value) flags |= event::kLoadHidesMemory;
  return flags;
}

}  // namespace fenceline::os
