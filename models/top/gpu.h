#pragma once

#include <memory>
#include <string>
#include <systemc>
#include <vector>

#include "models/cmp/cmp.h"
#include "models/command_processor/command_processor.h"
#include "models/common/fence_names.h"
#include "models/common/steps/gpu_clock.h"
#include "models/display/display.h"
#include "models/engine/engine.h"
#include "models/fabric/fabric.h"
#include "models/fabric/register_bus.h"
#include "models/memory/vram.h"
#include "models/mmu/mmu.h"
#include "models/pcie/endpoint.h"
#include "models/pcie/link.h"
#include "models/top/config.h"

namespace fenceline::top {

/// One GPU with its link: builds and binds the blocks.
class Gpu : public sc_core::sc_module {
 public:
  /// @param system_watches watches of host memory. @param signal_count number of signals on the
  /// platform; it numbers them.
  Gpu(const sc_core::sc_module_name& name, common::Simulation& simulation, const GpuConfig& config,
      std::uint32_t number, const common::Watches& system_watches, std::uint64_t& signal_count);

  const GpuConfig& config() const { return config_; }
  const pcie::BarMap& bars() const { return bars_; }
  std::uint32_t object() const { return object_; }  ///< ObjectKind::kAdapter
  pcie::Link& link() { return link_; }
  memory::Vram& vram() { return vram_; }
  const command_processor::CommandProcessor& command_processor() const { return processor_; }
  const engine::Engine& engine(std::size_t i) const { return *engines_[i]; }
  const cmp::Cmp& cmp() const { return cmp_; }
  const mmu::Mmu& mmu() const { return mmu_; }
  const fabric::Fabric& fabric() const { return fabric_; }
  /// A program reached a mark. Faults of the scenario may wait for it.
  void reach(const std::string& mark);
  /// True if nothing is in flight inside the GPU.
  bool quiet() const { return fabric_.pending() == 0 && link_.pending() == 0 && cmp_.idle(); }

  /// Bus address of the first base address register of GPU `number`.
  static std::uint64_t bus_base(std::uint32_t number) { return (1ULL << 40) + number * kBusBytes; }
  static constexpr std::uint64_t kBusBytes = 1ULL << 37;

 private:
  void bind_blocks();

  const GpuConfig config_;
  const std::uint32_t object_;
  const pcie::BarMap bars_;
  common::GpuClock clock_;
  common::FenceNames fences_;
  memory::Vram vram_;
  pcie::Link link_;
  pcie::Endpoint endpoint_;
  fabric::Fabric fabric_;
  mmu::Mmu mmu_;
  fabric::RegisterBus register_bus_;
  cmp::Cmp cmp_;
  command_processor::CommandProcessor processor_;
  std::vector<std::unique_ptr<engine::Engine>> engines_;
  std::unique_ptr<display::Display> display_;  ///< null without a display
};

}  // namespace fenceline::top
