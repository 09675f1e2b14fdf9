#include "tb/check/devices/start.h"

#include "kmd_stub/wddm/wddm.h"

namespace fenceline::check {

using common::At;
using common::ObjectKind;
using Caps = DXGK_VIDSCHCAPS;

void StartChecks::on(const At<event::FeatureAnswer>& event) {
  if (event.feature != DXGK_FEATURE_NATIVE_FENCE || event.user_mode) return;
  adapters_[event.adapter].enabled = (event.result & DXGK_ISFEATUREENABLED_RESULT::kEnabled) != 0;
}

void StartChecks::on(const At<event::FeatureTable>& event) {
  if (event.feature == DXGK_FEATURE_NATIVE_FENCE && event.status == STATUS_SUCCESS)
    adapters_[event.adapter].table = true;
}

void StartChecks::on(const At<event::AdapterStarted>& event) {
  Adapter& adapter = adapters_[event.adapter];
  adapter.started = true;
  adapter.advertises = (event.caps & Caps::kNativeGpuFence) != 0;
  world_.report.checked(Invariant::kNegotiated);
  if (adapter.advertises && !adapter.enabled)
    fail(Invariant::kNegotiated, event.adapter,
         "started with NativeGpuFence although its driver was not told that it is enabled");
  else if (adapter.advertises && !adapter.table)
    fail(Invariant::kNegotiated, event.adapter,
         "started with NativeGpuFence although its driver never got the feature's table");
  check_caps(event);
}

void StartChecks::check_caps(const At<event::AdapterStarted>& event) {
  world_.report.checked(Invariant::kCapsRules);
  const auto has = [&](UINT bits) { return (event.caps & bits) == bits; };
  const char* broken = nullptr;
  if (has(Caps::kPreemptionAware) && !has(Caps::kMultiEngineAware))
    broken = "PreemptionAware without MultiEngineAware";
  else if (has(Caps::kCancelCommandAware) && !has(Caps::kMultiEngineAware))
    broken = "CancelCommandAware without MultiEngineAware";
  else if (has(Caps::kNoDmaPatching) && !has(Caps::kMultiEngineAware | Caps::kPreemptionAware))
    broken = "NoDmaPatching without MultiEngineAware and PreemptionAware";
  else if (has(Caps::kOptimizedNativeFenceSignaledInterrupt) && !has(Caps::kNativeGpuFence))
    broken = "OptimizedNativeFenceSignaledInterrupt without NativeGpuFence";
  else if (has(Caps::kNativeGpuFence | Caps::kNo64BitAtomics))
    broken = "NativeGpuFence beside No64BitAtomics";
  else if (has(Caps::kNativeGpuFence) && (event.distance == 0 || event.distance % 8 != 0))
    broken = "MonitoredValues that are no multiple of 8 bytes apart";
  if (broken != nullptr)
    fail(Invariant::kCapsRules, event.adapter, std::string("started with ") + broken);
}

/// Creating a native fence is the first call that requires the feature.
void StartChecks::on(const At<event::FenceCreate>& event) {
  const bool monitored = (event.flags & event::kFenceMonitored) != 0;
  if (monitored) return;
  const Adapter& adapter = adapters_[event.adapter];
  if (!adapter.started) return;
  world_.report.checked(Invariant::kNegotiated);
  if (adapter.enabled && adapter.advertises) return;
  fail(Invariant::kNegotiated, event.adapter,
       "was asked for native fence " + world_.report.fence(event.fence) +
           " although the feature is not enabled for it");
}

void StartChecks::fail(Invariant invariant, std::uint64_t adapter, const std::string& what) {
  Reporter& report = world_.report;
  report.fail(invariant, adapter,
              "adapter " + report.name(ObjectKind::kAdapter, adapter) + " " + what);
}

}  // namespace fenceline::check
