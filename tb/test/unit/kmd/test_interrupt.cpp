#include <catch2/catch.hpp>
#include <utility>
#include <vector>

#include "models/abi/registers.h"
#include "tb/test/support/mock_host_port.h"

namespace fenceline::kmd_tests::test_interrupt {

namespace abi = fenceline::abi;
namespace kmd_host = fenceline::kmd_host;
using fenceline::support::HostCall;
using fenceline::support::MockHostPort;
using fenceline::support::MockSystem;
using Kind = HostCall::Kind;
using Writes = std::vector<std::pair<std::uint64_t, std::uint64_t>>;

namespace {

HANDLE os_handle(std::uintptr_t number) { return fenceline::support::opaque(0x5000 + number); }

/// A started adapter with fences in slots 0, 1, ... that the OS calls os_handle(slot).
struct Machine {
  explicit Machine(std::uint32_t fences) {
    REQUIRE(system.start() == STATUS_SUCCESS);
    for (std::uint32_t slot = 0; slot < fences; ++slot)
      handles.push_back(system.create_fence(os_handle(slot)));
    port.calls.clear();
  }
  MockHostPort port;
  MockSystem system{port};
  std::vector<HANDLE> handles;
};

std::vector<HANDLE> os_handles(std::uint32_t first, std::uint32_t end) {
  std::vector<HANDLE> result;
  for (std::uint32_t slot = first; slot < end; ++slot) result.push_back(os_handle(slot));
  return result;
}

}  // namespace

TEST_CASE("an interrupt without a new entry is not ours", "[kmd][interrupt]") {
  Machine machine(1);
  CHECK(machine.system.interrupt() == FALSE);
  CHECK(machine.port.register_writes().empty());
  CHECK(machine.system.dpcs_queued == 0);
}

TEST_CASE("with a read flush the handler reads a register before it looks at the ring",
          "[kmd][interrupt]") {
  Machine machine(1);
  machine.port.push_entry(0);
  machine.port.driver_policy.read_flush = true;
  CHECK(machine.system.interrupt() == TRUE);
  const auto reads = machine.port.calls_of({Kind::kReadRegister, Kind::kReadMemory});
  REQUIRE(reads.size() == 3);
  CHECK(reads[0].kind == Kind::kReadRegister);
  CHECK(reads[1].kind == Kind::kReadMemory);
}

TEST_CASE("with a load barrier the sequence number is read before the rest of its entry",
          "[kmd][interrupt]") {
  Machine machine(1);
  machine.port.push_entry(0);
  machine.port.driver_policy.load_barrier = true;
  CHECK(machine.system.interrupt() == TRUE);
  const auto calls = machine.port.calls_of({Kind::kReadMemory, Kind::kBarrier});
  REQUIRE(calls.size() == 4);
  CHECK(calls[0].kind == Kind::kReadMemory);
  CHECK(calls[1].kind == Kind::kBarrier);
  CHECK(calls[2].where == calls[0].where + 8);
  CHECK(calls[3].where == calls[0].where + sizeof(abi::InterruptEntry));  // not new
  CHECK(machine.system.notifications[0].handles == os_handles(0, 1));
}

TEST_CASE("an interrupt before the device was started is not ours", "[kmd][interrupt]") {
  MockHostPort port;
  MockSystem system(port);
  kmd_host::HostPort* object = &port;
  REQUIRE(system.ddi.DxgkDdiAddDevice(object, &system.adapter) == STATUS_SUCCESS);
  CHECK(system.interrupt() == FALSE);
  CHECK(port.register_writes().empty());
}

TEST_CASE("an interrupt of another message is not ours", "[kmd][interrupt]") {
  Machine machine(1);
  machine.port.push_entry(0);
  CHECK(machine.system.interrupt(1) == FALSE);
  CHECK(machine.system.notifications.empty());
}

TEST_CASE("an entry is reported with the handle of the OS and a DPC", "[kmd][interrupt]") {
  Machine machine(3);
  machine.port.push_entry(1, 2);
  CHECK(machine.system.interrupt() == TRUE);
  REQUIRE(machine.system.notifications.size() == 1);
  const MockSystem::Notification& told = machine.system.notifications[0];
  CHECK(told.data.InterruptType == DXGK_INTERRUPT_NATIVE_FENCE_SIGNALED);
  CHECK(told.data.NativeFenceSignaled.NodeOrdinal == 2);
  CHECK(told.data.NativeFenceSignaled.EngineOrdinal == 0);
  CHECK(told.data.NativeFenceSignaled.hHWQueue == nullptr);
  CHECK(told.handles == os_handles(1, 2));
  CHECK(machine.system.dpcs_queued == 1);
}

TEST_CASE("entries are grouped by node and reported once each", "[kmd][interrupt]") {
  Machine machine(4);
  machine.port.push_entry(0, 3);
  machine.port.push_entry(1, 1);
  machine.port.push_entry(2, 3);
  CHECK(machine.system.interrupt() == TRUE);
  REQUIRE(machine.system.notifications.size() == 2);
  CHECK(machine.system.notifications[0].data.NativeFenceSignaled.NodeOrdinal == 1);
  CHECK(machine.system.notifications[0].handles == os_handles(1, 2));
  CHECK(machine.system.notifications[1].data.NativeFenceSignaled.NodeOrdinal == 3);
  CHECK(machine.system.notifications[1].handles == std::vector{os_handle(0), os_handle(2)});
  CHECK(machine.system.dpcs_queued == 1);
  CHECK(machine.system.interrupt() == FALSE);
}

TEST_CASE("an entry of several nodes is reported for node 0", "[kmd][interrupt]") {
  Machine machine(1);
  machine.port.push_entry(0, abi::kUnknownSlot);
  CHECK(machine.system.interrupt() == TRUE);
  REQUIRE(machine.system.notifications.size() == 1);
  CHECK(machine.system.notifications[0].data.NativeFenceSignaled.NodeOrdinal == 0);
  CHECK(machine.system.notifications[0].handles == os_handles(0, 1));
}

TEST_CASE("more than 64 fences take several notifications", "[kmd][interrupt]") {
  Machine machine(130);
  for (std::uint32_t slot = 0; slot < 130; ++slot) machine.port.push_entry(slot);
  CHECK(machine.system.interrupt() == TRUE);
  REQUIRE(machine.system.notifications.size() == 3);
  CHECK(machine.system.notifications[0].handles == os_handles(0, 64));
  CHECK(machine.system.notifications[1].handles == os_handles(64, 128));
  CHECK(machine.system.notifications[2].handles == os_handles(128, 130));
}

TEST_CASE("exactly 64 fences take one notification", "[kmd][interrupt]") {
  Machine machine(64);
  for (std::uint32_t slot = 0; slot < 64; ++slot) machine.port.push_entry(slot);
  CHECK(machine.system.interrupt() == TRUE);
  REQUIRE(machine.system.notifications.size() == 1);
  CHECK(machine.system.notifications[0].handles == os_handles(0, 64));
}

TEST_CASE("an unknown fence becomes a null array for its node only", "[kmd][interrupt]") {
  Machine machine(2);
  machine.port.push_entry(0, 0);
  machine.port.push_entry(abi::kUnknownSlot, 0);
  machine.port.push_entry(1, 1);
  CHECK(machine.system.interrupt() == TRUE);
  REQUIRE(machine.system.notifications.size() == 2);
  CHECK(machine.system.notifications[0].null_array);
  CHECK(machine.system.notifications[0].data.NativeFenceSignaled.SignaledNativeFenceCount == 0);
  CHECK(machine.system.notifications[1].handles == os_handles(1, 2));
}

TEST_CASE("a slot that the table does not have is an unknown fence", "[kmd][interrupt]") {
  Machine machine(1);
  machine.port.push_entry(abi::kFenceSlots);
  CHECK(machine.system.interrupt() == TRUE);
  REQUIRE(machine.system.notifications.size() == 1);
  CHECK(machine.system.notifications[0].null_array);
}

TEST_CASE("the null array variant never names a fence", "[kmd][interrupt]") {
  Machine machine(1);
  machine.port.driver_policy.null_array = true;
  machine.port.push_entry(0, 2);
  CHECK(machine.system.interrupt() == TRUE);
  REQUIRE(machine.system.notifications.size() == 1);
  CHECK(machine.system.notifications[0].data.NativeFenceSignaled.NodeOrdinal == 2);
  CHECK(machine.system.notifications[0].null_array);
}

TEST_CASE("a stale entry is dropped without a DPC", "[kmd][interrupt]") {
  Machine machine(2);
  machine.port.driver_policy.destroy_drain = 0;
  REQUIRE(machine.system.destroy_fence(machine.handles[0]) == STATUS_SUCCESS);
  machine.port.push_entry(0);
  CHECK(machine.system.interrupt() == TRUE);
  CHECK(machine.system.notifications.empty());
  CHECK(machine.system.dpcs_queued == 0);
  machine.port.push_entry(0);
  machine.port.push_entry(1);
  CHECK(machine.system.interrupt() == TRUE);
  REQUIRE(machine.system.notifications.size() == 1);
  CHECK(machine.system.notifications[0].handles == os_handles(1, 2));
  CHECK(machine.system.dpcs_queued == 1);
  machine.port.push_entry(0);
  CHECK(machine.system.interrupt() == TRUE);
  CHECK(machine.system.dpcs_queued == 1);
}

TEST_CASE("without the filter a stale entry is reported", "[kmd][interrupt]") {
  Machine machine(1);
  machine.port.driver_policy.destroy_drain = 0;
  machine.port.driver_policy.live_filter = false;
  REQUIRE(machine.system.destroy_fence(machine.handles[0]) == STATUS_SUCCESS);
  machine.port.push_entry(0);
  CHECK(machine.system.interrupt() == TRUE);
  REQUIRE(machine.system.notifications.size() == 1);
  CHECK(machine.system.notifications[0].handles == os_handles(0, 1));
}

TEST_CASE("a slot that never had a fence is dropped", "[kmd][interrupt]") {
  Machine machine(1);
  machine.port.driver_policy.live_filter = false;
  machine.port.push_entry(77);
  CHECK(machine.system.interrupt() == TRUE);
  CHECK(machine.system.notifications.empty());
}

TEST_CASE("the count is acknowledged before the entries are handled", "[kmd][interrupt]") {
  Machine machine(2);
  machine.port.push_entry(0);
  machine.port.push_entry(1);
  CHECK(machine.system.interrupt() == TRUE);
  const auto calls = machine.port.calls_of(
      {Kind::kWriteRegister, Kind::kNotifyInterrupt, Kind::kShared, Kind::kQueueDpc});
  REQUIRE(calls.size() == 5);
  CHECK(calls[0].kind == Kind::kWriteRegister);
  CHECK(calls[0].where == abi::kInterruptAcknowledge);
  CHECK(calls[0].value == 2);
  CHECK(calls[1].kind == Kind::kShared);
  CHECK(calls[3].kind == Kind::kNotifyInterrupt);
  CHECK(calls[4].kind == Kind::kQueueDpc);
}

TEST_CASE("the late acknowledgement comes after the entries and has no count", "[kmd][interrupt]") {
  Machine machine(1);
  machine.port.driver_policy.ack_first = kmd_host::Acknowledge::kLast;
  machine.port.push_entry(0);
  CHECK(machine.system.interrupt() == TRUE);
  const auto calls = machine.port.calls_of({Kind::kWriteRegister, Kind::kNotifyInterrupt});
  REQUIRE(calls.size() == 2);
  CHECK(calls[0].kind == Kind::kNotifyInterrupt);
  CHECK(calls[1].where == abi::kInterruptAcknowledge);
  CHECK(calls[1].value == abi::kAcknowledgeWithoutCount);
}

TEST_CASE("an entry that comes while others are handled is left to the next interrupt",
          "[kmd][interrupt]") {
  Machine machine(2);
  machine.port.push_entry(0);
  machine.port.on_call = [&](const HostCall& call) {
    if (call.kind != Kind::kNotifyInterrupt) return;
    machine.port.on_call = nullptr;
    machine.port.push_entry(1);
  };
  CHECK(machine.system.interrupt() == TRUE);
  CHECK(machine.port.register_writes() == Writes{{abi::kInterruptAcknowledge, 1}});
  CHECK(machine.system.interrupt() == TRUE);
  REQUIRE(machine.system.notifications.size() == 2);
  CHECK(machine.system.notifications[1].handles == os_handles(1, 2));
}

TEST_CASE("the ring wraps and its sequence numbers go on", "[kmd][interrupt]") {
  Machine machine(2);
  for (std::uint32_t i = 0; i < 200; ++i) machine.port.push_entry(0);
  CHECK(machine.system.interrupt() == TRUE);
  for (std::uint32_t i = 0; i < 100; ++i) machine.port.push_entry(1);
  CHECK(machine.system.interrupt() == TRUE);
  CHECK(machine.port.register_writes() ==
        Writes{{abi::kInterruptAcknowledge, 200}, {abi::kInterruptAcknowledge, 300}});
  REQUIRE(machine.system.notifications.size() == 6);
  CHECK(machine.system.notifications[4].handles == std::vector<HANDLE>(64, os_handle(1)));
  CHECK(machine.system.interrupt() == FALSE);
}

TEST_CASE("an entry is read with one access of 32 bytes", "[kmd][interrupt]") {
  Machine machine(1);
  machine.port.push_entry(0);
  CHECK(machine.system.interrupt() == TRUE);
  const auto reads = machine.port.calls_of({Kind::kReadMemory});
  REQUIRE(reads.size() == 2);
  CHECK(reads[0].bytes == 32);
  CHECK(reads[1].where == reads[0].where + 32);
}

TEST_CASE("an entry of another cause is taken but not reported", "[kmd][interrupt]") {
  Machine machine(1);
  machine.port.push_entry(0);
  auto& cause =
      machine.port.memory[reinterpret_cast<std::uint64_t>(machine.port.ring.kernel_address) + 8];
  cause = (cause & ~0xFFFFFFFFULL) | 9;
  CHECK(machine.system.interrupt() == TRUE);
  CHECK(machine.system.notifications.empty());
  CHECK(machine.port.register_writes() == Writes{{abi::kInterruptAcknowledge, 1}});
}

TEST_CASE("the DPC tells the scheduler", "[kmd][interrupt]") {
  Machine machine(0);
  machine.port.irql = DISPATCH_LEVEL;
  machine.system.ddi.DxgkDdiDpcRoutine(machine.system.adapter);
  CHECK(machine.system.dpcs_notified == 1);
}

}  // namespace fenceline::kmd_tests::test_interrupt
