#include "models/top/platform.h"

#include <algorithm>
#include <string>

#include "models/top/gpu.h"

namespace fenceline::top {

namespace {
std::vector<pcie::BusWindow> windows(const PlatformConfig& config) {
  std::vector<pcie::BusWindow> result;
  for (std::uint32_t i = 0; i < config.gpus.size(); ++i)
    result.push_back({Gpu::bus_base(i), Gpu::kBusBytes});
  return result;
}
/// True if the host's caches miss accesses of some device.
bool has_unsnooped_device(const PlatformConfig& config) {
  return !config.host.io_coherent ||
         std::any_of(config.gpus.begin(), config.gpus.end(),
                     [](const GpuConfig& gpu) { return gpu.link.no_snoop; });
}
}  // namespace

Platform::Platform(const sc_core::sc_module_name& name, common::Simulation& simulation,
                   const PlatformConfig& config)
    : sc_module(name),
      config_(config),
      system_memory_("system_memory", simulation, config.system_memory),
      caches_("caches", simulation, config.host, has_unsnooped_device(config)),
      root_complex_("root_complex", config.system_memory.size_bytes, windows(config)) {
  std::vector<host::Core*> cores;
  for (std::uint32_t i = 0; i < config.host.cores; ++i) {
    const std::string core_name = "core" + std::to_string(i);
    cores_.push_back(
        std::make_unique<host::Core>(core_name.c_str(), simulation, i, core_name, config.host));
    cores_.back()->memory.bind(root_complex_.cpus);
    cores.push_back(cores_.back().get());
  }
  interrupt_controller_ =
      std::make_unique<host::InterruptController>("interrupt_controller", std::move(cores));
  root_complex_.messages.bind(interrupt_controller_->messages);
  root_complex_.memory.bind(caches_.in);
  caches_.memory.bind(system_memory_.socket);
  for (std::uint32_t i = 0; i < config.gpus.size(); ++i) {
    const GpuConfig& gpu = config.gpus[i];
    gpus_.push_back(std::make_unique<Gpu>(gpu.name.c_str(), simulation, gpu, i,
                                          system_memory_.memory().watches(), signal_count_));
    root_complex_.links.bind(gpus_.back()->link().from_host);
    gpus_.back()->link().to_host.bind(root_complex_.devices);
  }
}

Platform::~Platform() = default;

bool Platform::quiet() const {
  for (const auto& gpu : gpus_)
    if (!gpu->quiet()) return false;
  for (const auto& core : cores_)
    if (core->busy() || core->interrupt_pending() || core->stores_pending()) return false;
  return true;
}

}  // namespace fenceline::top
