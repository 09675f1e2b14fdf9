// Adapter start: loading a driver, the functions it gets, feature negotiation.
#include <cstring>

#include "models/abi/page_table.h"
#include "tb/os/adapter.h"
#include "tb/os/driver_callbacks.h"

namespace fenceline::os {

namespace {

/// Source: WDDM, SupportedWriteSegmentSet: a bit for each segment.
constexpr UINT kMostSegments = 32;

void reference(PVOID /*context*/) {}

}  // namespace

void Adapter::load(DriverEntryFunction entry) {
  table_.Version = interface_version(port_.policy().caps.wddm);
  {
    const DriverGuard::Stay inside(guard_, Ddi::kDriverEntry);
    require(guard_.run(Ddi::kDriverEntry, table_, [&] { return entry(&table_); }), "DriverEntry");
  }
  if (options_.system.start_checks && table_.Version > interface_version(options_.system.wddm))
    throw StartFailure(StartRule::kVersion, gpu_.config().name + ": the driver is built for " +
                                                wddm_text(port_.policy().caps.wddm) +
                                                ", the OS is " + wddm_text(options_.system.wddm) +
                                                " (STATUS_REVISION_MISMATCH)");
  require(call(Ddi::kAddDevice,
               [&](auto& ddi) {
                 return ddi.DxgkDdiAddDevice(static_cast<kmd_host::HostPort*>(&driver_port_),
                                             &context_);
               }),
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
  if (NT_SUCCESS(call(Ddi::kQueryInterface,
                      [&](auto& ddi) { return ddi.DxgkDdiQueryInterface(context_, &query); })))
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
  require(call(Ddi::kStartDevice,
               [&](auto& ddi) {
                 return ddi.DxgkDdiStartDevice(context_, &info, &callbacks_, &sources_, &children);
               }),
          "DxgkDdiStartDevice");
}

void Adapter::start(DriverEntryFunction entry) {
  size_bar();
  load(entry);
  ask_for_features();
  start_device();
  query_caps();
  cpu_.simulation().emit(event::AdapterStarted{object(), caps_.SchedulingCaps.Value,
                                               native_fences(),
                                               native_fences() ? monitored_distance() : 0});
  if (has_source())
    require(call(Ddi::kControlInterrupt,
                 [&](auto& ddi) {
                   return ddi.DxgkDdiControlInterrupt(context_, DXGK_INTERRUPT_CRTC_VSYNC, TRUE);
                 }),
            "DxgkDdiControlInterrupt");
  if (driver_port_.driver_state() != nullptr) interrupt_lock_.content = &interrupts_;
}

NTSTATUS Adapter::query(DXGK_QUERYADAPTERINFOTYPE type, void* out, std::size_t bytes) {
  DXGKARG_QUERYADAPTERINFO args{};
  args.Type = type;
  args.pOutputData = out;
  args.OutputDataSize = static_cast<UINT>(bytes);
  return call(Ddi::kQueryAdapterInfo,
              [&](auto& ddi) { return ddi.DxgkDdiQueryAdapterInfo(context_, &args); });
}

void Adapter::query_caps() {
  require(query(DXGKQAITYPE_DRIVERCAPS, &caps_, sizeof caps_), "query of the driver caps");
  DriverAnswers answers;
  answers.caps = caps_;
  answers.system_memory = system_memory_bytes_;
  answers.enabled = features_.offered() && features_.enabled(DXGK_FEATURE_NATIVE_FENCE);
  if (native_fences()) query_fence_caps(answers);
  const auto broken = find_broken_rule(options_.system, answers);
  if (broken && options_.system.start_checks)
    throw StartFailure(broken->rule, gpu_.config().name + ": " + broken->why);
  query_segments();
}

/// An OS that has not enabled the feature does not ask about it: the rule is broken already.
void Adapter::query_fence_caps(DriverAnswers& answers) {
  if (!answers.enabled && options_.system.start_checks) return;
  require(query(DXGKQAITYPE_NATIVE_FENCE_CAPS, &fence_caps_, sizeof fence_caps_),
          "query of the native fence caps");
  UINT sets[2];
  std::memcpy(sets, fence_caps_.Reserved, sizeof sets);
  storage_.current_value = query_storage(D3DKMDT_FENCESTORAGE_VALUE_TYPE_CURRENTVALUE, sets[0]);
  storage_.monitored_value = query_storage(D3DKMDT_FENCESTORAGE_VALUE_TYPE_MONITOREDVALUE, sets[1]);
  answers.fence_caps = fence_caps_;
  answers.storage = storage_;
  answers.virtual_address_bits = abi::kVirtualAddressBits;
  answers.has_fence_entries =
      table_.DxgkDdiCreateNativeFence != nullptr && table_.DxgkDdiOpenNativeFence != nullptr &&
      table_.DxgkDdiCloseNativeFence != nullptr && table_.DxgkDdiDestroyNativeFence != nullptr &&
      table_.DxgkDdiUpdateMonitoredValues != nullptr &&
      table_.DxgkDdiUpdateCurrentValuesFromCpu != nullptr &&
      table_.DxgkDdiSetNativeFenceLogBuffer != nullptr &&
      table_.DxgkDdiUpdateNativeFenceLogs != nullptr;
}

/// Segments for a value: by standard allocation, else what the caps say, else system memory.
UINT Adapter::query_storage(D3DKMDT_FENCESTORAGE_VALUE_TYPE value, UINT from_caps) {
  constexpr UINT kSystemMemory = 2;
  D3DKMDT_FENCESTORAGESURFACEDATA data{};
  data.FenceStorageValueType = value;
  data.FenceStorageType = D3DDDI_NATIVEFENCE_TYPE_DEFAULT;
  DXGKARG_GETSTANDARDALLOCATIONDRIVERDATA args{};
  args.StandardAllocationType = D3DKMDT_STANDARDALLOCATION_FENCESTORAGE;
  args.pCreateFenceStorageData = &data;
  const NTSTATUS status = call(Ddi::kGetStandardAllocationDriverData, [&](auto& ddi) {
    return ddi.DxgkDdiGetStandardAllocationDriverData(context_, &args);
  });
  if (NT_SUCCESS(status)) return data.AllocationInfo.SupportedWriteSegmentSet;
  return from_caps != 0 ? from_caps : kSystemMemory;
}

void Adapter::query_segments() {
  DXGK_QUERYSEGMENTOUT4 segments{};
  require(query(DXGKQAITYPE_QUERYSEGMENT4, &segments, sizeof segments), "count of the segments");
  if (segments.NbSegment > kMostSegments)
    throw StartFailure(StartRule::kSegments,
                       gpu_.config().name + ": the driver reports more segments than there may be");
  std::vector<DXGK_SEGMENTDESCRIPTOR4> descriptors(segments.NbSegment);
  segments.pSegmentDescriptor = reinterpret_cast<BYTE*>(descriptors.data());
  segments.SegmentDescriptorStride = sizeof(DXGK_SEGMENTDESCRIPTOR4);
  require(query(DXGKQAITYPE_QUERYSEGMENT4, &segments, sizeof segments), "query of the segments");
  if (descriptors.empty())
    throw StartFailure(StartRule::kSegments,
                       gpu_.config().name + ": the driver reports no memory segment");
  paging_buffer_bytes_ = segments.PagingBufferSize;
  vram_segment_ = descriptors[0];
  vram_segment_base_ = static_cast<std::uint64_t>(descriptors[0].BaseAddress.QuadPart);
  if (vram_segment_base_ % kPage != 0 || vram_segment_base_ >= gpu_.config().vram.size_bytes)
    throw StartFailure(StartRule::kSegments,
                       gpu_.config().name + ": the memory segment begins outside of VRAM");
  constexpr UINT kWindow = DXGK_SEGMENTFLAGS::kSupportsCpuHostAperture;
  // Without either flag no allocation is visible; the window is there for kernel mode all the same.
  if (vram_cpu_visible() && (vram_segment_.Flags.Value & kWindow) == 0) return;
  if (vram_cpu_visible())
    throw StartFailure(StartRule::kSegments,
                       gpu_.config().name + ": a CPU-visible segment has a CpuHostAperture");
  if (vram_segment_.CpuHostAperture.SizeInPages == 0)
    throw StartFailure(StartRule::kSegments,
                       gpu_.config().name + ": the CPU reaches no page of the memory segment");
  host_aperture_ = std::make_unique<HostAperture>(*this, vram_segment_.CpuHostAperture.SizeInPages,
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
  cpu_.simulation().emit(
      event::FeatureAnswer{object(), args.FeatureId, args.Result.Value, args.Result.Version, 0});
  return STATUS_SUCCESS;
}

NTSTATUS Adapter::query_feature_interface(DXGKARGCB_QUERYFEATUREINTERFACE& args) {
  const NTSTATUS status = features_.query_table(args);
  cpu_.simulation().emit(
      event::FeatureTable{object(), args.FeatureId, static_cast<std::uint32_t>(status)});
  return status;
}

}  // namespace fenceline::os
