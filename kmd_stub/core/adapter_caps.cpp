#include "kmd_stub/core/adapter_caps.h"

#include <cstring>
#include <iterator>

#include "kmd_stub/core/adapter.h"
#include "kmd_stub/core/memory/host_aperture.h"
#include "kmd_stub/core/memory/segments.h"
#include "models/abi/private_data.h"

namespace fenceline::kmd {

namespace {

constexpr std::uint64_t kApertureBytes = kAperturePages * abi::kPageBytes;
constexpr UINT kPagingBufferBytes = 64 * 1024;

/// Writes an answer if the output buffer is large enough.
template <typename T>
NTSTATUS answer(const DXGKARG_QUERYADAPTERINFO& args, const T& value) {
  if (args.pOutputData == nullptr) return STATUS_INVALID_PARAMETER;
  if (args.OutputDataSize < sizeof(T)) return STATUS_BUFFER_TOO_SMALL;
  std::memcpy(args.pOutputData, &value, sizeof(T));
  return STATUS_SUCCESS;
}

DXGK_DRIVERCAPS driver_caps(const Adapter& adapter) {
  DXGK_DRIVERCAPS caps{};
  caps.HighestAcceptableAddress.QuadPart = static_cast<LONGLONG>(abi::kSystemMemoryBit - 1);
  caps.InterruptMessageNumber = OperatingSystem::kMessageNumber;
  if (adapter.hardware().primary_bytes != 0 && adapter.caps().flip_on_vsync_mmio)
    caps.FlipCaps.Value = DXGK_FLIPCAPS::kFlipOnVSyncMmIo | DXGK_FLIPCAPS::kFlipImmediateMmIo;
  caps.SchedulingCaps.Value = adapter.caps().scheduling;
  if (adapter.no_64bit_atomics()) caps.SchedulingCaps.Value |= DXGK_VIDSCHCAPS::kNo64BitAtomics;
  if (adapter.native_fences().enabled)
    caps.SchedulingCaps.Value |= DXGK_VIDSCHCAPS::kNativeGpuFence;
  if (adapter.caps().optimized_interrupt)
    caps.SchedulingCaps.Value |= DXGK_VIDSCHCAPS::kOptimizedNativeFenceSignaledInterrupt;
  caps.MemoryManagementCaps.Value =
      DXGK_VIDMMCAPS::kVirtualAddressingSupported | DXGK_VIDMMCAPS::kGpuMmuSupported;
  caps.MemoryManagementCaps.PagingNode = adapter.hardware().paging_node;
  caps.GpuEngineTopology.NbAsymetricProcessingNodes = adapter.node_count();
  caps.WDDMVersion = adapter.caps().wddm;
  // The interface values are the hardware levels times 100.
  const abi::Granularity& levels = adapter.hardware().granularity;
  caps.PreemptionCaps = {
      static_cast<D3DKMDT_GRAPHICS_PREEMPTION_GRANULARITY>(100 *
                                                           static_cast<UINT>(levels.graphics)),
      static_cast<D3DKMDT_COMPUTE_PREEMPTION_GRANULARITY>(100 * static_cast<UINT>(levels.compute))};
  caps.SupportPerEngineTDR = adapter.caps().per_engine_tdr ? TRUE : FALSE;
  return caps;
}

DXGK_NATIVE_FENCE_CAPS native_fence_caps(const kmd_host::DriverCaps& driver) {
  DXGK_NATIVE_FENCE_CAPS caps{};
  caps.MonitoredValueStride = driver.monitored_value_field;
  caps.MapToGpuSystemProcess = driver.map_to_system_process ? TRUE : FALSE;
  caps.MinimumAddress = driver.minimum_address;
  caps.MaximumAddress = driver.maximum_address;
  if (driver.storage_answer == kmd_host::StorageAnswer::kCaps) {
    const UINT sets[] = {driver.current_value_segments, driver.monitored_value_segments};
    std::memcpy(caps.Reserved, sets, sizeof sets);
  }
  return caps;
}

DXGK_GPUMMUCAPS mmu_caps() {
  DXGK_GPUMMUCAPS caps{};
  caps.Value =
      DXGK_GPUMMUCAPS::kReadOnlyMemorySupported | DXGK_GPUMMUCAPS::kCacheCoherentMemorySupported;
  caps.PageTableUpdateMode = DXGK_PAGETABLEUPDATE_CPU_VIRTUAL;
  caps.VirtualAddressBitCount = abi::kVirtualAddressBits;
  caps.PageTableLevelCount = abi::kPageTableLevels;
  return caps;
}

NTSTATUS level_description(const DXGKARG_QUERYADAPTERINFO& args) {
  UINT level = 0;
  if (args.pInputData == nullptr || args.InputDataSize < sizeof(level))
    return STATUS_INVALID_PARAMETER;
  std::memcpy(&level, args.pInputData, sizeof(level));
  if (level >= abi::kPageTableLevels) return STATUS_INVALID_PARAMETER;
  DXGK_PAGE_TABLE_LEVEL_DESC description{};
  description.PageTableIndexBitCount = abi::kPageTableIndexBits;
  description.PageTableSegmentId = kVramSegment;
  description.PagingProcessPageTableSegmentId = kVramSegment;
  description.PageTableSizeInBytes = 8 * abi::kPageTableEntries;
  description.PageTableAlignmentInBytes = abi::kPageBytes;
  return answer(args, description);
}

void describe_segments(const Adapter& adapter, DXGK_SEGMENTDESCRIPTOR4 (&segments)[kSegments]) {
  DXGK_SEGMENTDESCRIPTOR4& vram = segments[kVramSegment - 1];
  vram = {};
  vram.Flags.Value = DXGK_SEGMENTFLAGS::kLocalBudgetGroup;
  vram.BaseAddress.QuadPart = static_cast<LONGLONG>(kReservedVram);
  vram.Size = adapter.vram_bytes() - kReservedVram;
  vram.CommitLimit = vram.Size;
  if (const std::uint32_t window = host_aperture_pages(adapter); window != 0) {
    if (adapter.caps().offers_host_aperture)
      vram.Flags.Value |= DXGK_SEGMENTFLAGS::kSupportsCpuHostAperture;
    vram.CpuHostAperture = {adapter.vram_bar().address, window};
  } else {
    vram.Flags.Value |= DXGK_SEGMENTFLAGS::kCpuVisible;
    vram.CpuTranslatedAddress.QuadPart = static_cast<LONGLONG>(kReservedVram);
  }

  DXGK_SEGMENTDESCRIPTOR4& aperture = segments[kApertureSegment - 1];
  aperture = {};
  aperture.Flags.Value = DXGK_SEGMENTFLAGS::kAperture | DXGK_SEGMENTFLAGS::kCacheCoherent |
                         DXGK_SEGMENTFLAGS::kNonLocalBudgetGroup;
  aperture.Size = kApertureBytes;
  aperture.CommitLimit = kApertureBytes;
}

NTSTATUS query_segments(const Adapter& adapter, const DXGKARG_QUERYADAPTERINFO& args) {
  DXGK_QUERYSEGMENTOUT4 out{};
  if (args.pOutputData == nullptr) return STATUS_INVALID_PARAMETER;
  if (args.OutputDataSize < sizeof(out)) return STATUS_BUFFER_TOO_SMALL;
  std::memcpy(&out, args.pOutputData, sizeof(out));
  if (out.pSegmentDescriptor == nullptr) {
    out.NbSegment = kSegments;
    out.SegmentDescriptorStride = sizeof(DXGK_SEGMENTDESCRIPTOR4);
    out.PagingBufferSegmentId = kSystemSegment;
    out.PagingBufferSize = kPagingBufferBytes;
    return answer(args, out);
  }
  if (out.NbSegment < kSegments) return STATUS_BUFFER_TOO_SMALL;
  if (out.SegmentDescriptorStride < sizeof(DXGK_SEGMENTDESCRIPTOR4))
    return STATUS_INVALID_PARAMETER;
  DXGK_SEGMENTDESCRIPTOR4 segments[kSegments];
  describe_segments(adapter, segments);
  for (UINT i = 0; i < kSegments; ++i)
    std::memcpy(out.pSegmentDescriptor + i * out.SegmentDescriptorStride, &segments[i],
                sizeof(segments[i]));
  return STATUS_SUCCESS;
}

/// Type and name of the nodes, in order. Assumption: the device does not report them.
struct NodeKind {
  DXGK_ENGINE_TYPE type;
  const char16_t* name;
};
constexpr NodeKind kNodeKinds[] = {{DXGK_ENGINE_TYPE_3D, u"3D"},
                                   {DXGK_ENGINE_TYPE_OTHER, u"Compute"},
                                   {DXGK_ENGINE_TYPE_COPY, u"Copy"}};
constexpr NodeKind kOtherNode = {DXGK_ENGINE_TYPE_OTHER, u"Other"};

}  // namespace

NTSTATUS DxgkDdiQueryAdapterInfo(Adapter& adapter, const DXGKARG_QUERYADAPTERINFO& args) {
  switch (args.Type) {
    case DXGKQAITYPE_DRIVERCAPS:
      return answer(args, driver_caps(adapter));
    case DXGKQAITYPE_UMDRIVERPRIVATE:
      return answer(args, abi::AdapterPrivateData{adapter.hardware().fence_writers,
                                                  adapter.hardware().fence_notifiers});
    case DXGKQAITYPE_QUERYSEGMENT4:
      return query_segments(adapter, args);
    case DXGKQAITYPE_GPUMMUCAPS:
      return answer(args, mmu_caps());
    case DXGKQAITYPE_PAGETABLELEVELDESC:
      return level_description(args);
    case DXGKQAITYPE_NATIVE_FENCE_CAPS:
      return adapter.native_fences().enabled ? answer(args, native_fence_caps(adapter.caps()))
                                             : STATUS_NOT_SUPPORTED;
    case DXGKQAITYPE_USERMODESUBMISSION_CAPS: {
      DXGK_USERMODESUBMISSION_CAPS caps{};
      caps.DoorbellSizeInBytes = sizeof(std::uint64_t);
      return answer(args, caps);
    }
    default:
      return STATUS_NOT_SUPPORTED;
  }
}

NTSTATUS DxgkDdiGetNodeMetadata(const Adapter& adapter, UINT node_and_adapter,
                                DXGKARG_GETNODEMETADATA& args) {
  if (node_and_adapter >= adapter.node_count()) return STATUS_INVALID_PARAMETER;
  const NodeKind& kind =
      node_and_adapter < std::size(kNodeKinds) ? kNodeKinds[node_and_adapter] : kOtherNode;
  args = {};
  args.EngineType = kind.type;
  for (UINT i = 0; kind.name[i] != 0; ++i) args.FriendlyName[i] = kind.name[i];
  args.Flags.Value = DXGK_NODEMETADATA_FLAGS::kContextSchedulingSupported |
                     DXGK_NODEMETADATA_FLAGS::kUserModeSubmission;
  args.GpuMmuSupported = TRUE;
  return STATUS_SUCCESS;
}

NTSTATUS DxgkDdiGetStandardAllocationDriverData(
    const Adapter& adapter, const DXGKARG_GETSTANDARDALLOCATIONDRIVERDATA& args) {
  const kmd_host::DriverCaps& driver = adapter.caps();
  if (args.StandardAllocationType != D3DKMDT_STANDARDALLOCATION_FENCESTORAGE ||
      driver.storage_answer != kmd_host::StorageAnswer::kStandardAllocation)
    return STATUS_NOT_SUPPORTED;
  if (args.pCreateFenceStorageData == nullptr) return STATUS_INVALID_PARAMETER;
  D3DKMDT_FENCESTORAGESURFACEDATA& data = *args.pCreateFenceStorageData;
  if (data.PhysicalAdapterIndex != 0) return STATUS_INVALID_PARAMETER;
  // All of VRAM is CPU visible, so either value may be in either segment.
  constexpr UINT kApertureBit = 1U << (kApertureSegment - 1);
  static_assert(kmd_host::kVramSegmentBit == 1U << (kVramSegment - 1));
  static_assert(kmd_host::kApertureSegmentBit == kApertureBit);
  const bool intra_gpu = data.FenceStorageType == D3DDDI_NATIVEFENCE_TYPE_INTRA_GPU;
  const bool current = data.FenceStorageValueType == D3DKMDT_FENCESTORAGE_VALUE_TYPE_CURRENTVALUE;
  const UINT segments = current ? driver.current_value_segments : driver.monitored_value_segments;
  data.AllocationInfo.SupportedReadSegmentSet = segments;
  data.AllocationInfo.SupportedWriteSegmentSet = segments;
  data.AllocationInfo.EvictionSegmentSet = kApertureBit;
  data.AllocationInfo.PreferredSegment = intra_gpu ? kVramSegment : kApertureSegment;
  data.AllocationInfo.Alignment = abi::kPageBytes;
  data.AllocationInfo.FlagsWddm2.Value =
      intra_gpu ? 0 : DXGK_ALLOCATIONINFOFLAGS_WDDM2_0::kCpuVisible;
  return STATUS_SUCCESS;
}

NTSTATUS DxgkDdiCalibrateGpuClock(Adapter& adapter, UINT32 node, UINT32 engine,
                                  DXGKARG_CALIBRATEGPUCLOCK& args) {
  if (node >= adapter.node_count() || engine != 0) return STATUS_INVALID_PARAMETER;
  args = {};
  args.GpuFrequency = adapter.port().read_register(abi::kClockHz);
  if (adapter.caps().halves_clock_rate) args.GpuFrequency /= 2;
  // The device samples its counter approximately in the middle of the read.
  const std::uint64_t before = adapter.port().performance_counter();
  args.GpuClockCounter = adapter.port().read_register(abi::kTimestamp);
  args.CpuClockCounter = before + (adapter.port().performance_counter() - before) / 2;
  return STATUS_SUCCESS;
}

}  // namespace fenceline::kmd
