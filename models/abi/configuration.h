#pragma once

#include <cstdint>

/// Configuration space of the function: the contract between hardware and bus driver. Offsets
/// [bytes] and bits are those of PCI. The device has the capabilities named here and no other.
/// Source: PCI Express base specification, configuration space; PCI power management; resizable
/// BAR.
namespace fenceline::abi {

constexpr std::uint64_t kConfigurationBytes = 4096;  ///< per function

constexpr std::uint32_t kConfigurationId = 0x00;       ///< vendor | device << 16
constexpr std::uint32_t kConfigurationCommand = 0x04;  ///< command | status << 16
constexpr std::uint32_t kConfigurationBar0 =
    0x10;  ///< + 4 * BAR; every BAR of this device is 64 bits wide
constexpr std::uint32_t kConfigurationPointer = 0x34;  ///< offset of the first capability

constexpr std::uint32_t kCommandMemorySpace = 1U << 1;  ///< memory BARs are decoded
constexpr std::uint32_t kCommandBusMaster = 1U << 2;
constexpr std::uint32_t kStatusCapabilities = 1U << 20;  ///< the capability list exists
constexpr std::uint32_t kBar64Prefetchable = 0xC;        ///< low bits of a BAR, read only

/// Power management: capability 1, the only one in the first 256 bytes.
constexpr std::uint32_t kPowerManagement = 0x40;
constexpr std::uint32_t kPowerManagementId = 0x01;
constexpr std::uint32_t kPowerControl = kPowerManagement + 4;  ///< bits [1:0]: D-state
constexpr std::uint32_t kPowerStateMask = 0x3;
constexpr std::uint32_t kPowerD3 = 0x3;

/// Extended capabilities begin here. Header: id | version << 16 | next << 20; 0 is none.
constexpr std::uint32_t kExtendedCapabilities = 0x100;
constexpr std::uint32_t kResizableBarId = 0x15;
constexpr std::uint32_t kResizableBarSizes = kExtendedCapabilities + 4;  ///< bit n: 2^(n+16) bytes
constexpr std::uint32_t kResizableBarControl = kExtendedCapabilities + 8;  ///< fields below
constexpr std::uint32_t kResizableBarIndexMask = 0x7;  ///< [2:0], RO: index of the BAR
constexpr std::uint32_t kResizableBarCountShift = 5;   ///< [7:5], RO: number of resizable BARs
constexpr std::uint32_t kResizableBarSizeShift = 8;    ///< [13:8]: 2^(size+20) bytes
constexpr std::uint32_t kResizableBarSizeMask = 0x3F;
constexpr std::uint32_t kSmallestBarBits = 20;  ///< 1 MiB has size 0
constexpr std::uint32_t kFirstBarSizeBit = 4;   ///< size 0 is bit 4 of kResizableBarSizes
constexpr std::uint32_t kLargestBarSize = 27;   ///< 128 TiB, bit 31

/// Encoded size of a BAR of so many bytes: 0 is 1 MiB.
constexpr std::uint32_t bar_size_code(std::uint64_t bytes) {
  std::uint32_t code = 0;
  while (code < kLargestBarSize && 1ULL << (code + kSmallestBarBits) < bytes) ++code;
  return code;
}

}  // namespace fenceline::abi
