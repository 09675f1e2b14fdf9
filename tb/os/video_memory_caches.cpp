// VidMm: caches of hosts that do not see what the GPU does to system memory.
#include <algorithm>

#include "tb/os/kernel.h"

namespace fenceline::os {

using common::CacheCall;
using common::CacheMaintenance;

/// What is not in system memory, or not cached, is in no line. Its pages may go meanwhile: then
/// others have seen to their lines.
void VideoMemory::maintain(const Allocation& allocation, std::uint64_t offset, std::uint64_t bytes,
                           CacheMaintenance what, CacheCall caller) const {
  if (snoops_ || !allocation.has(Allocation::Flags::kCached)) return;
  for (std::uint64_t done = 0; done < bytes;) {
    const std::uint64_t at = offset + done;
    const std::uint64_t piece = std::min(bytes - done, kPage - at % kPage);
    if (at / kPage >= allocation.system.size()) return;
    adapter_.port().maintain_caches(allocation.system[at / kPage] + at % kPage, piece, what);
    done += piece;
  }
  common::Simulation& simulation = cpu_.simulation();
  simulation.emit(event::CacheMaintained{allocation.object, offset, bytes, caller});
}

void VideoMemory::invalidate_cache(Allocation& allocation, std::uint64_t offset,
                                   std::uint64_t bytes) {
  while (allocation.busy) {
    allocation.changed.clear();
    if (allocation.busy) cpu_.block(allocation.changed, nullptr);
  }
  ++allocation.accessors;
  maintain(allocation, offset, bytes, CacheMaintenance::kInvalidate, CacheCall::kUserMode);
  if (--allocation.accessors == 0) work_.set();
}

/// The pages are somebody else's soon, or the GPU is about to read them.
void VideoMemory::leave_caches(const Allocation& allocation) const {
  if (adapter_.system().flushes_moves)
    maintain(allocation, 0, allocation.system.size() * kPage, CacheMaintenance::kForget,
             CacheCall::kMove);
}

/// Does not wait for moves: those wait for work that the driver has, and go by paging buffers that
/// come from the thread that calls this.
void VideoMemory::follow_lists(const std::vector<Allocation*>& listed, ListedWork work) {
  const SystemOptions& system = adapter_.system();
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

/// Work that lists it is not complete. Only allocation lists tell.
bool VideoMemory::is_listed(const Allocation& allocation) const {
  return adapter_.system().allocation_lists && allocation.listed != 0;
}

/// With allocation lists a lock is the beginning of an access by the CPU.
void VideoMemory::wait_for_listed(Allocation& allocation) {
  if (!adapter_.system().allocation_lists) return;
  while (!allocation.unlisted.is_set() && allocation.listed != 0)
    cpu_.block(allocation.unlisted, nullptr);
}

/// Some core's write-combining buffers hold something.
bool VideoMemory::cores_combine() const {
  for (std::uint32_t core = 0; core < cpu_.core_count(); ++core)
    if (cpu_.core(core).combined_pending()) return true;
  return false;
}

/// What is yet to come to a bus address from some core's write-combining buffers.
std::optional<std::uint64_t> VideoMemory::combined_word(std::uint64_t address) const {
  for (std::uint32_t core = 0; core < cpu_.core_count(); ++core)
    if (const auto word = cpu_.core(core).combined_word(address)) return word;
  return std::nullopt;
}

std::uint64_t VideoMemory::host_word(std::uint64_t address) const {
  if (const auto unwritten = caches_.unwritten(address)) return *unwritten;
  return host_memory_.memory().bytes().word(address);
}

/// Of a load at a bus address that has found `value`.
std::uint64_t VideoMemory::load_flags(const Allocation& allocation, std::uint64_t address,
                                      std::uint64_t value) const {
  if (address >= host_memory_.config().size_bytes) return common::kLoadUncached;
  if (snoops_ || !allocation.has(Allocation::Flags::kCached)) return 0;
  std::uint64_t flags = common::kLoadNotSnooped;
  if (host_memory_.memory().bytes().word(address) != value) flags |= common::kLoadHidesMemory;
  return flags;
}

}  // namespace fenceline::os
