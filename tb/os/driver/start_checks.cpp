#include "tb/os/driver/start_checks.h"

#include <array>

namespace fenceline::os {

namespace {

using Caps = DXGK_VIDSCHCAPS;

constexpr std::array<const char*, static_cast<std::size_t>(StartRule::kCount)> kNames{
    "call_failed", "version",        "not_enabled", "caps_dependency", "atomics",
    "stride",      "address_bounds", "missing_ddi", "segments",        "memory_limit"};

struct Dependency {
  UINT bit;
  UINT needs;
  const char* text;
};
constexpr Dependency kDependencies[] = {
    {Caps::kPreemptionAware, Caps::kMultiEngineAware, "PreemptionAware needs MultiEngineAware"},
    {Caps::kNoDmaPatching, Caps::kMultiEngineAware | Caps::kPreemptionAware,
     "NoDmaPatching needs MultiEngineAware and PreemptionAware"},
    {Caps::kCancelCommandAware, Caps::kMultiEngineAware,
     "CancelCommandAware needs MultiEngineAware"},
    {Caps::kOptimizedNativeFenceSignaledInterrupt, Caps::kNativeGpuFence,
     "OptimizedNativeFenceSignaledInterrupt needs NativeGpuFence"},
};

std::optional<BrokenRule> broken_dependency(UINT caps) {
  for (const Dependency& it : kDependencies)
    if ((caps & it.bit) != 0 && (caps & it.needs) != it.needs)
      return BrokenRule{StartRule::kCapsDependency, it.text};
  if ((caps & Caps::kReservedMask) != 0)
    return BrokenRule{StartRule::kCapsDependency, "reserved bits of DXGK_VIDSCHCAPS are set"};
  return std::nullopt;
}

std::optional<BrokenRule> broken_bounds(const DXGK_NATIVE_FENCE_CAPS& caps, unsigned bits) {
  const std::uint64_t end = 1ULL << bits;
  const std::uint64_t last = caps.MaximumAddress == 0 ? end - 1 : caps.MaximumAddress;
  if (caps.MinimumAddress >= end || last >= end || caps.MinimumAddress + 4096 > last + 1)
    return BrokenRule{StartRule::kAddressBounds,
                      "MinimumAddress and MaximumAddress leave no page for mappings of fences"};
  return std::nullopt;
}

/// Rules for drivers that advertise native fences.
std::optional<BrokenRule> broken_by_fences(const SystemOptions& system,
                                           const DriverAnswers& answers) {
  const UINT caps = answers.caps.SchedulingCaps.Value;
  if (!answers.enabled)
    return BrokenRule{StartRule::kNotEnabled,
                      "the driver advertises NativeGpuFence although the OS has not enabled "
                      "DXGK_FEATURE_NATIVE_FENCE"};
  if ((caps & Caps::kNo64BitAtomics) != 0)
    return BrokenRule{StartRule::kAtomics, "NativeGpuFence and No64BitAtomics exclude each other"};
  if (!answers.has_fence_entries)
    return BrokenRule{StartRule::kMissingDdi,
                      "the driver advertises NativeGpuFence without all DDIs of native fences"};
  const std::uint64_t distance =
      monitored_value_distance(system, answers.fence_caps.MonitoredValueStride);
  if (distance == 0 || distance % 8 != 0 || distance > 4096)
    return BrokenRule{StartRule::kStride, "MonitoredValues would be " + std::to_string(distance) +
                                              " bytes apart: a multiple of 8 up to 4096 is due"};
  if (answers.storage.current_value == 0 || answers.storage.monitored_value == 0)
    return BrokenRule{StartRule::kSegments, "the driver has no segment for a value of a fence"};
  return broken_bounds(answers.fence_caps, answers.virtual_address_bits);
}

}  // namespace

const char* start_rule_name(StartRule rule) { return kNames[static_cast<std::size_t>(rule)]; }

std::optional<BrokenRule> find_broken_rule(const SystemOptions& system,
                                           const DriverAnswers& answers) {
  const UINT caps = answers.caps.SchedulingCaps.Value;
  const auto highest = static_cast<std::uint64_t>(answers.caps.HighestAcceptableAddress.QuadPart);
  if (highest + 1 < answers.system_memory)
    return BrokenRule{StartRule::kMemoryLimit,
                      "HighestAcceptableAddress is below the top of system memory"};
  if (auto broken = broken_dependency(caps)) return broken;
  if ((caps & Caps::kNativeGpuFence) != 0) return broken_by_fences(system, answers);
  return std::nullopt;
}

ULONG interface_version(DXGK_WDDMVERSION wddm) {
  if (wddm >= DXGKDDI_WDDMv3_2) return DXGKDDI_INTERFACE_VERSION_WDDM3_2;
  if (wddm >= DXGKDDI_WDDMv3_1) return DXGKDDI_INTERFACE_VERSION_WDDM3_1;
  if (wddm >= DXGKDDI_WDDMv3_0) return DXGKDDI_INTERFACE_VERSION_WDDM3_0;
  if (wddm >= DXGKDDI_WDDMv2_9) return DXGKDDI_INTERFACE_VERSION_WDDM2_9;
  if (wddm >= DXGKDDI_WDDMv2_7) return DXGKDDI_INTERFACE_VERSION_WDDM2_7;
  return DXGKDDI_INTERFACE_VERSION_WDDM2_0;
}

std::string wddm_text(DXGK_WDDMVERSION wddm) {
  return "WDDM " + std::to_string(wddm >> 12) + "." + std::to_string(wddm >> 8 & 0xF);
}

}  // namespace fenceline::os
