// Devices in error: their work ends, and fences that they may signal count as signalled.
#include <catch2/catch.hpp>

#include "tb/os/dxgk/device_errors.h"
#include "tb/test/support/os/fence_caller.h"
#include "tb/test/support/os/kernel_bench.h"
#include "tb/test/support/os/queue_request.h"
#include "tb/test/support/os/scripted_driver.h"

namespace fenceline::os::test_device_errors {

namespace {

using support::FenceCaller;
using support::KernelBench;
using support::QueueRequest;
using support::ScriptedDriver;
using Flags = FenceCaller::Flags;

constexpr UINT kShared = FenceCaller::kShared;

/// A process whose device fails, and another one.
struct Bench {
  Bench(Kernel& of, KernelBench& on) : kernel(of), machine(on), failing(of), other(of) {}

  void fail(bool asked = false) { kernel.device_errors.fail(failing.process, asked); }
  bool given_up(D3DKMT_HANDLE fence) { return failing.fence(fence).always_signaled; }
  ContextQueue& context() {
    D3DKMT_CREATECONTEXTVIRTUAL args{};
    args.hDevice = failing.process.device();
    REQUIRE(kernel.contexts.D3DKMTCreateContextVirtual(failing.process, args) == STATUS_SUCCESS);
    return *failing.process.contexts.back();
  }
  /// The other process opens a fence of the failing one, which closes it.
  std::shared_ptr<Fence> leave_to_other(D3DKMT_HANDLE shared) {
    const HANDLE handle = failing.process.nt_handle(shared);
    const bool native = failing.process.fence(shared) != nullptr;
    if (native) {
      D3DKMT_OPENNATIVEFENCEFROMNTHANDLE args{};
      args.hNtHandle = handle;
      args.hDevice = other.process.device();
      REQUIRE(kernel.native_fences.D3DKMTOpenNativeFenceFromNtHandle(other.process, args) ==
              STATUS_SUCCESS);
    } else {
      D3DKMT_OPENSYNCOBJECTFROMNTHANDLE2 args{};
      args.hNtHandle = handle;
      args.hDevice = other.process.device();
      REQUIRE(kernel.sync_objects.D3DKMTOpenSyncObjectFromNtHandle2(other.process, args) ==
              STATUS_SUCCESS);
    }
    std::shared_ptr<Fence> fence = kernel.system.shared_fence(handle);
    REQUIRE(failing.destroy(shared) == STATUS_SUCCESS);
    return fence;
  }

