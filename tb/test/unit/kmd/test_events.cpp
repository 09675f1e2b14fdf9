// Buffers of contexts, the interrupts they end with, and CPU events.
#include <catch2/catch.hpp>
#include <cstring>
#include <vector>

#include "models/abi/packets.h"
#include "models/abi/page_table.h"
#include "models/abi/private_data.h"
#include "tb/test/support/mock_host_port.h"

namespace fenceline::kmd_tests::test_events {

namespace abi = fenceline::abi;
using fenceline::support::HostCall;
using fenceline::support::MockHostPort;
using fenceline::support::MockSystem;
using fenceline::support::opaque;
using Kind = HostCall::Kind;

namespace {

struct Machine {
  explicit Machine(bool lock = true) {
    port.driver_policy.event_lock = lock;
    REQUIRE(system.start() == STATUS_SUCCESS);
    system.create_process(true);
    process = system.create_process();
    device = system.create_device(process);
    DXGKARG_CREATECONTEXT create{};
    create.NodeOrdinal = 2;
    create.EngineAffinity = 1;
    REQUIRE(system.ddi.DxgkDdiCreateContext(device, &create) == STATUS_SUCCESS);
    context = create.hContext;
    port.calls.clear();
  }
  NTSTATUS submit(UINT id, D3DGPU_VIRTUAL_ADDRESS address = 0x8000, UINT bytes = 64,
                  UINT node = 2) const {
    DXGKARG_SUBMITCOMMANDVIRTUAL args{};
    args.hContext = context;
    args.DmaBufferVirtualAddress = address;
    args.DmaBufferSize = bytes;
    args.SubmissionFenceId = id;
    args.NodeOrdinal = node;
    return system.ddi.DxgkDdiSubmitCommandVirtual(system.adapter, &args);
  }
  HANDLE create_event(std::uint64_t os_handle) const {
    DXGKARG_CREATECPUEVENT args{};
    args.hKmdDevice = device;
    args.hDxgCpuEvent = opaque(os_handle);
    REQUIRE(system.ddi.DxgkDdiCreateCpuEvent(system.adapter, &args) == STATUS_SUCCESS);
    return args.hKmdCpuEvent;
  }
  NTSTATUS use(HANDLE event, abi::CpuEventUse use, UINT node = 0) const {
    D3DDDI_DRIVERESCAPE_CPUEVENTUSAGE usage{};
    usage.EscapeType = D3DDDI_DRIVERESCAPETYPE_CPUEVENTUSAGE;
    std::memcpy(&usage.hKmdCpuEvent, &event, sizeof event);
    usage.Usage[0] = static_cast<UINT>(use);
    usage.Usage[1] = node;
    return escape(&usage, sizeof usage, D3DDDI_ESCAPEFLAGS::kDriverKnownEscape);
  }
  NTSTATUS escape(void* data, UINT bytes, UINT flags) const {
    DXGKARG_ESCAPE args{};
    args.hDevice = device;
    args.Flags.Value = flags;
    args.pPrivateDriverData = data;
    args.PrivateDriverDataSize = bytes;
    args.hKmdProcessHandle = process;
    return system.ddi.DxgkDdiEscape(system.adapter, &args);
  }
  void complete(std::uint32_t node, std::uint64_t id) {
    port.push_other_entry(abi::InterruptCause::kBufferCompleted, node, id);
    REQUIRE(system.interrupt() != FALSE);
  }
  void run_dpc() {
    port.irql = DISPATCH_LEVEL;
    system.ddi.DxgkDdiDpcRoutine(system.adapter);
    port.irql = PASSIVE_LEVEL;
  }
  MockHostPort port;
  MockSystem system{port};
  HANDLE process = nullptr;
  HANDLE device = nullptr;
  HANDLE context = nullptr;
};

}  // namespace

TEST_CASE("buffers of a node go through one ring in order", "[kmd][submission]") {
  Machine machine;
  REQUIRE(machine.submit(1, 0x8000, 64) == STATUS_SUCCESS);
  REQUIRE(machine.submit(2, 0x9000, 128) == STATUS_SUCCESS);
  const auto stores = machine.port.calls_of({Kind::kWriteMemory, Kind::kBarrier});
  REQUIRE(stores.size() == 6);
  // A packet, the barrier, the doorbell; twice.
  CHECK(stores[0].bytes == sizeof(abi::RunBufferPacket));
  CHECK(stores[1].kind == Kind::kBarrier);
  CHECK(stores[2].value == sizeof(abi::RunBufferPacket));
  CHECK(stores[3].where == stores[0].where + sizeof(abi::RunBufferPacket));
  CHECK(stores[4].kind == Kind::kBarrier);
  CHECK(stores[5].value == 2 * sizeof(abi::RunBufferPacket));
  CHECK(stores[5].where == stores[2].where);
  bool enabled = false;
  for (const auto& [offset, value] : machine.port.register_writes())
    enabled = enabled || (offset == std::uint64_t{abi::kQueueTable} + abi::kQueueControl &&
                          value == (abi::kQueueEnabled | abi::kQueuePhysical));
  CHECK(enabled);
}

TEST_CASE("a bad buffer is refused", "[kmd][submission]") {
  Machine machine;
  CHECK(machine.submit(1, 0x8004) == STATUS_INVALID_PARAMETER);
  CHECK(machine.submit(1, 1ULL << abi::kVirtualAddressBits) == STATUS_INVALID_PARAMETER);
  CHECK(machine.submit(1, 0x8000, 12) == STATUS_INVALID_PARAMETER);
  CHECK(machine.submit(1, 0x8000, 64, 1) == STATUS_INVALID_PARAMETER);
  machine.port.out_of_memory = true;
  CHECK(machine.submit(1) == STATUS_INSUFFICIENT_RESOURCES);
  machine.context = machine.device;
  CHECK(machine.submit(1) == STATUS_INVALID_HANDLE);
}

TEST_CASE("completions and written fences are reported by their types", "[kmd][interrupt]") {
  Machine machine;
  machine.port.push_other_entry(abi::InterruptCause::kFenceWritten, 1, 0);
  machine.complete(2, 7);
  const auto& told = machine.system.notifications;
  REQUIRE(told.size() == 2);
  CHECK(told[0].data.InterruptType == DXGK_INTERRUPT_MONITORED_FENCE_SIGNALED);
  CHECK(told[0].data.MonitoredFenceSignaled.NodeOrdinal == 1);
  CHECK(told[1].data.InterruptType == DXGK_INTERRUPT_DMA_COMPLETED);
  CHECK(told[1].data.DmaCompleted.SubmissionFenceId == 7);
  CHECK(told[1].data.DmaCompleted.NodeOrdinal == 2);
  CHECK(machine.system.dpcs_queued == 1);
}

TEST_CASE("an event is signalled in the DPC after a buffer of its node", "[kmd][event]") {
  Machine machine;
  const HANDLE first = machine.create_event(11);
  machine.create_event(12);  // nobody said what for
  REQUIRE(machine.use(first, abi::CpuEventUse::kBufferCompleted, 2) == STATUS_SUCCESS);
  machine.complete(1, 1);
  machine.run_dpc();
  CHECK(machine.system.signals.empty());
  machine.complete(2, 2);
  CHECK(machine.system.signals.empty());
  machine.run_dpc();
  REQUIRE(machine.system.signals.size() == 1);
  const auto& signal = machine.system.signals[0];
  CHECK(signal.args.hEvent == opaque(11));
  CHECK(signal.args.hDxgkProcess == nullptr);
  CHECK(signal.args.Flags.Value == DXGKARGCB_SIGNALEVENT_FLAGS::kCpuEventObject);
  CHECK(signal.locked);
  machine.run_dpc();
  CHECK(machine.system.signals.size() == 1);
}

TEST_CASE("the lock is released before the signal only where the switch says so", "[kmd][event]") {
  Machine machine(false);
  REQUIRE(machine.use(machine.create_event(11), abi::CpuEventUse::kBufferCompleted, 2) ==
          STATUS_SUCCESS);
  machine.complete(2, 1);
  machine.run_dpc();
  REQUIRE(machine.system.signals.size() == 1);
  CHECK_FALSE(machine.system.signals[0].locked);
}

TEST_CASE("a destroyed event is not signalled", "[kmd][event]") {
  Machine machine;
  const HANDLE event = machine.create_event(11);
  REQUIRE(machine.use(event, abi::CpuEventUse::kBufferCompleted, 2) == STATUS_SUCCESS);
  machine.complete(2, 1);
  // The device may be gone before it.
  CHECK(machine.system.ddi.DxgkDdiDestroyDevice(machine.device) == STATUS_SUCCESS);
  CHECK(machine.system.ddi.DxgkDdiDestroyCpuEvent(machine.system.adapter, event) == STATUS_SUCCESS);
  machine.run_dpc();
  CHECK(machine.system.signals.empty());
  CHECK(machine.system.ddi.DxgkDdiDestroyCpuEvent(machine.system.adapter, event) ==
        STATUS_INVALID_HANDLE);
  CHECK(machine.use(event, abi::CpuEventUse::kNow) == STATUS_INVALID_HANDLE);
}

TEST_CASE("doorbells between GPUs are set up by an escape of no process", "[kmd][event]") {
  Machine machine;
  abi::PeerDoorbellEscape data{};
  data.magic = abi::kPeerDoorbellMagic;
  DXGKARG_ESCAPE args{};
  args.pPrivateDriverData = &data;
  args.PrivateDriverDataSize = sizeof data;
  const auto escape = [&] {
    return machine.system.ddi.DxgkDdiEscape(machine.system.adapter, &args);
  };
  CHECK(escape() == STATUS_INVALID_HANDLE);
  data.magic = 0;
  CHECK(escape() == STATUS_NOT_SUPPORTED);
  args.PrivateDriverDataSize = 8;
  CHECK(escape() == STATUS_NOT_SUPPORTED);
  // Of a process it is another escape.
  args.PrivateDriverDataSize = sizeof data;
  data.magic = abi::kPeerDoorbellMagic;
  args.hKmdProcessHandle = machine.process;
  CHECK(escape() == STATUS_NOT_SUPPORTED);
}

TEST_CASE("escapes that the driver does not take", "[kmd][event]") {
  Machine machine;
  const HANDLE event = machine.create_event(11);
  CHECK(machine.use(event, static_cast<abi::CpuEventUse>(9)) == STATUS_INVALID_PARAMETER);
  CHECK(machine.use(event, abi::CpuEventUse::kNow) == STATUS_SUCCESS);
  CHECK(machine.system.signals.size() == 1);
  UINT type = D3DDDI_DRIVERESCAPETYPE_BUILDTESTCOMMANDBUFFER;
  constexpr UINT kKnown = D3DDDI_ESCAPEFLAGS::kDriverKnownEscape;
  CHECK(machine.escape(&type, sizeof type, kKnown) == STATUS_NOT_SUPPORTED);
  type = D3DDDI_DRIVERESCAPETYPE_CPUEVENTUSAGE;
  CHECK(machine.escape(&type, sizeof type, kKnown) == STATUS_INVALID_PARAMETER);
  CHECK(machine.escape(nullptr, 0, kKnown) == STATUS_INVALID_PARAMETER);
  abi::SignalByHandle data{abi::kSignalByHandle, 0, 0x55};
  CHECK(machine.escape(&data, sizeof data, 0) == STATUS_SUCCESS);
  CHECK(machine.system.signals.back().args.hEvent == opaque(0x55));
  CHECK(machine.system.signals.back().args.Flags.Value == 0);
  CHECK(machine.escape(&data, 8, 0) == STATUS_INVALID_PARAMETER);
  data.magic = 1;
  CHECK(machine.escape(&data, sizeof data, 0) == STATUS_NOT_SUPPORTED);
}

TEST_CASE("an event needs a device of the adapter and an event of the OS", "[kmd][event]") {
  Machine machine;
  DXGKARG_CREATECPUEVENT args{};
  args.hDxgCpuEvent = opaque(11);
  CHECK(machine.system.ddi.DxgkDdiCreateCpuEvent(machine.system.adapter, &args) ==
        STATUS_INVALID_HANDLE);
  args.hKmdDevice = machine.device;
  args.Flags.Value = 1;
  CHECK(machine.system.ddi.DxgkDdiCreateCpuEvent(machine.system.adapter, &args) ==
        STATUS_INVALID_PARAMETER);
  args.Flags.Value = 0;
  args.hDxgCpuEvent = nullptr;
  CHECK(machine.system.ddi.DxgkDdiCreateCpuEvent(machine.system.adapter, &args) ==
        STATUS_INVALID_HANDLE);
}

TEST_CASE("a device without native fences and one with 32-bit atomics", "[kmd][caps]") {
  const auto caps = [](std::uint64_t bits, std::uint64_t atomics) {
    MockHostPort port;
    MockSystem system{port};
    port.registers[abi::kHardwareCaps] = bits;
    port.registers[abi::kAtomicBits] = atomics;
    REQUIRE(system.start() == STATUS_SUCCESS);
    DXGK_DRIVERCAPS answer{};
    DXGKARG_QUERYADAPTERINFO query{};
    query.Type = DXGKQAITYPE_DRIVERCAPS;
    query.pOutputData = &answer;
    query.OutputDataSize = sizeof answer;
    REQUIRE(system.ddi.DxgkDdiQueryAdapterInfo(system.adapter, &query) == STATUS_SUCCESS);
    return answer.SchedulingCaps.Value &
           (DXGK_VIDSCHCAPS::kNativeGpuFence | DXGK_VIDSCHCAPS::kNo64BitAtomics);
  };
  CHECK(caps(0, 64) == DXGK_VIDSCHCAPS::kNativeGpuFence);
  CHECK(caps(abi::kNoNativeFences, 64) == 0);
  CHECK(caps(0, 32) == DXGK_VIDSCHCAPS::kNo64BitAtomics);
}

}  // namespace fenceline::kmd_tests::test_events
