#pragma once

#include "tb/os/vidmm/video_memory_state.h"

namespace fenceline::os {

/// Caches of hosts that do not see what the GPU does to system memory: when lines of allocations
/// are written back and dropped.
class AllocationCaches {
 public:
  explicit AllocationCaches(VideoMemoryState& state) : state_(state) {}

  /// D3DKMTInvalidateCache: a range, which lies within the allocation.
  void invalidate(Allocation& allocation, std::uint64_t offset, std::uint64_t bytes);
  /// The pages are somebody else's soon, or the GPU is about to read them.
  void leave(const Allocation& allocation) const;
  /// A buffer that lists them is about to be given to the driver, or is over. Does not wait for
  /// moves: those wait for work that the driver has, and go by paging buffers that come from the
  /// thread that calls this.
  void follow_lists(const std::vector<Allocation*>& listed, ListedWork work);
  /// Of a load at a bus address that has found `value`, for events.
  std::uint64_t load_flags(const Allocation& allocation, std::uint64_t address,
                           std::uint64_t value) const;

 private:
  void maintain(const Allocation& allocation, std::uint64_t offset, std::uint64_t bytes,
                common::CacheMaintenance what, event::CacheCall caller) const;

  VideoMemoryState& state_;
};

}  // namespace fenceline::os
