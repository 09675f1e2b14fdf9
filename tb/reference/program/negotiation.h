#pragma once

#include <nlohmann/json_fwd.hpp>

namespace fenceline::reference {

/// The adapter starts with native fences: its GPU, its driver and the operating system have them.
/// Source: WDDM, DXGK_FEATURE_NATIVE_FENCE.
/// @param platform of the scenario, and @param adapter one of its adapters
bool has_native_fences(const nlohmann::json& platform, const nlohmann::json& adapter);

/// The driver of the adapter signals CPU events. Source: WDDM 3.0, DxgkDdiCreateCpuEvent.
bool has_cpu_events(const nlohmann::json& platform, const nlohmann::json& adapter);

}  // namespace fenceline::reference
