// Contexts of hardware queues: suspension, priorities, resets.
#include <algorithm>
#include <catch2/catch.hpp>
#include <utility>
#include <vector>

#include "models/abi/registers.h"
#include "tb/test/support/mock_host_port.h"

namespace fenceline::kmd_tests::test_scheduling {

namespace abi = fenceline::abi;
using fenceline::support::HostCall;
using fenceline::support::MockHostPort;
using fenceline::support::MockSystem;
using Writes = std::vector<std::pair<std::uint64_t, std::uint64_t>>;

namespace {

std::uint64_t control(std::uint32_t slot) {
  return abi::kQueueTable + abi::kQueueEntryBytes * slot + abi::kQueueControl;
}
std::uint64_t membership(std::uint32_t slot) {
  return abi::kQueueTable + abi::kQueueEntryBytes * slot + abi::kQueueContext;
}
std::uint64_t field(std::uint32_t slot, abi::HwContextField name) {
  return abi::kHwContextTable + abi::kHwContextBytes * slot + name;
}

constexpr std::uint64_t kIn = abi::kQueueEnabled;
constexpr std::uint64_t kOut = abi::kQueueEnabled | abi::kQueueRemoved;

/// A started adapter with a context of two queues (slots 0 and 1) on node 3, and one of slot 2.
struct Machine {
  Machine() {
    REQUIRE(system.start() == STATUS_SUCCESS);
    system.create_process(true);
    const HANDLE device = system.create_device(system.create_process());
    context = system.create_hw_context(device, 3);
    system.create_hw_queue(context);
    system.create_hw_queue(context);
    other = system.create_hw_context(device, 3);
    system.create_hw_queue(other);
    port.calls.clear();
  }
  NTSTATUS suspend(HANDLE which, UINT64 fence) const {
    DXGKARG_SUSPENDCONTEXT args{which, fence};
    return system.ddi.DxgkDdiSuspendContext(system.adapter, &args);
  }
  NTSTATUS resume(HANDLE which) const {
    DXGKARG_RESUMECONTEXT args{which};
    return system.ddi.DxgkDdiResumeContext(system.adapter, &args);
  }
  /// The device reports the suspension of the context in a slot.
  void report(std::uint32_t slot, std::uint64_t fence) {
    port.push_entry(abi::kUnknownSlot, 3, fence, slot, abi::InterruptCause::kContextSuspended);
    REQUIRE(system.interrupt() == TRUE);
  }
  MockHostPort port;
  MockSystem system{port};
  HANDLE context = nullptr;
  HANDLE other = nullptr;
};

}  // namespace

TEST_CASE("a context is suspended with all its queues", "[kmd][scheduling]") {
  Machine machine;
  CHECK(machine.suspend(machine.context, 7) == STATUS_PENDING);
  CHECK(machine.port.register_writes() == Writes{{field(1, abi::kContextVmid), 1},
                                                 {membership(0), 1},
                                                 {membership(1), 1},
                                                 {control(0), kOut},
                                                 {control(1), kOut},
                                                 {field(1, abi::kContextSuspend), 7}});
  machine.report(1, 7);
  REQUIRE(machine.system.notifications.size() == 1);
  const auto& data = machine.system.notifications[0].data;
  CHECK(data.InterruptType == DXGK_INTERRUPT_SUSPEND_CONTEXT_COMPLETED);
  CHECK(data.SuspendContextCompleted.ContextSuspendFence == 7);
  machine.port.calls.clear();
  CHECK(machine.suspend(machine.context, 8) == STATUS_SUCCESS);
  CHECK(machine.port.register_writes().empty());
}

TEST_CASE("a context is resumed with all its queues", "[kmd][scheduling]") {
  Machine machine;
  REQUIRE(machine.suspend(machine.context, 7) == STATUS_PENDING);
  machine.report(1, 7);
  machine.port.calls.clear();
  CHECK(machine.resume(machine.context) == STATUS_SUCCESS);
  CHECK(machine.port.register_writes() ==
        Writes{{field(1, abi::kContextResume), 1}, {control(0), kIn}, {control(1), kIn}});
  CHECK(machine.suspend(machine.context, 8) == STATUS_PENDING);
}

TEST_CASE("a stale report does not make a context suspended", "[kmd][scheduling]") {
  Machine machine;
  REQUIRE(machine.suspend(machine.context, 7) == STATUS_PENDING);
  REQUIRE(machine.resume(machine.context) == STATUS_SUCCESS);
  REQUIRE(machine.suspend(machine.context, 8) == STATUS_PENDING);
  machine.report(1, 7);
  // The OS is told all the same: it compares the fences.
  CHECK(machine.system.notifications[0].data.SuspendContextCompleted.ContextSuspendFence == 7);
  CHECK(machine.suspend(machine.context, 9) == STATUS_PENDING);
}

TEST_CASE("a queue that is created in a suspended context waits with the others",
          "[kmd][scheduling]") {
  Machine machine;
  REQUIRE(machine.suspend(machine.context, 7) == STATUS_PENDING);
  machine.port.calls.clear();
  machine.system.create_hw_queue(machine.context);
  const Writes writes = machine.port.register_writes();
  REQUIRE(!writes.empty());
  CHECK(writes.front() == std::pair{membership(3), std::uint64_t{1}});
  CHECK(writes.back() == std::pair{control(3), kOut});
}

TEST_CASE("scheduling calls with bad arguments change nothing", "[kmd][scheduling]") {
  Machine machine;
  Machine elsewhere;
  CHECK(machine.suspend(nullptr, 1) == STATUS_INVALID_HANDLE);
  CHECK(machine.suspend(elsewhere.context, 1) == STATUS_INVALID_PARAMETER);
  CHECK(machine.resume(nullptr) == STATUS_INVALID_HANDLE);
  DXGKARG_SETCONTEXTSCHEDULINGPROPERTIES args{};
  args.hContext = machine.context;
  SECTION("band") { args.PriorityBand = static_cast<DXGK_SCHEDULING_PRIORITY_BAND>(4); }
  SECTION("realtime level") { args.RealtimeBandPriorityLevel = 32; }
  SECTION("low priority") { args.InProcessPriority = -8; }
  SECTION("high priority") { args.InProcessPriority = 8; }
  CHECK(machine.system.ddi.DxgkDdiSetContextSchedulingProperties(machine.system.adapter, &args) ==
        STATUS_INVALID_PARAMETER);
  DXGKARG_SETUPPRIORITYBANDS bands{};
  bands.TargetNormalBandPercentage = 51;
  CHECK(machine.system.ddi.DxgkDdiSetupPriorityBands(machine.system.adapter, &bands) ==
        STATUS_INVALID_PARAMETER);
  const DXGKARG_RESETHWENGINE reset{99, 0};
  CHECK(machine.system.ddi.DxgkDdiResetHwEngine(machine.system.adapter, &reset) ==
        STATUS_INVALID_PARAMETER);
  const DXGKARG_RESUMEHWENGINE resume{3, 1};
  CHECK(machine.system.ddi.DxgkDdiResumeHwEngine(machine.system.adapter, &resume) ==
        STATUS_INVALID_PARAMETER);
  CHECK(machine.port.register_writes().empty());
}

TEST_CASE("the device is told of scheduling properties", "[kmd][scheduling]") {
  Machine machine;
  DXGKARG_SETCONTEXTSCHEDULINGPROPERTIES args{};
  args.hContext = machine.other;
  args.PriorityBand = DXGK_SCHEDULING_PRIORITY_BAND_REALTIME;
  args.RealtimeBandPriorityLevel = 5;
  args.InProcessPriority = -2;
  args.Quantum = 100;
  args.GracePeriodSamePriority = 20;
  args.GracePeriodLowerPriority = 30;
  REQUIRE(machine.system.ddi.DxgkDdiSetContextSchedulingProperties(machine.system.adapter, &args) ==
          STATUS_SUCCESS);
  CHECK(machine.port.register_writes() ==
        Writes{{field(1, abi::kContextVmid), 1},
               {membership(2), 1},
               {field(1, abi::kContextQuantum), 100},
               {field(1, abi::kContextGraceSame), 20},
               {field(1, abi::kContextGraceLower), 30},
               {field(1, abi::kContextRank), 3 | 5 << 8 | 5 << 16}});
  machine.port.calls.clear();
  DXGKARG_SETUPPRIORITYBANDS bands{};
  bands.GracePeriodForBand[2] = 9;
  REQUIRE(machine.system.ddi.DxgkDdiSetupPriorityBands(machine.system.adapter, &bands) ==
          STATUS_SUCCESS);
  CHECK(machine.port.registers[abi::kBandGrace + 16] == 9);
}

TEST_CASE("a driver that fails to reset an engine says so", "[kmd][scheduling]") {
  Machine machine;
  const DXGKARG_RESETHWENGINE reset{3, 0};
  machine.port.answer_polls = false;  // the device does not do it
  CHECK(machine.system.ddi.DxgkDdiResetHwEngine(machine.system.adapter, &reset) ==
        STATUS_UNSUCCESSFUL);
}

TEST_CASE("a reset loses the context that ran", "[kmd][scheduling]") {
  Machine machine;
  REQUIRE(machine.suspend(machine.context, 1) == STATUS_PENDING);
  REQUIRE(machine.resume(machine.context) == STATUS_SUCCESS);
  REQUIRE(machine.suspend(machine.other, 2) == STATUS_PENDING);
  machine.port.on_call = [&](const HostCall& call) {
    if (call.kind == HostCall::Kind::kWriteRegister && call.where == abi::kEngineReset + 24)
      machine.port.registers[call.where] = 0;
  };
  machine.port.registers[abi::kEngineQueue + 24] = 2;  // queue 1
  machine.port.calls.clear();
  const DXGKARG_RESETHWENGINE reset{3, 0};
  REQUIRE(machine.system.ddi.DxgkDdiResetHwEngine(machine.system.adapter, &reset) ==
          STATUS_SUCCESS);
  CHECK(machine.port.register_writes() == Writes{{abi::kEngineReset + 24, abi::kResetAndHold},
                                                 {abi::kLogFlush, 0},
                                                 {control(0), 0},
                                                 {abi::kLogFlush, 0},
                                                 {control(1), 0},
                                                 {abi::kLogFlush, 1},
                                                 {field(1, abi::kContextResume), 1}});
  // What is lost is as good as suspended, and nothing puts it into the run list again.
  machine.port.calls.clear();
  CHECK(machine.suspend(machine.context, 3) == STATUS_SUCCESS);
  CHECK(machine.resume(machine.context) == STATUS_SUCCESS);
  CHECK(machine.port.register_writes().empty());
  const DXGKARG_RESUMEHWENGINE resume{3, 0};
  CHECK(machine.system.ddi.DxgkDdiResumeHwEngine(machine.system.adapter, &resume) ==
        STATUS_SUCCESS);
  CHECK(machine.port.register_writes() == Writes{{abi::kEngineResume + 24, 1}});
}

TEST_CASE("the driver reports no preemption of an engine that is not resumed yet",
          "[kmd][scheduling]") {
  Machine machine;
  machine.port.registers[abi::kEngineReset + 24] = 0;
  machine.port.on_call = [&](const HostCall& call) {
    if (call.kind == HostCall::Kind::kWriteRegister && call.where == abi::kEngineReset + 24)
      machine.port.registers[call.where] = 0;
  };
  const DXGKARG_RESETHWENGINE reset{3, 0};
  REQUIRE(machine.system.ddi.DxgkDdiResetHwEngine(machine.system.adapter, &reset) ==
          STATUS_SUCCESS);
  machine.port.calls.clear();
  const DXGKARG_PREEMPTCOMMAND preempt{7, 3, 0, {}};
  const auto ask = [&] {
    return machine.system.ddi.DxgkDdiPreemptCommand(machine.system.adapter, &preempt);
  };
  REQUIRE(ask() == STATUS_SUCCESS);
  CHECK(machine.system.notifications.empty());
  CHECK(machine.port.register_writes() == Writes{{abi::kPreempt + 24, 7}});

  const DXGKARG_RESUMEHWENGINE resume{3, 0};
  REQUIRE(machine.system.ddi.DxgkDdiResumeHwEngine(machine.system.adapter, &resume) ==
          STATUS_SUCCESS);
  REQUIRE(ask() == STATUS_SUCCESS);
  CHECK(machine.system.notifications.size() == 1);
}

TEST_CASE("the driver reports an engine that the device takes for hung", "[kmd][scheduling]") {
  Machine machine;
  const auto hangs = [&](std::uint32_t slot) {
    machine.port.push_entry(abi::kUnknownSlot, 3, 0, slot, abi::InterruptCause::kEngineTimeout);
    machine.system.interrupt();
  };
  hangs(1);
  REQUIRE(machine.system.notifications.size() == 1);
  const auto& timeout = machine.system.notifications[0].data;
  CHECK(timeout.InterruptType == DXGK_INTERRUPT_GPU_ENGINE_TIMEOUT);
  CHECK(timeout.GpuEngineTimeout.NodeOrdinal == 3);
  machine.port.driver_policy.caps.engine_timeout = fenceline::kmd_host::EngineTimeout::kStateChange;
  hangs(1);
  REQUIRE(machine.system.notifications.size() == 2);
  const auto& change = machine.system.notifications[1].data;
  CHECK(change.InterruptType == DXGK_INTERRUPT_GPU_ENGINE_STATE_CHANGE);
  CHECK(change.EngineStateChange.NewState == DXGK_ENGINE_STATE_HUNG);
  hangs(9);  // nobody's slot
  CHECK(machine.system.notifications.size() == 2);
}

TEST_CASE("the report of a hang that a reset has ended goes no further", "[kmd][scheduling]") {
  Machine machine;
  machine.port.on_call = [&](const HostCall& call) {
    if (call.kind == HostCall::Kind::kWriteRegister && call.where == abi::kEngineReset + 24)
      machine.port.registers[call.where] = 0;
  };
  machine.port.registers[abi::kEngineQueue + 24] = 2;  // queue 1
  const DXGKARG_RESETHWENGINE reset{3, 0};
  REQUIRE(machine.system.ddi.DxgkDdiResetHwEngine(machine.system.adapter, &reset) ==
          STATUS_SUCCESS);
  for (const std::uint32_t slot : {0U, 1U})
    machine.port.push_entry(abi::kUnknownSlot, 3, 0, slot, abi::InterruptCause::kEngineTimeout);
  machine.system.interrupt();
  CHECK(machine.system.notifications.empty());
  machine.port.push_entry(abi::kUnknownSlot, 3, 0, 2, abi::InterruptCause::kEngineTimeout);
  machine.system.interrupt();
  CHECK(machine.system.notifications.size() == 1);
}

TEST_CASE("an engine that is reset with others is not reset alone", "[kmd][scheduling]") {
  MockHostPort port;
  port.registers[abi::kResetGroup] = 0b1100;
  MockSystem system(port);
  REQUIRE(system.start() == STATUS_SUCCESS);
  const DXGKARG_RESETHWENGINE in_group{3, 0};
  CHECK(system.ddi.DxgkDdiResetHwEngine(system.adapter, &in_group) == STATUS_UNSUCCESSFUL);
  const DXGKARG_RESETHWENGINE alone{1, 0};
  port.registers[abi::kEngineReset + 8] = 0;
  CHECK(system.ddi.DxgkDdiResetHwEngine(system.adapter, &alone) == STATUS_SUCCESS);
}

TEST_CASE("a reset of an engine holds it while the driver ends the queue that ran",
          "[kmd][scheduling]") {
  Machine machine;
  const auto& ddi = machine.system.ddi;
  DXGKARG_CREATECONTEXT create{};
  create.NodeOrdinal = 3;
  create.EngineAffinity = 1;
  const HANDLE device = machine.system.create_device(machine.system.create_process());
  REQUIRE(ddi.DxgkDdiCreateContext(device, &create) == STATUS_SUCCESS);
  DXGKARG_SUBMITCOMMANDVIRTUAL buffer{};
  buffer.hContext = create.hContext;
  buffer.NodeOrdinal = 3;
  buffer.SubmissionFenceId = 1;
  REQUIRE(ddi.DxgkDdiSubmitCommandVirtual(machine.system.adapter, &buffer) == STATUS_SUCCESS);
  machine.port.on_call = [&](const HostCall& call) {
    if (call.kind == HostCall::Kind::kWriteRegister && call.where == abi::kEngineReset + 24)
      machine.port.registers[call.where] = 0;
  };
  machine.port.registers[abi::kEngineQueue + 24] = 3;  // queue 2
  machine.port.calls.clear();
  DXGKARG_RESETENGINE reset{3, 0, 0};
  REQUIRE(ddi.DxgkDdiResetEngine(machine.system.adapter, &reset) == STATUS_SUCCESS);
  const Writes writes = machine.port.register_writes();
  CHECK(writes.front() == Writes::value_type{abi::kEngineReset + 24, abi::kResetAllAndHold});
  CHECK(std::count(writes.begin(), writes.end(), Writes::value_type{control(2), 0}) == 1);
  CHECK(writes.back() == Writes::value_type{abi::kEngineResume + 24, 1});
}

}  // namespace fenceline::kmd_tests::test_scheduling
