// Contexts that the OS feeds: their creation, buffers, waits and signals.
#include <catch2/catch.hpp>

#include "tb/os/calls/context_calls.h"
#include "tb/test/support/os/fence_caller.h"
#include "tb/test/support/os/kernel_bench.h"
#include "tb/test/support/os/scripted_driver.h"

namespace fenceline::os::test_context_calls {

namespace {

using support::FenceCaller;
using support::KernelBench;
using support::ScriptedDriver;
using Flags = FenceCaller::Flags;
using Handles = FenceCaller::Handles;
using Kind = ContextQueue::Packet::Kind;
using Values = FenceCaller::Values;

constexpr Ddi kCreate = Ddi::DxgkDdiCreateContext;

/// A process that creates contexts; the driver refuses if it is to.
struct Bench : FenceCaller {
  explicit Bench(Kernel& of) : FenceCaller(of) {
    virtual_args.hDevice = args.hDevice = process.device();
    virtual_args.NodeOrdinal = args.NodeOrdinal = 1;
    ScriptedDriver::replace<kCreate>([this](HANDLE device, DXGKARG_CREATECONTEXT* context) {
      got = *context;
      return refuses ? STATUS_NO_MEMORY : ScriptedDriver::stub<kCreate>()(device, context);
    });
  }
  NTSTATUS create() { return kernel.contexts.D3DKMTCreateContext(process, args); }
  NTSTATUS create_virtual() {
    return kernel.contexts.D3DKMTCreateContextVirtual(process, virtual_args);
  }
  /// A context whose buffers stay in the OS.
  ContextQueue& held() {
    REQUIRE(create_virtual() == STATUS_SUCCESS);
    ContextQueue& context = *process.context(virtual_args.hContext);
    context.holds = 1;
    return context;
  }
  NTSTATUS submit() { return kernel.contexts.D3DKMTSubmitCommand(process, buffer()); }
  D3DKMT_SUBMITCOMMAND buffer() const {
    D3DKMT_SUBMITCOMMAND command{};
    command.Commands = 0x1000;
    command.CommandLength = 64;
    command.BroadcastContextCount = 1;
    command.BroadcastContext[0] = virtual_args.hContext;
    return command;
  }
  template <typename Args>
  Args gpu_args(const Handles& handles, const Values& values) const {
    Args of{};
    of.hContext = virtual_args.hContext;
    of.ObjectCount = static_cast<UINT>(handles.size());
    of.ObjectHandleArray = handles.data();
    of.MonitoredFenceValueArray = values.data();
    return of;
  }
  NTSTATUS gpu_wait(const Handles& handles, const Values& values) {
    return kernel.contexts.D3DKMTWaitForSynchronizationObjectFromGpu(
        process, gpu_args<D3DKMT_WAITFORSYNCHRONIZATIONOBJECTFROMGPU>(handles, values));
  }
  NTSTATUS gpu_signal(const Handles& handles, const Values& values) {
    return kernel.contexts.D3DKMTSignalSynchronizationObjectFromGpu(
        process, gpu_args<D3DKMT_SIGNALSYNCHRONIZATIONOBJECTFROMGPU>(handles, values));
  }

