#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <iterator>

#include "models/abi/registers.h"

namespace fenceline::abi {

/// The accesses that a driver may make to a word of the register BAR.
enum class RegisterAccess : std::uint8_t {
  kNone,             ///< there is no register
  kReadOnly,         ///< it may only be read
  kWritable,         ///< it may be written
  kOperatingSystem,  ///< it is the operating system's: the MSI-X table
};

/// Registers in a row, or a table: `count` entries that are `stride` bytes apart and begin with
/// `words` registers each.
struct RegisterRange {
  std::uint64_t first;
  RegisterAccess access;
  std::uint64_t count = 1;
  std::uint64_t stride = 8;
  std::uint64_t words = 1;
};

namespace detail {

constexpr std::uint64_t words_up_to(std::uint64_t field) { return field / 8 + 1; }

/// By `first`. What is RO there is kReadOnly here.
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
    {kPreempt, RegisterAccess::kWritable, kMostNodes},
    {kEngineReset, RegisterAccess::kWritable, kMostNodes},
    {kDisplayMode, RegisterAccess::kReadOnly},
    {kDisplayPrimary, RegisterAccess::kWritable},
    {kDisplayCurrent, RegisterAccess::kReadOnly},
    {kDisplayInterrupt, RegisterAccess::kWritable},
    {kDisplayBlank, RegisterAccess::kReadOnly},
    {kSubmission, RegisterAccess::kReadOnly, kMostNodes},
    {kEngineResume, RegisterAccess::kWritable, kMostNodes},
    {kEngineQueue, RegisterAccess::kReadOnly, kMostNodes},
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

/// The access to the register at `offset` [bytes] of the register BAR. @pre a multiple of 8
constexpr RegisterAccess register_access(std::uint64_t offset) {
  // The last range that does not begin above the offset.
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

/// True if a writable register takes the value: false for a slot, an address space or a size that
/// the device does not have.
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

/// The register is one of a node that a device with so many nodes does not have.
constexpr bool is_of_missing_node(std::uint64_t offset, std::uint64_t nodes) {
  for (const std::uint64_t first :
       {kPreempt, kEngineReset, kSubmission, kEngineResume, kEngineQueue})
    if (offset >= first && offset < first + 8 * kMostNodes) return offset >= first + 8 * nodes;
  return false;
}

}  // namespace fenceline::abi
