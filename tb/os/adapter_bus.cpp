// What the bus driver does with the configuration space of an adapter.
#include <cstring>

#include "models/abi/configuration.h"
#include "tb/os/adapter.h"

namespace fenceline::os {

namespace {

/// Encoded size of a BAR of so many bytes: 0 is 1 MiB.
std::uint32_t size_code(std::uint64_t bytes) {
  std::uint32_t code = 0;
  while (1ULL << (code + abi::kSmallestBarBits) < bytes) ++code;
  return code;
}

}  // namespace

std::uint32_t Adapter::configuration(std::uint32_t offset) {
  std::uint32_t value = 0;
  auto read = cpu_.simulation().transactions.lend(
      tlm::TLM_READ_COMMAND, gpu_.bars().configuration + offset, &value, sizeof value);
  read->attributes.operation = common::Operation::kRegisterRead;
  cpu_.core().access(read, common::Operation::kRegisterRead);
  return value;
}

/// Configuration writes are non-posted: the function has taken it on return.
void Adapter::configure(std::uint32_t offset, std::uint32_t value) {
  auto write = cpu_.simulation().transactions.lend(
      tlm::TLM_WRITE_COMMAND, gpu_.bars().configuration + offset, &value, sizeof value);
  write->attributes.operation = common::Operation::kRegisterWrite;
  cpu_.core().access(write, common::Operation::kRegisterWrite);
  cpu_.drain_stores();
}

/// Gives the VRAM BAR the largest size that the device lists, the bridge above has room for and
/// VRAM can use. Memory space is not decoded meanwhile. Source: PCI Express, resizable BAR.
void Adapter::size_bar() {
  const pcie::VramBarConfig& config = gpu_.config().vram_bar;
  std::uint64_t bytes = gpu_.bars().vram_bytes;
  if (config.largest_bytes == 0 || !options_.system.resize_bar) return;
  const std::uint32_t header = configuration(abi::kExtendedCapabilities);
  if ((header & 0xFFFFU) != abi::kResizableBarId) return;
  const std::uint32_t listed = configuration(abi::kResizableBarSizes);
  std::uint32_t best = size_code(bytes);
  for (std::uint32_t code = best + 1; code <= size_code(gpu_.config().vram.size_bytes); ++code) {
    const bool fits =
        config.window_bytes == 0 || 1ULL << (code + abi::kSmallestBarBits) <= config.window_bytes;
    if (fits && (listed >> (code + abi::kFirstBarSizeBit) & 1U) != 0) best = code;
  }
  if (best == size_code(bytes)) return;
  const std::uint32_t command = configuration(abi::kConfigurationCommand) & 0xFFFFU;
  configure(abi::kConfigurationCommand, command & ~abi::kCommandMemorySpace);
  configure(abi::kResizableBarControl, best << abi::kResizableBarSizeShift);
  // The base stays: the window above is aligned for the largest size.
  const std::uint32_t bar = abi::kConfigurationBar0 + 4 * abi::kVramBar;
  configure(bar, static_cast<std::uint32_t>(gpu_.bars().vram));
  configure(bar + 4, static_cast<std::uint32_t>(gpu_.bars().vram >> 32));
  configure(abi::kConfigurationCommand, command);
  const std::uint32_t taken =
      configuration(abi::kResizableBarControl) >> abi::kResizableBarSizeShift &
      abi::kResizableBarSizeMask;
  bytes = 1ULL << (taken + abi::kSmallestBarBits);
  port_.set_vram_bar({gpu_.bars().vram, bytes});
}

void Adapter::set_device_power(bool on) {
  if (host_aperture_ == nullptr && !shares_doorbells()) return;
  configure(abi::kPowerControl, on ? 0 : abi::kPowerD3);
}

}  // namespace fenceline::os
