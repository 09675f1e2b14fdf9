#include "tb/generate/negotiation.h"

#include <algorithm>

namespace fenceline::generate {

namespace {

using kmd_host::Negotiation;

constexpr DXGK_WDDMVERSION kFirstVersion = DXGKDDI_WDDMv3_2;

DXGK_WDDMVERSION older_version(Draw& draw) {
  return os::kWddmVersions[draw.below(os::kWddmVersions.size() - 1)].value;
}

void leave_out(Draw& draw, os::SystemOptions& system) {
  switch (draw.below(3)) {
    case 0:
      system.native_fence = false;
      break;
    case 1:
      system.hardware_scheduling = false;
      break;
    default:
      system.wddm = older_version(draw);
  }
}

void leave_out(Draw& draw, scenario::Driver& driver) {
  switch (draw.below(4)) {
    case 0:
      driver.caps.native_fence =
          draw.chance(50) ? Negotiation::kUnsupported : Negotiation::kNotConfigured;
      break;
    case 1:
      driver.caps.hardware_scheduling = false;
      break;
    case 2:
      driver.caps.feature_interface = false;
      break;
    default:
      driver.wddm = older_version(draw);
  }
}

bool offers(const scenario::Driver& driver) {
  return driver.caps.native_fence == Negotiation::kWhole && driver.caps.feature_interface &&
         driver.caps.hardware_scheduling && driver.wddm.value_or(kFirstVersion) >= kFirstVersion;
}

}  // namespace

void draw_negotiation(const Constraints& constraints, Draw& draw, scenario::Platform& platform) {
  if (!draw.occurs(constraints.features.negotiation)) return;
  if (platform.drivers.empty() || draw.chance(50))
    leave_out(draw, platform.system);
  else
    leave_out(draw, platform.drivers[draw.below(platform.drivers.size())]);
}

bool have_cpu_events(const scenario::Platform& platform) {
  const auto has = [](DXGK_WDDMVERSION version) { return version >= DXGKDDI_WDDMv3_0; };
  return has(platform.system.wddm) &&
         std::all_of(platform.drivers.begin(), platform.drivers.end(),
                     [&](const auto& driver) { return !driver.wddm || has(*driver.wddm); });
}

bool has_native_fences(const scenario::Platform& platform, const top::GpuConfig& adapter) {
  const os::SystemOptions& system = platform.system;
  return adapter.native_fences && system.native_fence && system.hardware_scheduling &&
         system.wddm >= kFirstVersion &&
         std::all_of(platform.drivers.begin(), platform.drivers.end(),
                     [&](const scenario::Driver& driver) {
                       return driver.adapter != adapter.name || offers(driver);
                     });
}

}  // namespace fenceline::generate