  D3DKMT_CREATECONTEXT args{};
  D3DKMT_CREATECONTEXTVIRTUAL virtual_args{};
  DXGKARG_CREATECONTEXT got{};
  bool refuses = false;
};

void with_bench(const std::function<void(Bench&)>& body,
                const KernelOptions& options = support::managed_kernel(),
                const top::PlatformConfig& platform = support::small_platform()) {
  KernelBench machine(options, platform, &ScriptedDriver::entry);
  machine.run({[&](Kernel& kernel) {
    Bench bench(kernel);
    body(bench);
  }});
}

}  // namespace

TEST_CASE("a context with virtual addresses is one for the driver too", "[calls]") {
  with_bench([](Bench& it) {
    CHECK(it.create_virtual() == STATUS_SUCCESS);
    CHECK(it.got.hContext == &it.process);
    CHECK(it.got.NodeOrdinal == 1);
    CHECK(it.got.EngineAffinity == 1);
    CHECK(it.got.Flags.Value == DXGK_CREATECONTEXTFLAGS::kVirtualAddressing);
    REQUIRE(it.process.contexts.size() == 1);
    const ContextQueue& made = *it.process.contexts[0];
    CHECK(it.process.context(it.virtual_args.hContext) == &made);
    CHECK(made.owner == &it.process);
    CHECK(made.process == it.process.object);
    CHECK(made.node == 1);
    CHECK(made.driver_handle != nullptr);
  });
}

TEST_CASE("a context without virtual addresses says whether it needs patching", "[calls]") {
  with_bench([](Bench& it) {
    UINT caps = DXGK_CONTEXTINFO_CAPS::kNoPatchingRequired;
    ScriptedDriver::replace<kCreate>([&](HANDLE device, DXGKARG_CREATECONTEXT* context) {
      CHECK(context->Flags.Value == 0);
      const NTSTATUS status = ScriptedDriver::stub<kCreate>()(device, context);
      context->ContextInfo.Caps.Value = caps;
      return status;
    });
    CHECK(it.create() == STATUS_SUCCESS);
    CHECK(it.args.NoPatchingRequired == TRUE);
    caps = ~caps;
    CHECK(it.create() == STATUS_SUCCESS);
    CHECK(it.args.NoPatchingRequired == FALSE);
    CHECK(it.process.context(it.args.hContext) == it.process.contexts[1]);
  });
}

TEST_CASE("a context needs a device of the process and knows no flag", "[calls]") {
  with_bench([](Bench& it) {
    const auto refused = [&](NTSTATUS status) {
      return it.create() == status && it.create_virtual() == status;
    };
    it.args.Flags = it.virtual_args.Flags.Value = 1;
    CHECK(refused(STATUS_INVALID_PARAMETER));
    it.args.Flags = it.virtual_args.Flags.Value = 0;
    ++it.args.hDevice;
    ++it.virtual_args.hDevice;
    CHECK(refused(STATUS_INVALID_PARAMETER));
    --it.args.hDevice;
    --it.virtual_args.hDevice;
    it.process.has_device = false;
    CHECK(refused(STATUS_INVALID_PARAMETER));
    it.process.has_device = true;
    it.process.in_error = true;
    CHECK(refused(STATUS_DEVICE_REMOVED));
    it.process.in_error = false;
    CHECK(it.got.hContext == nullptr);  // the driver was not asked
    it.refuses = true;
    CHECK(refused(STATUS_NO_MEMORY));
    CHECK(it.process.contexts.empty());
  });
}

TEST_CASE("an OS that feeds no contexts has none", "[calls]") {
  with_bench(
      [](Bench& it) {
        CHECK(it.create() == STATUS_NOT_SUPPORTED);
        CHECK(it.create_virtual() == STATUS_NOT_SUPPORTED);
      },
      {});
}

TEST_CASE("a context gets the memory that the driver has made for it and that of its device",
          "[calls]") {
  support::run_in_kernel([](Kernel& kernel) {
    Process& process = kernel.devices.create_process("app", 0);
    Allocation own(kernel.simulation().steps);
    process.device_states.push_back(std::make_unique<Allocation>(kernel.simulation().steps));
    Allocation& shared = *process.device_states.back();
    const auto create = [&]() -> ContextQueue& {
      D3DKMT_CREATECONTEXTVIRTUAL args{};
      args.hDevice = process.device();
      REQUIRE(kernel.contexts.D3DKMTCreateContextVirtual(process, args) == STATUS_SUCCESS);
      return *process.contexts.back();
    };
    process.states_made[kernel.simulation().steps.current()] = &own;
    CHECK(create().states == std::vector<Allocation*>{&own, &shared});
    CHECK(process.states_made.empty());
    CHECK(create().states.empty());  // the driver has made none
  });
}

TEST_CASE("a context has a priority from -7 to 7", "[calls]") {
  with_bench([](Bench& it) {
    const ContextQueue& context = it.held();
    const auto set = [&](INT priority, D3DKMT_HANDLE handle) {
      return it.kernel.contexts.D3DKMTSetContextSchedulingPriority(it.process, {handle, priority});
    };
    const D3DKMT_HANDLE handle = it.virtual_args.hContext;
    for (const INT good : {-7, 7}) {
      CHECK(set(good, handle) == STATUS_SUCCESS);
      CHECK(context.priority == good);
    }
    for (const INT bad : {-8, 8}) CHECK(set(bad, handle) == STATUS_INVALID_PARAMETER);
    CHECK(set(0, handle + 1) == STATUS_INVALID_HANDLE);
    CHECK(context.priority == 7);
  });
}

TEST_CASE("a buffer of whole words goes to one context", "[calls]") {
  with_bench([](Bench& it) {
    ContextQueue& context = it.held();
    const auto submit = [&](const D3DKMT_SUBMITCOMMAND& command) {
      return it.kernel.contexts.D3DKMTSubmitCommand(it.process, command);
    };
    D3DKMT_SUBMITCOMMAND command = it.buffer();
    command.BroadcastContextCount = 2;
    CHECK(submit(command) == STATUS_INVALID_PARAMETER);
    command = it.buffer();
    command.Commands += 4;
    CHECK(submit(command) == STATUS_INVALID_PARAMETER);
    command = it.buffer();
    command.CommandLength += 4;
    CHECK(submit(command) == STATUS_INVALID_PARAMETER);
    command = it.buffer();
    ++command.BroadcastContext[0];
    CHECK(submit(command) == STATUS_INVALID_HANDLE);
    context.ended = true;
    CHECK(it.submit() == STATUS_DEVICE_REMOVED);
    context.ended = false;
    CHECK(context.submitted == 0);
    CHECK(it.submit() == STATUS_SUCCESS);
    REQUIRE(context.packets.size() == 1);
    CHECK(context.packets[0].address == 0x1000);
    CHECK(context.packets[0].bytes == 64);
    CHECK(context.packets[0].listed.empty());
    context.packets.clear();
  });
}

TEST_CASE("a buffer wakes the adapter", "[calls]") {
  with_bench([](Bench& it) {
    ContextQueue& context = it.held();
    AdapterPower& power = *it.kernel.system.adapters[0].power;
    REQUIRE(power.set(false) == STATUS_SUCCESS);
    CHECK(it.submit() == STATUS_SUCCESS);
    CHECK(power.on());
    context.packets.clear();
    context.buffers = 0;
    REQUIRE(power.set(false) == STATUS_SUCCESS);
    context.ended = true;
    CHECK(it.submit() == STATUS_DEVICE_REMOVED);
    CHECK_FALSE(power.on());
  });
}

TEST_CASE("a context waits for each fence of a call by itself", "[calls]") {
  with_bench([](Bench& it) {
    ContextQueue& context = it.held();
    const D3DKMT_HANDLE first = it.monitored();
    const D3DKMT_HANDLE second = it.monitored();
    const D3DKMT_HANDLE native = it.native();
    CHECK(it.gpu_wait({first, second}, {1, 2}) == STATUS_SUCCESS);
    CHECK(it.gpu_wait({native}, {3}) == STATUS_SUCCESS);
    REQUIRE(context.packets.size() == 3);
    const Fence* const fences[] = {&it.fence(first), &it.fence(second), &it.fence(native)};
    for (std::size_t i = 0; i < 3; ++i) {
      CHECK(context.packets[i].kind == Kind::kWait);
      CHECK(&context.packets[i].wait->fence() == fences[i]);
      CHECK(context.packets[i].wait->point.value == i + 1);
      CHECK(context.packets[i].wait->point.through == nullptr);
      CHECK(context.packets[i].wait->waiter.number != 0);
    }
    CHECK(context.packets[0].wait->waiter.number != context.packets[1].wait->waiter.number);
    context.packets.clear();
  });
}

TEST_CASE("a signal of a context is one for all fences of the call", "[calls]") {
  with_bench([](Bench& it) {
    ContextQueue& context = it.held();
    REQUIRE(it.gpu_wait({it.monitored()}, {1}) == STATUS_SUCCESS);  // holds up what follows
    const D3DKMT_HANDLE first = it.monitored();
    const D3DKMT_HANDLE second = it.monitored();
    const D3DKMT_HANDLE native = it.native();
    CHECK(it.gpu_signal({first, second}, {1, 2}) == STATUS_SUCCESS);
    CHECK(it.gpu_signal({native}, {3}) == STATUS_SUCCESS);
    REQUIRE(context.packets.size() == 3);
    CHECK(context.packets[1].kind == Kind::kSignal);
    REQUIRE(context.packets[1].points.size() == 2);
    CHECK(context.packets[1].points[1].fence.get() == &it.fence(second));
    CHECK(context.packets[1].points[1].value == 2);
    CHECK(context.packets[1].points[1].through == nullptr);
    CHECK(context.packets[1].natives.empty());
    REQUIRE(context.packets[2].natives.size() == 1);
    CHECK(context.packets[2].natives[0].through == nullptr);
    CHECK(context.packets[2].points.empty());
    context.packets.clear();
  });
}

TEST_CASE("a wait or signal of a context that names no good object queues nothing", "[calls]") {
  with_bench([](Bench& it) {
    const ContextQueue& context = it.held();
    const D3DKMT_HANDLE fence = it.monitored();
    const D3DKMT_HANDLE unwaited = it.monitored(Flags::kNoWait);
    const D3DKMT_HANDLE unsignaled = it.monitored(Flags::kNoSignal);
    CHECK(it.gpu_wait({}, {}) == STATUS_INVALID_HANDLE);
    CHECK(it.gpu_signal({}, {}) == STATUS_INVALID_HANDLE);
    CHECK(it.gpu_wait({unwaited}, {1}) == STATUS_ACCESS_DENIED);
    CHECK(it.gpu_signal({unsignaled}, {1}) == STATUS_ACCESS_DENIED);
    ++it.virtual_args.hContext;
    CHECK(it.gpu_wait({fence}, {1}) == STATUS_INVALID_HANDLE);
    CHECK(it.gpu_signal({fence}, {1}) == STATUS_INVALID_HANDLE);
    CHECK(context.software == 0);
    --it.virtual_args.hContext;
    CHECK(it.gpu_signal({unwaited}, {1}) == STATUS_SUCCESS);
    CHECK(it.gpu_wait({unsignaled}, {0}) == STATUS_SUCCESS);
    CHECK(context.software == 2);
  });
}

TEST_CASE("a context does not wait for a value out of reach of a 32-bit fence", "[calls]") {
  top::PlatformConfig platform = support::small_platform();
  platform.gpus[0].atomics64 = platform.gpus[0].native_fences = false;
  with_bench(
      [](Bench& it) {
        const ContextQueue& context = it.held();
        CHECK(it.gpu_wait({it.monitored()}, {1ULL << 32}) == STATUS_INVALID_PARAMETER);
        CHECK(context.software == 0);
      },
      support::managed_kernel(), platform);
}

}  // namespace fenceline::os::test_context_calls
