#pragma once

#include <cstdint>
#include <map>
#include <optional>

#include "kmd_stub/wddm/paging.h"

namespace fenceline::kmd {

class Adapter;

/// The aperture segment: which page of system memory stands at each of its pages. The device has
/// no table for it: the driver looks addresses up when it writes commands.
class ApertureSegment {
 public:
  void set(std::uint64_t page, std::uint64_t system_page) { pages_[page] = system_page; }
  /// Page of system memory; none if nothing was ever mapped there.
  std::optional<std::uint64_t> find(std::uint64_t page) const {
    const auto found = pages_.find(page);
    if (found == pages_.end()) return std::nullopt;
    return found->second;
  }

 private:
  std::map<std::uint64_t, std::uint64_t> pages_;
};

/// TRANSFER, FILL and INIT_CONTEXT_RESOURCE write packets of the paging node into the DMA buffer
/// and move pDmaBuffer behind them; the operations of the aperture segment are done on return.
/// MultipassOffset counts pages of the allocation that are done.
///
/// STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER when the buffer is full; STATUS_NOT_SUPPORTED for
/// swizzled transfers; STATUS_INVALID_HANDLE for a bad hAllocation; STATUS_INVALID_PARAMETER for
/// places outside segments or lists, sizes that are no whole pages, or a fill outside memory
/// segments. Nothing has been written then, but for the first of these.
/// IRQL: PASSIVE_LEVEL. Source: WDDM, DxgkDdiBuildPagingBuffer.
NTSTATUS transfer(Adapter& adapter, DXGKARG_BUILDPAGINGBUFFER& args);
NTSTATUS fill(Adapter& adapter, DXGKARG_BUILDPAGINGBUFFER& args);
NTSTATUS init_context_resource(Adapter& adapter, DXGKARG_BUILDPAGINGBUFFER& args);
NTSTATUS map_aperture_segment(Adapter& adapter, const DXGK_BUILDPAGINGBUFFER_MAPAPERTURE& map);
/// The range leads to the dummy page from then on.
NTSTATUS unmap_aperture_segment(Adapter& adapter,
                                const DXGK_BUILDPAGINGBUFFER_UNMAPAPERTURE& unmap);

}  // namespace fenceline::kmd