  Kernel& kernel;
  KernelBench& machine;
  FenceCaller failing, other;
};

void with_bench(const std::function<void(Bench&)>& body,
                const KernelOptions& options = support::managed_kernel(),
                std::uint32_t doorbells = 0) {
  top::PlatformConfig platform = support::small_platform();
  platform.gpus[0].command_processor.doorbells = doorbells;
  KernelBench machine(options, platform, &ScriptedDriver::entry);
  machine.run({[&](Kernel& kernel) {
    Bench bench(kernel, machine);
    body(bench);
  }});
}

}  // namespace

TEST_CASE("a device fails once", "[dxgk]") {
  with_bench([](Bench& it) {
    it.fail(true);
    CHECK(it.failing.process.in_error);
    CHECK_FALSE(it.other.process.in_error);
    it.fail();
    const auto errors = it.machine.events.of<event::DeviceError>();
    REQUIRE(errors.size() == 1);
    CHECK(errors[0].process == it.failing.process.object);
    CHECK(errors[0].asked);
  });
}

TEST_CASE("a blocked process is not in error by that", "[dxgk]") {
  with_bench([](Bench& it) {
    it.kernel.device_errors.block(it.failing.process);
    CHECK(it.failing.process.blocked);
    CHECK_FALSE(it.failing.process.in_error);
    CHECK_FALSE(it.other.process.blocked);
  });
}

TEST_CASE("contexts of a device in error end", "[dxgk]") {
  with_bench([](Bench& it) {
    const ContextQueue& context = it.context();
    it.fail();
    CHECK(context.ended);
    CHECK_FALSE(it.machine.events.of<event::DeviceError>().at(0).asked);
  });
}

TEST_CASE("an OS that ends lost work only leaves other contexts", "[dxgk]") {
  KernelOptions options = support::managed_kernel();
  options.adapter.system.preemption.ends_all_work = false;
  with_bench(
      [](Bench& it) {
        const ContextQueue& context = it.context();
        it.fail();
        CHECK_FALSE(context.ended);
      },
      options);
}

TEST_CASE("an OS without contexts has devices that fail", "[dxgk]") {
  with_bench(
      [](Bench& it) {
        const D3DKMT_HANDLE fence = it.failing.monitored();
        ScriptedDriver::calls.clear();
        it.fail();
        CHECK(it.given_up(fence));
        CHECK(ScriptedDriver::count(Ddi::DxgkDdiUpdateCurrentValuesFromCpu) == 0);
      },
      {});
}

TEST_CASE("hardware contexts of a device in error end", "[dxgk]") {
  KernelOptions options = support::managed_kernel();
  options.adapter.system.context_scheduling.enabled = true;
  top::PlatformConfig platform = support::small_platform();
  platform.gpus[0].command_processor.schedules = true;
  KernelBench machine(options, platform, &ScriptedDriver::entry);
  machine.run({[&](Kernel& kernel) {
    Bench it(kernel, machine);
    QueueRequest request(kernel, it.failing.process);
    QueueRequest of_other(kernel, it.other.process);
    REQUIRE(request.create() == STATUS_SUCCESS);
    REQUIRE(of_other.create() == STATUS_SUCCESS);
    it.fail();
    CHECK(request.queue().context->ended);
    CHECK_FALSE(of_other.queue().context->ended);
  }});
}

TEST_CASE("a native fence that is about to end is left by an error", "[dxgk]") {
  with_bench([](Bench& it) {
    const D3DKMT_HANDLE native = it.failing.native();
    it.failing.fence(native).usable = false;
    it.fail();
    CHECK_FALSE(it.given_up(native));
    it.failing.fence(native).usable = true;
  });
}

TEST_CASE("shared doorbells of a device in error are disconnected for good", "[dxgk]") {
  with_bench(
      [](Bench& it) {
        QueueRequest first(it.kernel, it.failing.process);
        QueueRequest second(it.kernel, it.failing.process);
        REQUIRE(first.create() == STATUS_SUCCESS);
        REQUIRE(second.create() == STATUS_SUCCESS);
        it.fail();
        CHECK(first.queue().user_doorbell->aborted);
        CHECK(second.queue().user_doorbell->aborted);
      },
      support::managed_kernel(), 2);
}

TEST_CASE("a doorbell that its queue owns survives an error of the device", "[dxgk]") {
  with_bench([](Bench& it) {
    QueueRequest request(it.kernel, it.failing.process);
    REQUIRE(request.create() == STATUS_SUCCESS);
    it.fail();
    CHECK(request.queue().user_doorbell == nullptr);
    CHECK(request.queue().doorbell_bus != 0);
  });
}

TEST_CASE("fences that a device in error may signal are signalled", "[dxgk]") {
  with_bench([](Bench& it) {
    const D3DKMT_HANDLE monitored = it.failing.monitored();
    const D3DKMT_HANDLE native = it.failing.native();
    const D3DKMT_HANDLE common = it.failing.native(FenceCaller::kCrossAdapter);
    const D3DKMT_HANDLE unsignaled = it.failing.monitored(Flags::kNoSignal);
    const D3DKMT_HANDLE of_other = it.other.monitored();
    KernelEvent event(it.kernel.simulation().steps);
    it.failing.cpu_event(event);
    it.fail();
    for (const D3DKMT_HANDLE fence : {monitored, native, common}) CHECK(it.given_up(fence));
    CHECK_FALSE(it.given_up(unsignaled));
    CHECK_FALSE(it.other.fence(of_other).always_signaled);
    CHECK(it.failing.value(monitored) == UINT64_MAX);
    CHECK(it.failing.value(native) == 0xFFFFFFFF);
    CHECK(it.failing.value(common) == UINT64_MAX);
  });
}

TEST_CASE("fences that are to keep their value in an error keep it", "[dxgk]") {
  with_bench([](Bench& it) {
    const D3DKMT_HANDLE kept[] = {
        it.failing.monitored(Flags::kNoSignalMaxValueOnTdr),
        it.failing.native(Flags::kNoSignalMaxValueOnTdr),
        it.failing.native(FenceCaller::kCrossAdapter | Flags::kNoSignalMaxValueOnTdr)};
    const D3DKMT_HANDLE other = it.failing.native();
    it.fail();
    for (const D3DKMT_HANDLE fence : kept) CHECK_FALSE(it.given_up(fence));
    CHECK(it.given_up(other));
  });
}

TEST_CASE("an OS that keeps no values signals all fences of a device in error", "[dxgk]") {
  KernelOptions options = support::managed_kernel();
  options.adapter.system.preemption.keeps_values = false;
  with_bench(
      [](Bench& it) {
        const D3DKMT_HANDLE all[] = {
            it.failing.monitored(Flags::kNoSignalMaxValueOnTdr),
            it.failing.native(Flags::kNoSignalMaxValueOnTdr),
            it.failing.native(FenceCaller::kCrossAdapter | Flags::kNoSignalMaxValueOnTdr)};
        it.fail();
        for (const D3DKMT_HANDLE fence : all) CHECK(it.given_up(fence));
      },
      options);
}

TEST_CASE("an OS that signals no lost fences leaves them", "[dxgk]") {
  KernelOptions options = support::managed_kernel();
  options.adapter.system.preemption.signals_lost = false;
  with_bench(
      [](Bench& it) {
        const D3DKMT_HANDLE all[] = {it.failing.monitored(), it.failing.native()};
        it.fail();
        for (const D3DKMT_HANDLE fence : all) CHECK_FALSE(it.given_up(fence));
      },
      options);
}

TEST_CASE("a closed fence that pending work may signal is signalled", "[dxgk]") {
  with_bench([](Bench& it) {
    ContextQueue& context = it.context();
    context.submitted = 1;  // it is never complete
    const auto monitored = it.leave_to_other(it.failing.monitored(kShared));
    const auto native = it.leave_to_other(it.failing.native(kShared));
    const auto kept = it.leave_to_other(it.failing.native(kShared | Flags::kNoSignalMaxValueOnTdr));
    it.fail();
    CHECK(monitored->always_signaled);
    CHECK(native->always_signaled);
    CHECK_FALSE(kept->always_signaled);
    context.submitted = 0;
  });
}

TEST_CASE("a closed fence that no work can signal is left", "[dxgk]") {
  with_bench([](Bench& it) {
    const auto monitored = it.leave_to_other(it.failing.monitored(kShared));
    const auto native = it.leave_to_other(it.failing.native(kShared));
    it.fail();
    CHECK_FALSE(monitored->always_signaled);
    CHECK_FALSE(native->always_signaled);
  });
}

TEST_CASE("a closed fence of a process with hardware queues is signalled", "[dxgk]") {
  with_bench([](Bench& it) {
    QueueRequest request(it.kernel, it.failing.process);
    REQUIRE(request.create() == STATUS_SUCCESS);
    const auto monitored = it.leave_to_other(it.failing.monitored(kShared));
    const auto native = it.leave_to_other(it.failing.native(kShared));
    it.fail();
    CHECK(monitored->always_signaled);
    CHECK(native->always_signaled);
  });
}

TEST_CASE("a closed fence that has ended is left", "[dxgk]") {
  with_bench([](Bench& it) {
    QueueRequest request(it.kernel, it.failing.process);
    REQUIRE(request.create() == STATUS_SUCCESS);
    const auto monitored = it.leave_to_other(it.failing.monitored(kShared));
    const auto native = it.leave_to_other(it.failing.native(kShared));
    monitored->usable = native->usable = false;
    it.fail();
    CHECK_FALSE(monitored->always_signaled);
    CHECK_FALSE(native->always_signaled);
    monitored->usable = native->usable = true;
  });
}

}  // namespace fenceline::os::test_device_errors
