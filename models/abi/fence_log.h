#pragma once

#include <cstdint>

/// Fence log buffers that the GPU writes: part 4 of the contract between hardware and driver.
/// Source: WDDM, DXGK_NATIVE_FENCE_LOG_HEADER and _ENTRY (the same layout with the names of the
/// hardware).
namespace fenceline::abi {

struct FenceLogHeader {
  std::uint32_t first_free_entry;   ///< @0: low half of the 64-bit store
  std::uint32_t wraparound_count;   ///< @4: high half of the same store
  std::uint32_t type;               ///< @8: 1 wait log, 2 signal log
  std::uint32_t padding;            ///< @12
  std::uint64_t number_of_entries;  ///< @16
  std::uint64_t reserved[2];        ///< @24
};
struct FenceLogEntry {
  std::uint64_t fence_value;         ///< @0
  std::uint32_t native_fence;        ///< @8: user-mode handle
  std::uint32_t operation_type;      ///< @12: 0 signal executed, 1 wait unblocked
  std::uint64_t reserved0;           ///< @16
  std::uint64_t observed_timestamp;  ///< @24: GPU clock; only for waits that stalled
  std::uint64_t reserved1;           ///< @32
  std::uint64_t end_timestamp;       ///< @40: GPU clock
};
static_assert(sizeof(FenceLogHeader) == 40);
static_assert(sizeof(FenceLogEntry) == 48);

constexpr std::uint64_t kFenceLogBytes = 4096;
constexpr std::uint32_t kFenceLogMaxEntries =
    (kFenceLogBytes - sizeof(FenceLogHeader)) / sizeof(FenceLogEntry);  // 84

}  // namespace fenceline::abi
