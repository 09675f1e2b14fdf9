#pragma once

#include <cstdint>

/// What hardware and driver agree on, part 3: GPU addresses and page tables.
///
/// Three levels of 512 entries of 8 bytes; 4 KiB pages; 39-bit virtual addresses. Level 2 is the
/// root, level 0 the leaf. This layout is our own.
namespace fenceline::abi {

constexpr std::uint32_t kPageTableLevels = 3;
constexpr std::uint32_t kPageTableIndexBits = 9;
constexpr std::uint32_t kPageTableEntries = 1U << kPageTableIndexBits;
constexpr std::uint32_t kPageBits = 12;
constexpr std::uint64_t kPageBytes = 1ULL << kPageBits;
constexpr std::uint32_t kVirtualAddressBits = kPageBits + kPageTableLevels * kPageTableIndexBits;

/// A GPU physical address with this bit set is a host physical address; else a VRAM offset.
constexpr std::uint64_t kSystemMemoryBit = 1ULL << 47;

/// Page-table entry and root register.
constexpr std::uint64_t kEntryValid = 1ULL << 0;
constexpr std::uint64_t kEntryWritable = 1ULL << 1;                 ///< leaf only
constexpr std::uint64_t kEntryAddressMask = 0x0000FFFFFFFFF000ULL;  ///< GPU physical, page aligned

/// Index into the table of `level` for a virtual address.
constexpr std::uint64_t page_table_index(std::uint64_t address, std::uint32_t level) {
  return (address >> (kPageBits + level * kPageTableIndexBits)) & (kPageTableEntries - 1);
}

}  // namespace fenceline::abi
