#include <catch2/catch.hpp>
#include <utility>
#include <vector>

#include "models/abi/private_data.h"
#include "models/abi/registers.h"
#include "tb/test/support/mock_host_port.h"

namespace fenceline::kmd_tests::test_processes {

namespace abi = fenceline::abi;
using fenceline::support::MockHostPort;
using fenceline::support::MockSystem;
using Writes = std::vector<std::pair<std::uint64_t, std::uint64_t>>;

namespace {

struct Machine {
  Machine() { REQUIRE(system.start() == STATUS_SUCCESS); }
  NTSTATUS create_process(UINT flags = 0) const {
    DXGKARG_CREATEPROCESS args{};
    args.Flags.Value = flags;
    return system.ddi.DxgkDdiCreateProcess(system.adapter, &args);
  }
  /// VMID of a process, as the queue table gets it.
  std::uint64_t vmid_of(HANDLE device) {
    abi::QueuePrivateData data{0x10000, 0x1000, 0, 0, 0};
    system.create_hw_queue(system.create_hw_context(device), data);
    return port.registers[abi::kQueueTable + 128 * data.queue_slot + abi::kQueueVmid];
  }
  MockHostPort port;
  MockSystem system{port};
};

}  // namespace

TEST_CASE("the system process has VMID 0 whenever it comes", "[kmd][process]") {
  Machine machine;
  const HANDLE first = machine.system.create_process();
  const HANDLE system = machine.system.create_process(true);
  const HANDLE second = machine.system.create_process();
  CHECK(machine.vmid_of(machine.system.create_device(first)) == 1);
  CHECK(machine.vmid_of(machine.system.create_device(system)) == 0);
  CHECK(machine.vmid_of(machine.system.create_device(second)) == 2);
  CHECK(machine.create_process(DXGK_CREATEPROCESSFLAGS::kSystemProcess) ==
        STATUS_INSUFFICIENT_RESOURCES);
}

TEST_CASE("there is one system process", "[kmd][process]") {
  const Machine machine;
  CHECK(machine.create_process(DXGK_CREATEPROCESSFLAGS::kSystemProcess) == STATUS_SUCCESS);
  CHECK(machine.create_process(DXGK_CREATEPROCESSFLAGS::kSystemProcess) ==
        STATUS_INSUFFICIENT_RESOURCES);
}

TEST_CASE("a device without a process is the system device", "[kmd][process]") {
  Machine machine;
  DXGKARG_CREATEDEVICE args{};
  CHECK(machine.system.ddi.DxgkDdiCreateDevice(machine.system.adapter, &args) ==
        STATUS_INVALID_PARAMETER);
  args.Flags.Value = DXGK_CREATEDEVICEFLAGS::kSystemDevice;
  REQUIRE(machine.system.ddi.DxgkDdiCreateDevice(machine.system.adapter, &args) == STATUS_SUCCESS);
  CHECK(machine.vmid_of(args.hDevice) == 0);
}

TEST_CASE("address spaces run out and come back", "[kmd][process]") {
  Machine machine;
  std::vector<HANDLE> processes;
  for (std::uint32_t i = 1; i < abi::kAddressSpaces; ++i)
    processes.push_back(machine.system.create_process());
  CHECK(machine.create_process() == STATUS_INSUFFICIENT_RESOURCES);
  machine.port.calls.clear();
  CHECK(machine.system.ddi.DxgkDdiDestroyProcess(machine.system.adapter, processes[4]) ==
        STATUS_SUCCESS);
  CHECK(machine.port.register_writes() ==
        Writes{{abi::kMmuRoot + 8 * 5, 0}, {abi::kMmuInvalidate, 5}});
  CHECK(machine.vmid_of(machine.system.create_device(machine.system.create_process())) == 5);
}

TEST_CASE("a process belongs to its adapter", "[kmd][process]") {
  Machine machine;
  Machine other;
  const HANDLE process = machine.system.create_process();
  CHECK(other.system.ddi.DxgkDdiDestroyProcess(other.system.adapter, process) ==
        STATUS_INVALID_PARAMETER);
  DXGKARG_CREATEDEVICE args{};
  args.hKmdProcess = process;
  CHECK(other.system.ddi.DxgkDdiCreateDevice(other.system.adapter, &args) ==
        STATUS_INVALID_PARAMETER);
  args.hKmdProcess = other.system.adapter;
  CHECK(other.system.ddi.DxgkDdiCreateDevice(other.system.adapter, &args) == STATUS_INVALID_HANDLE);
  CHECK(machine.system.ddi.DxgkDdiDestroyProcess(machine.system.adapter, process) ==
        STATUS_SUCCESS);
}

}  // namespace fenceline::kmd_tests::test_processes
