#pragma once

#include <cstdint>
#include <optional>

#include "kmd_stub/wddm/base.h"
#include "models/abi/page_table.h"
#include "models/abi/registers.h"

/// Memory segments that the driver reports, and the VRAM that it reserves.
namespace fenceline::kmd {

constexpr UINT kSystemSegment = 0;    ///< not reported: host physical addresses
constexpr UINT kVramSegment = 1;      ///< VRAM behind the BAR, from kReservedVram on
constexpr UINT kApertureSegment = 2;  ///< system memory; page tables use kSystemSegment for it
constexpr UINT kSegments = 2;
/// Number of pages of the aperture segment. Assumption: more than any modelled host has.
constexpr std::uint64_t kAperturePages = (1ULL << 36) / abi::kPageBytes;

/// VRAM reserved for the driver [bytes], from offset 0.
constexpr std::uint64_t kReservedVram = 64 * 1024;
/// VRAM offset of the shadow MonitoredValues.
constexpr std::uint64_t kShadowOffset = 0;
static_assert(kShadowOffset + 8 * std::uint64_t{abi::kFenceSlots} <= kReservedVram);

/// GPU physical address of an offset in a segment. None if page tables cannot name the segment.
/// @param offset from the start of the segment [bytes], page aligned.
constexpr std::optional<std::uint64_t> gpu_physical(UINT segment, std::uint64_t offset) {
  if ((offset & ~abi::kEntryAddressMask) != 0 || (offset & abi::kSystemMemoryBit) != 0)
    return std::nullopt;
  if (segment == kSystemSegment) return offset | abi::kSystemMemoryBit;
  if (segment == kVramSegment) return offset + kReservedVram;
  return std::nullopt;
}

}  // namespace fenceline::kmd
