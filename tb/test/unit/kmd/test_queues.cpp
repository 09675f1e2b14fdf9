#include <catch2/catch.hpp>
#include <cstring>
#include <utility>
#include <vector>

#include "models/abi/private_data.h"
#include "models/abi/registers.h"
#include "tb/test/support/mock_host_port.h"

namespace fenceline::kmd_tests::test_queues {

namespace abi = fenceline::abi;
using fenceline::support::HostCall;
using fenceline::support::MockHostPort;
using fenceline::support::MockSystem;
using Kind = HostCall::Kind;
using Writes = std::vector<std::pair<std::uint64_t, std::uint64_t>>;

namespace {

/// A started adapter with a context of the second process (VMID 2) on node 3.
struct Machine {
  Machine() {
    REQUIRE(system.start() == STATUS_SUCCESS);
    system.create_process(true);
    system.create_process();
    device = system.create_device(system.create_process());
    context = system.create_hw_context(device, 3);
    port.calls.clear();
  }
  NTSTATUS create(abi::QueuePrivateData& data) {
    DXGKARG_CREATEHWQUEUE args{};
    args.Flags.Value = flags;
    args.hHwQueueNativeProgressFence = progress_fence;
    args.PrivateDriverDataSize = private_bytes;
    args.pPrivateDriverData = &data;
    const NTSTATUS status = system.ddi.DxgkDdiCreateHwQueue(context, &args);
    queue = args.hHwQueue;
    return status;
  }
  MockHostPort port;
  MockSystem system{port};
  HANDLE device = nullptr;
  HANDLE context = nullptr;
  HANDLE queue = nullptr;
  HANDLE progress_fence = nullptr;
  UINT flags = D3DDDI_CREATEHWQUEUEFLAGS::kUserModeSubmission;
  UINT private_bytes = sizeof(abi::QueuePrivateData);
};

constexpr abi::QueuePrivateData kRing{0x40000, 0x2000, 0x50008, 99, 0};

std::uint64_t entry(std::uint32_t slot) { return abi::kQueueTable + 128 * slot; }

}  // namespace

TEST_CASE("a new queue is programmed whole and enabled last", "[kmd][queue]") {
  Machine machine;
  abi::QueuePrivateData first = kRing;
  REQUIRE(machine.create(first) == STATUS_SUCCESS);
  CHECK(first.queue_slot == 0);
  machine.port.calls.clear();
  abi::QueuePrivateData data = kRing;
  REQUIRE(machine.create(data) == STATUS_SUCCESS);
  CHECK(data.queue_slot == 1);
  CHECK(data.ring_address == kRing.ring_address);
  const Writes writes = machine.port.register_writes();
  CHECK(writes == Writes{{entry(1) + 0x00, 0x40000},
                         {entry(1) + 0x08, 0x2000},
                         {entry(1) + 0x10, 0x50008},
                         {entry(1) + 0x18, 2},
                         {entry(1) + 0x20, 3},
                         {entry(1) + 0x28, 0},
                         {entry(1) + 0x30, 0},
                         {entry(1) + 0x38, 0},
                         {entry(1) + 0x48, 0},
                         {entry(1) + 0x50, 0},
                         {entry(1) + 0x40, 1}});
}

TEST_CASE("a queue with a bad ring is refused", "[kmd][queue]") {
  Machine machine;
  abi::QueuePrivateData data = kRing;
  SECTION("no ring") { data.ring_address = 0; }
  SECTION("an unaligned ring") { data.ring_address += 4; }
  SECTION("an empty ring") { data.ring_bytes = 0; }
  SECTION("a ring smaller than a packet header") { data.ring_bytes = 4; }
  SECTION("a ring that is no power of two") { data.ring_bytes = 0x3000; }
  SECTION("a ring out of the address space") { data.ring_address = (1ULL << 39) - 0x1000; }
  SECTION("an unaligned read pointer") { data.read_pointer_address = 0x50004; }
  SECTION("too little private data") { machine.private_bytes = 31; }
  CHECK(machine.create(data) == STATUS_INVALID_PARAMETER);
  CHECK(data.queue_slot == 99);
  CHECK(machine.port.register_writes().empty());
}

TEST_CASE("a ring may end where the address space ends and be as small as a packet header",
          "[kmd][queue]") {
  Machine machine;
  abi::QueuePrivateData data = kRing;
  SECTION("the end") { data.ring_address = (1ULL << 39) - data.ring_bytes; }
  SECTION("the smallest") { data.ring_bytes = 8; }
  SECTION("no read pointer") { data.read_pointer_address = 0; }
  CHECK(machine.create(data) == STATUS_SUCCESS);
}

TEST_CASE("a queue without private data is refused", "[kmd][queue]") {
  Machine machine;
  DXGKARG_CREATEHWQUEUE args{};
  args.PrivateDriverDataSize = sizeof(abi::QueuePrivateData);
  CHECK(machine.system.ddi.DxgkDdiCreateHwQueue(machine.context, &args) ==
        STATUS_INVALID_PARAMETER);
}

TEST_CASE("a native progress fence is the handle that the driver gave for a fence",
          "[kmd][queue]") {
  Machine machine;
  Machine other;
  machine.flags |= D3DDDI_CREATEHWQUEUEFLAGS::kNativeProgressFence;
  NTSTATUS expected = STATUS_SUCCESS;
  const HANDLE os_handle = &machine;
  SECTION("a fence") { machine.progress_fence = machine.system.create_fence(os_handle); }
  SECTION("none") { expected = STATUS_INVALID_HANDLE; }
  SECTION("something else") {
    machine.progress_fence = machine.device;
    expected = STATUS_INVALID_HANDLE;
  }
  SECTION("a fence of another adapter") {
    machine.progress_fence = other.system.create_fence(os_handle);
    expected = STATUS_INVALID_PARAMETER;
  }
  abi::QueuePrivateData data = kRing;
  CHECK(machine.create(data) == expected);
}

TEST_CASE("queues of every slot can live at once and no more", "[kmd][queue]") {
  Machine machine;
  for (std::uint32_t i = 0; i < abi::kQueueSlots; ++i)
    machine.system.create_hw_queue(machine.context);
  abi::QueuePrivateData data = kRing;
  CHECK(machine.create(data) == STATUS_INSUFFICIENT_RESOURCES);
}

TEST_CASE("a destroyed queue is stopped and has no log write under way", "[kmd][queue]") {
  Machine machine;
  const HANDLE queue = machine.system.create_hw_queue(machine.context);
  machine.port.calls.clear();
  CHECK(machine.system.ddi.DxgkDdiDestroyHwQueue(queue) == STATUS_SUCCESS);
  CHECK(machine.port.register_writes() == Writes{{entry(0) + 0x40, 0}, {abi::kLogFlush, 0}});
  const auto polls = machine.port.calls_of({Kind::kPoll});
  REQUIRE(polls.size() == 1);
  CHECK(polls[0].where == abi::kLogFlushesDone);
  CHECK(polls[0].value == 1);
  CHECK(machine.system.ddi.DxgkDdiDestroyHwQueue(queue) == STATUS_INVALID_HANDLE);
  abi::QueuePrivateData data = kRing;
  REQUIRE(machine.create(data) == STATUS_SUCCESS);
  CHECK(data.queue_slot == 0);
}

TEST_CASE("a queue slot is not used again when the device does not answer", "[kmd][queue]") {
  Machine machine;
  const HANDLE queue = machine.system.create_hw_queue(machine.context);
  machine.port.answer_polls = false;
  CHECK(machine.system.ddi.DxgkDdiDestroyHwQueue(queue) == STATUS_UNSUCCESSFUL);
  abi::QueuePrivateData data = kRing;
  REQUIRE(machine.create(data) == STATUS_SUCCESS);
  CHECK(data.queue_slot == 1);
}

TEST_CASE("a connected doorbell is the page of its queue", "[kmd][queue]") {
  Machine machine;
  machine.system.create_hw_queue(machine.context);
  const HANDLE queue = machine.system.create_hw_queue(machine.context);
  DXGKARG_CONNECTDOORBELL connect{};
  connect.hDoorbell = machine.system.create_doorbell(queue);
  connect.SecondaryKernelCpuVirtualAddress = &connect;
  connect.Status = D3DDDI_DOORBELLSTATUS_DISCONNECTED_ABORT;
  REQUIRE(machine.system.ddi.DxgkDdiConnectDoorbell(&connect) == STATUS_SUCCESS);
  CHECK(connect.KernelCpuVirtualAddress == machine.port.map_doorbell(1));
  CHECK(connect.SecondaryKernelCpuVirtualAddress == nullptr);
  CHECK(connect.Status == D3DDDI_DOORBELLSTATUS_CONNECTED);
  DXGKARG_DISCONNECTDOORBELL disconnect{connect.hDoorbell, {}};
  CHECK(machine.system.ddi.DxgkDdiDisconnectDoorbell(&disconnect) == STATUS_SUCCESS);
  CHECK(machine.system.ddi.DxgkDdiConnectDoorbell(&connect) == STATUS_SUCCESS);
  DXGKARG_NOTIFYWORKSUBMISSION notify{queue, {}};
  CHECK(machine.system.ddi.DxgkDdiNotifyWorkSubmission(&notify) == STATUS_SUCCESS);
}

TEST_CASE("a doorbell that cannot be had is refused", "[kmd][queue]") {
  Machine machine;
  DXGKARG_CONNECTDOORBELL connect{};
  connect.hDoorbell =
      machine.system.create_doorbell(machine.system.create_hw_queue(machine.context));
  NTSTATUS expected = STATUS_SUCCESS;
  SECTION("a secondary address") {
    connect.Flags.Value = DXGKARG_CONNECTDOORBELL_FLAGS::kRequireSecondaryAddress;
    expected = STATUS_NOT_SUPPORTED;
  }
  SECTION("no mapping") {
    machine.port.out_of_memory = true;
    expected = STATUS_INSUFFICIENT_RESOURCES;
  }
  CHECK(machine.system.ddi.DxgkDdiConnectDoorbell(&connect) == expected);
  CHECK(connect.KernelCpuVirtualAddress == nullptr);
}

TEST_CASE("only user-mode-submission queues have doorbells", "[kmd][queue]") {
  Machine machine;
  machine.flags = 0;
  abi::QueuePrivateData data = kRing;
  REQUIRE(machine.create(data) == STATUS_SUCCESS);
  DXGKARG_CREATEDOORBELL args{};
  args.hHwQueue = machine.queue;
  CHECK(machine.system.ddi.DxgkDdiCreateDoorbell(&args) == STATUS_INVALID_PARAMETER);
}

TEST_CASE("a queue outlives its doorbells", "[kmd][queue]") {
  Machine machine;
  const HANDLE queue = machine.system.create_hw_queue(machine.context);
  DXGKARG_DESTROYDOORBELL args{machine.system.create_doorbell(queue)};
  machine.port.calls.clear();
  CHECK(machine.system.ddi.DxgkDdiDestroyHwQueue(queue) == STATUS_INVALID_PARAMETER);
  CHECK(machine.port.register_writes().empty());
  CHECK(machine.system.ddi.DxgkDdiDestroyDoorbell(&args) == STATUS_SUCCESS);
  CHECK(machine.system.ddi.DxgkDdiDestroyDoorbell(&args) == STATUS_INVALID_HANDLE);
  CHECK(machine.system.ddi.DxgkDdiDestroyHwQueue(queue) == STATUS_SUCCESS);
}

TEST_CASE("a context runs on a node that exists", "[kmd][queue]") {
  Machine machine;
  DXGKARG_CREATEHWCONTEXT hardware{};
  DXGKARG_CREATECONTEXT plain{};
  hardware.NodeOrdinal = plain.NodeOrdinal = 4;
  CHECK(machine.system.ddi.DxgkDdiCreateHwContext(machine.device, &hardware) ==
        STATUS_INVALID_PARAMETER);
  CHECK(machine.system.ddi.DxgkDdiCreateContext(machine.device, &plain) ==
        STATUS_INVALID_PARAMETER);
  hardware.NodeOrdinal = plain.NodeOrdinal = 3;
  hardware.EngineAffinity = plain.EngineAffinity = 2;
  CHECK(machine.system.ddi.DxgkDdiCreateHwContext(machine.device, &hardware) ==
        STATUS_INVALID_PARAMETER);
  CHECK(machine.system.ddi.DxgkDdiCreateContext(machine.device, &plain) ==
        STATUS_INVALID_PARAMETER);
  hardware.EngineAffinity = plain.EngineAffinity = 1;
  hardware.ContextCaps.Value = ~0U;
  plain.ContextInfo.AllocationListSize = ~0U;
  plain.Flags.Value = DXGK_CREATECONTEXTFLAGS::kVirtualAddressing;
  CHECK(machine.system.ddi.DxgkDdiCreateHwContext(machine.device, &hardware) == STATUS_SUCCESS);
  CHECK(hardware.ContextCaps.Value == 0);
  CHECK(machine.system.ddi.DxgkDdiCreateContext(machine.device, &plain) == STATUS_SUCCESS);
  CHECK(plain.ContextInfo.AllocationListSize == 64);
  CHECK(plain.ContextInfo.DmaBufferSize == 64 * 1024);
  CHECK(plain.ContextInfo.PagingCompanionNodeId == 3);
  CHECK(plain.ContextInfo.Caps.Value == DXGK_CONTEXTINFO_CAPS::kNoPatchingRequired);
}

}  // namespace fenceline::kmd_tests::test_queues
