#include "models/top/gpu.h"

#include <algorithm>

#include "models/abi/page_table.h"

namespace fenceline::top {

namespace {

pcie::BarMap bar_map(std::uint32_t number, const GpuConfig& config) {
  const std::uint64_t base = Gpu::bus_base(number);
  const std::uint64_t firmware = config.vram_bar.bytes;
  return {base, base + (1ULL << 24), base + (1ULL << 36),
          firmware != 0 ? firmware : config.vram.size_bytes, base + (1ULL << 26)};
}

/// Clients of MMU and fabric in the order of their sockets: engines, front ends, CMP. The fabric
/// has three more: page walker, the host's window to VRAM, and the display.
std::vector<fabric::ClientConfig> clients(const GpuConfig& config) {
  std::vector<fabric::ClientConfig> result;
  for (const auto& engine : config.engines)
    result.push_back({config.name + "." + engine.name, true, true, engine.function});
  for (const auto& engine : config.engines)
    result.push_back({config.name + "." + engine.name + ".queue", false, true, engine.function});
  result.push_back({config.name + ".cmp", false});
  result.push_back({config.name + ".walker", false, false});
  result.push_back({config.name + ".bar", false, false});
  if (config.has_display()) result.push_back({config.name + ".display", false, false});
  return result;
}

std::vector<fabric::RegisterRange> register_ranges(const GpuConfig& config) {
  std::vector<fabric::RegisterRange> result{
      {abi::kPreempt, abi::kEngineReset + 127, 2},
      {abi::kSubmission, abi::kBandGrace + 8 * abi::kBands - 1, 2},
      {abi::kMmuInvalidate, abi::kDisplayMode - 1, 1},
      {abi::kQueueTable, abi::kMsixTable - 1, 2}};
  if (config.has_display()) result.push_back({abi::kDisplayMode, abi::kDisplayBlank + 7, 3});
  result.push_back({0, abi::kQueueTable - 1, 0});
  return result;
}

/// Number of PCIe functions: function 0 and those of the engines.
std::uint32_t functions(const GpuConfig& config) {
  std::uint32_t last = 0;
  for (const auto& engine : config.engines) last = std::max(last, engine.function);
  return last + 1;
}

cmp::Identity identity(const GpuConfig& config, std::uint32_t adapter) {
  cmp::Identity result;
  result.engines = config.engines.size();
  result.vram_bytes = config.vram.size_bytes;
  result.adapter = adapter;
  result.whole_stores = config.atomics64;
  result.native_fences = config.native_fences;
  result.iommu = config.iommu;
  result.display = config.has_display();
  result.doorbells = config.command_processor.doorbells;
  result.state_bytes = config.preemption.state_bytes;
  if (config.preemption.resets_together) result.reset_group = (1ULL << config.engines.size()) - 1;
  result.granularity = static_cast<std::uint64_t>(config.preemption.granularity.graphics) |
                       static_cast<std::uint64_t>(config.preemption.granularity.compute) << 8;
  for (std::size_t i = config.engines.size(); i-- > 0;)
    if (config.engines[i].kind == engine::EngineKind::kCopy) result.paging_node = i;
  for (std::size_t i = 0; i < config.engines.size(); ++i) {
    const engine::FenceWrite ability = config.engines[i].fence_write;
    if (ability != engine::FenceWrite::kNone) result.fence_writers |= 1ULL << i;
    if (ability == engine::FenceWrite::kAdvanced) result.fence_notifiers |= 1ULL << i;
  }
  return result;
}

/// A copy engine has no granularity of its own: it uses that of compute work.
command_processor::CommandProcessorConfig processor_config(const GpuConfig& config) {
  command_processor::CommandProcessorConfig result = config.command_processor;
  result.context_switch = config.preemption.context_switch;
  result.resets_together = config.preemption.resets_together;
  result.state_mbps = config.chip.state_mbps;
  for (const auto& engine : config.engines) {
    const auto [graphics, compute] = config.preemption.granularity;
    if (engine.kind == engine::EngineKind::kGraphics)
      result.stops.push_back({graphics > abi::GraphicsGranularity::kNone,
                              graphics > abi::GraphicsGranularity::kBuffer});
    else
      result.stops.push_back(
          {compute > abi::ComputeGranularity::kNone, compute > abi::ComputeGranularity::kBuffer});
  }
  return result;
}

std::vector<std::string> front_ends(const GpuConfig& config) {
  std::vector<std::string> result;
  for (const auto& engine : config.engines) result.push_back(config.name + "." + engine.name);
  return result;
}

}  // namespace

Gpu::Gpu(const sc_core::sc_module_name& name, common::Simulation& simulation,
         const GpuConfig& config, std::uint32_t number, const common::Watches& system_watches,
         std::uint64_t& signal_count)
    : sc_module(name),
      config_(config),
      object_(simulation.events.add_object(common::ObjectKind::kAdapter, config.name)),
      bars_(bar_map(number, config)),
      clock_(simulation.steps, config.clock),
      fences_(abi::kFenceSlots),
      vram_("vram", simulation, config.vram),
      link_("link", simulation, config.name + ".pcie", config.link, functions(config)),
      endpoint_("endpoint", simulation, bars_, config.vram_bar, config.vram.size_bytes, object_),
      fabric_("fabric", simulation, config.fabric, {bars_.vram, config.vram.interleave_bytes},
              clients(config)),
      mmu_("mmu", simulation, config.mmu),
      register_bus_("register_bus", register_ranges(config)),
      cmp_("cmp", simulation, config.name + ".cmp", config.cmp, identity(config, object_), clock_,
           fences_, {&vram_.memory().watches(), &system_watches, &vram_.memory().watches()}),
      processor_("command_processor", simulation, front_ends(config), processor_config(config),
                 clock_, fences_, {&vram_.memory().watches(), &system_watches}, object_) {
  std::uint32_t ordinal = 0;
  for (engine::EngineConfig engine : config.engines) {
    engine.whole_stores = config.atomics64;
    engine.adapter = object_;
    engine.granularity = config.preemption.granularity;
    engine.chip = config.chip;
    simulation.events.add_object(common::ObjectKind::kEngine, config.name + "." + engine.name);
    engines_.push_back(
        std::make_unique<engine::Engine>(engine.name.c_str(), simulation, engine, ordinal++,
                                         engine::Engine::Shared{clock_, fences_, signal_count}));
  }
  if (config.has_display())
    display_ = std::make_unique<display::Display>("display", simulation, config.name + ".display",
                                                  config.display, object_);
  bind_blocks();
}

void Gpu::reach(const std::string& mark) {
  link_.reach(mark);
  for (const auto& engine : engines_) engine->reach(mark);
}

void Gpu::bind_blocks() {
  link_.to_device.bind(endpoint_.link_in);
  endpoint_.link_out.bind(link_.from_device);
  endpoint_.registers.bind(register_bus_.in);
  endpoint_.doorbells.bind(processor_.doorbells);

  register_bus_.blocks.bind(cmp_.registers);
  register_bus_.blocks.bind(mmu_.registers);
  register_bus_.blocks.bind(processor_.registers);

  // The order of these binds must match clients().
  for (auto& engine : engines_) engine->memory.bind(mmu_.clients);
  for (std::size_t i = 0; i < engines_.size(); ++i) processor_.memory.bind(mmu_.clients);
  cmp_.memory.bind(mmu_.clients);
  for (std::size_t i = 0; i < 2 * engines_.size() + 1; ++i) mmu_.out.bind(fabric_.clients);
  mmu_.walker.bind(fabric_.clients);
  endpoint_.vram.bind(fabric_.clients);

  fabric_.vram.bind(vram_.socket);
  fabric_.host.bind(endpoint_.dma);
  fabric_.arrivals.bind(processor_.rescans);
  cmp_.host.bind(endpoint_.dma);
  cmp_.rescans.bind(processor_.rescans);
  for (auto& engine : engines_) {
    processor_.engines.bind(engine->packets);
    engine->notices.bind(cmp_.notices);
    engine->log_writes.bind(cmp_.log_writes);
    engine->rescans.bind(processor_.rescans);
    engine->logs.bind(processor_.logs);
    cmp_.engines.bind(engine->registers);
  }
  if (display_ == nullptr) return;
  register_bus_.blocks.bind(display_->registers);
  processor_.display.bind(display_->registers);
  display_->memory.bind(fabric_.clients);
  display_->notices.bind(cmp_.notices);
}

}  // namespace fenceline::top
