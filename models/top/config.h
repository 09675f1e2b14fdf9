#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "models/abi/preemption.h"
#include "models/cmp/config.h"
#include "models/command_processor/config.h"
#include "models/common/gpu_clock.h"
#include "models/display/config.h"
#include "models/engine/config.h"
#include "models/fabric/config.h"
#include "models/host/config.h"
#include "models/memory/config.h"
#include "models/mmu/config.h"
#include "models/pcie/config.h"

namespace fenceline::top {

/// Preemption of work on the engines of a GPU.
struct PreemptionConfig {
  abi::Granularity granularity;
  common::Time context_switch = 2 * common::kMicrosecond;  ///< without memory traffic; A-460
  std::uint64_t state_bytes = 64 * 1024;  ///< largest saved state of stopped work; A-461
  bool resets_together = false;           ///< a reset of one node resets all nodes of the adapter
  /// A user-mode queue hangs if it does not leave its node within this time; 0: no check. A-646
  common::Time engine_timeout = 2000 * common::kMillisecond;
};

/// One GPU and its link.
struct GpuConfig {
  std::string name = "gpu0";
  std::string profile = "discrete";
  memory::VramConfig vram;
  pcie::LinkConfig link;
  mmu::MmuConfig mmu;
  fabric::FabricConfig fabric;
  command_processor::CommandProcessorConfig command_processor;
  cmp::CmpConfig cmp;
  std::vector<engine::EngineConfig> engines{{"gfx0", engine::EngineKind::kGraphics},
                                            {"compute0", engine::EngineKind::kCompute},
                                            {"compute1", engine::EngineKind::kCompute},
                                            {"copy0", engine::EngineKind::kCopy}};
  common::GpuClockConfig clock;
  bool atomics64 = true;      ///< 64-bit stores are not split
  bool native_fences = true;  ///< engines and CMP support native fences
  pcie::VramBarConfig vram_bar;
  engine::ChipConfig chip;
  std::string chip_profile = "gv100";
  bool iommu = false;  ///< the GPU uses addresses of CPU processes
  PreemptionConfig preemption;
  display::DisplayConfig display;
  bool has_display() const { return display.refresh_period != 0; }
};

/// Host and GPUs: all hardware below the TLM sockets.
struct PlatformConfig {
  std::string host_profile = "desktop";
  host::HostConfig host;
  memory::SystemMemoryConfig system_memory;
  std::vector<GpuConfig> gpus{GpuConfig{}};
};

}  // namespace fenceline::top
