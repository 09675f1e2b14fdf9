#pragma once

#include <memory>
#include <systemc>
#include <vector>

#include "models/host/caches.h"
#include "models/host/core.h"
#include "models/host/interrupt_controller.h"
#include "models/memory/system_memory.h"
#include "models/pcie/root_complex.h"
#include "models/top/config.h"

namespace fenceline::top {

class Gpu;

/// The whole machine: host and GPUs, built from one configuration.
class Platform : public sc_core::sc_module {
 public:
  Platform(const sc_core::sc_module_name& name, common::Simulation& simulation,
           const PlatformConfig& config);
  ~Platform() override;

  const PlatformConfig& config() const { return config_; }
  std::size_t core_count() const { return cores_.size(); }
  host::Core& core(std::size_t i) { return *cores_[i]; }
  std::size_t gpu_count() const { return gpus_.size(); }
  Gpu& gpu(std::size_t i) { return *gpus_[i]; }
  memory::SystemMemory& system_memory() { return system_memory_; }
  const host::Caches& caches() const { return caches_; }
  /// True if the host's caches snoop accesses of GPU `i` to system memory.
  bool snoops(std::size_t i) const {
    return config_.host.io_coherent && !config_.gpus[i].link.no_snoop;
  }
  /// True if no write, interrupt or request is in flight, and nothing runs on a core.
  bool quiet() const;

 private:
  const PlatformConfig config_;
  memory::SystemMemory system_memory_;
  host::Caches caches_;
  pcie::RootComplex root_complex_;
  std::vector<std::unique_ptr<host::Core>> cores_;
  std::unique_ptr<host::InterruptController> interrupt_controller_;
  std::vector<std::unique_ptr<Gpu>> gpus_;
  std::uint64_t signal_count_ = 0;
};

}  // namespace fenceline::top
