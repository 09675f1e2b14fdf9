#pragma once

#include <cstdint>

/// What hardware and driver agree on, part 4: the fence log buffers that the GPU writes.
/// Source: WDDM, DXGK_NATIVE_FENCE_LOG_HEADER and _ENTRY (the same layout, in hardware's words).
namespace fenceline::abi {

struct FenceLogHeader {
  std::uint32_t first_free_entry;   ///< @0: low half of one 64-bit store
  std::uint32_t wraparound_count;   ///< @4: high half
  std::uint32_t type;               ///< @8: 1 waits, 2 signals
  std::uint32_t padding;            ///< @12
  std::uint64_t number_of_entries;  ///< @16
  std::uint64_t reserved[2];        ///< @24
};
struct FenceLogEntry {
  std::uint64_t fence_value;         ///< @0
  std::uint32_t native_fence;        ///< @8: user-mode handle
  std::uint32_t operation_type;      ///< @12: 0 signal executed, 1 wait unblocked
  std::uint64_t reserved0;           ///< @16
  std::uint64_t observed_timestamp;  ///< @24: GPU clock; waits that stalled only
  std::uint64_t reserved1;           ///< @32
  std::uint64_t end_timestamp;       ///< @40: GPU clock
};
static_assert(sizeof(FenceLogHeader) == 40);
static_assert(sizeof(FenceLogEntry) == 48);

constexpr std::uint64_t kFenceLogBytes = 4096;
constexpr std::uint32_t kFenceLogMostEntries =
    (kFenceLogBytes - sizeof(FenceLogHeader)) / sizeof(FenceLogEntry);  // 84

}  // namespace fenceline::abi
