#include "tb/os/driver/configuration_space.h"

#include "models/abi/configuration.h"
#include "models/abi/registers.h"
#include "models/top/gpu.h"
#include "tb/os/driver/host_port_model.h"

namespace fenceline::os {

std::uint32_t ConfigurationSpace::read(std::uint32_t offset) {
  std::uint32_t value = 0;
  auto load = cpu_.simulation().transactions.lend(
      tlm::TLM_READ_COMMAND, gpu_.bars().configuration + offset, &value, sizeof value);
  load->attributes.operation = common::Operation::kRegisterRead;
  cpu_.core().access(load, common::Operation::kRegisterRead);
  return value;
}

/// Configuration writes are non-posted: the function has taken it on return.
void ConfigurationSpace::write(std::uint32_t offset, std::uint32_t value) {
  auto store = cpu_.simulation().transactions.lend(
      tlm::TLM_WRITE_COMMAND, gpu_.bars().configuration + offset, &value, sizeof value);
  store->attributes.operation = common::Operation::kRegisterWrite;
  cpu_.core().access(store, common::Operation::kRegisterWrite);
  cpu_.drain_stores();
}

/// Code of the largest size among those listed; that of today if none is larger.
std::uint32_t ConfigurationSpace::best_size(std::uint32_t listed) const {
  const pcie::VramBarConfig& config = gpu_.config().vram_bar;
  std::uint32_t best = abi::bar_size_code(gpu_.bars().vram_bytes);
  for (std::uint32_t code = best + 1; code <= abi::bar_size_code(gpu_.config().vram.size_bytes);
       ++code) {
    const bool fits =
        config.window_bytes == 0 || 1ULL << (code + abi::kSmallestBarBits) <= config.window_bytes;
    if (fits && (listed >> (code + abi::kFirstBarSizeBit) & 1U) != 0) best = code;
  }
  return best;
}

/// The base stays: the window above is aligned for the largest size.
void ConfigurationSpace::set_size(std::uint32_t code) {
  const std::uint32_t command = read(abi::kConfigurationCommand) & 0xFFFFU;
  write(abi::kConfigurationCommand, command & ~abi::kCommandMemorySpace);
  write(abi::kResizableBarControl, code << abi::kResizableBarSizeShift);
  const std::uint32_t bar = abi::kConfigurationBar0 + 4 * abi::kVramBar;
  write(bar, static_cast<std::uint32_t>(gpu_.bars().vram));
  write(bar + 4, static_cast<std::uint32_t>(gpu_.bars().vram >> 32));
  write(abi::kConfigurationCommand, command);
}

void ConfigurationSpace::size_bar(HostPortModel& port) {
  if (gpu_.config().vram_bar.largest_bytes == 0) return;
  if ((read(abi::kExtendedCapabilities) & 0xFFFFU) != abi::kResizableBarId) return;
  const std::uint32_t best = best_size(read(abi::kResizableBarSizes));
  if (best == abi::bar_size_code(gpu_.bars().vram_bytes)) return;
  set_size(best);
  const std::uint32_t taken =
      read(abi::kResizableBarControl) >> abi::kResizableBarSizeShift & abi::kResizableBarSizeMask;
  port.set_vram_bar({gpu_.bars().vram, 1ULL << (taken + abi::kSmallestBarBits)});
}

void ConfigurationSpace::set_power(bool on) { write(abi::kPowerControl, on ? 0 : abi::kPowerD3); }

}  // namespace fenceline::os
