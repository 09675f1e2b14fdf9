// Adapter start: loading a driver, the functions it gets, feature negotiation.
#include "models/top/gpu.h"
#include "tb/os/driver/adapter.h"
#include "tb/os/driver/driver_callbacks.h"

namespace fenceline::os {

namespace {

void reference(PVOID /*context*/) {}

}  // namespace

void Adapter::load(DriverEntryFunction entry) {
  table_.Version = interface_version(port_.policy().caps.wddm);
  {
    const DriverGuard::Stay inside(guard_, Ddi::DriverEntry);
    require(guard_.run([&] { return entry(&table_); }), "DriverEntry");
  }
  if (options_.system.start_checks && table_.Version > interface_version(options_.system.wddm))
    throw StartFailure(StartRule::kVersion, gpu_.config().name + ": the driver is built for " +
                                                wddm_text(port_.policy().caps.wddm) +
                                                ", the OS is " + wddm_text(options_.system.wddm) +
                                                " (STATUS_REVISION_MISMATCH)");
  require(call<Ddi::DxgkDdiAddDevice>(static_cast<kmd_host::HostPort*>(&driver_port_), &context_),
          "DxgkDdiAddDevice");
}

void Adapter::ask_for_features() {
  if (!features_.offered()) return;
  DXGKDDI_FEATURE_INTERFACE features{};
  QUERY_INTERFACE query{};
  query.InterfaceType = &GUID_WDDM_INTERFACE_FEATURE;
  query.Size = sizeof features;
  query.Version = DXGKDDI_FEATURE_INTERFACE_VERSION_1;
  query.Interface = reinterpret_cast<INTERFACE*>(&features);
  if (NT_SUCCESS(call<Ddi::DxgkDdiQueryInterface>(context_, &query)))
    features_.set_driver(features, context_);
}

void Adapter::start_device() {
  callbacks_.Size = sizeof callbacks_;
  callbacks_.Version = options_.system.wddm;
  callbacks_.DeviceHandle = this;
  fill_callbacks(callbacks_,
                 {create_context_allocation != nullptr, invalidate_hw_context != nullptr});
  serves_driver_ = true;
  DXGK_START_INFO info{};
  ULONG children = 0;
  program_message();
  require(call<Ddi::DxgkDdiStartDevice>(context_, &info, &callbacks_, &sources_, &children),
          "DxgkDdiStartDevice");
}

void Adapter::start(DriverEntryFunction entry) {
  if (options_.system.resize_bar) configuration_.size_bar(port_);
  load(entry);
  ask_for_features();
  start_device();
  DriverQueries(*this, system_memory_bytes_, description_).ask();
  if (!vram_cpu_visible()) open_host_aperture();
  cpu_.simulation().emit(event::AdapterStarted{object(), description_.caps.SchedulingCaps.Value,
                                               native_fences(),
                                               native_fences() ? monitored_distance() : 0});
  if (has_source())
    require(call<Ddi::DxgkDdiControlInterrupt>(context_, DXGK_INTERRUPT_CRTC_VSYNC, TRUE),
            "DxgkDdiControlInterrupt");
  if (driver_port_.driver_state() != nullptr) interrupt_lock_.content = &interrupts_;
}

/// Without the flags of the segment no allocation is visible; the window is there for kernel mode
/// all the same.
void Adapter::open_host_aperture() {
  host_aperture_ =
      std::make_unique<HostAperture>(*this, description_.vram_segment.CpuHostAperture.SizeInPages,
                                     options_.system.tracks_host_aperture);
  port_.use_host_aperture(*host_aperture_);
}

NTSTATUS Adapter::query_services(DXGK_SERVICES service, INTERFACE* table) {
  if (service != DxgkServicesFeature || !features_.offered()) return STATUS_NOT_SUPPORTED;
  if (table->Size < sizeof(DXGK_FEATURE_INTERFACE)) return STATUS_BUFFER_TOO_SMALL;
  auto& features = *reinterpret_cast<DXGK_FEATURE_INTERFACE*>(table);
  features.Version = DXGK_FEATURE_INTERFACE_VERSION_1;
  features.Context = this;
  features.InterfaceReference = reference;
  features.InterfaceDereference = reference;
  fill_feature_callbacks(features);
  return STATUS_SUCCESS;
}

NTSTATUS Adapter::is_feature_enabled(DXGKARGCB_ISFEATUREENABLED2& args) {
  args.Result = features_.ask(args.FeatureId);
  cpu_.simulation().emit(event::FeatureAnswer{object(), args.FeatureId, args.Result.Value,
                                              args.Result.Version, false});
  return STATUS_SUCCESS;
}

NTSTATUS Adapter::query_feature_interface(DXGKARGCB_QUERYFEATUREINTERFACE& args) {
  const NTSTATUS status = features_.query_table(args);
  cpu_.simulation().emit(
      event::FeatureTable{object(), args.FeatureId, static_cast<std::uint32_t>(status)});
  return status;
}

}  // namespace fenceline::os
