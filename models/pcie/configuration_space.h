#pragma once

#include <array>
#include <cstdint>

#include "models/abi/configuration.h"

namespace fenceline::pcie {

/// Configuration space of the GPU's function: command register, three 64-bit BARs, power management
/// and, if present, a resizable VRAM BAR. Plain registers, no time.
///
/// The bits of a BAR below its size read as zero. Software finds the size by writing ones and
/// reading back. The size of the VRAM BAR can change only while memory space is not decoded. A size
/// that the capability does not list is ignored. Writes to read-only fields have no effect. Source:
/// PCI Express base specification; abi/configuration.h.
class ConfigurationSpace {
 public:
  static constexpr std::size_t kBars = 3;

  /// @param bases of the BARs of registers, doorbells and VRAM, as assigned by firmware. @param
  /// vram_bytes size of the VRAM BAR. @param largest largest size in the resizable-BAR capability,
  /// a power of two; 0: no such capability.
  ConfigurationSpace(const std::array<std::uint64_t, kBars>& bases, std::uint64_t vram_bytes,
                     std::uint64_t largest);

  /// @param offset a multiple of 4, below abi::kConfigurationBytes.
  std::uint32_t read(std::uint32_t offset) const;
  void write(std::uint32_t offset, std::uint32_t value);

  bool decodes_memory() const { return (command_ & abi::kCommandMemorySpace) != 0; }
  std::uint64_t vram_base() const { return bases_[kBars - 1]; }
  std::uint64_t vram_bytes() const { return sizes_[kBars - 1]; }
  std::uint32_t power_state() const { return power_; }

 private:
  std::uint32_t read_bar(std::uint32_t index) const;
  void write_bar(std::uint32_t index, std::uint32_t value);
  void resize(std::uint32_t value);

  std::array<std::uint64_t, kBars> bases_;
  std::array<std::uint64_t, kBars> sizes_;
  std::uint32_t command_ = abi::kCommandMemorySpace | abi::kCommandBusMaster;
  std::uint32_t power_ = 0;
  std::uint32_t listed_ = 0;  ///< abi::kResizableBarSizes
};

}  // namespace fenceline::pcie
