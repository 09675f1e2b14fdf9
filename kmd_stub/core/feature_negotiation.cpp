#include "kmd_stub/core/feature_negotiation.h"

#include <cstring>

#include "kmd_stub/core/entry.h"

namespace fenceline::kmd {

using kmd_host::DriverCaps;
using kmd_host::Negotiation;

namespace {

constexpr DXGK_FEATURE_VERSION kNativeFenceVersion = 1;

/// A feature and the versions that the driver supports; 0: none.
struct Feature {
  DXGK_FEATURE_ID id;
  DXGK_FEATURE_VERSION lowest;
  DXGK_FEATURE_VERSION highest;
};
constexpr Feature kFeatures[] = {
    {DXGK_FEATURE_HWSCH, 1, 1},
    {DXGK_FEATURE_HWFLIPQUEUE, 0, 0},
    {DXGK_FEATURE_LDA_GPUPV, 0, 0},
    {DXGK_FEATURE_KMD_SIGNAL_CPU_EVENT, 0, 0},
    {DXGK_FEATURE_USER_MODE_SUBMISSION, 1, 1},
    {DXGK_FEATURE_SHARE_BACKING_STORE_WITH_KMD, 0, 0},
    {DXGK_FEATURE_NATIVE_FENCE, kNativeFenceVersion, kNativeFenceVersion},
};

const Feature* find_feature(DXGK_FEATURE_ID id) {
  for (const Feature& feature : kFeatures)
    if (feature.id == id) return &feature;
  return nullptr;
}

bool is_supported(const DriverCaps& caps, const Feature& feature) {
  if (feature.id == DXGK_FEATURE_NATIVE_FENCE)
    return caps.native_fence != Negotiation::kUnsupported && caps.wddm >= DXGKDDI_WDDMv3_2;
  if (feature.id == DXGK_FEATURE_HWSCH) return caps.hardware_scheduling;
  return feature.highest != 0;
}

/// Queries the OS' table for native fences. False if the OS does not return a complete table.
bool query_table(const DXGK_FEATURE_INTERFACE& services, HANDLE adapter,
                 DXGKCBINT_FEATURE_NATIVEFENCE_1& table) {
  DXGKARGCB_QUERYFEATUREINTERFACE query{DXGK_FEATURE_NATIVE_FENCE, kNativeFenceVersion,
                                        sizeof(table), &table};
  return NT_SUCCESS(services.QueryFeatureInterface(adapter, &query)) &&
         query.InterfaceSize >= sizeof(table) && table.GetOSCaps != nullptr;
}

NativeFenceSupport ask(const DXGK_FEATURE_INTERFACE& services, HANDLE adapter,
                       const DriverCaps& driver) {
  DXGKARGCB_ISFEATUREENABLED2 question{DXGK_FEATURE_NATIVE_FENCE, 0, {}};
  if (!NT_SUCCESS(services.IsFeatureEnabled(adapter, &question))) return {};
  if ((question.Result.Value & DXGK_ISFEATUREENABLED_RESULT::kEnabled) == 0) return {};
  // Tables of different versions are incompatible, and this driver knows only one.
  if (question.Result.Version != kNativeFenceVersion) return {};
  if (driver.native_fence == Negotiation::kNoInterface) return {true, 0};
  DXGKCBINT_FEATURE_NATIVEFENCE_1 table{};
  if (!query_table(services, adapter, table)) return {};
  DXGKARGCB_FEATURE_NATIVEFENCE_CAPS_1 caps{};
  if (!NT_SUCCESS(table.GetOSCaps(&caps))) return {};
  return {true, caps.Value};
}

}  // namespace

NativeFenceSupport negotiate_native_fences(const OperatingSystem& os, const DriverCaps& caps) {
  if (caps.native_fence == Negotiation::kAssumed) return {true, 0};
  if (caps.native_fence == Negotiation::kUnsupported || caps.wddm < DXGKDDI_WDDMv3_2) return {};
  DXGK_FEATURE_INTERFACE services{};
  if (!NT_SUCCESS(
          os.query_services(DxgkServicesFeature, DXGK_FEATURE_INTERFACE_VERSION_1, services)))
    return {};
  if (services.Size < sizeof(services) || services.IsFeatureEnabled == nullptr ||
      services.QueryFeatureInterface == nullptr)
    return {};
  const NativeFenceSupport support = ask(services, os.device_handle(), caps);
  if (services.InterfaceDereference != nullptr) services.InterfaceDereference(services.Context);
  return support;
}

NTSTATUS DxgkDdiQueryInterface(AnyAdapter adapter, QUERY_INTERFACE& query) {
  if (query.InterfaceType == nullptr || query.Interface == nullptr) return STATUS_INVALID_PARAMETER;
  if (*query.InterfaceType != GUID_WDDM_INTERFACE_FEATURE ||
      query.Version != DXGKDDI_FEATURE_INTERFACE_VERSION_1 || !adapter->caps().feature_interface)
    return STATUS_NOT_SUPPORTED;
  if (query.Size < sizeof(DXGKDDI_FEATURE_INTERFACE)) return STATUS_BUFFER_TOO_SMALL;
  auto& table = *reinterpret_cast<DXGKDDI_FEATURE_INTERFACE*>(query.Interface);
  table = {};
  table.Size = sizeof(DXGKDDI_FEATURE_INTERFACE);
  table.Version = DXGKDDI_FEATURE_INTERFACE_VERSION_1;
  table.Context = adapter.handle;
  table.InterfaceReference = [](PVOID) {};
  table.InterfaceDereference = [](PVOID) {};
  table.QueryFeatureSupport = kEntry<PDXGKDDI_QUERYFEATURESUPPORT, DxgkDdiQueryFeatureSupport>;
  table.QueryFeatureInterface =
      kEntry<PDXGKDDI_QUERYFEATUREINTERFACE, DxgkDdiQueryFeatureInterface>;
  return STATUS_SUCCESS;
}

NTSTATUS DxgkDdiQueryFeatureSupport(AnyAdapter adapter, DXGKARG_QUERYFEATURESUPPORT& args) {
  const DriverCaps& caps = adapter->caps();
  const Feature* feature = find_feature(args.FeatureId);
  const bool supported = feature != nullptr && is_supported(caps, *feature);
  const bool elsewhere = args.FeatureId == DXGK_FEATURE_NATIVE_FENCE &&
                         caps.native_fence == Negotiation::kNotConfigured;
  args.MinSupportedVersion = supported ? feature->lowest : DXGK_FEATURE_VERSION{0};
  args.MaxSupportedVersion = supported ? feature->highest : DXGK_FEATURE_VERSION{0};
  args.SupportedByDriver = supported ? TRUE : FALSE;
  args.SupportedOnCurrentConfig = supported && !elsewhere ? TRUE : FALSE;
  return STATUS_SUCCESS;
}

NTSTATUS DxgkDdiQueryFeatureInterface(AnyAdapter adapter, DXGKARG_QUERYFEATUREINTERFACE& args) {
  const Feature* feature = find_feature(args.FeatureId);
  if (feature == nullptr) return STATUS_INVALID_PARAMETER;
  if (!is_supported(adapter->caps(), *feature) || args.Version < feature->lowest ||
      args.Version > feature->highest)
    return STATUS_UNSUCCESSFUL;
  if (args.InterfaceSize != 0 && args.Interface == nullptr) return STATUS_INVALID_PARAMETER;
  if (args.InterfaceSize != 0) std::memset(args.Interface, 0, args.InterfaceSize);
  args.InterfaceSize = 0;
  return STATUS_SUCCESS;
}

}  // namespace fenceline::kmd
