#pragma once

#include "tb/os/vidmm/video_memory_state.h"

namespace fenceline::os {

/// Cache maintenance for hosts with caches that do not see the GPU's accesses to system memory.
class AllocationCaches {
 public:
  explicit AllocationCaches(VideoMemoryState& state) : state_(state) {}

  /// D3DKMTInvalidateCache for a range within the allocation.
  void invalidate(Allocation& allocation, std::uint64_t offset, std::uint64_t bytes);
  /// Maintains lines before the pages get another owner or the GPU reads them.
  void leave(const Allocation& allocation) const;
  /// A buffer that lists the allocations is about to be given to the driver, or is complete. Does
  /// not wait for moves, because moves wait for work at the driver, and their paging buffers come
  /// from the calling thread.
  void follow_lists(const std::vector<Allocation*>& listed, ListedWork work);
  /// Flags of a load at a bus address that has returned `value`, for events.
  std::uint64_t load_flags(const Allocation& allocation, std::uint64_t address,
                           std::uint64_t value) const;

 private:
  void maintain(const Allocation& allocation, std::uint64_t offset, std::uint64_t bytes,
                common::CacheMaintenance what, event::CacheCall caller) const;

  VideoMemoryState& state_;
};

}  // namespace fenceline::os
