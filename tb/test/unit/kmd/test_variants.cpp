// Variants of the driver: versions, negotiation, payloads, address spaces of the CMP, batches.
#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "models/abi/registers.h"
#include "tb/test/support/mock_host_port.h"

namespace fenceline::kmd_tests::test_variants {

namespace abi = fenceline::abi;
namespace kmd_host = fenceline::kmd_host;
using fenceline::support::MockHostPort;
using fenceline::support::MockSystem;
using fenceline::support::opaque;
using kmd_host::Negotiation;
using Writes = std::vector<std::pair<std::uint64_t, std::uint64_t>>;

namespace {

DXGK_DRIVERCAPS driver_caps(MockSystem& system) {
  DXGK_DRIVERCAPS caps{};
  DXGKARG_QUERYADAPTERINFO query{};
  query.Type = DXGKQAITYPE_DRIVERCAPS;
  query.pOutputData = &caps;
  query.OutputDataSize = sizeof caps;
  REQUIRE(system.ddi.DxgkDdiQueryAdapterInfo(system.adapter, &query) == STATUS_SUCCESS);
  return caps;
}

DXGK_NATIVE_FENCE_CAPS fence_caps(MockSystem& system) {
  DXGK_NATIVE_FENCE_CAPS caps{};
  DXGKARG_QUERYADAPTERINFO query{};
  query.Type = DXGKQAITYPE_NATIVE_FENCE_CAPS;
  query.pOutputData = &caps;
  query.OutputDataSize = sizeof caps;
  REQUIRE(system.ddi.DxgkDdiQueryAdapterInfo(system.adapter, &query) == STATUS_SUCCESS);
  return caps;
}

bool has(const DXGK_DRIVERCAPS& caps, UINT bit) { return (caps.SchedulingCaps.Value & bit) != 0; }

/// Writes to the entry of a fence slot, without the table's base.
Writes entry_writes(const MockHostPort& port, std::uint32_t slot) {
  Writes result;
  const std::uint64_t base = abi::kFenceTable + abi::kFenceEntryBytes * slot;
  for (const auto& [offset, value] : port.register_writes())
    if (offset >= base && offset < base + abi::kFenceEntryBytes)
      result.emplace_back(offset - base, value);
  return result;
}

HANDLE open(MockSystem& system, HANDLE fence, HANDLE device, std::uint64_t address) {
  DXGKARG_OPENNATIVEFENCE args{};
  args.hGlobalNativeFence = fence;
  args.hLocalNativeFence = &system;
  args.hDevice = device;
  args.CurrentValueGpuVa = address;
  args.MonitoredValueGpuVa = address + 0x1000;
  REQUIRE(system.ddi.DxgkDdiOpenNativeFence(system.adapter, &args) == STATUS_SUCCESS);
  return args.hLocalNativeFence;
}

}  // namespace

TEST_CASE("a driver of an older model leaves later entries out", "[kmd][start]") {
  DRIVER_INITIALIZATION_DATA table{};
  table.Version = DXGKDDI_INTERFACE_VERSION_WDDM3_1;
  REQUIRE(DriverEntry(&table) == STATUS_SUCCESS);
  CHECK(table.Version == DXGKDDI_INTERFACE_VERSION_WDDM3_1);
  CHECK(table.DxgkDdiCreateNativeFence != nullptr);
  CHECK(table.DxgkDdiOpenNativeFence == nullptr);
  CHECK(table.DxgkDdiUpdateNativeFenceLogs == nullptr);
  DRIVER_INITIALIZATION_DATA older{};
  older.Version = DXGKDDI_INTERFACE_VERSION_WDDM2_7;
  REQUIRE(DriverEntry(&older) == STATUS_SUCCESS);
  CHECK(older.DxgkDdiCreateNativeFence == nullptr);
  CHECK(older.DxgkDdiCreateDoorbell == nullptr);
  CHECK(older.DxgkDdiCreateHwQueue != nullptr);
  DRIVER_INITIALIZATION_DATA unknown{};
  unknown.Version = 0x20000;
  REQUIRE(DriverEntry(&unknown) == STATUS_SUCCESS);
  CHECK(unknown.Version == DXGKDDI_INTERFACE_VERSION_WDDM3_2);
}

TEST_CASE("a driver without native fences does not ask for them", "[kmd][start]") {
  MockHostPort port;
  MockSystem system(port);
  SECTION("it has none") { port.driver_policy.caps.native_fence = Negotiation::kUnsupported; }
  SECTION("it is too old") { port.driver_policy.caps.wddm = DXGKDDI_WDDMv3_1; }
  REQUIRE(system.start() == STATUS_SUCCESS);
  CHECK(system.negotiation.empty());
  CHECK_FALSE(has(driver_caps(system), DXGK_VIDSCHCAPS::kNativeGpuFence));
}

TEST_CASE("a driver that skips the table advertises all the same", "[kmd][start]") {
  MockHostPort port;
  MockSystem system(port);
  port.driver_policy.caps.native_fence = Negotiation::kNoInterface;
  REQUIRE(system.start() == STATUS_SUCCESS);
  CHECK(system.negotiation ==
        std::vector<std::string>{"QueryServices 7", "IsFeatureEnabled 37", "InterfaceDereference"});
  CHECK(has(driver_caps(system), DXGK_VIDSCHCAPS::kNativeGpuFence));
}

TEST_CASE("a device that splits stores has no native fences", "[kmd][start]") {
  MockHostPort port;
  MockSystem system(port);
  port.registers[abi::kAtomicBits] = 32;
  SECTION("as it is") {
    REQUIRE(system.start() == STATUS_SUCCESS);
    CHECK(has(driver_caps(system), DXGK_VIDSCHCAPS::kNo64BitAtomics));
    CHECK_FALSE(has(driver_caps(system), DXGK_VIDSCHCAPS::kNativeGpuFence));
  }
  SECTION("hidden") {
    port.driver_policy.caps.hides_atomics = true;
    REQUIRE(system.start() == STATUS_SUCCESS);
    CHECK_FALSE(has(driver_caps(system), DXGK_VIDSCHCAPS::kNo64BitAtomics));
    CHECK(has(driver_caps(system), DXGK_VIDSCHCAPS::kNativeGpuFence));
  }
  SECTION("offered all the same") {
    port.driver_policy.caps.offers_anyway = true;
    REQUIRE(system.start() == STATUS_SUCCESS);
    CHECK(has(driver_caps(system), DXGK_VIDSCHCAPS::kNo64BitAtomics));
    CHECK(has(driver_caps(system), DXGK_VIDSCHCAPS::kNativeGpuFence));
  }
}

TEST_CASE("the native fence caps say what the driver was told to say", "[kmd][caps]") {
  MockHostPort port;
  MockSystem system(port);
  kmd_host::DriverCaps& caps = port.driver_policy.caps;
  caps.monitored_value_field = 64;
  caps.map_to_system_process = false;
  caps.minimum_address = 0x10000;
  caps.maximum_address = 0x1FFFF;
  caps.storage_answer = kmd_host::StorageAnswer::kCaps;
  caps.current_value_segments = 2;
  caps.monitored_value_segments = 1;
  REQUIRE(system.start() == STATUS_SUCCESS);
  const DXGK_NATIVE_FENCE_CAPS found = fence_caps(system);
  CHECK(found.MonitoredValueStride == 64);
  CHECK(found.MapToGpuSystemProcess == FALSE);
  CHECK(found.MinimumAddress == 0x10000);
  CHECK(found.MaximumAddress == 0x1FFFF);
  CHECK(found.Reserved[0] == 2);
  CHECK(found.Reserved[4] == 1);
  D3DKMDT_FENCESTORAGESURFACEDATA storage{};
  DXGKARG_GETSTANDARDALLOCATIONDRIVERDATA query{};
  query.StandardAllocationType = D3DKMDT_STANDARDALLOCATION_FENCESTORAGE;
  query.pCreateFenceStorageData = &storage;
  CHECK(system.ddi.DxgkDdiGetStandardAllocationDriverData(system.adapter, &query) ==
        STATUS_NOT_SUPPORTED);
}

TEST_CASE("each value of a fence has its own segments", "[kmd][caps]") {
  MockHostPort port;
  MockSystem system(port);
  port.driver_policy.caps.current_value_segments = 1;
  port.driver_policy.caps.monitored_value_segments = 2;
  REQUIRE(system.start() == STATUS_SUCCESS);
  for (const auto value : {D3DKMDT_FENCESTORAGE_VALUE_TYPE_CURRENTVALUE,
                           D3DKMDT_FENCESTORAGE_VALUE_TYPE_MONITOREDVALUE}) {
    D3DKMDT_FENCESTORAGESURFACEDATA storage{};
    storage.FenceStorageValueType = value;
    DXGKARG_GETSTANDARDALLOCATIONDRIVERDATA query{};
    query.StandardAllocationType = D3DKMDT_STANDARDALLOCATION_FENCESTORAGE;
    query.pCreateFenceStorageData = &storage;
    REQUIRE(system.ddi.DxgkDdiGetStandardAllocationDriverData(system.adapter, &query) ==
            STATUS_SUCCESS);
    CHECK(storage.AllocationInfo.SupportedWriteSegmentSet ==
          (value == D3DKMDT_FENCESTORAGE_VALUE_TYPE_CURRENTVALUE ? 1 : 2));
  }
}

TEST_CASE("without MapToGpuSystemProcess the CMP gets the addresses of an opener",
          "[kmd][native_fence]") {
  MockHostPort port;
  MockSystem system(port);
  port.driver_policy.caps.map_to_system_process = false;
  REQUIRE(system.start() == STATUS_SUCCESS);
  const HANDLE first = system.create_device(system.create_process());
  const HANDLE second = system.create_device(system.create_process());
  DXGKARG_CREATENATIVEFENCE create{};
  create.hGlobalNativeFence = opaque(0x5000);
  REQUIRE(system.ddi.DxgkDdiCreateNativeFence(system.adapter, &create) == STATUS_SUCCESS);
  CHECK(entry_writes(port, 0).empty());
  const HANDLE one = open(system, create.hGlobalNativeFence, first, 0x10000);
  CHECK(entry_writes(port, 0) == Writes{{abi::kFenceCurrentValue, 0x10000},
                                        {abi::kFenceMonitoredValue, 0x11000},
                                        {abi::kFenceSpace, 1},
                                        {abi::kFenceControl, abi::kFenceValid}});
  port.calls.clear();
  const HANDLE two = open(system, create.hGlobalNativeFence, second, 0x20000);
  CHECK(entry_writes(port, 0).empty());
  DXGKARG_CLOSENATIVEFENCE close{};
  close.hLocalNativeFence = one;
  REQUIRE(system.ddi.DxgkDdiCloseNativeFence(system.adapter, &close) == STATUS_SUCCESS);
  CHECK(entry_writes(port, 0) == Writes{{abi::kFenceCurrentValue, 0x20000},
                                        {abi::kFenceMonitoredValue, 0x21000},
                                        {abi::kFenceSpace, 2},
                                        {abi::kFenceControl, abi::kFenceValid}});
  port.calls.clear();
  close.hLocalNativeFence = two;
  REQUIRE(system.ddi.DxgkDdiCloseNativeFence(system.adapter, &close) == STATUS_SUCCESS);
  CHECK(entry_writes(port, 0).empty());
  CHECK(system.destroy_fence(create.hGlobalNativeFence) == STATUS_SUCCESS);
}

TEST_CASE("a fence that nobody opened is destroyed without a word to the device",
          "[kmd][native_fence]") {
  MockHostPort port;
  MockSystem system(port);
  port.driver_policy.caps.map_to_system_process = false;
  REQUIRE(system.start() == STATUS_SUCCESS);
  DXGKARG_CREATENATIVEFENCE create{};
  create.hGlobalNativeFence = opaque(0x5000);
  REQUIRE(system.ddi.DxgkDdiCreateNativeFence(system.adapter, &create) == STATUS_SUCCESS);
  CHECK(system.destroy_fence(create.hGlobalNativeFence) == STATUS_SUCCESS);
  CHECK(port.register_writes().empty());
}

TEST_CASE("one interrupt for both kinds names nothing and says so", "[kmd][interrupt]") {
  MockHostPort port;
  MockSystem system(port);
  port.driver_policy.caps.legacy_interrupt = true;
  REQUIRE(system.start() == STATUS_SUCCESS);
  system.create_fence(opaque(0x5000));
  port.push_entry(0);
  REQUIRE(system.interrupt() == TRUE);
  REQUIRE(system.notifications.size() == 1);
  CHECK(system.notifications[0].null_array);
  CHECK(system.notifications[0].data.Flags.Value ==
        DXGKCB_NOTIFY_INTERRUPT_DATA_FLAGS::kEvaluateLegacyMonitoredFences);
}

TEST_CASE("an optimized interrupt names each queue once", "[kmd][interrupt]") {
  MockHostPort port;
  MockSystem system(port);
  port.driver_policy.caps.optimized_interrupt = true;
  REQUIRE(system.start() == STATUS_SUCCESS);
  const HANDLE context = system.create_hw_context(system.create_device(system.create_process()), 0);
  const HANDLE first = system.create_hw_queue(context);
  const HANDLE second = system.create_hw_queue(context);
  for (const std::uint32_t queue : {0U, 1U, 0U}) port.push_entry(5, 0, 1, queue);
  REQUIRE(system.interrupt() == TRUE);
  REQUIRE(system.notifications.size() == 2);
  CHECK(system.notifications[0].data.NativeFenceSignaled.hHWQueue == first);
  CHECK(system.notifications[1].data.NativeFenceSignaled.hHWQueue == second);
  CHECK(system.notifications[0].null_array);
}

TEST_CASE("an optimized interrupt without a queue stands for its node or for all of them",
          "[kmd][interrupt]") {
  MockHostPort port;
  MockSystem system(port);
  port.driver_policy.caps.optimized_interrupt = true;
  REQUIRE(system.start() == STATUS_SUCCESS);
  port.push_entry(5, 1, 1, abi::kUnknownSlot);
  REQUIRE(system.interrupt() == TRUE);
  REQUIRE(system.notifications.size() == 1);
  CHECK(system.notifications[0].data.NativeFenceSignaled.hHWQueue == nullptr);
  CHECK(system.notifications[0].data.NativeFenceSignaled.NodeOrdinal == 1);
  system.notifications.clear();
  port.push_entry(5, abi::kUnknownSlot, 1, abi::kUnknownSlot);
  REQUIRE(system.interrupt() == TRUE);
  CHECK(system.notifications.size() == port.registers[abi::kEngineCount]);
}

TEST_CASE("a page fault of the CMP is reported as fatal", "[kmd][interrupt]") {
  MockHostPort port;
  MockSystem system(port);
  REQUIRE(system.start() == STATUS_SUCCESS);
  port.push_entry(3, abi::kUnknownSlot, 0x7000, abi::kUnknownSlot, abi::InterruptCause::kPageFault);
  REQUIRE(system.interrupt() == TRUE);
  REQUIRE(system.notifications.size() == 1);
  const DXGKARGCB_NOTIFY_INTERRUPT_DATA& data = system.notifications[0].data;
  CHECK(data.InterruptType == DXGK_INTERRUPT_HWQUEUE_PAGE_FAULTED);
  CHECK(data.HwQueuePageFaulted.FaultedVirtualAddress == 0x7000);
  CHECK((data.HwQueuePageFaulted.PageFaultFlags & DXGK_PAGE_FAULT_FATAL_HARDWARE_ERROR) != 0);
}

TEST_CASE("a driver that checks items one by one has stored the items before a bad handle",
          "[kmd][native_fence]") {
  MockHostPort port;
  MockSystem system(port);
  REQUIRE(system.start() == STATUS_SUCCESS);
  HANDLE handles[] = {system.create_fence(opaque(0x5000)), nullptr};
  UINT64 values[] = {7, 8};
  void* addresses[] = {opaque(0x9000), opaque(0x9008)};
  DXGKARG_UPDATECURRENTVALUESFROMCPU args{};
  args.NativeFenceArray = handles;
  args.UpdatedValueArray = values;
  args.CurrentValueKernelCpuVa = addresses;
  args.NumFences = 2;
  for (const bool checked : {true, false}) {
    INFO(checked);
    port.driver_policy.batch_checked = checked;
    CHECK(system.ddi.DxgkDdiUpdateCurrentValuesFromCpu(&args) == STATUS_INVALID_HANDLE);
    CHECK(port.memory.count(0x9000) == (checked ? 0 : 1));
    CHECK(port.memory.count(0x9008) == 0);
  }
}

TEST_CASE("a queue learns the slot of its native progress fence", "[kmd][queue]") {
  MockHostPort port;
  MockSystem system(port);
  REQUIRE(system.start() == STATUS_SUCCESS);
  system.create_fence(opaque(0x5000));
  const HANDLE fence = system.create_fence(opaque(0x5001));
  const HANDLE context = system.create_hw_context(system.create_device(system.create_process()), 0);
  abi::QueuePrivateData data{0x10000, 0x1000, 0, 0, 0};
  DXGKARG_CREATEHWQUEUE args{};
  args.hHwQueue = &system;
  args.Flags.Value = D3DDDI_CREATEHWQUEUEFLAGS::kUserModeSubmission |
                     D3DDDI_CREATEHWQUEUEFLAGS::kNativeProgressFence;
  args.PrivateDriverDataSize = sizeof data;
  args.pPrivateDriverData = &data;
  args.hHwQueueNativeProgressFence = fence;
  REQUIRE(system.ddi.DxgkDdiCreateHwQueue(context, &args) == STATUS_SUCCESS);
  CHECK(data.progress_slot == 1);
}

}  // namespace fenceline::kmd_tests::test_variants
