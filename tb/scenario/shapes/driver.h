#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "kmd_stub/host/driver_caps.h"
#include "tb/os/core/system_options.h"
#include "tb/scenario/shapes/keys.h"

namespace fenceline::scenario {

/// DXGK_VIDSCHCAPS capabilities that a scenario can give a driver.
struct SchedulingCap {
  const char* name;
  UINT bit;
};
constexpr std::array<SchedulingCap, 6> kSchedulingCaps{
    {{"MultiEngineAware", DXGK_VIDSCHCAPS::kMultiEngineAware},
     {"VSyncPowerSaveAware", DXGK_VIDSCHCAPS::kVSyncPowerSaveAware},
     {"PreemptionAware", DXGK_VIDSCHCAPS::kPreemptionAware},
     {"NoDmaPatching", DXGK_VIDSCHCAPS::kNoDmaPatching},
     {"CancelCommandAware", DXGK_VIDSCHCAPS::kCancelCommandAware},
     {"LowIrqlPreemptCommand", DXGK_VIDSCHCAPS::kLowIrqlPreemptCommand}}};
/// Names of kSchedulingCaps, and the bits of a list of names.
std::vector<std::string> scheduling_cap_names();
std::uint32_t scheduling_bits(const std::vector<std::string>& names);

/// Properties of the driver of one adapter.
struct Driver {
  static constexpr const char* kName = "driver";
  std::string adapter;
  std::optional<DXGK_WDDMVERSION> wddm;
  std::vector<std::string> scheduling_caps{"MultiEngineAware", "PreemptionAware"};
  kmd_host::DriverCaps caps;  ///< without the two members above
  bool user_writes_status = false;
  Location at;

  template <class V, class T>
  static void fields(V& v, T& t) {
    v.required("adapter", t.adapter, scenario::name(), "Adapter of the driver.");
    v.field("wddm", t.wddm, maybe(choice(os::kWddmVersions)),
            "Driver model version. Default: that of the operating system.");
    v.field("scheduling_caps", t.scheduling_caps, list(WordCodec{scheduling_cap_names()}, 0, 6),
            "DXGK_VIDSCHCAPS without native fences and atomics.");
    Keys<OptionsShape, V> keys(v);
    kmd_host::DriverCaps::keys(keys, t.caps);
    v.field("user_writes_status", t.user_writes_status, BooleanCodec{},
            "Its user-mode part writes the status of a doorbell itself after it connected the "
            "doorbell.");
    v.location(t.at);
  }
};

}  // namespace fenceline::scenario
