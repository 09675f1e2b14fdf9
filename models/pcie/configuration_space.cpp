#include "models/pcie/configuration_space.h"

#include "models/abi/registers.h"

namespace fenceline::pcie {

namespace {

constexpr std::uint32_t kIdentification = 0x0001'464E;  // our own, like abi::kDeviceId
constexpr std::uint32_t kBarsEnd = abi::kConfigurationBar0 + 8 * ConfigurationSpace::kBars;

/// Capability bits of the sizes from `smallest` to `largest`, both included.
std::uint32_t size_bits(std::uint64_t smallest, std::uint64_t largest) {
  std::uint32_t bits = 0;
  for (std::uint32_t code = abi::bar_size_code(smallest); code <= abi::bar_size_code(largest);
       ++code)
    bits |= 1U << (code + abi::kFirstBarSizeBit);
  return bits;
}

}  // namespace

ConfigurationSpace::ConfigurationSpace(const std::array<std::uint64_t, kBars>& bases,
                                       std::uint64_t vram_bytes, std::uint64_t largest)
    : bases_(bases), sizes_{abi::kRegisterBarBytes, abi::kDoorbellBarBytes, vram_bytes} {
  if (largest != 0) listed_ = size_bits(vram_bytes, largest);
}

std::uint32_t ConfigurationSpace::read(std::uint32_t offset) const {
  if (offset >= abi::kConfigurationBar0 && offset < kBarsEnd)
    return read_bar((offset - abi::kConfigurationBar0) / 4);
  switch (offset) {
    case abi::kConfigurationId:
      return kIdentification;
    case abi::kConfigurationCommand:
      return command_ | abi::kStatusCapabilities;
    case abi::kConfigurationPointer:
      return abi::kPowerManagement;
    case abi::kPowerManagement:
      return abi::kPowerManagementId;  // the last capability
    case abi::kPowerControl:
      return power_;
    case abi::kExtendedCapabilities:
      return listed_ != 0 ? abi::kResizableBarId | 1U << 16 : 0;
    case abi::kResizableBarSizes:
      return listed_;
    case abi::kResizableBarControl:
      if (listed_ == 0) return 0;
      return abi::kVramBar | 1U << abi::kResizableBarCountShift |
             abi::bar_size_code(vram_bytes()) << abi::kResizableBarSizeShift;
    default:
      return 0;
  }
}

void ConfigurationSpace::write(std::uint32_t offset, std::uint32_t value) {
  if (offset >= abi::kConfigurationBar0 && offset < kBarsEnd)
    return write_bar((offset - abi::kConfigurationBar0) / 4, value);
  if (offset == abi::kConfigurationCommand)
    command_ = value & (abi::kCommandMemorySpace | abi::kCommandBusMaster);
  if (offset == abi::kPowerControl) power_ = value & abi::kPowerStateMask;
  if (offset == abi::kResizableBarControl) resize(value);
}

std::uint32_t ConfigurationSpace::read_bar(std::uint32_t index) const {
  const std::uint64_t base = bases_[index / 2];
  if (index % 2 != 0) return static_cast<std::uint32_t>(base >> 32);
  return static_cast<std::uint32_t>(base) | abi::kBar64Prefetchable;
}

void ConfigurationSpace::write_bar(std::uint32_t index, std::uint32_t value) {
  std::uint64_t& base = bases_[index / 2];
  const std::uint64_t low = index % 2 == 0 ? value : base & 0xFFFF'FFFFULL;
  const std::uint64_t high = index % 2 != 0 ? value : base >> 32;
  std::uint64_t bytes = 1;
  while (bytes < sizes_[index / 2]) bytes <<= 1;
  base = (high << 32 | low) & ~(bytes - 1);
}

void ConfigurationSpace::resize(std::uint32_t value) {
  const std::uint32_t code = value >> abi::kResizableBarSizeShift & abi::kResizableBarSizeMask;
  if (decodes_memory() || code > abi::kLargestBarSize ||
      (listed_ >> (code + abi::kFirstBarSizeBit) & 1U) == 0)
    return;
  sizes_[kBars - 1] = 1ULL << (code + abi::kSmallestBarBits);
  bases_[kBars - 1] &= ~(sizes_[kBars - 1] - 1);
}

}  // namespace fenceline::pcie
