#pragma once

#include <cstdint>

/// GPU addresses and page tables: part 3 of the contract between hardware and driver.
///
/// Three levels of 512 entries of 8 bytes; 4 KiB pages; 39-bit virtual addresses. Level 2 is the
/// root, level 0 the leaf. The layout is our own.
namespace fenceline::abi {

constexpr std::uint32_t kPageTableLevels = 3;
constexpr std::uint32_t kPageTableIndexBits = 9;
constexpr std::uint32_t kPageTableEntries = 1U << kPageTableIndexBits;
constexpr std::uint32_t kPageBits = 12;
constexpr std::uint64_t kPageBytes = 1ULL << kPageBits;
constexpr std::uint32_t kVirtualAddressBits = kPageBits + kPageTableLevels * kPageTableIndexBits;

/// With this bit a GPU physical address is a host physical address, without it a VRAM offset.
constexpr std::uint64_t kSystemMemoryBit = 1ULL << 47;

/// Bits of a page-table entry and of the root register.
constexpr std::uint64_t kEntryValid = 1ULL << 0;
constexpr std::uint64_t kEntryWritable = 1ULL << 1;                 ///< leaf only
constexpr std::uint64_t kEntryAddressMask = 0x0000FFFFFFFFF000ULL;  ///< GPU physical, page aligned

/// Index of a virtual address in the table of `level`.
constexpr std::uint64_t page_table_index(std::uint64_t address, std::uint32_t level) {
  return (address >> (kPageBits + level * kPageTableIndexBits)) & (kPageTableEntries - 1);
}

}  // namespace fenceline::abi
