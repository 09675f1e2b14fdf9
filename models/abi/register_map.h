#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <iterator>

#include "models/abi/registers.h"

namespace fenceline::abi {

/// Access that a driver has to a word of the register BAR.
enum class RegisterAccess : std::uint8_t {
  kNone,             ///< no register here
  kReadOnly,         ///< read-only register
  kWritable,         ///< writable register
  kOperatingSystem,  ///< reserved for the operating system: the MSI-X table
};

/// Consecutive registers or a table: `count` entries, `stride` bytes apart. Each entry begins with
/// `words` registers.
struct RegisterRange {
  std::uint64_t first;
  RegisterAccess access;
  std::uint64_t count = 1;
  std::uint64_t stride = 8;
  std::uint64_t words = 1;
};

namespace detail {

constexpr std::uint64_t words_up_to(std::uint64_t field) { return field / 8 + 1; }

/// All registers, sorted by `first`. Registers marked RO in registers.h are kReadOnly.
inline constexpr RegisterRange kRegisterRanges[] = {
    {kId, RegisterAccess::kReadOnly, words_up_to(kResetGroup)},
    {kInterruptRingBase, RegisterAccess::kWritable, 4},
    {kShadowBase, RegisterAccess::kWritable, 2},
    {kMonitoredUpdatesDone, RegisterAccess::kReadOnly},
    {kFenceKick, RegisterAccess::kWritable},
    {kFenceKicksDone, RegisterAccess::kReadOnly},
    {kLogFlush, RegisterAccess::kWritable},
    {kLogFlushesDone, RegisterAccess::kReadOnly},
    {kFenceRetire, RegisterAccess::kWritable},
    {kFenceRetiresDone, RegisterAccess::kReadOnly},
    {kPeerDoorbell, RegisterAccess::kWritable, kPeers},
    {kOneFenceCause, RegisterAccess::kWritable},
    {kMmuInvalidate, RegisterAccess::kWritable},
    {kMmuRoot, RegisterAccess::kWritable, kAddressSpaces},
    {kPreempt, RegisterAccess::kWritable, kMaxNodes},
    {kEngineReset, RegisterAccess::kWritable, kMaxNodes},
    {kDisplayMode, RegisterAccess::kReadOnly},
    {kDisplayPrimary, RegisterAccess::kWritable},
    {kDisplayCurrent, RegisterAccess::kReadOnly},
    {kDisplayInterrupt, RegisterAccess::kWritable},
    {kDisplayBlank, RegisterAccess::kReadOnly},
    {kSubmission, RegisterAccess::kReadOnly, kMaxNodes},
    {kEngineResume, RegisterAccess::kWritable, kMaxNodes},
    {kEngineQueue, RegisterAccess::kReadOnly, kMaxNodes},
    {kBandGrace, RegisterAccess::kWritable, kBands},
    {kFenceTable, RegisterAccess::kWritable, kFenceSlots, kFenceEntryBytes,
     words_up_to(kFenceSpace)},
    {kPeerTable, RegisterAccess::kWritable, kFenceSlots, kPeerEntryBytes, kPeers},
    {kQueueTable, RegisterAccess::kWritable, kQueueSlots, kQueueEntryBytes,
     words_up_to(kQueueContext)},
    {kContextTable, RegisterAccess::kWritable, kContextSlots},
    {kDeviceTable, RegisterAccess::kWritable, kContextSlots},
    {kHwContextTable, RegisterAccess::kWritable, kContextSlots, kHwContextBytes,
     words_up_to(kContextVmid)},
    {kDoorbellTable, RegisterAccess::kWritable, kQueueSlots},
    {kRingScan, RegisterAccess::kWritable},
    {kMsixTable, RegisterAccess::kOperatingSystem, kInterruptVector + 1, 16, 2},
    {kHostApertureControl, RegisterAccess::kWritable, 2},
};

}  // namespace detail

/// Access to the register at `offset` [bytes] of the register BAR. @pre a multiple of 8
constexpr RegisterAccess register_access(std::uint64_t offset) {
  // Find the last range that begins at or below the offset.
  std::size_t low = 0;
  std::size_t high = std::size(detail::kRegisterRanges);
  while (high - low > 1) {
    const std::size_t middle = (low + high) / 2;
    (detail::kRegisterRanges[middle].first <= offset ? low : high) = middle;
  }
  const RegisterRange& range = detail::kRegisterRanges[low];
  const std::uint64_t from = offset - range.first;
  const bool inside = from / range.stride < range.count && from % range.stride < 8 * range.words;
  return inside ? range.access : RegisterAccess::kNone;
}

/// True if a writable register accepts the value. False for a slot, address space or size that the
/// device does not have.
constexpr bool register_takes(std::uint64_t offset, std::uint64_t value) {
  switch (offset) {
    case kMonitoredUpdate:
    case kFenceRetire:
      return value < kFenceSlots;
    case kFenceKick:
      return (value & ~kKickAlwaysSignaled) < kFenceSlots;
    case kLogFlush:
    case kRingScan:
      return value < kQueueSlots;
    case kMmuInvalidate:
      return value < kAddressSpaces;
    case kInterruptRingBase:
    case kShadowBase:
      return value % 8 == 0;
    case kInterruptRingEntries:
      return value != 0 && (value & (value - 1)) == 0;
    default:
      return true;
  }
}

/// True if the register belongs to a node that a device with `nodes` nodes does not have.
constexpr bool is_of_missing_node(std::uint64_t offset, std::uint64_t nodes) {
  for (const std::uint64_t first :
       {kPreempt, kEngineReset, kSubmission, kEngineResume, kEngineQueue})
    if (offset >= first && offset < first + 8 * kMaxNodes) return offset >= first + 8 * nodes;
  return false;
}

}  // namespace fenceline::abi
