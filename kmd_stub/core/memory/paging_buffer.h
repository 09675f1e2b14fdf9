#pragma once

#include <cstdint>
#include <map>
#include <optional>

#include "kmd_stub/wddm/memory/paging.h"

namespace fenceline::kmd {

class Adapter;

/// The aperture segment: maps each of its pages to a page of system memory. The device has no such
/// table: the driver looks up addresses when it writes commands.
class ApertureSegment {
 public:
  void set(std::uint64_t page, std::uint64_t system_page) { pages_[page] = system_page; }
  /// Page of system memory; none if the page was never mapped.
  std::optional<std::uint64_t> find(std::uint64_t page) const {
    const auto found = pages_.find(page);
    if (found == pages_.end()) return std::nullopt;
    return found->second;
  }

 private:
  std::map<std::uint64_t, std::uint64_t> pages_;
};

/// TRANSFER, FILL and INIT_CONTEXT_RESOURCE write packets for the paging node into the DMA buffer
/// and advance pDmaBuffer. Operations of the aperture segment are done on return. MultipassOffset
/// counts finished pages of the allocation.
///
/// STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER if the buffer is full; STATUS_NOT_SUPPORTED for swizzled
/// transfers; STATUS_INVALID_HANDLE for a bad hAllocation; STATUS_INVALID_PARAMETER for addresses
/// outside segments or lists, sizes that are not whole pages, or a fill outside memory segments.
/// Only the first of these errors may have written packets. IRQL: PASSIVE_LEVEL. Source: WDDM,
/// DxgkDdiBuildPagingBuffer.
NTSTATUS transfer(Adapter& adapter, DXGKARG_BUILDPAGINGBUFFER& args);
NTSTATUS fill(Adapter& adapter, DXGKARG_BUILDPAGINGBUFFER& args);
NTSTATUS init_context_resource(Adapter& adapter, DXGKARG_BUILDPAGINGBUFFER& args);
NTSTATUS map_aperture_segment(Adapter& adapter, const DXGK_BUILDPAGINGBUFFER_MAPAPERTURE& map);
/// Maps the range to the dummy page.
NTSTATUS unmap_aperture_segment(Adapter& adapter,
                                const DXGK_BUILDPAGINGBUFFER_UNMAPAPERTURE& unmap);

}  // namespace fenceline::kmd
