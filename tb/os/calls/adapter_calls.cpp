#include "tb/os/calls/adapter_calls.h"

#include <cstring>

namespace fenceline::os {

const Adapter* AdapterCalls::find(D3DKMT_HANDLE handle) const {
  const std::size_t index = static_cast<std::size_t>(handle ^ kAdapterHandle) - 1;
  return index < system_.adapters.size() ? system_.adapters[index].adapter.get() : nullptr;
}

NTSTATUS AdapterCalls::D3DKMTQueryAdapterInfo(const D3DKMT_QUERYADAPTERINFO& args) {
  system_.enter_call();
  const Adapter* const asked = find(args.hAdapter);
  if (asked == nullptr) return STATUS_INVALID_HANDLE;
  if (args.Type != KMTQAITYPE_WDDM_3_1_CAPS || asked->system().wddm < DXGKDDI_WDDMv3_1)
    return STATUS_INVALID_PARAMETER;
  if (args.pPrivateDriverData == nullptr) return STATUS_INVALID_PARAMETER;
  if (args.PrivateDriverDataSize < sizeof(D3DKMT_WDDM_3_1_CAPS)) return STATUS_BUFFER_TOO_SMALL;
  auto& caps = *static_cast<D3DKMT_WDDM_3_1_CAPS*>(args.pPrivateDriverData);
  caps.Value = asked->native_fences() ? D3DKMT_WDDM_3_1_CAPS::kNativeGpuFenceSupported : 0;
  return STATUS_SUCCESS;
}

NTSTATUS AdapterCalls::D3DKMTIsFeatureEnabled(D3DKMT_ISFEATUREENABLED& args) {
  system_.enter_call();
  const Adapter* const asked = find(args.hAdapter);
  if (asked == nullptr) return STATUS_INVALID_HANDLE;
  args.Result = {};
  if (!asked->features().offered()) return STATUS_NOT_SUPPORTED;
  args.Result = asked->features().ask(args.FeatureId);
  system_.simulation.emit(event::FeatureAnswer{asked->object(), args.FeatureId, args.Result.Value,
                                               args.Result.Version, true});
  return STATUS_SUCCESS;
}

NTSTATUS AdapterCalls::D3DKMTEscape(Process& process, const D3DKMT_ESCAPE& args) {
  system_.enter_call();
  constexpr UINT kKnownFlags = D3DDDI_ESCAPEFLAGS::kHardwareAccess |
                               D3DDDI_ESCAPEFLAGS::kNoAdapterSynchronization |
                               D3DDDI_ESCAPEFLAGS::kDriverKnownEscape;
  if (args.Type != D3DKMT_ESCAPE_DRIVERPRIVATE || (args.Flags.Value & ~kKnownFlags) != 0 ||
      args.pPrivateDriverData == nullptr)
    return STATUS_INVALID_PARAMETER;
  const bool known = (args.Flags.Value & D3DDDI_ESCAPEFLAGS::kDriverKnownEscape) != 0;
  if (!known && process.kind == ProcessKind::kSecuredGuest) return STATUS_ACCESS_DENIED;
  if ((args.Flags.Value & D3DDDI_ESCAPEFLAGS::kNoAdapterSynchronization) == 0)
    system_.of(process).power->wake(args.Flags.Value);
  Adapter& adapter = *system_.of(process).adapter;
  DXGKARG_ESCAPE escape{};
  escape.hDevice = process.has_device ? process.space->device() : nullptr;
  escape.Flags = args.Flags;
  escape.pPrivateDriverData = args.pPrivateDriverData;
  escape.PrivateDriverDataSize = args.PrivateDriverDataSize;
  escape.hKmdProcessHandle = process.space->process();
  if (known) {
    const NTSTATUS status = fill_known_escape(process, escape);
    if (!NT_SUCCESS(status)) return status;
  }
  return adapter.call<Ddi::DxgkDdiEscape>(adapter.handle(), &escape);
}

/// The driver is to see its own handles in place of those of user mode.
NTSTATUS AdapterCalls::fill_known_escape(Process& process, DXGKARG_ESCAPE& escape) {
  D3DDDI_DRIVERESCAPE_CPUEVENTUSAGE usage{};
  if (escape.PrivateDriverDataSize != sizeof usage) return STATUS_INVALID_PARAMETER;
  std::memcpy(&usage, escape.pPrivateDriverData, sizeof usage);
  if (usage.EscapeType != D3DDDI_DRIVERESCAPETYPE_CPUEVENTUSAGE) return STATUS_NOT_SUPPORTED;
  const SyncObject* object = process.sync_object(usage.hSyncObject);
  if (object == nullptr) return STATUS_INVALID_HANDLE;
  if (object->cpu_event == nullptr) return STATUS_INVALID_PARAMETER;
  static_assert(sizeof usage.hKmdCpuEvent == sizeof object->cpu_event->driver_handle);
  std::memcpy(&usage.hKmdCpuEvent, &object->cpu_event->driver_handle, sizeof usage.hKmdCpuEvent);
  std::memcpy(escape.pPrivateDriverData, &usage, sizeof usage);
  // The driver may signal the event in the escape.
  system_.simulation.emit(event::CpuEventUse{object->cpu_event->adapter->object(),
                                             object->cpu_event->number, usage.Usage[0],
                                             usage.Usage[1] + 1});
  escape.hDevice = object->cpu_event->driver_device;
  return STATUS_SUCCESS;
}

abi::AdapterPrivateData AdapterCalls::user_driver_data(Process& process) {
  abi::AdapterPrivateData data{};
  Adapter& adapter = *system_.of(process).adapter;
  DXGKARG_QUERYADAPTERINFO query{};
  query.Type = DXGKQAITYPE_UMDRIVERPRIVATE;
  query.pOutputData = &data;
  query.OutputDataSize = sizeof data;
  adapter.call<Ddi::DxgkDdiQueryAdapterInfo>(adapter.handle(), &query);
  return data;
}

}  // namespace fenceline::os
