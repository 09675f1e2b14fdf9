#include <catch2/catch.hpp>
#include <string>

#include "models/abi/registers.h"
#include "tb/test/support/mock_host_port.h"

namespace fenceline::kmd_tests::test_caps {

namespace abi = fenceline::abi;
using fenceline::support::MockHostPort;
using fenceline::support::MockSystem;

namespace {

constexpr std::uint64_t kReserve = 0x10000;  // VRAM that the driver keeps
constexpr std::uint64_t kVram = 1ULL << 30;

struct Machine {
  Machine() { REQUIRE(system.start() == STATUS_SUCCESS); }
  template <typename T>
  NTSTATUS query(DXGK_QUERYADAPTERINFOTYPE type, T& out, UINT bytes = sizeof(T)) {
    DXGKARG_QUERYADAPTERINFO args{};
    args.Type = type;
    args.pInputData = input;
    args.InputDataSize = input_bytes;
    args.pOutputData = &out;
    args.OutputDataSize = bytes;
    return system.ddi.DxgkDdiQueryAdapterInfo(system.adapter, &args);
  }
  MockHostPort port;
  MockSystem system{port};
  UINT* input = nullptr;
  UINT input_bytes = sizeof(UINT);
};

}  // namespace

TEST_CASE("driver caps keep to what the bits of the scheduler need of each other", "[kmd][caps]") {
  Machine machine;
  DXGK_DRIVERCAPS caps{};
  REQUIRE(machine.query(DXGKQAITYPE_DRIVERCAPS, caps) == STATUS_SUCCESS);
  CHECK(caps.SchedulingCaps.Value ==
        (DXGK_VIDSCHCAPS::kMultiEngineAware | DXGK_VIDSCHCAPS::kPreemptionAware |
         DXGK_VIDSCHCAPS::kNativeGpuFence));
  CHECK(caps.WDDMVersion == DXGKDDI_WDDMv3_2);
  CHECK(caps.GpuEngineTopology.NbAsymetricProcessingNodes == 4);
  CHECK(caps.HighestAcceptableAddress.QuadPart == (1LL << 47) - 1);
  CHECK(caps.InterruptMessageNumber == 0);
  CHECK(caps.PreemptionCaps.GraphicsPreemptionGranularity == D3DKMDT_GRAPHICS_PREEMPTION_NONE);
  CHECK(caps.PreemptionCaps.ComputePreemptionGranularity == D3DKMDT_COMPUTE_PREEMPTION_NONE);
  CHECK(caps.MemoryManagementCaps.Value ==
        (DXGK_VIDMMCAPS::kVirtualAddressingSupported | DXGK_VIDMMCAPS::kGpuMmuSupported));
}

TEST_CASE("fence values lie 8 bytes apart and in the system process too", "[kmd][caps]") {
  Machine machine;
  DXGK_NATIVE_FENCE_CAPS caps{};
  caps.MinimumAddress = 1;
  REQUIRE(machine.query(DXGKQAITYPE_NATIVE_FENCE_CAPS, caps) == STATUS_SUCCESS);
  CHECK(caps.MonitoredValueStride == 8);
  CHECK(caps.MapToGpuSystemProcess == TRUE);
  CHECK(caps.MinimumAddress == 0);
  CHECK(caps.MaximumAddress == 0);
}

TEST_CASE("the segments are VRAM behind the reserve and one aperture", "[kmd][caps]") {
  Machine machine;
  DXGK_QUERYSEGMENTOUT4 out{};
  REQUIRE(machine.query(DXGKQAITYPE_QUERYSEGMENT4, out) == STATUS_SUCCESS);
  REQUIRE(out.NbSegment == 2);
  CHECK(out.SegmentDescriptorStride == sizeof(DXGK_SEGMENTDESCRIPTOR4));
  CHECK(out.PagingBufferSegmentId == 0);
  CHECK(out.PagingBufferSize == 64 * 1024);
  DXGK_SEGMENTDESCRIPTOR4 segments[2]{};
  out.pSegmentDescriptor = reinterpret_cast<BYTE*>(segments);
  REQUIRE(machine.query(DXGKQAITYPE_QUERYSEGMENT4, out) == STATUS_SUCCESS);
  CHECK(segments[0].Flags.Value ==
        (DXGK_SEGMENTFLAGS::kCpuVisible | DXGK_SEGMENTFLAGS::kLocalBudgetGroup));
  CHECK(segments[0].BaseAddress.QuadPart == kReserve);
  CHECK(segments[0].CpuTranslatedAddress.QuadPart == kReserve);
  CHECK(segments[0].Size == kVram - kReserve);
  CHECK(segments[0].CommitLimit == kVram - kReserve);
  CHECK((segments[1].Flags.Value & DXGK_SEGMENTFLAGS::kAperture) != 0);
  CHECK((segments[1].Flags.Value & DXGK_SEGMENTFLAGS::kCacheCoherent) != 0);
  CHECK(segments[1].Size == 1ULL << 36);
  CHECK(segments[1].CommitLimit == segments[1].Size);
}

TEST_CASE("a segment query without room is refused", "[kmd][caps]") {
  Machine machine;
  DXGK_SEGMENTDESCRIPTOR4 segments[2]{};
  DXGK_QUERYSEGMENTOUT4 out{};
  out.pSegmentDescriptor = reinterpret_cast<BYTE*>(segments);
  out.NbSegment = 2;
  out.SegmentDescriptorStride = sizeof(segments[0]) - 1;
  CHECK(machine.query(DXGKQAITYPE_QUERYSEGMENT4, out) == STATUS_INVALID_PARAMETER);
  out.SegmentDescriptorStride = sizeof(segments[0]);
  out.NbSegment = 1;
  CHECK(machine.query(DXGKQAITYPE_QUERYSEGMENT4, out) == STATUS_BUFFER_TOO_SMALL);
  CHECK(segments[0].Size == 0);
  CHECK(machine.query(DXGKQAITYPE_QUERYSEGMENT4, out, sizeof(out) - 1) == STATUS_BUFFER_TOO_SMALL);
}

TEST_CASE("the MMU is described as the page tables are laid out", "[kmd][caps]") {
  Machine machine;
  DXGK_GPUMMUCAPS caps{};
  REQUIRE(machine.query(DXGKQAITYPE_GPUMMUCAPS, caps) == STATUS_SUCCESS);
  CHECK(caps.PageTableUpdateMode == DXGK_PAGETABLEUPDATE_CPU_VIRTUAL);
  CHECK(caps.VirtualAddressBitCount == 39);
  CHECK(caps.PageTableLevelCount == 3);
  CHECK((caps.Value & DXGK_GPUMMUCAPS::kReadOnlyMemorySupported) != 0);
  CHECK((caps.Value &
         (DXGK_GPUMMUCAPS::kZeroInPteSupported | DXGK_GPUMMUCAPS::kLargePageSupported)) == 0);

  DXGK_PAGE_TABLE_LEVEL_DESC level{};
  UINT number = 2;
  CHECK(machine.query(DXGKQAITYPE_PAGETABLELEVELDESC, level) == STATUS_INVALID_PARAMETER);
  machine.input = &number;
  machine.input_bytes = sizeof(UINT) - 1;
  CHECK(machine.query(DXGKQAITYPE_PAGETABLELEVELDESC, level) == STATUS_INVALID_PARAMETER);
  machine.input_bytes = sizeof(UINT);
  REQUIRE(machine.query(DXGKQAITYPE_PAGETABLELEVELDESC, level) == STATUS_SUCCESS);
  CHECK(level.PageTableIndexBitCount == 9);
  CHECK(level.PageTableSegmentId == 1);
  CHECK(level.PagingProcessPageTableSegmentId == 1);
  CHECK(level.PageTableSizeInBytes == 4096);
  CHECK(level.PageTableAlignmentInBytes == 4096);
  number = 3;
  CHECK(machine.query(DXGKQAITYPE_PAGETABLELEVELDESC, level) == STATUS_INVALID_PARAMETER);
}

TEST_CASE("an adapter query without room or answer is refused", "[kmd][caps]") {
  Machine machine;
  DXGK_DRIVERCAPS caps{};
  DXGK_USERMODESUBMISSION_CAPS submission{};
  CHECK(machine.query(DXGKQAITYPE_DRIVERCAPS, caps, sizeof(caps) - 1) == STATUS_BUFFER_TOO_SMALL);
  CHECK(caps.WDDMVersion == 0);
  CHECK(machine.query(DXGKQAITYPE_QUERYSEGMENT, caps) == STATUS_NOT_SUPPORTED);
  CHECK(machine.query(DXGKQAITYPE_USERMODESUBMISSION_CAPS, submission) == STATUS_SUCCESS);
  CHECK(submission.DoorbellSizeInBytes == 8);
  CHECK(submission.Flags.Value == 0);
  DXGKARG_QUERYADAPTERINFO args{};
  args.Type = DXGKQAITYPE_QUERYSEGMENT4;
  args.OutputDataSize = 1000;
  CHECK(machine.system.ddi.DxgkDdiQueryAdapterInfo(machine.system.adapter, &args) ==
        STATUS_INVALID_PARAMETER);
  args.Type = DXGKQAITYPE_GPUMMUCAPS;
  CHECK(machine.system.ddi.DxgkDdiQueryAdapterInfo(machine.system.adapter, &args) ==
        STATUS_INVALID_PARAMETER);
}

TEST_CASE("every node takes user-mode submission", "[kmd][caps]") {
  Machine machine;
  DXGKARG_GETNODEMETADATA node{};
  for (UINT ordinal = 0; ordinal < 4; ++ordinal) {
    REQUIRE(machine.system.ddi.DxgkDdiGetNodeMetadata(machine.system.adapter, ordinal, &node) ==
            STATUS_SUCCESS);
    CHECK((node.Flags.Value & DXGK_NODEMETADATA_FLAGS::kUserModeSubmission) != 0);
    CHECK(node.FriendlyName[0] != 0);
    CHECK(node.GpuMmuSupported == TRUE);
    CHECK(node.IoMmuSupported == FALSE);
  }
  REQUIRE(machine.system.ddi.DxgkDdiGetNodeMetadata(machine.system.adapter, 0, &node) ==
          STATUS_SUCCESS);
  CHECK(node.EngineType == DXGK_ENGINE_TYPE_3D);
  CHECK(std::u16string(node.FriendlyName) == u"3D");
  REQUIRE(machine.system.ddi.DxgkDdiGetNodeMetadata(machine.system.adapter, 3, &node) ==
          STATUS_SUCCESS);
  CHECK(std::u16string(node.FriendlyName) == u"Other");
  CHECK(machine.system.ddi.DxgkDdiGetNodeMetadata(machine.system.adapter, 4, &node) ==
        STATUS_INVALID_PARAMETER);
  CHECK(machine.system.ddi.DxgkDdiGetNodeMetadata(machine.system.adapter, 1 << 16, &node) ==
        STATUS_INVALID_PARAMETER);
}

TEST_CASE("fence storage may lie in VRAM and in system memory", "[kmd][caps]") {
  Machine machine;
  D3DKMDT_FENCESTORAGESURFACEDATA data{};
  DXGKARG_GETSTANDARDALLOCATIONDRIVERDATA args{};
  args.StandardAllocationType = D3DKMDT_STANDARDALLOCATION_FENCESTORAGE;
  args.pCreateFenceStorageData = &data;
  const auto ask = [&] {
    return machine.system.ddi.DxgkDdiGetStandardAllocationDriverData(machine.system.adapter, &args);
  };
  REQUIRE(ask() == STATUS_SUCCESS);
  CHECK(data.AllocationInfo.SupportedWriteSegmentSet == 3);
  CHECK(data.AllocationInfo.SupportedReadSegmentSet == 3);
  CHECK(data.AllocationInfo.EvictionSegmentSet == 2);
  CHECK(data.AllocationInfo.Alignment == 4096);
  CHECK(data.AllocationInfo.PreferredSegment == 2);
  CHECK(data.AllocationInfo.FlagsWddm2.Value == DXGK_ALLOCATIONINFOFLAGS_WDDM2_0::kCpuVisible);
  data.FenceStorageType = D3DDDI_NATIVEFENCE_TYPE_INTRA_GPU;
  REQUIRE(ask() == STATUS_SUCCESS);
  CHECK(data.AllocationInfo.PreferredSegment == 1);
  CHECK(data.AllocationInfo.FlagsWddm2.Value == 0);
  data.PhysicalAdapterIndex = 1;
  CHECK(ask() == STATUS_INVALID_PARAMETER);
  args.pCreateFenceStorageData = nullptr;
  CHECK(ask() == STATUS_INVALID_PARAMETER);
  args.StandardAllocationType = D3DKMDT_STANDARDALLOCATION_VGPU;
  CHECK(ask() == STATUS_NOT_SUPPORTED);
}

TEST_CASE("the GPU clock is sampled after its frequency", "[kmd][caps]") {
  Machine machine;
  machine.port.registers[abi::kClockHz] = 1'000'000'000;
  machine.port.registers[abi::kTimestamp] = 4711;
  DXGKARG_CALIBRATEGPUCLOCK clock{};
  clock.CpuClockCounter = 1;
  machine.port.irql = DISPATCH_LEVEL;
  REQUIRE(machine.system.ddi.DxgkDdiCalibrateGpuClock(machine.system.adapter, 3, 0, &clock) ==
          STATUS_SUCCESS);
  CHECK(clock.GpuFrequency == 1'000'000'000);
  CHECK(clock.GpuClockCounter == 4711);
  CHECK(clock.CpuClockCounter == 0);
  CHECK(machine.port.calls.back().where == abi::kTimestamp);
  CHECK(machine.system.ddi.DxgkDdiCalibrateGpuClock(machine.system.adapter, 4, 0, &clock) ==
        STATUS_INVALID_PARAMETER);
  CHECK(machine.system.ddi.DxgkDdiCalibrateGpuClock(machine.system.adapter, 0, 1, &clock) ==
        STATUS_INVALID_PARAMETER);
}

}  // namespace fenceline::kmd_tests::test_caps
