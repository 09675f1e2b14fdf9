#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "kmd_stub/wddm/memory/patching.h"
#include "tb/os/vidmm/address_space.h"
#include "tb/os/vidmm/memory_pool.h"

namespace fenceline::os {

struct Process;

/// A DMA buffer with patch locations. A broadcast buffer has one copy for all adapters.
struct PatchedBuffer {
  Backing memory;  ///< contiguous
  UINT bytes = 0;  ///< bytes written by the driver
  std::vector<D3DDDI_PATCHLOCATIONLIST> locations;
  std::uint64_t broadcast = 0;  ///< number of the broadcast; 0: it goes to one context
};

/// A recording of a thread for contexts with patched buffers: D3DKMTRender. The lists come from
/// user mode; A-482.
struct RenderRequest {
  struct Target {
    Process* process;
    D3DKMT_HANDLE context;
    std::vector<Backing> allocations;  ///< numbered from 1 in the allocation list
  };
  std::vector<unsigned char> commands;
  std::vector<D3DDDI_PATCHLOCATIONLIST> locations;
  std::vector<Target> targets;  ///< the driver of the first one renders; several: a broadcast
};

/// DMA buffers, reused when none of their parts is left.
struct PatchedBufferPool {
  std::vector<std::shared_ptr<PatchedBuffer>> buffers;
  std::uint64_t broadcasts = 0;  ///< number of broadcasts so far

  std::shared_ptr<PatchedBuffer> take(PagePool& system_pages);
};

/// A part that is submitted on its own: bytes [start, end) and patch locations [first, last).
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
  bool last = false;  ///< last part of its buffer
};

/// Splits the buffer at every possible place or, with `most`, only where the allocations of a part
/// would exceed that size. Returns no parts if the allocations between two such places already do.
/// @param sizes [bytes] of the allocations by place in the list; @param most 0: no bound
std::vector<PartRange> split_buffer(const PatchedBuffer& buffer,
                                    const std::vector<std::uint64_t>& sizes, std::uint64_t most);

/// A slot that a part leaves bound and a later part neither unbinds nor binds again.
/// Source: WDDM, GPU preemption: binding leak detection.
std::optional<UINT> find_binding_leak(const PatchedBuffer& buffer,
                                      const std::vector<PartRange>& parts);

}  // namespace fenceline::os
