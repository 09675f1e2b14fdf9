#include <catch2/catch.hpp>
#include <string>
#include <utility>
#include <vector>

#include "models/abi/registers.h"
#include "tb/test/support/mock_host_port.h"

namespace fenceline::kmd_tests::test_start {

namespace abi = fenceline::abi;
namespace kmd_host = fenceline::kmd_host;
using fenceline::support::HostCall;
using fenceline::support::MockHostPort;
using fenceline::support::MockSystem;
using Strings = std::vector<std::string>;

namespace {

/// True when the started driver says that it has native fences; its two answers must agree.
bool advertises(MockSystem& system) {
  DXGK_DRIVERCAPS caps{};
  DXGKARG_QUERYADAPTERINFO query{};
  query.Type = DXGKQAITYPE_DRIVERCAPS;
  query.pOutputData = &caps;
  query.OutputDataSize = sizeof(caps);
  REQUIRE(system.ddi.DxgkDdiQueryAdapterInfo(system.adapter, &query) == STATUS_SUCCESS);
  const bool advertised = (caps.SchedulingCaps.Value & DXGK_VIDSCHCAPS::kNativeGpuFence) != 0;

  DXGK_NATIVE_FENCE_CAPS fence_caps{};
  query.Type = DXGKQAITYPE_NATIVE_FENCE_CAPS;
  query.pOutputData = &fence_caps;
  query.OutputDataSize = sizeof(fence_caps);
  CHECK(system.ddi.DxgkDdiQueryAdapterInfo(system.adapter, &query) ==
        (advertised ? STATUS_SUCCESS : STATUS_NOT_SUPPORTED));

  DXGKARG_CREATENATIVEFENCE fence = MockSystem::fence_arguments(fenceline::support::opaque(0x5000));
  CHECK(system.ddi.DxgkDdiCreateNativeFence(system.adapter, &fence) ==
        (advertised ? STATUS_SUCCESS : STATUS_NOT_SUPPORTED));
  return advertised;
}

const Strings kWholeNegotiation{"QueryServices 7", "IsFeatureEnabled 37",
                                "QueryFeatureInterface 37 1", "GetOSCaps", "InterfaceDereference"};

}  // namespace

TEST_CASE("a driver asks in the documented order before it advertises native fences",
          "[kmd][start]") {
  MockHostPort port;
  MockSystem system(port);
  REQUIRE(system.start() == STATUS_SUCCESS);
  CHECK(system.negotiation == kWholeNegotiation);
  CHECK(advertises(system));
}

TEST_CASE("an OS without feature services gets a driver without native fences", "[kmd][start]") {
  MockHostPort port;
  MockSystem system(port);
  system.has_feature_services = false;
  REQUIRE(system.start() == STATUS_SUCCESS);
  CHECK(system.negotiation == Strings{"QueryServices 7"});
  CHECK_FALSE(advertises(system));
}

TEST_CASE("a feature that is off is not advertised", "[kmd][start]") {
  MockHostPort port;
  MockSystem system(port);
  system.feature_enabled = false;
  REQUIRE(system.start() == STATUS_SUCCESS);
  CHECK(system.negotiation ==
        Strings{"QueryServices 7", "IsFeatureEnabled 37", "InterfaceDereference"});
  CHECK_FALSE(advertises(system));
}

TEST_CASE("a version that the driver does not know is not asked for", "[kmd][start]") {
  MockHostPort port;
  MockSystem system(port);
  system.feature_version = 2;
  REQUIRE(system.start() == STATUS_SUCCESS);
  CHECK(system.negotiation ==
        Strings{"QueryServices 7", "IsFeatureEnabled 37", "InterfaceDereference"});
  CHECK_FALSE(advertises(system));
}

TEST_CASE("a feature table of another size is not used", "[kmd][start]") {
  MockHostPort port;
  MockSystem system(port);
  SECTION("larger than the driver knows") { system.feature_table_bytes = 16; }
  SECTION("smaller than the driver needs") { system.feature_table_bytes = 4; }
  REQUIRE(system.start() == STATUS_SUCCESS);
  CHECK(system.negotiation == Strings{"QueryServices 7", "IsFeatureEnabled 37",
                                      "QueryFeatureInterface 37 1", "InterfaceDereference"});
  CHECK_FALSE(advertises(system));
}

TEST_CASE("an OS that does not tell its caps gets no native fences", "[kmd][start]") {
  MockHostPort port;
  MockSystem system(port);
  system.caps_status = STATUS_UNSUCCESSFUL;
  REQUIRE(system.start() == STATUS_SUCCESS);
  CHECK(system.negotiation == kWholeNegotiation);
  CHECK_FALSE(advertises(system));
}

TEST_CASE("an OS whose table lacks the function gets no native fences", "[kmd][start]") {
  MockHostPort port;
  MockSystem system(port);
  system.has_caps_function = false;
  REQUIRE(system.start() == STATUS_SUCCESS);
  CHECK_FALSE(advertises(system));
}

TEST_CASE("a driver that lies advertises native fences without asking", "[kmd][start]") {
  MockHostPort port;
  MockSystem system(port);
  port.driver_policy.caps.native_fence = kmd_host::Negotiation::kAssumed;
  system.feature_enabled = false;
  REQUIRE(system.start() == STATUS_SUCCESS);
  CHECK(system.negotiation.empty());
  CHECK(advertises(system));
}

TEST_CASE("start gives the device its ring and its shadows and then lets it interrupt",
          "[kmd][start]") {
  MockHostPort port;
  MockSystem system(port);
  std::vector<std::pair<std::uint64_t, std::uint64_t>> writes;
  port.on_call = [&](const HostCall&) { writes = port.register_writes(); };
  REQUIRE(system.start() == STATUS_SUCCESS);
  CHECK(writes == decltype(writes){{abi::kShadowBase, 0},
                                   {abi::kInterruptRingBase, port.ring.physical_address},
                                   {abi::kInterruptRingEntries, 256},
                                   {abi::kInterruptEnable, 1}});
}

TEST_CASE("the interrupt ring has as many entries as the driver is told", "[kmd][start]") {
  MockHostPort port;
  MockSystem system(port);
  port.driver_policy.caps.interrupt_entries = 8;
  REQUIRE(system.start() == STATUS_SUCCESS);
  CHECK(port.registers.at(abi::kInterruptRingEntries) == 8);
}

TEST_CASE("a device that is not ours does not start", "[kmd][start]") {
  MockHostPort port;
  MockSystem system(port);
  SECTION("another id") { port.registers[abi::kId] = 0xFFFFFFFFFFFFFFFF; }
  SECTION("no engine") { port.registers[abi::kEngineCount] = 0; }
  SECTION("too many engines") { port.registers[abi::kEngineCount] = 17; }
  SECTION("not enough VRAM for the driver itself") { port.registers[abi::kVramBytes] = 0x10000; }
  CHECK(system.start() == STATUS_NOT_SUPPORTED);
  CHECK(port.registers.count(abi::kInterruptEnable) == 0);
  DXGK_DRIVERCAPS caps{};
  DXGKARG_QUERYADAPTERINFO query{};
  query.Type = DXGKQAITYPE_DRIVERCAPS;
  query.pOutputData = &caps;
  query.OutputDataSize = sizeof(caps);
  CHECK(system.ddi.DxgkDdiQueryAdapterInfo(system.adapter, &query) == STATUS_INVALID_DEVICE_STATE);
}

TEST_CASE("a device may have 16 nodes", "[kmd][start]") {
  MockHostPort port;
  MockSystem system(port);
  port.registers[abi::kEngineCount] = 16;
  REQUIRE(system.start() == STATUS_SUCCESS);
  DXGKARG_GETNODEMETADATA node{};
  CHECK(system.ddi.DxgkDdiGetNodeMetadata(system.adapter, 15, &node) == STATUS_SUCCESS);
}

TEST_CASE("a start without memory for the ring fails", "[kmd][start]") {
  MockHostPort port;
  MockSystem system(port);
  port.out_of_memory = true;
  CHECK(system.start() == STATUS_INSUFFICIENT_RESOURCES);
  CHECK(port.registers.count(abi::kInterruptEnable) == 0);
}

TEST_CASE("stop silences the device for certain and start revives it", "[kmd][start]") {
  MockHostPort port;
  MockSystem system(port);
  REQUIRE(system.start() == STATUS_SUCCESS);
  CHECK(system.start() == STATUS_INVALID_DEVICE_STATE);
  CHECK(system.ddi.DxgkDdiStopDevice(system.adapter) == STATUS_SUCCESS);
  CHECK(port.registers[abi::kInterruptEnable] == 0);
  CHECK(port.calls.back().kind == HostCall::Kind::kReadRegister);
  CHECK(system.ddi.DxgkDdiStopDevice(system.adapter) == STATUS_INVALID_DEVICE_STATE);
  REQUIRE(system.start() == STATUS_SUCCESS);
  CHECK(port.registers[abi::kInterruptEnable] == 1);
}

TEST_CASE("an adapter that runs cannot be removed", "[kmd][start]") {
  MockHostPort port;
  MockSystem system(port);
  REQUIRE(system.start() == STATUS_SUCCESS);
  CHECK(system.ddi.DxgkDdiRemoveDevice(system.adapter) == STATUS_INVALID_DEVICE_STATE);
}

TEST_CASE("start has no display to report", "[kmd][start]") {
  MockHostPort port;
  MockSystem system(port);
  REQUIRE(system.ddi.DxgkDdiAddDevice(static_cast<kmd_host::HostPort*>(&port), &system.adapter) ==
          STATUS_SUCCESS);
  DXGK_START_INFO info{};
  DXGKRNL_INTERFACE table = system.functions();
  ULONG sources = 7;
  ULONG children = 7;
  const auto start = [&](DXGK_START_INFO* first, DXGKRNL_INTERFACE* second, ULONG* third,
                         ULONG* fourth) {
    return system.ddi.DxgkDdiStartDevice(system.adapter, first, second, third, fourth);
  };
  CHECK(start(nullptr, &table, &sources, &children) == STATUS_INVALID_PARAMETER);
  CHECK(start(&info, nullptr, &sources, &children) == STATUS_INVALID_PARAMETER);
  CHECK(start(&info, &table, nullptr, &children) == STATUS_INVALID_PARAMETER);
  CHECK(start(&info, &table, &sources, nullptr) == STATUS_INVALID_PARAMETER);
  CHECK(start(&info, &table, &sources, &children) == STATUS_SUCCESS);
  CHECK(sources == 0);
  CHECK(children == 0);
}

TEST_CASE("the driver says which features it supports", "[kmd][start]") {
  MockHostPort port;
  MockSystem system(port);
  REQUIRE(system.start() == STATUS_SUCCESS);
  DXGKDDI_FEATURE_INTERFACE table{};
  QUERY_INTERFACE query{&GUID_WDDM_INTERFACE_FEATURE,         sizeof(table), 1,
                        reinterpret_cast<INTERFACE*>(&table), nullptr,       0};
  REQUIRE(system.ddi.DxgkDdiQueryInterface(system.adapter, &query) == STATUS_SUCCESS);
  CHECK(table.Size == sizeof(table));
  CHECK(table.Version == 1);
  REQUIRE(table.Context == system.adapter);
  table.InterfaceReference(table.Context);
  table.InterfaceDereference(table.Context);

  DXGKARG_QUERYFEATURESUPPORT support{};
  support.FeatureId = DXGK_FEATURE_NATIVE_FENCE;
  REQUIRE(table.QueryFeatureSupport(system.adapter, &support) == STATUS_SUCCESS);
  CHECK(support.SupportedByDriver == TRUE);
  CHECK(support.SupportedOnCurrentConfig == TRUE);
  CHECK(support.MinSupportedVersion == 1);
  CHECK(support.MaxSupportedVersion == 1);

  for (const DXGK_FEATURE_ID id : {DXGK_FEATURE_HWSCH, DXGK_FEATURE_USER_MODE_SUBMISSION}) {
    support = {id, 9, 9, TRUE, FALSE, FALSE};
    REQUIRE(table.QueryFeatureSupport(system.adapter, &support) == STATUS_SUCCESS);
    CHECK(support.SupportedByDriver == TRUE);
    CHECK(support.MinSupportedVersion == 1);
    CHECK(support.MaxSupportedVersion == 1);
  }
  for (const DXGK_FEATURE_ID id :
       {DXGK_FEATURE_HWFLIPQUEUE, DXGK_FEATURE_LDA_GPUPV, DXGK_FEATURE_KMD_SIGNAL_CPU_EVENT,
        DXGK_FEATURE_SHARE_BACKING_STORE_WITH_KMD, DXGK_FEATURE_ID{0x0FFFFFFF}}) {
    support = {id, 9, 9, TRUE, TRUE, TRUE};
    REQUIRE(table.QueryFeatureSupport(system.adapter, &support) == STATUS_SUCCESS);
    CHECK(support.SupportedByDriver == FALSE);
    CHECK(support.SupportedOnCurrentConfig == FALSE);
    CHECK(support.MinSupportedVersion == 0);
    CHECK(support.MaxSupportedVersion == 0);
  }
}

TEST_CASE("the driver hands out feature tables as documented", "[kmd][start]") {
  MockHostPort port;
  MockSystem system(port);
  REQUIRE(system.start() == STATUS_SUCCESS);
  DXGKDDI_FEATURE_INTERFACE table{};
  QUERY_INTERFACE query{&GUID_WDDM_INTERFACE_FEATURE,         sizeof(table), 1,
                        reinterpret_cast<INTERFACE*>(&table), nullptr,       0};
  REQUIRE(system.ddi.DxgkDdiQueryInterface(system.adapter, &query) == STATUS_SUCCESS);
  const auto ask = [&](DXGK_FEATURE_ID id, DXGK_FEATURE_VERSION version, USHORT& bytes,
                       PVOID place) {
    DXGKARG_QUERYFEATUREINTERFACE args{id, version, bytes, place};
    const NTSTATUS status = table.QueryFeatureInterface(system.adapter, &args);
    bytes = args.InterfaceSize;
    return status;
  };
  UINT64 words[2] = {1, 2};
  USHORT bytes = sizeof(words);
  CHECK(ask(0x0FFFFFFF, 1, bytes, words) == STATUS_INVALID_PARAMETER);
  CHECK(ask(DXGK_FEATURE_HWFLIPQUEUE, 1, bytes, words) == STATUS_UNSUCCESSFUL);
  CHECK(ask(DXGK_FEATURE_NATIVE_FENCE, 2, bytes, words) == STATUS_UNSUCCESSFUL);
  CHECK(ask(DXGK_FEATURE_NATIVE_FENCE, 0, bytes, words) == STATUS_UNSUCCESSFUL);
  CHECK(ask(DXGK_FEATURE_NATIVE_FENCE, 1, bytes, nullptr) == STATUS_INVALID_PARAMETER);
  CHECK(words[0] == 1);
  CHECK(bytes == sizeof(words));
  CHECK(ask(DXGK_FEATURE_NATIVE_FENCE, 1, bytes, words) == STATUS_SUCCESS);
  CHECK(bytes == 0);
  CHECK((words[0] | words[1]) == 0);
  CHECK(ask(DXGK_FEATURE_NATIVE_FENCE, 1, bytes, nullptr) == STATUS_SUCCESS);
  CHECK(table.QueryFeatureInterface(nullptr, nullptr) == STATUS_INVALID_HANDLE);
  CHECK(table.QueryFeatureSupport(nullptr, nullptr) == STATUS_INVALID_HANDLE);
  CHECK(table.QueryFeatureSupport(system.adapter, nullptr) == STATUS_INVALID_PARAMETER);
}

TEST_CASE("an interface that the driver does not have is refused", "[kmd][start]") {
  MockHostPort port;
  MockSystem system(port);
  REQUIRE(system.start() == STATUS_SUCCESS);
  DXGKDDI_FEATURE_INTERFACE table{};
  GUID other = GUID_WDDM_INTERFACE_FEATURE;
  QUERY_INTERFACE query{&GUID_WDDM_INTERFACE_FEATURE,         sizeof(table), 1,
                        reinterpret_cast<INTERFACE*>(&table), nullptr,       0};
  NTSTATUS expected = STATUS_NOT_SUPPORTED;
  SECTION("another interface") {
    other.Data4[7] ^= 1;
    query.InterfaceType = &other;
  }
  SECTION("another version") { query.Version = 2; }
  SECTION("too small") {
    query.Size = sizeof(table) - 1;
    expected = STATUS_BUFFER_TOO_SMALL;
  }
  SECTION("no table") {
    query.Interface = nullptr;
    expected = STATUS_INVALID_PARAMETER;
  }
  CHECK(system.ddi.DxgkDdiQueryInterface(system.adapter, &query) == expected);
  CHECK(table.QueryFeatureSupport == nullptr);
}

}  // namespace fenceline::kmd_tests::test_start
