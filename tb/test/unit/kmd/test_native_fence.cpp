#include <catch2/catch.hpp>
#include <cstring>
#include <utility>
#include <vector>

#include "models/abi/private_data.h"
#include "models/abi/registers.h"
#include "tb/test/support/mock_host_port.h"

namespace fenceline::kmd_tests::test_native_fence {

namespace abi = fenceline::abi;
using fenceline::support::HostCall;
using fenceline::support::MockHostPort;
using fenceline::support::MockSystem;
using Kind = HostCall::Kind;
using Writes = std::vector<std::pair<std::uint64_t, std::uint64_t>>;

namespace {

HANDLE os_handle(std::uintptr_t number) { return fenceline::support::opaque(0x5000 + number); }

struct Machine {
  Machine() {
    REQUIRE(system.start() == STATUS_SUCCESS);
    device = system.create_device(system.create_process());
    port.calls.clear();
  }
  NTSTATUS create(DXGKARG_CREATENATIVEFENCE args) const {
    return system.ddi.DxgkDdiCreateNativeFence(system.adapter, &args);
  }
  NTSTATUS close(HANDLE local) const {
    DXGKARG_CLOSENATIVEFENCE args{};
    args.hLocalNativeFence = local;
    return system.ddi.DxgkDdiCloseNativeFence(system.adapter, &args);
  }
  MockHostPort port;
  MockSystem system{port};
  HANDLE device = nullptr;
};

std::uint32_t slot_in(const BYTE (&data)[D3DDDI_NATIVE_FENCE_PDD_SIZE]) {
  abi::FencePrivateData parsed{};
  std::memcpy(&parsed, data, sizeof(parsed));
  return parsed.fence_slot;
}

std::uint64_t entry(std::uint32_t slot) { return abi::kFenceTable + 32 * slot; }

}  // namespace

TEST_CASE("a new fence gets a slot that is valid last", "[kmd][fence]") {
  Machine machine;
  machine.system.create_fence(os_handle(0));
  machine.port.calls.clear();
  DXGKARG_CREATENATIVEFENCE args = MockSystem::fence_arguments(os_handle(1));
  std::memset(args.pPrivateDriverData, 0xAA, sizeof(args.pPrivateDriverData));
  REQUIRE(machine.system.ddi.DxgkDdiCreateNativeFence(machine.system.adapter, &args) ==
          STATUS_SUCCESS);
  CHECK(machine.port.register_writes() ==
        Writes{{entry(1) + 0x00, 0x100000}, {entry(1) + 0x08, 0x200008}, {entry(1) + 0x10, 1}});
  CHECK(args.hGlobalNativeFence != os_handle(1));
  CHECK(args.hGlobalNativeFence != nullptr);
  CHECK(slot_in(args.pPrivateDriverData) == 1);
  CHECK(args.pPrivateDriverData[4] == 0);
}

TEST_CASE("the interrupt handler knows a fence before the device does", "[kmd][fence]") {
  Machine machine;
  machine.system.create_fence(os_handle(0));
  const auto calls = machine.port.calls_of({Kind::kShared, Kind::kWriteRegister});
  REQUIRE(calls.size() == 4);
  CHECK(calls[0].kind == Kind::kShared);
  CHECK(calls[0].value == 1);
}

TEST_CASE("fences of every slot can live at once and no more", "[kmd][fence]") {
  Machine machine;
  for (std::uint32_t i = 0; i < abi::kFenceSlots; ++i) machine.system.create_fence(os_handle(i));
  machine.port.calls.clear();
  CHECK(machine.create(MockSystem::fence_arguments(os_handle(1))) == STATUS_INSUFFICIENT_RESOURCES);
  CHECK(machine.port.register_writes().empty());
}

TEST_CASE("a fence with a bad argument is refused", "[kmd][fence]") {
  Machine machine;
  DXGKARG_CREATENATIVEFENCE args = MockSystem::fence_arguments(os_handle(1));
  NTSTATUS expected = STATUS_INVALID_PARAMETER;
  SECTION("no handle of the OS") {
    args.hGlobalNativeFence = nullptr;
    expected = STATUS_INVALID_HANDLE;
  }
  SECTION("no current value") { args.CurrentValueSystemProcessGpuVa = 0; }
  SECTION("no monitored value") { args.MonitoredValueSystemProcessGpuVa = 0; }
  SECTION("an unaligned value") { args.CurrentValueSystemProcessGpuVa |= 4; }
  SECTION("a value out of the address space") {
    args.MonitoredValueSystemProcessGpuVa = 1ULL << 39;
  }
  SECTION("an unknown type") { args.Type = static_cast<D3DDDI_NATIVEFENCE_TYPE>(2); }
  SECTION("a type that the OS does not support") {
    args.Type = D3DDDI_NATIVEFENCE_TYPE_INTRA_GPU;
    expected = STATUS_NOT_SUPPORTED;
  }
  CHECK(machine.create(args) == expected);
  CHECK(machine.port.register_writes().empty());
  machine.system.create_fence(os_handle(1));
  CHECK(machine.port.register_writes()[0].first == entry(0));
}

TEST_CASE("a fence within one GPU is made when the OS supports the type", "[kmd][fence]") {
  MockHostPort port;
  MockSystem system(port);
  system.native_fence_caps = DXGKARGCB_FEATURE_NATIVEFENCE_CAPS_1::kSupportIntraGpuFenceType;
  REQUIRE(system.start() == STATUS_SUCCESS);
  DXGKARG_CREATENATIVEFENCE args = MockSystem::fence_arguments(os_handle(1));
  args.Type = D3DDDI_NATIVEFENCE_TYPE_INTRA_GPU;
  CHECK(system.ddi.DxgkDdiCreateNativeFence(system.adapter, &args) == STATUS_SUCCESS);
}

TEST_CASE("an opened fence tells its slot to another process", "[kmd][fence]") {
  Machine machine;
  machine.system.create_fence(os_handle(0));
  DXGKARG_OPENNATIVEFENCE args{};
  args.hGlobalNativeFence = machine.system.create_fence(os_handle(1));
  args.hLocalNativeFence = os_handle(7);
  args.hDevice = machine.device;
  args.CurrentValueGpuVa = 0x5000;
  args.MonitoredValueGpuVa = 0x6000;
  machine.port.calls.clear();
  REQUIRE(machine.system.ddi.DxgkDdiOpenNativeFence(machine.system.adapter, &args) ==
          STATUS_SUCCESS);
  CHECK(slot_in(args.pPrivateDriverData) == 1);
  CHECK(args.hLocalNativeFence != os_handle(7));
  CHECK(machine.port.register_writes().empty());
}

TEST_CASE("opening with a bad argument is refused", "[kmd][fence]") {
  Machine machine;
  Machine other;
  DXGKARG_OPENNATIVEFENCE args{};
  args.hGlobalNativeFence = machine.system.create_fence(os_handle(1));
  args.hDevice = machine.device;
  args.CurrentValueGpuVa = 0x5000;
  args.MonitoredValueGpuVa = 0x6000;
  NTSTATUS expected = STATUS_INVALID_PARAMETER;
  SECTION("a device in the place of the fence") {
    args.hGlobalNativeFence = machine.device;
    expected = STATUS_INVALID_HANDLE;
  }
  SECTION("a fence in the place of the device") {
    args.hDevice = args.hGlobalNativeFence;
    expected = STATUS_INVALID_HANDLE;
  }
  SECTION("a device of another adapter") { args.hDevice = other.device; }
  SECTION("a fence of another adapter") {
    args.hGlobalNativeFence = other.system.create_fence(os_handle(1));
  }
  SECTION("no current value") { args.CurrentValueGpuVa = 0; }
  SECTION("an unaligned monitored value") { args.MonitoredValueGpuVa = 0x6001; }
  CHECK(machine.system.ddi.DxgkDdiOpenNativeFence(machine.system.adapter, &args) == expected);
}

TEST_CASE("a fence ends after its last close only", "[kmd][fence]") {
  Machine machine;
  const HANDLE fence = machine.system.create_fence(os_handle(1));
  const HANDLE first = machine.system.open_fence(fence, machine.device);
  const HANDLE second = machine.system.open_fence(fence, machine.device);
  machine.port.calls.clear();
  CHECK(machine.system.destroy_fence(fence) == STATUS_INVALID_PARAMETER);
  CHECK(machine.close(first) == STATUS_SUCCESS);
  CHECK(machine.close(first) == STATUS_INVALID_HANDLE);
  CHECK(machine.system.destroy_fence(fence) == STATUS_INVALID_PARAMETER);
  CHECK(machine.port.register_writes().empty());
  CHECK(machine.close(second) == STATUS_SUCCESS);
  CHECK(machine.system.destroy_fence(fence) == STATUS_SUCCESS);
  CHECK(machine.system.destroy_fence(fence) == STATUS_INVALID_HANDLE);
}

TEST_CASE("a local handle is closed on its own adapter", "[kmd][fence]") {
  Machine machine;
  Machine other;
  const HANDLE local =
      machine.system.open_fence(machine.system.create_fence(os_handle(1)), machine.device);
  DXGKARG_CLOSENATIVEFENCE args{};
  args.hLocalNativeFence = local;
  CHECK(other.system.ddi.DxgkDdiCloseNativeFence(other.system.adapter, &args) ==
        STATUS_INVALID_PARAMETER);
  CHECK(machine.close(local) == STATUS_SUCCESS);
}

TEST_CASE("destroying takes the fence out of the device and out of the ring", "[kmd][fence]") {
  Machine machine;
  machine.system.create_fence(os_handle(0));
  const HANDLE fence = machine.system.create_fence(os_handle(1));
  machine.port.on_call = [&](const HostCall& call) {
    if (call.kind == Kind::kPoll) machine.port.push_entry(1);  // decided before the retirement
  };
  machine.port.calls.clear();
  CHECK(machine.system.destroy_fence(fence) == STATUS_SUCCESS);
  CHECK(machine.port.register_writes() ==
        Writes{{entry(1) + 0x10, 0}, {abi::kFenceRetire, 1}, {abi::kInterruptAcknowledge, 1}});
  const auto calls = machine.port.calls_of(
      {Kind::kPoll, Kind::kSynchronize, Kind::kNotifyInterrupt, Kind::kSynchronized});
  REQUIRE(calls.size() == 4);
  CHECK(calls[0].where == abi::kFenceRetiresDone);
  CHECK(calls[0].value == 1);
  CHECK(calls[1].kind == Kind::kSynchronize);
  CHECK(calls[2].kind == Kind::kNotifyInterrupt);
  REQUIRE(machine.system.notifications.size() == 1);
  CHECK(machine.system.notifications[0].handles == std::vector{os_handle(1)});
  CHECK(machine.system.dpcs_queued == 1);
  CHECK(machine.system.interrupt() == FALSE);
}

TEST_CASE("each retirement is counted", "[kmd][fence]") {
  Machine machine;
  for (std::uint64_t i = 1; i <= 3; ++i) {
    CHECK(machine.system.destroy_fence(machine.system.create_fence(os_handle(i))) ==
          STATUS_SUCCESS);
    const auto polls = machine.port.calls_of({Kind::kPoll});
    REQUIRE(polls.size() == i);
    CHECK(polls.back().value == i);
  }
}

TEST_CASE("the drain of a destruction can be left out by halves", "[kmd][fence]") {
  Machine machine;
  const HANDLE fence = machine.system.create_fence(os_handle(0));
  machine.port.calls.clear();
  SECTION("no drain at all") {
    machine.port.driver_policy.destroy_drain = 0;
    CHECK(machine.system.destroy_fence(fence) == STATUS_SUCCESS);
    CHECK(machine.port.register_writes() == Writes{{entry(0) + 0x10, 0}});
    CHECK(machine.port.count(Kind::kPoll) == 0);
    CHECK(machine.port.count(Kind::kSynchronize) == 0);
  }
  SECTION("the device only") {
    machine.port.driver_policy.destroy_drain = 1;
    CHECK(machine.system.destroy_fence(fence) == STATUS_SUCCESS);
    CHECK(machine.port.count(Kind::kPoll) == 1);
    CHECK(machine.port.count(Kind::kSynchronize) == 0);
  }
  SECTION("the ring only") {
    machine.port.driver_policy.destroy_drain = 2;
    CHECK(machine.system.destroy_fence(fence) == STATUS_SUCCESS);
    CHECK(machine.port.count(Kind::kPoll) == 0);
    CHECK(machine.port.count(Kind::kSynchronize) == 1);
  }
}

TEST_CASE("a slot is used again once its fence is forgotten", "[kmd][fence]") {
  Machine machine;
  const HANDLE first = machine.system.create_fence(os_handle(0));
  REQUIRE(machine.system.destroy_fence(first) == STATUS_SUCCESS);
  machine.system.create_fence(os_handle(1));
  machine.port.push_entry(0);
  CHECK(machine.system.interrupt() == TRUE);
  REQUIRE(machine.system.notifications.size() == 1);
  CHECK(machine.system.notifications[0].handles == std::vector{os_handle(1)});
}

TEST_CASE("a slot is not used again when the device does not answer", "[kmd][fence]") {
  Machine machine;
  machine.port.answer_polls = false;
  const HANDLE first = machine.system.create_fence(os_handle(0));
  CHECK(machine.system.destroy_fence(first) == STATUS_UNSUCCESSFUL);
  machine.port.calls.clear();
  machine.system.create_fence(os_handle(1));
  CHECK(machine.port.register_writes()[0].first == entry(1));
}

}  // namespace fenceline::kmd_tests::test_native_fence
