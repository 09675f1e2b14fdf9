#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "models/abi/preemption.h"
#include "models/cmp/config.h"
#include "models/command_processor/config.h"
#include "models/common/steps/gpu_clock.h"
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
  static constexpr const char* kName = "preemption";
  abi::Granularity granularity;
  common::Time context_switch = 2 * common::kMicrosecond;  ///< A-460
  std::uint64_t state_bytes = 64 * 1024;                   ///< A-461
  bool resets_together = false;
  common::Time engine_timeout = 2000 * common::kMillisecond;  ///< A-646

  template <class V, class T>
  static void keys(V& v, T& t) {
    v.choice("graphics", t.granularity.graphics, abi::kGraphicsGranularities,
             "Points where draws can stop.");
    v.choice("compute", t.granularity.compute, abi::kComputeGranularities,
             "Points where dispatches can stop.");
    v.duration("context_switch", t.context_switch,
               "Time of a context switch without its memory traffic.");
    v.size("state", t.state_bytes, {0, 1ULL << 30U, 4096},
           "Space per context for the state of stopped work.");
    v.flag("resets_together", t.resets_together,
           "A reset of one node resets all nodes of the adapter.");
    v.duration("engine_timeout", t.engine_timeout,
               "A hardware queue that runs a packet for longer must leave its node. If it does not "
               "leave within the same time again, it hangs. 0ps: no detection of hangs.");
  }
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
  bool atomics64 = true;
  bool native_fences = true;
  pcie::VramBarConfig vram_bar;
  engine::ChipConfig chip;
  std::string chip_profile = "gv100";
  bool iommu = false;
  PreemptionConfig preemption;
  display::DisplayConfig display;
  bool has_display() const { return display.refresh_period != 0; }

  template <class V, class T>
  static void keys(V& v, T& t) {
    v.object("vram", t.vram, "Video memory.");
    v.object("link", t.link, "PCIe link to the host.");
    v.object("mmu", t.mmu, "GPU MMU.");
    v.object("fabric", t.fabric, "Paths from agents to memory.");
    v.object("command_processor", t.command_processor, "Fetches and decodes packets.");
    v.object("cmp", t.cmp, "Context management processor.");
    v.list("engines", t.engines, 1, 16, "Nodes; a list given here replaces the profile's.");
    common::GpuClockConfig::keys(v, t.clock);
    v.flag("native_fences", t.native_fences,
           "Engines and CMP support native fences. Otherwise only monitored fences.");
    v.flag("atomics64", t.atomics64,
           "64-bit stores are not split. Otherwise a value may be read torn.");
    v.object("vram_bar", t.vram_bar,
             "BAR through which the CPU accesses VRAM, and its possible sizes.");
    v.object("preemption", t.preemption, "Preemption of work on its engines.");
    v.flag("iommu", t.iommu, "The GPU uses addresses of CPU processes.");
  }
};

/// Host and GPUs: all hardware below the TLM sockets.
struct PlatformConfig {
  std::string host_profile = "desktop";
  host::HostConfig host;
  memory::SystemMemoryConfig system_memory;
  std::vector<GpuConfig> gpus{GpuConfig{}};
};

}  // namespace fenceline::top
