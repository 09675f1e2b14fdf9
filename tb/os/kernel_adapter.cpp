// What user mode asks about an adapter, and what befalls its devices.
#include "tb/os/kernel.h"

namespace fenceline::os {

using common::EventKind;

NTSTATUS Kernel::D3DKMTQueryAdapterInfo(std::size_t adapter, const D3DKMT_QUERYADAPTERINFO& args) {
  cpu_.compute(cpu_.core().config().system_call);
  const Adapter& asked = *adapters_[adapter].adapter;
  if (args.Type != KMTQAITYPE_WDDM_3_1_CAPS || asked.system().wddm < DXGKDDI_WDDMv3_1)
    return STATUS_INVALID_PARAMETER;
  if (args.pPrivateDriverData == nullptr) return STATUS_INVALID_PARAMETER;
  if (args.PrivateDriverDataSize < sizeof(D3DKMT_WDDM_3_1_CAPS)) return STATUS_BUFFER_TOO_SMALL;
  auto& caps = *static_cast<D3DKMT_WDDM_3_1_CAPS*>(args.pPrivateDriverData);
  caps.Value = asked.native_fences() ? D3DKMT_WDDM_3_1_CAPS::kNativeGpuFenceSupported : 0;
  return STATUS_SUCCESS;
}

NTSTATUS Kernel::D3DKMTIsFeatureEnabled(std::size_t adapter, D3DKMT_ISFEATUREENABLED& args) {
  cpu_.compute(cpu_.core().config().system_call);
  const Adapter& asked = *adapters_[adapter].adapter;
  args.Result = {};
  if (!asked.features().offered()) return STATUS_NOT_SUPPORTED;
  args.Result = asked.features().ask(args.FeatureId);
  simulation_.events.emit(
      EventKind::kFeatureAnswer, simulation_.steps.current(), asked.object(), args.FeatureId,
      args.Result.Value | static_cast<std::uint64_t>(args.Result.Version) << 16, 1);
  return STATUS_SUCCESS;
}

NTSTATUS Kernel::signal_from_elsewhere(Process& process, const std::vector<D3DKMT_HANDLE>& handles,
                                       const std::vector<UINT64>& values, bool notify) {
  const auto fences =
      points(process, static_cast<UINT>(handles.size()), handles.data(), values.data());
  if (fences.empty()) return STATUS_INVALID_HANDLE;
  return adapters_[process.adapter].scheduler->signaled_elsewhere(fences, notify);
}

void Kernel::fail_device(Process& process) {
  constexpr UINT64 kAsDocumented = 0xFFFFFFFF;  // the literal of the documents, of 32 bits
  constexpr UINT kAlways = DXGK_UPDATECURRENTVALUESFROMCPU_FLAGS::kAlwaysSignaled;
  process.in_error = true;
  for (const auto& queue : process.queues)
    if (queue->user_doorbell != nullptr) queue->user_doorbell->of.abort(*queue);
  if (!options_.adapter.system.preemption.signals_lost) return;
  std::vector<MonitoredFences::Point> shared;  // on other adapters the value alone counts
  for (const auto& [handle, local] : process.fences)
    if (local.fence->origin != nullptr) shared.push_back({local.fence->origin, kAsDocumented});
  AdapterState& state = adapters_[process.adapter];
  // What waits for a monitored fence of the device waits no more; 32-bit ones cannot tell.
  std::vector<MonitoredFences::Point> monitored;
  for (const auto& [handle, object] : process.sync_objects)
    if (object.fence != nullptr && !object.fence->narrow)
      monitored.push_back({object.fence, ~0ULL});
  for (const auto& point : monitored) monitored_.signal({point}, nullptr);
  if (!shared.empty()) monitored_.signal(shared, state.adapter.get(), kAlways);
  // One that is closed meanwhile is left out.
  for (NTSTATUS status = STATUS_INVALID_HANDLE; status == STATUS_INVALID_HANDLE;) {
    std::vector<FenceScheduler::Point> all;
    for (const auto& [handle, local] : process.fences)
      if (local.fence->origin == nullptr && local.fence->usable)
        all.push_back({local.fence, kAsDocumented});
    status = all.empty() ? STATUS_SUCCESS : state.scheduler->signal(all, kAlways);
  }
}

}  // namespace fenceline::os
