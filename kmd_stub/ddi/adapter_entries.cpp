#include <memory>

#include "kmd_stub/core/adapter_caps.h"
#include "kmd_stub/ddi/entries.h"
#include "kmd_stub/ddi/forward.h"

namespace fenceline::kmd::ddi {

NTSTATUS DxgkDdiAddDevice(PVOID PhysicalDeviceObject, PVOID* MiniportDeviceContext) {
  if (PhysicalDeviceObject == nullptr || MiniportDeviceContext == nullptr)
    return STATUS_INVALID_PARAMETER;
  auto adapter = std::make_unique<Named<Adapter>>();
  adapter->object.emplace(*static_cast<kmd_host::HostPort*>(PhysicalDeviceObject));
  adapter->magic = Adapter::kMagic;
  *MiniportDeviceContext = static_cast<HandleHeader*>(adapter.release());
  return STATUS_SUCCESS;
}

NTSTATUS DxgkDdiStartDevice(PVOID MiniportDeviceContext, DXGK_START_INFO* DxgkStartInfo,
                            DXGKRNL_INTERFACE* DxgkInterface, ULONG* NumberOfVideoPresentSources,
                            ULONG* NumberOfChildren) {
  auto* adapter = from_handle<Adapter>(MiniportDeviceContext);
  if (adapter == nullptr) return STATUS_INVALID_HANDLE;
  if (DxgkStartInfo == nullptr || DxgkInterface == nullptr ||
      NumberOfVideoPresentSources == nullptr || NumberOfChildren == nullptr)
    return STATUS_INVALID_PARAMETER;
  if (adapter->started()) return STATUS_INVALID_DEVICE_STATE;
  *NumberOfVideoPresentSources = 0;
  *NumberOfChildren = 0;
  const NTSTATUS status = adapter->start(*DxgkInterface);
  // A display is one source and one child device.
  if (NT_SUCCESS(status) && adapter->hardware().primary_bytes != 0)
    *NumberOfVideoPresentSources = *NumberOfChildren = 1;
  return status;
}

NTSTATUS DxgkDdiStopDevice(PVOID MiniportDeviceContext) {
  auto* adapter = from_handle<Adapter>(MiniportDeviceContext);
  if (adapter == nullptr) return STATUS_INVALID_HANDLE;
  if (!adapter->started()) return STATUS_INVALID_DEVICE_STATE;
  adapter->stop();
  return STATUS_SUCCESS;
}

NTSTATUS DxgkDdiRemoveDevice(PVOID MiniportDeviceContext) {
  auto* adapter = from_handle<Adapter>(MiniportDeviceContext);
  if (adapter == nullptr) return STATUS_INVALID_HANDLE;
  if (adapter->started()) return STATUS_INVALID_DEVICE_STATE;
  const std::unique_ptr<Named<Adapter>> owner(
      static_cast<Named<Adapter>*>(static_cast<HandleHeader*>(MiniportDeviceContext)));
  return STATUS_SUCCESS;
}

NTSTATUS DxgkDdiQueryInterface(PVOID MiniportDeviceContext, QUERY_INTERFACE* QueryInterface) {
  auto* adapter = from_handle<Adapter>(MiniportDeviceContext);
  if (adapter == nullptr) return STATUS_INVALID_HANDLE;
  if (QueryInterface == nullptr || QueryInterface->InterfaceType == nullptr ||
      QueryInterface->Interface == nullptr)
    return STATUS_INVALID_PARAMETER;
  if (*QueryInterface->InterfaceType != GUID_WDDM_INTERFACE_FEATURE ||
      QueryInterface->Version != DXGKDDI_FEATURE_INTERFACE_VERSION_1 ||
      !adapter->caps().feature_interface)
    return STATUS_NOT_SUPPORTED;
  if (QueryInterface->Size < sizeof(DXGKDDI_FEATURE_INTERFACE)) return STATUS_BUFFER_TOO_SMALL;
  auto& table = *reinterpret_cast<DXGKDDI_FEATURE_INTERFACE*>(QueryInterface->Interface);
  table = {};
  table.Size = sizeof(DXGKDDI_FEATURE_INTERFACE);
  table.Version = DXGKDDI_FEATURE_INTERFACE_VERSION_1;
  table.Context = MiniportDeviceContext;
  table.InterfaceReference = [](PVOID) {};
  table.InterfaceDereference = [](PVOID) {};
  table.QueryFeatureSupport = DxgkDdiQueryFeatureSupport;
  table.QueryFeatureInterface = DxgkDdiQueryFeatureInterface;
  return STATUS_SUCCESS;
}

NTSTATUS DxgkDdiQueryAdapterInfo(HANDLE hAdapter, const DXGKARG_QUERYADAPTERINFO* pArgs) {
  return with_adapter(hAdapter, pArgs,
                      [&](Adapter& adapter) { return query_adapter_info(adapter, *pArgs); });
}

NTSTATUS DxgkDdiGetNodeMetadata(HANDLE hAdapter, UINT NodeOrdinalAndAdapterIndex,
                                DXGKARG_GETNODEMETADATA* pArgs) {
  return with_adapter(hAdapter, pArgs, [&](Adapter& adapter) {
    return node_metadata(adapter, NodeOrdinalAndAdapterIndex, *pArgs);
  });
}

NTSTATUS DxgkDdiQueryFeatureSupport(HANDLE hAdapter, DXGKARG_QUERYFEATURESUPPORT* pArgs) {
  const auto* adapter = from_handle<Adapter>(hAdapter);
  if (adapter == nullptr) return STATUS_INVALID_HANDLE;
  return with_argument(pArgs, [adapter](DXGKARG_QUERYFEATURESUPPORT& args) {
    query_feature_support(adapter->caps(), args);
    return STATUS_SUCCESS;
  });
}

NTSTATUS DxgkDdiQueryFeatureInterface(HANDLE hAdapter, DXGKARG_QUERYFEATUREINTERFACE* pArgs) {
  const auto* adapter = from_handle<Adapter>(hAdapter);
  if (adapter == nullptr) return STATUS_INVALID_HANDLE;
  return with_argument(pArgs, [adapter](DXGKARG_QUERYFEATUREINTERFACE& args) {
    return query_feature_interface(adapter->caps(), args);
  });
}

}  // namespace fenceline::kmd::ddi
