#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "kmd_stub/wddm/patching.h"
#include "tb/os/vidmm/address_space.h"
#include "tb/os/vidmm/memory_pool.h"

namespace fenceline::os {

struct Process;

/// A DMA buffer that takes addresses; of one that is broadcast there is one copy for all adapters.
struct PatchedBuffer {
  Backing memory;  ///< contiguous
  UINT bytes = 0;  ///< that the driver has written
  std::vector<D3DDDI_PATCHLOCATIONLIST> locations;
  std::uint64_t broadcast = 0;  ///< number; 0: it goes to one context
};

/// What a thread has recorded for contexts whose buffers take addresses: D3DKMTRender. The lists
/// are those of user mode; A-482.
struct RenderRequest {
  struct Target {
    Process* process;
    D3DKMT_HANDLE context;
    std::vector<Backing> allocations;  ///< from 1 in the allocation list
  };
  std::vector<unsigned char> commands;
  std::vector<D3DDDI_PATCHLOCATIONLIST> locations;
  std::vector<Target> targets;  ///< the first one's driver renders; more of them: a broadcast
};

/// DMA buffers, used again when no part of them is left.
struct PatchedBufferPool {
  std::vector<std::shared_ptr<PatchedBuffer>> buffers;
  std::uint64_t broadcasts = 0;  ///< so far

  std::shared_ptr<PatchedBuffer> take(PagePool& system_pages);
};

/// What is submitted on its own: bytes and patch locations, [start, end) and [first, last).
struct PartRange {
  UINT start = 0;
  UINT end = 0;
  UINT first = 0;
  UINT last = 0;
};

/// One part for one context.
struct PatchedPart {
  std::shared_ptr<const PatchedBuffer> buffer;
  std::shared_ptr<const std::vector<DXGK_ALLOCATIONLIST>> allocations;
  PartRange range;
  bool last = false;  ///< of its buffer
};

/// Where the buffer is split: at every place where that is possible or, with `most`, where the
/// allocations of a part would take more than that. None when those between two such places do.
/// @param sizes of the allocations by their place in the list [bytes]; @param most 0: no bound.
std::vector<PartRange> split_buffer(const PatchedBuffer& buffer,
                                    const std::vector<std::uint64_t>& sizes, std::uint64_t most);

/// The slot that a part leaves bound and a later one neither unbinds nor binds anew.
/// Source: WDDM, GPU preemption: binding leak detection.
std::optional<UINT> find_binding_leak(const PatchedBuffer& buffer,
                                      const std::vector<PartRange>& parts);

}  // namespace fenceline::os
