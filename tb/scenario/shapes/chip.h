#pragma once

#include "models/top/config.h"
#include "tb/scenario/profiles.h"
#include "tb/scenario/shapes/keys.h"

namespace fenceline::scenario {

/// The chip of an adapter.
struct ChipShape : FromProfile {
  using Type = top::GpuConfig;
  static constexpr const char* kName = "chip";
  template <class V, class T>
  static void fields(V& v, T& t) {
    v.field("profile", t.chip_profile, WordCodec{profile_names("chips")},
            "Values that are not given here come from this profile.");
    v.on_read(t, [](auto& target) { load_chip_profile(target.chip_profile, target.chip); });
    hardware_fields<engine::ChipConfig>(v, t.chip);
  }
};

}  // namespace fenceline::scenario
