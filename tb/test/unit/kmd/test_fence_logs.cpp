#include <catch2/catch.hpp>
#include <utility>
#include <vector>

#include "models/abi/private_data.h"
#include "models/abi/registers.h"
#include "tb/test/support/mock_host_port.h"

namespace fenceline::kmd_tests::test_fence_logs {

namespace abi = fenceline::abi;
using fenceline::support::HostCall;
using fenceline::support::MockHostPort;
using fenceline::support::MockSystem;
using Kind = HostCall::Kind;
using Writes = std::vector<std::pair<std::uint64_t, std::uint64_t>>;

namespace {

constexpr std::uint64_t kLogAt = 0xFFFF'B000'0000'0000;

struct Machine {
  Machine() {
    REQUIRE(system.start() == STATUS_SUCCESS);
    context = system.create_hw_context(system.create_device(system.create_process()));
    system.create_hw_queue(context);
    queue = system.create_hw_queue(context);  // slot 1
    port.calls.clear();
  }
  DXGKARG_SETNATIVEFENCELOGBUFFER arguments(UINT type, UINT entries = 84) {
    port.memory[kLogAt + 8] = 0xDEAD'0000'0000'0000 | type;  // padding follows the type
    DXGKARG_SETNATIVEFENCELOGBUFFER args{};
    args.hHwQueue = queue;
    args.NumberOfEntries = entries;
    args.LogBufferCpuVa =
        static_cast<DXGK_NATIVE_FENCE_LOG_BUFFER*>(fenceline::support::opaque(kLogAt));
    args.LogBufferGpuVa = 0x70000 + 0x1000 * type;
    args.LogBufferSystemProcessGpuVa = 0x90000 + 0x1000 * type;
    return args;
  }
  NTSTATUS set(DXGKARG_SETNATIVEFENCELOGBUFFER args) {
    port.irql = DISPATCH_LEVEL;
    const NTSTATUS status = system.ddi.DxgkDdiSetNativeFenceLogBuffer(&args);
    port.irql = PASSIVE_LEVEL;
    return status;
  }
  NTSTATUS update(std::vector<HANDLE> queues) {
    DXGKARG_UPDATENATIVEFENCELOGS args{};
    args.NumberOfQueues = static_cast<UINT>(queues.size());
    args.hHWQueue = queues.data();
    port.irql = DISPATCH_LEVEL;
    const NTSTATUS status = system.ddi.DxgkDdiUpdateNativeFenceLogs(&args);
    port.irql = PASSIVE_LEVEL;
    return status;
  }
  MockHostPort port;
  MockSystem system{port};
  HANDLE context = nullptr;
  HANDLE queue = nullptr;
};

constexpr std::uint64_t kEntry = abi::kQueueTable + 128;

}  // namespace

TEST_CASE("a log is set by the type in its header and its address comes last", "[kmd][log]") {
  Machine machine;
  REQUIRE(machine.set(machine.arguments(DXGK_NATIVE_FENCE_LOG_TYPE_WAITS)) == STATUS_SUCCESS);
  CHECK(machine.port.register_writes() == Writes{{kEntry + 0x38, 84},
                                                 {kEntry + 0x48, 0x91000},
                                                 {kEntry + 0x28, 0x71000},
                                                 {abi::kLogFlush, 1}});
  machine.port.calls.clear();
  REQUIRE(machine.set(machine.arguments(DXGK_NATIVE_FENCE_LOG_TYPE_SIGNALS, 5)) == STATUS_SUCCESS);
  CHECK(machine.port.register_writes() == Writes{{kEntry + 0x38, 84 | 5ULL << 32},
                                                 {kEntry + 0x50, 0x92000},
                                                 {kEntry + 0x30, 0x72000},
                                                 {abi::kLogFlush, 1}});
}

TEST_CASE("without MapToGpuSystemProcess the CMP has no address of its own for a log",
          "[kmd][log]") {
  Machine machine;
  machine.port.driver_policy.caps.map_to_system_process = false;
  DXGKARG_SETNATIVEFENCELOGBUFFER args = machine.arguments(DXGK_NATIVE_FENCE_LOG_TYPE_WAITS);
  args.LogBufferSystemProcessGpuVa = 0;
  REQUIRE(machine.set(args) == STATUS_SUCCESS);
  CHECK(machine.port.register_writes() == Writes{{kEntry + 0x38, 84},
                                                 {kEntry + 0x48, 0},
                                                 {kEntry + 0x28, 0x71000},
                                                 {abi::kLogFlush, 1}});
}

TEST_CASE("a replaced log leaves the other alone and nothing under way to the old one",
          "[kmd][log]") {
  Machine machine;
  REQUIRE(machine.set(machine.arguments(DXGK_NATIVE_FENCE_LOG_TYPE_WAITS)) == STATUS_SUCCESS);
  REQUIRE(machine.set(machine.arguments(DXGK_NATIVE_FENCE_LOG_TYPE_SIGNALS)) == STATUS_SUCCESS);
  machine.port.calls.clear();
  DXGKARG_SETNATIVEFENCELOGBUFFER args = machine.arguments(DXGK_NATIVE_FENCE_LOG_TYPE_WAITS, 20);
  args.LogBufferGpuVa = 0xAAAA000;
  REQUIRE(machine.set(args) == STATUS_SUCCESS);
  CHECK(machine.port.register_writes() == Writes{{kEntry + 0x38, 20 | 84ULL << 32},
                                                 {kEntry + 0x48, 0x91000},
                                                 {kEntry + 0x28, 0xAAAA000},
                                                 {abi::kLogFlush, 1}});
  CHECK(machine.port.calls.back().kind == Kind::kPoll);
  CHECK(machine.port.calls.back().where == abi::kLogFlushesDone);
  CHECK(machine.port.calls.back().value == 3);
}

TEST_CASE("a log with a bad argument is refused", "[kmd][log]") {
  Machine machine;
  DXGKARG_SETNATIVEFENCELOGBUFFER args = machine.arguments(DXGK_NATIVE_FENCE_LOG_TYPE_WAITS);
  NTSTATUS expected = STATUS_INVALID_PARAMETER;
  SECTION("no buffer") { args.LogBufferCpuVa = nullptr; }
  SECTION("no entries") { args.NumberOfEntries = 0; }
  SECTION("no address") { args.LogBufferGpuVa = 0; }
  SECTION("no address in the system process") { args.LogBufferSystemProcessGpuVa = 0; }
  SECTION("an unaligned address") { args.LogBufferGpuVa |= 4; }
  SECTION("an address out of the address space") { args.LogBufferSystemProcessGpuVa = 1ULL << 39; }
  SECTION("not a queue") {
    args.hHwQueue = machine.context;
    expected = STATUS_INVALID_HANDLE;
  }
  SECTION("an unknown type") {
    args = machine.arguments(3);
    expected = STATUS_NOT_SUPPORTED;
  }
  SECTION("no type") {
    args = machine.arguments(0);
    expected = STATUS_NOT_SUPPORTED;
  }
  CHECK(machine.set(args) == expected);
  CHECK(machine.port.register_writes().empty());
}

TEST_CASE("a queue without user-mode submission gets no log", "[kmd][log]") {
  Machine machine;
  abi::QueuePrivateData data{0x40000, 0x1000, 0, 0, 0};
  DXGKARG_CREATEHWQUEUE create{};
  create.PrivateDriverDataSize = sizeof(data);
  create.pPrivateDriverData = &data;
  REQUIRE(machine.system.ddi.DxgkDdiCreateHwQueue(machine.context, &create) == STATUS_SUCCESS);
  DXGKARG_SETNATIVEFENCELOGBUFFER args = machine.arguments(DXGK_NATIVE_FENCE_LOG_TYPE_WAITS);
  args.hHwQueue = create.hHwQueue;
  CHECK(machine.set(args) == STATUS_NOT_SUPPORTED);
}

TEST_CASE("an update of the logs flushes each queue and waits for the last", "[kmd][log]") {
  Machine machine;
  const HANDLE third = machine.system.create_hw_queue(machine.context);
  machine.port.calls.clear();
  CHECK(machine.update({third, machine.queue}) == STATUS_SUCCESS);
  CHECK(machine.port.register_writes() == Writes{{abi::kLogFlush, 2}, {abi::kLogFlush, 1}});
  const auto calls = machine.port.calls_of({Kind::kPoll, Kind::kWriteRegister});
  REQUIRE(calls.size() == 3);
  CHECK(calls[2].kind == Kind::kPoll);
  CHECK(calls[2].where == abi::kLogFlushesDone);
  CHECK(calls[2].value == 2);
}

TEST_CASE("an update of the logs with one bad queue flushes none", "[kmd][log]") {
  Machine machine;
  Machine other;
  CHECK(machine.update({machine.queue, nullptr}) == STATUS_INVALID_HANDLE);
  CHECK(machine.update({machine.context}) == STATUS_INVALID_HANDLE);
  CHECK(machine.update({machine.queue, other.queue}) == STATUS_INVALID_PARAMETER);
  CHECK(machine.update({}) == STATUS_SUCCESS);
  DXGKARG_UPDATENATIVEFENCELOGS args{};
  args.NumberOfQueues = 1;
  CHECK(machine.system.ddi.DxgkDdiUpdateNativeFenceLogs(&args) == STATUS_INVALID_PARAMETER);
  CHECK(machine.port.calls.empty());
}

TEST_CASE("a device that does not answer fails the log calls", "[kmd][log]") {
  Machine machine;
  machine.port.answer_polls = false;
  CHECK(machine.update({machine.queue}) == STATUS_UNSUCCESSFUL);
  CHECK(machine.set(machine.arguments(DXGK_NATIVE_FENCE_LOG_TYPE_WAITS)) == STATUS_UNSUCCESSFUL);
}

TEST_CASE("a driver with one of the two logs refuses the other", "[kmd][log]") {
  using fenceline::kmd_host::LogTypes;
  Machine machine;
  machine.port.driver_policy.caps.log_types = LogTypes::kWaits;
  CHECK(machine.set(machine.arguments(DXGK_NATIVE_FENCE_LOG_TYPE_SIGNALS)) == STATUS_NOT_SUPPORTED);
  CHECK(machine.port.register_writes().empty());
  CHECK(machine.set(machine.arguments(DXGK_NATIVE_FENCE_LOG_TYPE_WAITS)) == STATUS_SUCCESS);
  machine.port.driver_policy.caps.log_types = LogTypes::kSignals;
  CHECK(machine.set(machine.arguments(DXGK_NATIVE_FENCE_LOG_TYPE_WAITS)) == STATUS_NOT_SUPPORTED);
  machine.port.driver_policy.caps.log_types = LogTypes::kAny;
  CHECK(machine.set(machine.arguments(3)) == STATUS_SUCCESS);
}

TEST_CASE("verbose logging reaches all queues and later ones too", "[kmd][log]") {
  Machine machine;
  const auto tell = [&](std::uint32_t verbose, UINT bytes = sizeof(abi::LoggingLevelEscape)) {
    abi::LoggingLevelEscape level{abi::kLoggingLevelEscape, verbose};
    DXGKARG_ESCAPE args{};
    args.Flags.Value = D3DDDI_ESCAPEFLAGS::kDriverKnownEscape;
    args.pPrivateDriverData = &level;
    args.PrivateDriverDataSize = bytes;
    return machine.system.ddi.DxgkDdiEscape(machine.system.adapter, &args);
  };
  CHECK(tell(2) == STATUS_INVALID_PARAMETER);
  CHECK(tell(1, 4) == STATUS_INVALID_PARAMETER);
  CHECK(machine.port.register_writes().empty());
  REQUIRE(tell(1) == STATUS_SUCCESS);
  constexpr std::uint64_t kOn = abi::kQueueEnabled | abi::kQueueVerboseLogs;
  const auto control = [](std::uint64_t slot) {
    return abi::kQueueTable + abi::kQueueEntryBytes * slot + abi::kQueueControl;
  };
  CHECK(machine.port.register_writes() ==
        Writes{{control(0), kOn}, {control(1), kOn}, {abi::kLogFlush, 1}});
  machine.port.calls.clear();
  machine.system.create_hw_queue(machine.context);
  CHECK(machine.port.register_writes().back() == Writes::value_type{control(2), kOn});
  machine.port.calls.clear();
  REQUIRE(tell(0) == STATUS_SUCCESS);
  CHECK(machine.port.register_writes().front() ==
        Writes::value_type{control(0), abi::kQueueEnabled});
  machine.port.answer_polls = false;
  CHECK(tell(1) == STATUS_UNSUCCESSFUL);
}

}  // namespace fenceline::kmd_tests::test_fence_logs
