#pragma once

#include <memory>

#include "tb/os/allocations/page_set.h"
#include "tb/os/vidmm/video_memory_state.h"

namespace fenceline::os {

/// Paging operations of one allocation: transfers of content, and mappings in the aperture segment.
/// Source: WDDM, DxgkDdiBuildPagingBuffer.
class PagingOperations {
 public:
  explicit PagingOperations(VideoMemoryState& state) : state_(state) {}

  /// The adapter has started.
  void start(PagePool& system_pages);
  /// Copies the content with the copy engine; one operation per contiguous run of VRAM pages.
  void transfer(Allocation& allocation, bool to_vram);
  /// Zeroes new memory.
  void fill(const Allocation& allocation);
  /// Initialises the state memory of a context as the driver defines it. The memory is contiguous.
  void init_state(const Allocation& allocation);
  /// Maps the pages in the aperture segment; contiguous there for engines that use physical
  /// addresses.
  void map_aperture(Allocation& allocation);
  void unmap_aperture(const Allocation& allocation);

 private:
  VideoMemoryState& state_;
  std::unique_ptr<PagePool> aperture_pool_;
  PageSet aperture_;
  std::uint64_t dummy_page_ = 0;  ///< target of unmapped pages of the aperture segment
};

}  // namespace fenceline::os
