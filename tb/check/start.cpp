#include "tb/check/start.h"

#include "kmd_stub/wddm/wddm.h"

namespace fenceline::check {

using common::Event;
using common::ObjectKind;
using Caps = DXGK_VIDSCHCAPS;

void StartChecks::on_feature_answer(const Event& event) {
  if (event.a != DXGK_FEATURE_NATIVE_FENCE || event.c != 0) return;
  adapters_[event.object].enabled = (event.b & DXGK_ISFEATUREENABLED_RESULT::kEnabled) != 0;
}

void StartChecks::on_feature_table(const Event& event) {
  if (event.a == DXGK_FEATURE_NATIVE_FENCE && event.b == STATUS_SUCCESS)
    adapters_[event.object].table = true;
}

void StartChecks::on_started(const Event& event) {
  Adapter& adapter = adapters_[event.object];
  adapter.started = true;
  adapter.advertises = (event.a & Caps::kNativeGpuFence) != 0;
  world_.report.checked(Invariant::kNegotiated);
  if (adapter.advertises && !adapter.enabled)
    fail(Invariant::kNegotiated, event.object,
         "started with NativeGpuFence although its driver was not told that it is enabled");
  else if (adapter.advertises && !adapter.table)
    fail(Invariant::kNegotiated, event.object,
         "started with NativeGpuFence although its driver never got the feature's table");
  check_caps(event);
}

void StartChecks::check_caps(const Event& event) {
  world_.report.checked(Invariant::kCapsRules);
  const auto has = [&](UINT bits) { return (event.a & bits) == bits; };
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
  else if (has(Caps::kNativeGpuFence) && (event.c == 0 || event.c % 8 != 0))
    broken = "MonitoredValues that are no multiple of 8 bytes apart";
  if (broken != nullptr)
    fail(Invariant::kCapsRules, event.object, std::string("started with ") + broken);
}

/// Creating a native fence is the first thing that only an adapter with the feature may be asked
/// for.
void StartChecks::on_create(const Event& event) {
  const bool monitored = (event.c & 1) != 0;
  if (monitored) return;
  const Adapter& adapter = adapters_[event.b];
  if (!adapter.started) return;
  world_.report.checked(Invariant::kNegotiated);
  if (adapter.enabled && adapter.advertises) return;
  fail(Invariant::kNegotiated, event.b,
       "was asked for native fence " + world_.report.fence(event.object) +
           " although the feature is not enabled for it");
}

void StartChecks::fail(Invariant invariant, std::uint64_t adapter, const std::string& what) {
  Reporter& report = world_.report;
  if (!report.broken(invariant, static_cast<std::uint32_t>(adapter))) return;
  report.add(invariant, 0, "adapter " + report.name(ObjectKind::kAdapter, adapter) + " " + what);
}

}  // namespace fenceline::check
