#include <catch2/catch.hpp>
#include <utility>
#include <vector>

#include "models/abi/private_data.h"
#include "tb/test/support/mock_host_port.h"

namespace fenceline::kmd_tests::test_allocations {

namespace abi = fenceline::abi;
using fenceline::support::MockHostPort;
using fenceline::support::MockSystem;

namespace {

using Flags = DXGK_ALLOCATIONINFOFLAGS_WDDM2_0;

struct Machine {
  Machine() {
    REQUIRE(system.start() == STATUS_SUCCESS);
    process = system.create_process();
    device = system.create_device(process);
  }
  /// Creates one; `info` is what the driver made of it.
  NTSTATUS create(abi::AllocationPrivateData data) {
    info = {};
    info.pPrivateDriverData = &data;
    info.PrivateDriverDataSize = sizeof data;
    return create_with(1);
  }
  NTSTATUS create_with(UINT count) {
    DXGKARG_CREATEALLOCATION args{};
    args.NumAllocations = count;
    args.pAllocationInfo = &info;
    return system.ddi.DxgkDdiCreateAllocation(system.adapter, &args);
  }
  NTSTATUS destroy(std::vector<HANDLE> list) const {
    DXGKARG_DESTROYALLOCATION args{};
    args.NumAllocations = static_cast<UINT>(list.size());
    args.pAllocationList = list.data();
    return system.ddi.DxgkDdiDestroyAllocation(system.adapter, &args);
  }
  MockHostPort port;
  MockSystem system{port};
  HANDLE process = nullptr;
  HANDLE device = nullptr;
  DXGK_ALLOCATIONINFO info{};
};

constexpr abi::AllocationPrivateData kGood{5000, 3, 0, abi::kUsedByCpu, 0};

}  // namespace

TEST_CASE("the driver says where an allocation may be", "[kmd][memory]") {
  Machine machine;
  REQUIRE(machine.create(kGood) == STATUS_SUCCESS);
  CHECK(machine.info.Size == 8192);
  CHECK(machine.info.Alignment == 4096);
  CHECK(machine.info.SupportedReadSegmentSet == 3);
  CHECK(machine.info.SupportedWriteSegmentSet == 3);
  CHECK(machine.info.EvictionSegmentSet == 2);
  CHECK(machine.info.PreferredSegment == 1);
  CHECK(machine.info.FlagsWddm2.Value == Flags::kCpuVisible);
  CHECK(machine.info.hAllocation != nullptr);
  REQUIRE(machine.create({4096, 3, 2, abi::kUsedByCpu | abi::kCachedByCpu | abi::kUsedByAddress,
                          0}) == STATUS_SUCCESS);
  CHECK(machine.info.PreferredSegment == 2);
  CHECK(machine.info.FlagsWddm2.Value ==
        (Flags::kCpuVisible | Flags::kCached | Flags::kAccessedPhysically));
}

TEST_CASE("an allocation that the device cannot have is refused", "[kmd][memory]") {
  Machine machine;
  const abi::AllocationPrivateData bad[] = {
      {0, 3, 0, 0, 0},                     // no bytes
      {1ULL << 40, 3, 0, 0, 0},            // more than an address space
      {4096, 0, 0, 0, 0},                  // no segment
      {4096, 4, 0, 0, 0},                  // one that is not there
      {4096, 1, 2, 0, 0},                  // prefers one that it does not allow
      {4096, 3, 3, 0, 0},                  // prefers one that is not there
      {4096, 3, 0, 8, 0},                  // unknown flag
      {4096, 3, 0, abi::kCachedByCpu, 0},  // cached and not for the CPU
  };
  for (const auto& data : bad) {
    CHECK(machine.create(data) == STATUS_INVALID_PARAMETER);
    CHECK(machine.info.hAllocation == nullptr);
  }
  abi::AllocationPrivateData data = kGood;
  machine.info = {};
  CHECK(machine.create_with(1) == STATUS_INVALID_PARAMETER);  // no private data
  machine.info.pPrivateDriverData = &data;
  machine.info.PrivateDriverDataSize = sizeof data - 1;
  CHECK(machine.create_with(1) == STATUS_INVALID_PARAMETER);
  machine.info.PrivateDriverDataSize = sizeof data;
  CHECK(machine.create_with(0) == STATUS_INVALID_PARAMETER);
  machine.info.PhysicalAdapterIndex = 1;
  CHECK(machine.create_with(1) == STATUS_INVALID_PARAMETER);
  CHECK(machine.system.ddi.DxgkDdiCreateAllocation(machine.system.adapter, nullptr) ==
        STATUS_INVALID_PARAMETER);
  CHECK(machine.system.ddi.DxgkDdiCreateAllocation(nullptr, nullptr) == STATUS_INVALID_HANDLE);
}

TEST_CASE("allocations are destroyed all or none", "[kmd][memory]") {
  Machine machine;
  REQUIRE(machine.create(kGood) == STATUS_SUCCESS);
  HANDLE first = machine.info.hAllocation;
  REQUIRE(machine.create(kGood) == STATUS_SUCCESS);
  HANDLE second = machine.info.hAllocation;
  CHECK(machine.destroy({}) == STATUS_INVALID_PARAMETER);
  CHECK(machine.destroy({first, nullptr}) == STATUS_INVALID_HANDLE);
  CHECK(machine.destroy({first, machine.device}) == STATUS_INVALID_HANDLE);
  CHECK(machine.destroy({first, first}) == STATUS_INVALID_PARAMETER);
  CHECK(machine.destroy({first, second}) == STATUS_SUCCESS);
  CHECK(machine.destroy({first}) == STATUS_INVALID_HANDLE);
}

TEST_CASE("allocations are opened on a device and closed", "[kmd][memory]") {
  Machine machine;
  DXGK_OPENALLOCATIONINFO info[2]{};
  info[0].hAllocation = 7;
  DXGKARG_OPENALLOCATION open{};
  open.NumAllocations = 2;
  open.pOpenAllocation = info;
  const auto& ddi = machine.system.ddi;
  CHECK(ddi.DxgkDdiOpenAllocation(machine.device, &open) == STATUS_INVALID_HANDLE);
  CHECK(info[0].hDeviceSpecificAllocation == nullptr);
  info[1].hAllocation = 8;
  CHECK(ddi.DxgkDdiOpenAllocation(nullptr, &open) == STATUS_INVALID_HANDLE);
  CHECK(ddi.DxgkDdiOpenAllocation(machine.device, nullptr) == STATUS_INVALID_PARAMETER);
  REQUIRE(ddi.DxgkDdiOpenAllocation(machine.device, &open) == STATUS_SUCCESS);
  HANDLE opened[] = {info[0].hDeviceSpecificAllocation, info[1].hDeviceSpecificAllocation};
  CHECK(opened[0] != opened[1]);
  DXGKARG_CLOSEALLOCATION close{2, opened};
  CHECK(ddi.DxgkDdiCloseAllocation(nullptr, &close) == STATUS_INVALID_HANDLE);
  const HANDLE twice[] = {opened[0], opened[0]};
  close.pOpenHandleList = twice;
  CHECK(ddi.DxgkDdiCloseAllocation(machine.device, &close) == STATUS_INVALID_PARAMETER);
  close.pOpenHandleList = opened;
  CHECK(ddi.DxgkDdiCloseAllocation(machine.device, &close) == STATUS_SUCCESS);
  CHECK(ddi.DxgkDdiCloseAllocation(machine.device, &close) == STATUS_INVALID_HANDLE);
}

}  // namespace fenceline::kmd_tests::test_allocations
