#include "tb/os/driver/driver_queries.h"

#include <cstring>

#include "models/abi/page_table.h"
#include "models/top/gpu.h"
#include "tb/os/driver/adapter.h"

namespace fenceline::os {

namespace {

/// Source: WDDM, SupportedWriteSegmentSet: a bit for each segment.
constexpr UINT kMaxSegments = 32;

}  // namespace

NTSTATUS DriverQueries::query(DXGK_QUERYADAPTERINFOTYPE type, void* out, std::size_t bytes) {
  DXGKARG_QUERYADAPTERINFO args{};
  args.Type = type;
  args.pOutputData = out;
  args.OutputDataSize = static_cast<UINT>(bytes);
  return adapter_.call<Ddi::DxgkDdiQueryAdapterInfo>(adapter_.handle(), &args);
}

void DriverQueries::ask() {
  adapter_.require(query(DXGKQAITYPE_DRIVERCAPS, &description_.caps, sizeof description_.caps),
                   "query of the driver caps");
  DriverAnswers answers;
  answers.caps = description_.caps;
  answers.system_memory = system_memory_bytes_;
  answers.enabled =
      adapter_.features().offered() && adapter_.features().enabled(DXGK_FEATURE_NATIVE_FENCE);
  if (description_.native_fences()) query_fence_caps(answers);
  const auto broken = find_broken_rule(adapter_.system(), answers);
  if (broken && adapter_.system().start_checks) fail(broken->rule, broken->why);
  query_segments();
}

/// An OS that has not enabled the feature does not ask about it: the rule is broken already.
void DriverQueries::query_fence_caps(DriverAnswers& answers) {
  if (!answers.enabled && adapter_.system().start_checks) return;
  adapter_.require(query(DXGKQAITYPE_NATIVE_FENCE_CAPS, &description_.fence_caps,
                         sizeof description_.fence_caps),
                   "query of the native fence caps");
  UINT sets[2];
  std::memcpy(sets, description_.fence_caps.Reserved, sizeof sets);
  description_.storage.current_value =
      query_storage(D3DKMDT_FENCESTORAGE_VALUE_TYPE_CURRENTVALUE, sets[0]);
  description_.storage.monitored_value =
      query_storage(D3DKMDT_FENCESTORAGE_VALUE_TYPE_MONITOREDVALUE, sets[1]);
  answers.fence_caps = description_.fence_caps;
  answers.storage = description_.storage;
  answers.virtual_address_bits = abi::kVirtualAddressBits;
  const DRIVER_INITIALIZATION_DATA& table = adapter_.table();
  answers.has_fence_entries =
      table.DxgkDdiCreateNativeFence != nullptr && table.DxgkDdiOpenNativeFence != nullptr &&
      table.DxgkDdiCloseNativeFence != nullptr && table.DxgkDdiDestroyNativeFence != nullptr &&
      table.DxgkDdiUpdateMonitoredValues != nullptr &&
      table.DxgkDdiUpdateCurrentValuesFromCpu != nullptr &&
      table.DxgkDdiSetNativeFenceLogBuffer != nullptr &&
      table.DxgkDdiUpdateNativeFenceLogs != nullptr;
}

/// Segments for a value: by standard allocation, else what the caps say, else system memory.
UINT DriverQueries::query_storage(D3DKMDT_FENCESTORAGE_VALUE_TYPE value, UINT from_caps) {
  constexpr UINT kSystemMemory = 2;
  D3DKMDT_FENCESTORAGESURFACEDATA data{};
  data.FenceStorageValueType = value;
  data.FenceStorageType = D3DDDI_NATIVEFENCE_TYPE_DEFAULT;
  DXGKARG_GETSTANDARDALLOCATIONDRIVERDATA args{};
  args.StandardAllocationType = D3DKMDT_STANDARDALLOCATION_FENCESTORAGE;
  args.pCreateFenceStorageData = &data;
  const NTSTATUS status =
      adapter_.call<Ddi::DxgkDdiGetStandardAllocationDriverData>(adapter_.handle(), &args);
  if (NT_SUCCESS(status)) return data.AllocationInfo.SupportedWriteSegmentSet;
  return from_caps != 0 ? from_caps : kSystemMemory;
}

void DriverQueries::fail(StartRule rule, const std::string& why) const {
  throw StartFailure(rule, adapter_.gpu().config().name + ": " + why);
}

void DriverQueries::query_segments() {
  DXGK_QUERYSEGMENTOUT4 segments{};
  adapter_.require(query(DXGKQAITYPE_QUERYSEGMENT4, &segments, sizeof segments),
                   "count of the segments");
  if (segments.NbSegment > kMaxSegments)
    fail(StartRule::kSegments, "the driver reports more segments than there may be");
  std::vector<DXGK_SEGMENTDESCRIPTOR4> descriptors(segments.NbSegment);
  segments.pSegmentDescriptor = reinterpret_cast<BYTE*>(descriptors.data());
  segments.SegmentDescriptorStride = sizeof(DXGK_SEGMENTDESCRIPTOR4);
  adapter_.require(query(DXGKQAITYPE_QUERYSEGMENT4, &segments, sizeof segments),
                   "query of the segments");
  if (descriptors.empty()) fail(StartRule::kSegments, "the driver reports no memory segment");
  description_.paging_buffer_bytes = segments.PagingBufferSize;
  description_.vram_segment = descriptors[0];
  description_.vram_segment_base = static_cast<std::uint64_t>(descriptors[0].BaseAddress.QuadPart);
  if (description_.vram_segment_base % kPage != 0 ||
      description_.vram_segment_base >= adapter_.gpu().config().vram.size_bytes)
    fail(StartRule::kSegments, "the memory segment begins outside of VRAM");
  check_window();
}

/// A window stands in for VRAM that the CPU does not see, and for no other.
void DriverQueries::check_window() const {
  if (!description_.vram_cpu_visible()) {
    if (description_.vram_segment.CpuHostAperture.SizeInPages == 0)
      fail(StartRule::kSegments, "the CPU reaches no page of the memory segment");
    return;
  }
  constexpr UINT kWindow = DXGK_SEGMENTFLAGS::kSupportsCpuHostAperture;
  if ((description_.vram_segment.Flags.Value & kWindow) != 0)
    fail(StartRule::kSegments, "a CPU-visible segment has a CpuHostAperture");
}

}  // namespace fenceline::os
