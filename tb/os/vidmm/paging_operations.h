#pragma once

#include <memory>

#include "tb/os/vidmm/page_set.h"
#include "tb/os/vidmm/video_memory_state.h"

namespace fenceline::os {

/// What paging buffers do with one allocation: content comes and goes, and the aperture segment
/// shows its pages. Source: WDDM, DxgkDdiBuildPagingBuffer.
class PagingOperations {
 public:
  explicit PagingOperations(VideoMemoryState& state) : state_(state) {}

  /// The adapter has started.
  void start(PagePool& system_pages);
  /// By the copy engine, a run of pages that lie behind each other in VRAM at a time.
  void transfer(Allocation& allocation, bool to_vram);
  /// Fresh memory is all zero.
  void fill(const Allocation& allocation);
  /// Memory for the state of a context is as the driver wants it. It lies in one piece.
  void init_state(const Allocation& allocation);
  /// What engines use by its physical address lies in one piece in the aperture segment.
  void map_aperture(Allocation& allocation);
  void unmap_aperture(const Allocation& allocation);

 private:
  VideoMemoryState& state_;
  std::unique_ptr<PagePool> aperture_pool_;
  PageSet aperture_;
  std::uint64_t dummy_page_ = 0;  ///< where unmapped pages of the aperture segment lead
};

}  // namespace fenceline::os
