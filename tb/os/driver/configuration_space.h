#pragma once

#include "tb/os/core/cpu.h"

namespace fenceline::top {
class Gpu;
}

namespace fenceline::os {

class HostPortModel;

/// The bus driver's work on the configuration space of one device.
class ConfigurationSpace {
 public:
  ConfigurationSpace(Cpu& cpu, top::Gpu& gpu) : cpu_(cpu), gpu_(gpu) {}

  /// Gives the VRAM BAR the largest size that the device lists, the bridge above has room for and
  /// VRAM can use. Memory space is not decoded meanwhile. Source: PCI Express, resizable BAR.
  void size_bar(HostPortModel& port);
  /// Power state of the function: D0 or D3.
  void set_power(bool on);

 private:
  std::uint32_t read(std::uint32_t offset);
  void write(std::uint32_t offset, std::uint32_t value);
  std::uint32_t best_size(std::uint32_t listed) const;
  void set_size(std::uint32_t code);

  Cpu& cpu_;
  top::Gpu& gpu_;
};

}  // namespace fenceline::os
