#include <catch2/catch.hpp>
#include <utility>
#include <vector>

#include "models/abi/registers.h"
#include "tb/test/support/mock_host_port.h"

namespace fenceline::kmd_tests::test_fence_values {

namespace abi = fenceline::abi;
using fenceline::support::HostCall;
using fenceline::support::MockHostPort;
using fenceline::support::MockSystem;
using Kind = HostCall::Kind;

namespace {

HANDLE os_handle(std::uintptr_t number) { return fenceline::support::opaque(0x5000 + number); }
void* value_address(std::uintptr_t number) {
  return fenceline::support::opaque(0xFFFF'C000'0000'0000 + 8 * number);
}

/// Three fences in slots 0 to 2, and arguments for all of them.
struct Machine {
  Machine() {
    REQUIRE(system.start() == STATUS_SUCCESS);
    for (std::uint32_t slot = 0; slot < 3; ++slot) {
      fences.push_back(system.create_fence(os_handle(slot)));
      addresses.push_back(value_address(slot));
    }
    port.calls.clear();
  }
  NTSTATUS update_monitored() {
    DXGKARG_UPDATEMONITOREDVALUES args{};
    args.NativeFenceArray = fences.data();
    args.UpdatedValueArray = values.data();
    args.MonitoredValueKernelCpuVa = addresses.data();
    args.NumFences = static_cast<UINT>(fences.size());
    port.irql = DEVICE_LEVEL;
    const NTSTATUS status = system.ddi.DxgkDdiUpdateMonitoredValues(&args);
    port.irql = PASSIVE_LEVEL;
    return status;
  }
  NTSTATUS update_current(UINT flags = 0) {
    DXGKARG_UPDATECURRENTVALUESFROMCPU args{};
    args.NativeFenceArray = fences.data();
    args.UpdatedValueArray = values.data();
    args.CurrentValueKernelCpuVa = addresses.data();
    args.NumFences = static_cast<UINT>(fences.size());
    args.Flags.Value = flags;
    port.irql = DISPATCH_LEVEL;
    const NTSTATUS status = system.ddi.DxgkDdiUpdateCurrentValuesFromCpu(&args);
    port.irql = PASSIVE_LEVEL;
    return status;
  }
  MockHostPort port;
  MockSystem system{port};
  std::vector<HANDLE> fences;
  std::vector<UINT64> values{41, UINT64_MAX, 7};
  std::vector<void*> addresses;
};

std::uint64_t number(const void* address) { return reinterpret_cast<std::uint64_t>(address); }

using Step = std::pair<Kind, std::uint64_t>;  // and where, or for registers what
std::vector<Step> steps(const MockHostPort& port) {
  std::vector<Step> result;
  for (const HostCall& call : port.calls) {
    const bool is_write = call.kind == Kind::kWriteRegister;
    result.emplace_back(call.kind, is_write ? call.value : call.where);
  }
  return result;
}

const std::vector<Step> kStores{{Kind::kWriteMemory, number(value_address(0))},
                                {Kind::kWriteMemory, number(value_address(1))},
                                {Kind::kWriteMemory, number(value_address(2))},
                                {Kind::kBarrier, 0}};
const std::vector<Step> kSlots{
    {Kind::kWriteRegister, 0}, {Kind::kWriteRegister, 1}, {Kind::kWriteRegister, 2}};

std::vector<Step> joined(std::vector<Step> first, const std::vector<Step>& second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

}  // namespace

TEST_CASE("a monitored value update stores all then tells the CMP then waits for it",
          "[kmd][fence]") {
  Machine machine;
  CHECK(machine.update_monitored() == STATUS_SUCCESS);
  CHECK(steps(machine.port) ==
        joined(joined(kStores, kSlots), {{Kind::kPoll, abi::kMonitoredUpdatesDone}}));
  CHECK(machine.port.register_writes()[0].first == abi::kMonitoredUpdate);
  CHECK(machine.port.calls.back().value == 3);
  CHECK(machine.port.memory[number(value_address(0))] == 41);
  CHECK(machine.port.memory[number(value_address(1))] == UINT64_MAX);
}

TEST_CASE("a later monitored value update waits for all updates so far", "[kmd][fence]") {
  Machine machine;
  CHECK(machine.update_monitored() == STATUS_SUCCESS);
  machine.fences[1] = nullptr;  // not to be looked at
  machine.fences.resize(1);
  CHECK(machine.update_monitored() == STATUS_SUCCESS);
  CHECK(machine.port.calls.back().value == 4);
}

TEST_CASE("the variant without acknowledgement returns before the CMP has answered",
          "[kmd][fence]") {
  Machine machine;
  machine.port.driver_policy.umv_ack = fenceline::kmd_host::UpdateAnswer::kAtOnce;
  CHECK(machine.update_monitored() == STATUS_SUCCESS);
  CHECK(steps(machine.port) == joined(kStores, kSlots));
}

TEST_CASE("a CMP that does not answer fails the update", "[kmd][fence]") {
  Machine machine;
  machine.port.answer_polls = false;
  CHECK(machine.update_monitored() == STATUS_UNSUCCESSFUL);
}

TEST_CASE("a batch with one bad member leaves nothing half done", "[kmd][fence]") {
  Machine machine;
  SECTION("null handle") { machine.fences[2] = nullptr; }
  SECTION("null handle in the first place") { machine.fences[0] = nullptr; }
  SECTION("handle of another kind") { machine.fences[2] = machine.system.adapter; }
  SECTION("destroyed fence") {
    REQUIRE(machine.system.destroy_fence(machine.fences[2]) == STATUS_SUCCESS);
  }
  machine.port.calls.clear();
  CHECK(machine.update_monitored() == STATUS_INVALID_HANDLE);
  CHECK(machine.update_current() == STATUS_INVALID_HANDLE);
  CHECK(machine.update_current(DXGK_UPDATECURRENTVALUESFROMCPU_FLAGS::kNotificationOnly) ==
        STATUS_INVALID_HANDLE);
  CHECK(machine.port.calls.empty());
}

TEST_CASE("a batch with a null address leaves nothing half done", "[kmd][fence]") {
  Machine machine;
  SECTION("the first") { machine.addresses.front() = nullptr; }
  SECTION("the last") { machine.addresses.back() = nullptr; }
  CHECK(machine.update_monitored() == STATUS_INVALID_PARAMETER);
  CHECK(machine.update_current() == STATUS_INVALID_PARAMETER);
  CHECK(machine.port.calls.empty());
}

TEST_CASE("a batch over two adapters is refused", "[kmd][fence]") {
  Machine machine;
  Machine other;
  machine.fences[1] = other.fences[1];
  CHECK(machine.update_monitored() == STATUS_INVALID_PARAMETER);
  CHECK(machine.port.calls.empty());
  CHECK(other.port.calls.empty());
}

TEST_CASE("null arrays of a batch are refused", "[kmd][fence]") {
  Machine machine;
  DXGKARG_UPDATEMONITOREDVALUES monitored{};
  monitored.NumFences = 1;
  DXGKARG_UPDATECURRENTVALUESFROMCPU current{};
  current.NumFences = 1;
  SECTION("no handles") {}
  SECTION("no values") {
    monitored.NativeFenceArray = current.NativeFenceArray = machine.fences.data();
    monitored.MonitoredValueKernelCpuVa = current.CurrentValueKernelCpuVa =
        machine.addresses.data();
  }
  SECTION("no addresses") {
    monitored.NativeFenceArray = current.NativeFenceArray = machine.fences.data();
    monitored.UpdatedValueArray = current.UpdatedValueArray = machine.values.data();
  }
  CHECK(machine.system.ddi.DxgkDdiUpdateMonitoredValues(&monitored) == STATUS_INVALID_PARAMETER);
  CHECK(machine.system.ddi.DxgkDdiUpdateCurrentValuesFromCpu(&current) == STATUS_INVALID_PARAMETER);
  CHECK(machine.port.calls.empty());
}

TEST_CASE("an empty batch does nothing", "[kmd][fence]") {
  Machine machine;
  machine.fences.clear();
  CHECK(machine.update_monitored() == STATUS_SUCCESS);
  CHECK(machine.update_current() == STATUS_SUCCESS);
  CHECK(machine.port.calls.empty());
}

TEST_CASE("a signal from the CPU stores the values before it kicks and does not wait",
          "[kmd][fence]") {
  Machine machine;
  CHECK(machine.update_current() == STATUS_SUCCESS);
  CHECK(steps(machine.port) == joined(kStores, kSlots));
  CHECK(machine.port.register_writes()[2].first == abi::kFenceKick);
}

TEST_CASE("the unordered variant kicks before it stores", "[kmd][fence]") {
  Machine machine;
  machine.port.driver_policy.ucv_order = false;
  CHECK(machine.update_current() == STATUS_SUCCESS);
  CHECK(steps(machine.port) == joined(kSlots, kStores));
}

TEST_CASE("without the store barrier values and register writes have none between",
          "[kmd][fence]") {
  Machine machine;
  machine.port.driver_policy.store_barrier = false;
  CHECK(machine.update_monitored() == STATUS_SUCCESS);
  CHECK(machine.update_current() == STATUS_SUCCESS);
  for (const HostCall& call : machine.port.calls) CHECK(call.kind != HostCall::Kind::kBarrier);
}

TEST_CASE("NotificationOnly kicks and writes nothing", "[kmd][fence]") {
  Machine machine;
  machine.addresses.assign(3, nullptr);
  CHECK(machine.update_current(DXGK_UPDATECURRENTVALUESFROMCPU_FLAGS::kNotificationOnly) ==
        STATUS_SUCCESS);
  CHECK(steps(machine.port) == kSlots);
}

TEST_CASE("AlwaysSignaled goes with the kick", "[kmd][fence]") {
  Machine machine;
  CHECK(machine.update_current(DXGK_UPDATECURRENTVALUESFROMCPU_FLAGS::kAlwaysSignaled) ==
        STATUS_SUCCESS);
  const auto writes = machine.port.register_writes();
  REQUIRE(writes.size() == 3);
  CHECK(writes[1] ==
        std::pair<std::uint64_t, std::uint64_t>{abi::kFenceKick, 1 | abi::kKickAlwaysSignaled});
  CHECK(machine.port.memory[number(value_address(1))] == UINT64_MAX);
}

TEST_CASE("the variant that does not check a batch refuses null arrays", "[kmd][fence]") {
  Machine machine;
  machine.port.driver_policy.batch_checked = false;
  DXGKARG_UPDATECURRENTVALUESFROMCPU args{};
  args.NumFences = 1;
  args.NativeFenceArray = machine.fences.data();
  SECTION("no values") { args.CurrentValueKernelCpuVa = machine.addresses.data(); }
  SECTION("no addresses") { args.UpdatedValueArray = machine.values.data(); }
  CHECK(machine.system.ddi.DxgkDdiUpdateCurrentValuesFromCpu(&args) == STATUS_INVALID_PARAMETER);
  CHECK(machine.port.calls.empty());
}

TEST_CASE("members behind the count of a batch are not looked at", "[kmd][fence]") {
  Machine machine;
  machine.port.driver_policy.batch_checked = false;
  machine.port.driver_policy.va_cached = true;
  machine.fences[2] = nullptr;
  machine.fences.pop_back();  // it stays where it is
  CHECK(machine.update_current() == STATUS_SUCCESS);
  CHECK(machine.update_monitored() == STATUS_SUCCESS);
}

TEST_CASE("only the variant that keeps addresses stores to a fence that goes", "[kmd][fence]") {
  for (const bool keeps : {false, true}) {
    Machine machine;
    machine.port.driver_policy.va_cached = keeps;
    REQUIRE(machine.update_monitored() == STATUS_SUCCESS);
    for (const std::uintptr_t slot : {0U, 2U}) {
      machine.port.calls.clear();
      REQUIRE(machine.system.destroy_fence(machine.fences[slot]) == STATUS_SUCCESS);
      const auto stores = machine.port.calls_of({Kind::kWriteMemory});
      REQUIRE(stores.size() == (keeps ? 1U : 0U));
      if (!keeps) continue;
      CHECK(stores[0].where == number(value_address(slot)));
      CHECK(stores[0].value == UINT64_MAX);
    }
  }
}

}  // namespace fenceline::kmd_tests::test_fence_values
