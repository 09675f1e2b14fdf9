// Doorbells that queues share: who gets one, who loses his, and in which order.
#include <array>
#include <catch2/catch.hpp>
#include <utility>
#include <vector>

#include "models/abi/private_data.h"
#include "models/abi/registers.h"
#include "tb/test/support/mock_host_port.h"

namespace fenceline::kmd_tests::test_doorbells {

namespace abi = fenceline::abi;
using fenceline::support::MockHostPort;
using fenceline::support::MockSystem;
using Writes = std::vector<std::pair<std::uint64_t, std::uint64_t>>;

namespace {

constexpr std::uint32_t kQueues = 3;

/// An adapter with two doorbells and three queues, in slots 0 to 2, none connected.
struct Machine {
  explicit Machine(std::uint64_t doorbells = 2, bool notify = false) {
    port.registers[abi::kHardwareCaps] = doorbells << abi::kDoorbellsShift;
    port.driver_policy.caps.notify_kmd = notify;
    REQUIRE(system.start() == STATUS_SUCCESS);
    system.create_process(true);
    const HANDLE context = system.create_hw_context(system.create_device(system.create_process()));
    for (std::uint32_t i = 0; i < kQueues; ++i) {
      queues[i] = system.create_hw_queue(context);
      DXGKARG_CREATEDOORBELL args{};
      args.hHwQueue = queues[i];
      args.hDoorbell = &names[i];
      REQUIRE(system.ddi.DxgkDdiCreateDoorbell(&args) == STATUS_SUCCESS);
      doorbells_[i] = args.hDoorbell;
    }
    port.calls.clear();
  }
  DXGKARG_CONNECTDOORBELL connect(std::uint32_t queue) {
    DXGKARG_CONNECTDOORBELL args{};
    args.hDoorbell = doorbells_[queue];
    REQUIRE(system.ddi.DxgkDdiConnectDoorbell(&args) == STATUS_SUCCESS);
    return args;
  }
  void disconnect(std::uint32_t queue) {
    DXGKARG_DISCONNECTDOORBELL args{doorbells_[queue], {}};
    REQUIRE(system.ddi.DxgkDdiDisconnectDoorbell(&args) == STATUS_SUCCESS);
  }
  /// Register writes since the last call.
  Writes written() {
    Writes all = port.register_writes();
    port.calls.clear();
    return all;
  }
  MockHostPort port;
  MockSystem system{port};
  std::array<int, kQueues> names{};
  std::array<HANDLE, kQueues> queues{};
  std::array<HANDLE, kQueues> doorbells_{};
};

std::pair<std::uint64_t, std::uint64_t> given(std::uint32_t page, std::uint64_t slot) {
  return {abi::kDoorbellTable + 8ULL * page, abi::kDoorbellGiven | slot};
}
std::pair<std::uint64_t, std::uint64_t> scan(std::uint64_t slot) { return {abi::kRingScan, slot}; }

}  // namespace

TEST_CASE("a created doorbell takes none of the device", "[kmd][doorbell]") {
  Machine machine;
  CHECK(machine.system.lost_doorbells.empty());
  CHECK(machine.connect(2).KernelCpuVirtualAddress == machine.port.map_doorbell(0));
  CHECK(machine.written() == Writes{given(0, 2), scan(2)});
  CHECK(machine.connect(0).KernelCpuVirtualAddress == machine.port.map_doorbell(1));
  CHECK(machine.written() == Writes{given(1, 0), scan(0)});
}

TEST_CASE("the doorbell that was connected least recently is taken", "[kmd][doorbell]") {
  Machine machine;
  machine.connect(0);
  machine.connect(1);
  machine.connect(0);  // again: what it has stays, and it counts as the last
  machine.written();
  machine.system.on_lost_doorbell = [&] { CHECK(machine.written().empty()); };
  CHECK(machine.connect(2).KernelCpuVirtualAddress == machine.port.map_doorbell(1));
  // The callback first, then the doorbell, then the look at the ring of whoever had it.
  CHECK(machine.written() == Writes{given(1, 2), scan(1), scan(2)});
  REQUIRE(machine.system.lost_doorbells.size() == 1);
  CHECK(machine.system.lost_doorbells[0].hDoorbell == &machine.names[1]);
  CHECK(machine.system.lost_doorbells[0].DisconnectReason ==
        D3DDDI_DOORBELLSTATUS_DISCONNECTED_RETRY);
  machine.connect(1);
  REQUIRE(machine.system.lost_doorbells.size() == 2);
  CHECK(machine.system.lost_doorbells[1].hDoorbell == &machine.names[0]);
}

TEST_CASE("a doorbell that was disconnected is free", "[kmd][doorbell]") {
  Machine machine;
  machine.connect(0);
  machine.connect(1);
  machine.disconnect(0);
  machine.disconnect(0);
  machine.written();
  CHECK(machine.connect(2).KernelCpuVirtualAddress == machine.port.map_doorbell(0));
  CHECK(machine.system.lost_doorbells.empty());
  DXGKARG_DESTROYDOORBELL destroy{machine.doorbells_[1]};
  REQUIRE(machine.system.ddi.DxgkDdiDestroyDoorbell(&destroy) == STATUS_SUCCESS);
  CHECK(machine.connect(0).KernelCpuVirtualAddress == machine.port.map_doorbell(1));
  CHECK(machine.system.lost_doorbells.empty());
}

TEST_CASE("each doorbell switch of the driver removes its step", "[kmd][doorbell]") {
  Machine machine(1);
  machine.connect(0);
  machine.written();
  SECTION("the order of the loss") {
    machine.port.driver_policy.victim_first = false;
    bool given_away = false;
    machine.system.on_lost_doorbell = [&] {
      given_away = machine.written() == Writes{given(0, 1)};
    };
    machine.connect(1);
    CHECK(given_away);
  }
  SECTION("the look at the ring of whoever lost it") {
    machine.port.driver_policy.victim_scan = fenceline::kmd_host::VictimScan::kNever;
    machine.connect(1);
    CHECK(machine.written() == Writes{given(0, 1), scan(1)});
  }
  SECTION("the look at the ring of whoever gets it") {
    machine.port.driver_policy.connect_scan = false;
    machine.connect(1);
    CHECK(machine.written() == Writes{given(0, 1), scan(0)});
  }
}

TEST_CASE("a driver that needs notifications has memory instead of doorbells", "[kmd][doorbell]") {
  Machine machine(2, true);
  const DXGKARG_CONNECTDOORBELL first = machine.connect(0);
  CHECK(first.Status == D3DDDI_DOORBELLSTATUS_CONNECTED_NOTIFY_KMD);
  CHECK(machine.connect(1).KernelCpuVirtualAddress == first.KernelCpuVirtualAddress);
  CHECK(first.KernelCpuVirtualAddress != machine.port.map_doorbell(0));
  machine.written();
  DXGKARG_NOTIFYWORKSUBMISSION notify{machine.queues[1], {}};
  CHECK(machine.system.ddi.DxgkDdiNotifyWorkSubmission(&notify) == STATUS_SUCCESS);
  CHECK(machine.written() == Writes{scan(1)});
  CHECK(machine.system.lost_doorbells.empty());
}

TEST_CASE("a connected doorbell needs no notification", "[kmd][doorbell]") {
  Machine machine;
  machine.connect(0);
  machine.written();
  DXGKARG_NOTIFYWORKSUBMISSION notify{machine.queues[0], {}};
  CHECK(machine.system.ddi.DxgkDdiNotifyWorkSubmission(&notify) == STATUS_SUCCESS);
  CHECK(machine.written().empty());
}

}  // namespace fenceline::kmd_tests::test_doorbells
