// Adapter start: loading a driver, the functions it gets, feature negotiation.
#include <cstring>

#include "tb/os/sync_object.h"

namespace fenceline::os {

namespace {

Adapter& from(HANDLE handle) { return *static_cast<Adapter*>(handle); }

BOOLEAN queue_dpc(HANDLE handle) { return from(handle).queue_dpc() ? TRUE : FALSE; }
NTSTATUS query_services(HANDLE handle, DXGK_SERVICES service, INTERFACE* table) {
  return from(handle).query_services(service, table);
}
NTSTATUS synchronize_execution(HANDLE handle, PKSYNCHRONIZE_ROUTINE routine, PVOID context,
                               ULONG /*message*/, BOOLEAN* result) {
  from(handle).synchronize(routine, context, result);
  return STATUS_SUCCESS;
}
void notify_interrupt(HANDLE handle, const DXGKARGCB_NOTIFY_INTERRUPT_DATA* data) {
  from(handle).notify_interrupt(*data);
}
void notify_dpc(HANDLE handle) { from(handle).notify_dpc(); }
void reference(PVOID /*context*/) {}
NTSTATUS is_feature_enabled(HANDLE handle, DXGKARGCB_ISFEATUREENABLED2* args) {
  return from(handle).is_feature_enabled(*args);
}
NTSTATUS query_feature_interface(HANDLE handle, DXGKARGCB_QUERYFEATUREINTERFACE* args) {
  return from(handle).query_feature_interface(*args);
}
/// Today's OS places no native fence outside system memory by itself.
NTSTATUS get_os_caps(DXGKARGCB_FEATURE_NATIVEFENCE_CAPS_1* args) {
  args->Value = 0;
  return STATUS_SUCCESS;
}
constexpr DXGK_FEATURE_VERSION kNativeFenceVersion = 1;
NTSTATUS signal_event(const DXGKARGCB_SIGNALEVENT* args) { return signal_cpu_event(*args); }

}  // namespace

void Adapter::start(DriverEntryFunction entry) {
  require(entry(&table_), "DriverEntry");
  require(call(Ddi::kAddDevice, [&](auto& ddi) { return ddi.DxgkDdiAddDevice(&port_, &context_); }),
          "DxgkDdiAddDevice");
  DXGKDDI_FEATURE_INTERFACE features{};
  QUERY_INTERFACE query{};
  query.InterfaceType = &GUID_WDDM_INTERFACE_FEATURE;
  query.Size = sizeof features;
  query.Version = DXGKDDI_FEATURE_INTERFACE_VERSION_1;
  query.Interface = reinterpret_cast<INTERFACE*>(&features);
  if (NT_SUCCESS(call(Ddi::kQueryInterface,
                      [&](auto& ddi) { return ddi.DxgkDdiQueryInterface(context_, &query); })))
    driver_features_ = features;

  callbacks_.Size = sizeof callbacks_;
  callbacks_.Version = DXGKDDI_WDDMv3_2;
  callbacks_.DeviceHandle = this;
  callbacks_.DxgkCbQueueDpc = os::queue_dpc;
  callbacks_.DxgkCbQueryServices = os::query_services;
  callbacks_.DxgkCbSynchronizeExecution = synchronize_execution;
  callbacks_.DxgkCbNotifyInterrupt = os::notify_interrupt;
  callbacks_.DxgkCbNotifyDpc = os::notify_dpc;
  callbacks_.DxgkCbSignalEvent = os::signal_event;
  DXGK_START_INFO info{};
  ULONG sources = 0;
  ULONG children = 0;
  program_message();
  require(call(Ddi::kStartDevice,
               [&](auto& ddi) {
                 return ddi.DxgkDdiStartDevice(context_, &info, &callbacks_, &sources, &children);
               }),
          "DxgkDdiStartDevice");
  query_caps();
  if (port_.driver_state() != nullptr) interrupt_lock_.content = &interrupts_;
}

NTSTATUS Adapter::query_services(DXGK_SERVICES service, INTERFACE* table) {
  check_irql(Ddi::kQueryServices);
  if (service != DxgkServicesFeature) return STATUS_NOT_SUPPORTED;
  if (table->Size < sizeof(DXGK_FEATURE_INTERFACE)) return STATUS_BUFFER_TOO_SMALL;
  auto& features = *reinterpret_cast<DXGK_FEATURE_INTERFACE*>(table);
  features.Version = DXGK_FEATURE_INTERFACE_VERSION_1;
  features.Context = this;
  features.InterfaceReference = reference;
  features.InterfaceDereference = reference;
  features.IsFeatureEnabled = os::is_feature_enabled;
  features.QueryFeatureInterface = os::query_feature_interface;
  return STATUS_SUCCESS;
}

NTSTATUS Adapter::is_feature_enabled(DXGKARGCB_ISFEATUREENABLED2& args) {
  args.Result = {};
  if (args.FeatureId != DXGK_FEATURE_NATIVE_FENCE) return STATUS_SUCCESS;
  args.Result.Value = DXGK_ISFEATUREENABLED_RESULT::kKnownFeature;
  if (driver_features_.QueryFeatureSupport == nullptr) return STATUS_SUCCESS;
  DXGKARG_QUERYFEATURESUPPORT support{};
  support.FeatureId = args.FeatureId;
  const NTSTATUS status = driver_features_.QueryFeatureSupport(context_, &support);
  if (!NT_SUCCESS(status) || support.SupportedByDriver == FALSE) return STATUS_SUCCESS;
  args.Result.Value |= DXGK_ISFEATUREENABLED_RESULT::kSupportedByDriver;
  if (support.SupportedOnCurrentConfig == FALSE) return STATUS_SUCCESS;
  args.Result.Value |= DXGK_ISFEATUREENABLED_RESULT::kSupportedOnCurrentConfig;
  const bool overlap = support.MinSupportedVersion <= kNativeFenceVersion &&
                       support.MaxSupportedVersion >= kNativeFenceVersion;
  if (!overlap || !options_.native_fence_feature) return STATUS_SUCCESS;
  args.Result.Value |= DXGK_ISFEATUREENABLED_RESULT::kEnabled;
  args.Result.Version = kNativeFenceVersion;
  return STATUS_SUCCESS;
}

NTSTATUS Adapter::query_feature_interface(DXGKARGCB_QUERYFEATUREINTERFACE& args) const {
  if (args.FeatureId != DXGK_FEATURE_NATIVE_FENCE) return STATUS_INVALID_PARAMETER;
  if (!options_.native_fence_feature || args.Version != kNativeFenceVersion)
    return STATUS_UNSUCCESSFUL;
  const DXGKCBINT_FEATURE_NATIVEFENCE_1 table{get_os_caps};
  if (args.InterfaceSize < sizeof table) return STATUS_BUFFER_TOO_SMALL;
  std::memset(args.Interface, 0, args.InterfaceSize);
  std::memcpy(args.Interface, &table, sizeof table);
  args.InterfaceSize = sizeof table;
  return STATUS_SUCCESS;
}

}  // namespace fenceline::os
