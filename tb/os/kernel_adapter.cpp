// What user mode asks about an adapter.
#include "tb/os/kernel.h"

namespace fenceline::os {

NTSTATUS Kernel::D3DKMTQueryAdapterInfo(std::size_t adapter, const D3DKMT_QUERYADAPTERINFO& args) {
  enter_call();
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
  enter_call();
  const Adapter& asked = *adapters_[adapter].adapter;
  args.Result = {};
  if (!asked.features().offered()) return STATUS_NOT_SUPPORTED;
  args.Result = asked.features().ask(args.FeatureId);
  simulation_.emit(event::FeatureAnswer{asked.object(), args.FeatureId, args.Result.Value,
                                        args.Result.Version, 1});
  return STATUS_SUCCESS;
}

NTSTATUS Kernel::signal_from_elsewhere(Process& process, const std::vector<D3DKMT_HANDLE>& handles,
                                       const std::vector<UINT64>& values, bool notify) {
  const auto fences =
      points(process, static_cast<UINT>(handles.size()), handles.data(), values.data());
  if (fences.empty()) return STATUS_INVALID_HANDLE;
  return adapters_[process.adapter].scheduler->signaled_elsewhere(fences, notify);
}

}  // namespace fenceline::os
