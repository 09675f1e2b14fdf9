#pragma once

#include <array>
#include <cstdint>

#include "models/abi/configuration.h"

namespace fenceline::pcie {

/// Configuration space of the GPU's function: command register, three BARs of 64 bits, power
/// management and, if the device has it, a resizable VRAM BAR. Plain registers, no time.
///
/// A BAR's bits below its size read as zero, so that writing ones and reading back gives the size.
/// The size of the VRAM BAR changes only while memory space is not decoded; a size that the
/// capability does not list is not taken. Writes to what is read-only change nothing.
/// Source: PCI Express base specification; abi/configuration.h.
class ConfigurationSpace {
 public:
  static constexpr std::size_t kBars = 3;

  /// @param bases of registers, doorbells and VRAM, as firmware assigned them.
  /// @param vram_bytes of the VRAM BAR. @param largest size that the resizable-BAR capability
  /// lists, a power of two; 0: there is no such capability.
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
