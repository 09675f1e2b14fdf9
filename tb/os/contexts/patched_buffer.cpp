#include "tb/os/contexts/patched_buffer.h"

#include <algorithm>
#include <map>
#include <set>

namespace fenceline::os {

namespace {

using Location = D3DDDI_PATCHLOCATIONLIST;

/// The smallest possible parts.
std::vector<PartRange> pieces(const PatchedBuffer& buffer) {
  std::vector<PartRange> result(1);
  for (UINT i = 0; i < buffer.locations.size(); ++i) {
    const Location& location = buffer.locations[i];
    if (location.slot() != Location::kNoSlot || location.SplitOffset == result.back().start)
      continue;
    result.back().end = location.SplitOffset;
    result.back().last = i;
    result.push_back({location.SplitOffset, 0, i, 0});
  }
  result.back().end = buffer.bytes;
  result.back().last = static_cast<UINT>(buffer.locations.size());
  return result;
}

std::uint64_t bytes_used(const PatchedBuffer& buffer, const PartRange& part,
                         const std::vector<std::uint64_t>& sizes) {
  std::set<UINT> used;
  for (UINT i = part.first; i < part.last; ++i) used.insert(buffer.locations[i].AllocationIndex);
  std::uint64_t sum = 0;
  for (const UINT allocation : used) sum += sizes[allocation];
  return sum;
}

}  // namespace

/// A buffer without waiting parts: the pool holds its only reference.
std::shared_ptr<PatchedBuffer> PatchedBufferPool::take(PagePool& system_pages) {
  constexpr std::uint64_t kBytes = 64 * 1024;
  for (const auto& buffer : buffers)
    if (buffer.use_count() == 1) return buffer;
  buffers.push_back(std::make_shared<PatchedBuffer>());
  buffers.back()->memory = {false, system_pages.allocate(kBytes), kBytes};
  return buffers.back();
}

std::vector<PartRange> split_buffer(const PatchedBuffer& buffer,
                                    const std::vector<std::uint64_t>& sizes, std::uint64_t most) {
  const std::vector<PartRange> all = pieces(buffer);
  if (most == 0) return all;
  std::vector<PartRange> result;
  for (const PartRange& piece : all) {
    if (bytes_used(buffer, piece, sizes) > most) return {};
    if (!result.empty()) {
      const PartRange both{result.back().start, piece.end, result.back().first, piece.last};
      if (bytes_used(buffer, both, sizes) <= most) {
        result.back() = both;
        continue;
      }
    }
    result.push_back(piece);
  }
  return result;
}

std::optional<UINT> find_binding_leak(const PatchedBuffer& buffer,
                                      const std::vector<PartRange>& parts) {
  std::set<UINT> bound;
  for (const PartRange& part : parts) {
    std::map<UINT, UINT> named;  // slot to allocation
    for (UINT i = part.first; i < part.last; ++i)
      if (buffer.locations[i].slot() != Location::kNoSlot)
        named[buffer.locations[i].slot()] = buffer.locations[i].AllocationIndex;
    const auto leak =
        std::find_if(bound.begin(), bound.end(), [&](UINT slot) { return named.count(slot) == 0; });
    if (leak != bound.end()) return *leak;
    for (const auto& [slot, allocation] : named)
      if (allocation == 0)
        bound.erase(slot);
      else
        bound.insert(slot);
  }
  return std::nullopt;
}

}  // namespace fenceline::os
