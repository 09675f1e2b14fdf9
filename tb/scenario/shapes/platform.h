#pragma once

#include "models/abi/registers.h"
#include "tb/scenario/profiles.h"
#include "tb/scenario/shapes/chip.h"

namespace fenceline::scenario {

// Shapes of /platform/host and /platform/adapters: see reader.h. Defaults come from profiles.

/// A file under scenarios/profiles/hosts.
struct HostProfileShape {
  template <class V, class T>
  static void fields(V& v, T& t) {
    hardware_fields<host::HostConfig>(v, t.host);
    v.field("memory", t.system_memory, ObjectCodec<HardwareShape<memory::SystemMemoryConfig>>{},
            "Memory behind the root complex.");
  }
};

struct HostShape : FromProfile {
  using Type = top::PlatformConfig;
  static constexpr const char* kName = "host";
  template <class V, class T>
  static void fields(V& v, T& t) {
    v.field("profile", t.host_profile, WordCodec{profile_names("hosts")},
            "Values that are not given here come from this profile.");
    v.on_read(t, [](auto& target) { load_host_profile(target.host_profile, target); });
    HostProfileShape::fields(v, t);
  }
};

/// A file under scenarios/profiles/gpus.
struct GpuProfileShape {
  template <class V, class T>
  static void fields(V& v, T& t) {
    v.field("chip", t, ObjectCodec<ChipShape>{},
            "Parameters of the chip that decide how work runs and stops.");
    hardware_fields<top::GpuConfig>(v, t);
  }
};

struct AdapterShape : FromProfile {
  using Type = top::GpuConfig;
  static constexpr const char* kName = "adapter";
  template <class V, class T>
  static void fields(V& v, T& t) {
    v.required("name", t.name, name(), "Unique among the adapters.");
    v.field("profile", t.profile, WordCodec{profile_names("gpus")},
            "Values that are not given here come from this profile.");
    v.on_read(t, [](auto& target) { load_gpu_profile(target.profile, target); });
    GpuProfileShape::fields(v, t);
    v.field("doorbells", t.command_processor.doorbells, IntegerCodec{0, abi::kQueueSlots},
            "Number of doorbells that hardware queues share. If there are too few, queues take "
            "them from each other. 0: each queue has its own.");
    v.field("display", t.display, ObjectCodec<HardwareShape<display::DisplayConfig>>{},
            "Display engine.");
  }
};

}  // namespace fenceline::scenario
