#include <catch2/catch.hpp>
#include <vector>

#include "models/abi/private_data.h"
#include "models/abi/registers.h"
#include "tb/test/support/mock_host_port.h"

namespace fenceline::kmd_tests::test_host_aperture {

namespace abi = fenceline::abi;
using fenceline::support::HostCall;
using fenceline::support::MockHostPort;
using fenceline::support::MockSystem;

namespace {

constexpr std::uint64_t kReservedPages = 16;
constexpr UINT32 kWindow = 8;

struct Machine {
  explicit Machine(bool window = true) {
    if (window) port.vram_resource = {1ULL << 36, kWindow * 4096};
    REQUIRE(system.start() == STATUS_SUCCESS);
    enabled = port.registers[abi::kHostApertureControl] == 1;
    port.calls.clear();
  }
  bool window_enabled() const {
    for (const auto& [offset, value] : port.register_writes())
      if (offset == abi::kHostApertureControl) return value == 1;
    return false;
  }
  NTSTATUS map(std::vector<UINT32> window, std::vector<UINT64> segment,
               HANDLE allocation = nullptr) const {
    DXGKARG_MAPCPUHOSTAPERTURE args{};
    args.hAllocation = allocation;
    args.SegmentId = segment_id;
    args.PhysicalAdapterIndex = physical_adapter;
    args.NumberOfPages = count != 0 ? count : window.size();
    args.pCpuHostAperturePages = window.empty() ? nullptr : window.data();
    args.pMemorySegmentPages = segment.empty() ? nullptr : segment.data();
    return system.ddi.DxgkDdiMapCpuHostAperture(system.adapter, &args);
  }
  NTSTATUS unmap(std::vector<UINT32> window) const {
    DXGKARG_UNMAPCPUHOSTAPERTURE args{};
    args.NumberOfPages = window.size();
    args.pCpuHostAperturePages = window.empty() ? nullptr : window.data();
    args.SegmentId = segment_id;
    args.PhysicalAdapterIndex = physical_adapter;
    return system.ddi.DxgkDdiUnmapCpuHostAperture(system.adapter, &args);
  }
  std::vector<std::uint64_t> entries() const {
    std::vector<std::uint64_t> result;
    for (const auto& [offset, value] : port.register_writes())
      if (offset == abi::kHostApertureEntry) result.push_back(value);
    return result;
  }
  MockHostPort port;
  MockSystem system{port};
  bool enabled = false;
  WORD segment_id = 1;
  WORD physical_adapter = 0;
  UINT64 count = 0;
};

DXGK_SEGMENTDESCRIPTOR4 vram_segment(const Machine& machine) {
  DXGK_SEGMENTDESCRIPTOR4 segments[2]{};
  DXGK_QUERYSEGMENTOUT4 out{};
  out.NbSegment = 2;
  out.pSegmentDescriptor = reinterpret_cast<BYTE*>(segments);
  out.SegmentDescriptorStride = sizeof segments[0];
  DXGKARG_QUERYADAPTERINFO args{};
  args.Type = DXGKQAITYPE_QUERYSEGMENT4;
  args.pOutputData = &out;
  args.OutputDataSize = sizeof out;
  REQUIRE(machine.system.ddi.DxgkDdiQueryAdapterInfo(machine.system.adapter, &args) ==
          STATUS_SUCCESS);
  return segments[0];
}

}  // namespace

TEST_CASE("the memory segment is CPU visible or has a window by the BAR", "[kmd][memory]") {
  const Machine windowed;
  CHECK(windowed.enabled);
  const DXGK_SEGMENTDESCRIPTOR4 small = vram_segment(windowed);
  CHECK((small.Flags.Value & DXGK_SEGMENTFLAGS::kSupportsCpuHostAperture) != 0);
  CHECK((small.Flags.Value & DXGK_SEGMENTFLAGS::kCpuVisible) == 0);
  CHECK(small.CpuHostAperture.PhysicalAddress == 1ULL << 36);
  CHECK(small.CpuHostAperture.SizeInPages == kWindow);
  const Machine whole(false);
  CHECK_FALSE(whole.enabled);
  const DXGK_SEGMENTDESCRIPTOR4 large = vram_segment(whole);
  CHECK((large.Flags.Value & DXGK_SEGMENTFLAGS::kCpuVisible) != 0);
  CHECK((large.Flags.Value & DXGK_SEGMENTFLAGS::kSupportsCpuHostAperture) == 0);
}

TEST_CASE("scattered pages of the window show pages of the segment", "[kmd][memory]") {
  Machine machine;
  REQUIRE(machine.map({5, 0, 7}, {10, 3, 11}) == STATUS_SUCCESS);
  CHECK(machine.entries() ==
        std::vector<std::uint64_t>{abi::host_aperture_entry(5, 10 + kReservedPages, true),
                                   abi::host_aperture_entry(0, 3 + kReservedPages, true),
                                   abi::host_aperture_entry(7, 11 + kReservedPages, true)});
  // The device has it all before the call returns.
  CHECK(machine.port.calls.back().kind == HostCall::Kind::kReadRegister);
  machine.port.calls.clear();
  REQUIRE(machine.map({5}, {20}) == STATUS_SUCCESS);  // shows another from now on
  REQUIRE(machine.unmap({0, 5}) == STATUS_SUCCESS);
  CHECK(machine.entries() ==
        std::vector<std::uint64_t>{abi::host_aperture_entry(5, 20 + kReservedPages, true),
                                   abi::host_aperture_entry(0, 0, false),
                                   abi::host_aperture_entry(5, 0, false)});
}

TEST_CASE("bad arguments change no page of the window", "[kmd][memory]") {
  Machine machine;
  CHECK(machine.map({}, {1}) == STATUS_INVALID_PARAMETER);
  CHECK(machine.map({1}, {}) == STATUS_INVALID_PARAMETER);
  CHECK(machine.map({1, kWindow}, {1, 2}) == STATUS_INVALID_PARAMETER);
  CHECK(machine.map({1, 1}, {1, 2}) == STATUS_INVALID_PARAMETER);
  CHECK(machine.map({1, 2}, {1, 1ULL << 40}) == STATUS_INVALID_PARAMETER);
  CHECK(machine.map({1}, {1}, machine.system.adapter) == STATUS_INVALID_HANDLE);
  machine.count = kWindow + 1;
  CHECK(machine.map({1}, {1}) == STATUS_INVALID_PARAMETER);
  machine.count = 0;
  machine.segment_id = 2;
  CHECK(machine.map({1}, {1}) == STATUS_INVALID_PARAMETER);
  CHECK(machine.unmap({1}) == STATUS_INVALID_PARAMETER);
  machine.segment_id = 1;
  machine.physical_adapter = 1;
  CHECK(machine.map({1}, {1}) == STATUS_INVALID_PARAMETER);
  CHECK(machine.unmap({1}) == STATUS_INVALID_PARAMETER);
  machine.physical_adapter = 0;
  CHECK(machine.unmap({}) == STATUS_INVALID_PARAMETER);
  CHECK(machine.unmap({1, 1}) == STATUS_INVALID_PARAMETER);
  CHECK(machine.unmap({kWindow}) == STATUS_INVALID_PARAMETER);
  const auto& ddi = machine.system.ddi;
  CHECK(ddi.DxgkDdiMapCpuHostAperture(machine.system.adapter, nullptr) == STATUS_INVALID_PARAMETER);
  CHECK(ddi.DxgkDdiUnmapCpuHostAperture(nullptr, nullptr) == STATUS_INVALID_HANDLE);
  CHECK(machine.entries().empty());
}

TEST_CASE("without a window there is nothing to map", "[kmd][memory]") {
  Machine machine(false);
  CHECK(machine.map({1}, {1}) == STATUS_NOT_SUPPORTED);
  CHECK(machine.unmap({1}) == STATUS_NOT_SUPPORTED);
}

TEST_CASE("the device translates again when it comes back from D3", "[kmd][memory]") {
  Machine machine;
  const auto power = [&](DEVICE_POWER_STATE state) {
    return machine.system.ddi.DxgkDdiSetPowerState(machine.system.adapter, DISPLAY_ADAPTER_HW_ID,
                                                   state, PowerActionNone);
  };
  REQUIRE(power(PowerDeviceD3) == STATUS_SUCCESS);
  CHECK_FALSE(machine.window_enabled());
  REQUIRE(power(PowerDeviceD0) == STATUS_SUCCESS);
  CHECK(machine.window_enabled());
}

}  // namespace fenceline::kmd_tests::test_host_aperture
