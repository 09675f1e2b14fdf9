// Waits of threads and signals by the CPU.
#include <catch2/catch.hpp>

#include "tb/os/calls/wait_calls.h"
#include "tb/test/support/os/fence_caller.h"
#include "tb/test/support/os/kernel_bench.h"
#include "tb/test/support/os/scripted_driver.h"

namespace fenceline::os::test_wait_calls {

namespace {

using support::FenceCaller;
using support::KernelBench;
using support::ScriptedDriver;
using Flags = FenceCaller::Flags;
using Handles = FenceCaller::Handles;

/// Runs `body` for a monitored and for a native fence.
void for_both(const std::function<void(FenceCaller&, D3DKMT_HANDLE, D3DKMT_HANDLE)>& body) {
  support::run_in_kernel([&](Kernel& kernel) {
    FenceCaller caller(kernel);
    body(caller, caller.monitored(0, 5), caller.monitored(0, 5));
    body(caller, caller.native(0, 5), caller.native(0, 5));
  });
}

/// A machine whose engines store 32 bits.
top::PlatformConfig narrow() {
  top::PlatformConfig platform = support::small_platform();
  platform.gpus[0].atomics64 = platform.gpus[0].native_fences = false;
  return platform;
}

/// What a wait for a native fence returns whose thread's event is set already.
NTSTATUS wait_with_set_event(EventClear clear) {
  KernelOptions options = support::managed_kernel();
  options.ordering.os.event_clear = clear;
  NTSTATUS status = STATUS_SUCCESS;
  support::run_in_kernel(
      [&](Kernel& kernel) {
        FenceCaller caller(kernel);
        const D3DKMT_HANDLE fence = caller.native();
        kernel.system.threads.current().event.set();
        status = caller.wait({fence}, {1});
        CHECK(caller.fence(fence).waiters.empty());
      },
      options);
  return status;
}

}  // namespace

TEST_CASE("a wait for a value that is there returns at once", "[calls]") {
  for_both([](FenceCaller& caller, D3DKMT_HANDLE fence, D3DKMT_HANDLE) {
    CHECK(caller.wait({fence}, {5}) == STATUS_SUCCESS);
    CHECK(caller.fence(fence).waiters.empty());
  });
}

TEST_CASE("a wait that gives up times out and leaves no waiter", "[calls]") {
  KernelBench bench;
  bench.run({[&](Kernel& kernel) {
    FenceCaller caller(kernel);
    for (const D3DKMT_HANDLE fence : {caller.monitored(), caller.native()}) {
      bench.events.all.clear();
      CHECK(caller.wait({fence}, {6}) == STATUS_TIMEOUT);
      CHECK(caller.fence(fence).waiters.empty());
      const auto ended = bench.events.of<event::WaitTimeout>();
      REQUIRE(ended.size() == 1);
      CHECK(ended[0].value == 6);
      CHECK(bench.events.of<event::WaitDone>().empty());
    }
  }});
}

TEST_CASE("a wait without a limit ends when another thread signals", "[calls]") {
  KernelBench bench;
  std::unique_ptr<FenceCaller> caller;
  Handles fences;
  bench.run({[&](Kernel& kernel) {
               caller = std::make_unique<FenceCaller>(kernel);
               fences = {caller->monitored(), caller->native()};
               for (const D3DKMT_HANDLE& fence : fences) {
                 D3DKMT_WAITFORSYNCHRONIZATIONOBJECTFROMCPU args{};
                 const UINT64 value = 1;
                 args.ObjectCount = 1;
                 args.ObjectHandleArray = &fence;
                 args.FenceValueArray = &value;
                 CHECK(kernel.waits.D3DKMTWaitForSynchronizationObjectFromCpu(
                           caller->process, args) == STATUS_SUCCESS);
               }
             },
             [&](Kernel& kernel) {
               for (std::size_t i = 0; i < 2; ++i) {
                 while (i >= fences.size() || caller->fence(fences[i]).waiters.empty())
                   kernel.cpu().sleep(common::kMicrosecond);
                 kernel.cpu().sleep(5 * common::kMicrosecond);
                 CHECK(caller->signal({fences[i]}, {1}) == STATUS_SUCCESS);
               }
             }});
  CHECK(bench.events.of<event::WaitDone>().size() == 2);
}

TEST_CASE("a wait is for all of its fences or for any of them", "[calls]") {
  for_both([](FenceCaller& caller, D3DKMT_HANDLE there, D3DKMT_HANDLE other) {
    CHECK(caller.wait({there, other}, {5, 6}, false) == STATUS_TIMEOUT);
    CHECK(caller.wait({there, other}, {5, 6}, true) == STATUS_SUCCESS);
    CHECK(caller.wait({there, other}, {6, 6}, true) == STATUS_TIMEOUT);
    CHECK(caller.wait({there, other}, {5, 5}, false) == STATUS_SUCCESS);
    CHECK(caller.fence(other).waiters.empty());
  });
}

TEST_CASE("a wait with an event returns at once and sets the event later", "[calls]") {
  for_both([](FenceCaller& caller, D3DKMT_HANDLE fence, D3DKMT_HANDLE other) {
    KernelEvent event(caller.kernel.simulation().steps);
    CHECK(caller.wait({fence, other}, {5, 6}, true, &event) == STATUS_SUCCESS);
    CHECK(event.is_set());
    CHECK(caller.fence(other).waiters.empty());
    event.clear();
    CHECK(caller.wait({fence, other}, {5, 6}, false, &event) == STATUS_SUCCESS);
    caller.kernel.cpu().sleep(10 * common::kMicrosecond);
    CHECK_FALSE(event.is_set());
    CHECK(caller.fence(other).waiters.size() == 1);
    CHECK(caller.signal({other}, {6}) == STATUS_SUCCESS);
    CHECK(event.is_set());
    CHECK(caller.fence(other).waiters.empty());
  });
}

TEST_CASE("waits and signals are refused by the flags of the object", "[calls]") {
  support::run_in_kernel([](Kernel& kernel) {
    FenceCaller caller(kernel);
    const D3DKMT_HANDLE unwaited = caller.monitored(Flags::kNoWait);
    const D3DKMT_HANDLE unsignaled = caller.monitored(Flags::kNoSignal);
    CHECK(caller.wait({unwaited}, {0}) == STATUS_ACCESS_DENIED);
    CHECK(caller.signal({unwaited}, {1}) == STATUS_SUCCESS);
    CHECK(caller.value(unwaited) == 1);
    CHECK(caller.wait({unsignaled}, {0}) == STATUS_SUCCESS);
    CHECK(caller.signal({unsignaled}, {1}) == STATUS_ACCESS_DENIED);
    CHECK(caller.value(unsignaled) == 0);
  });
}

TEST_CASE("a wait through a handle that was closed meanwhile is refused", "[calls]") {
  for_both([](FenceCaller& caller, D3DKMT_HANDLE fence, D3DKMT_HANDLE) {
    KernelEvent event(caller.kernel.simulation().steps);
    SyncObject* const object = caller.process.sync_object(fence);
    LocalObject& local = object != nullptr ? *object->object : *caller.process.fence(fence)->object;
    local.open = false;
    CHECK(caller.wait({fence}, {6}) == STATUS_INVALID_HANDLE);
    CHECK(caller.wait({fence}, {6}, false, &event) == STATUS_INVALID_HANDLE);
    CHECK(caller.signal({fence}, {6}) == STATUS_INVALID_HANDLE);
    CHECK(caller.fence(fence).waiters.empty());
    CHECK(caller.value(fence) == 5);
  });
}

TEST_CASE("a value out of reach of a 32-bit fence is refused", "[calls]") {
  support::run_in_kernel(
      [](Kernel& kernel) {
        FenceCaller caller(kernel);
        KernelEvent event(kernel.simulation().steps);
        const D3DKMT_HANDLE fence = caller.monitored();
        CHECK(caller.wait({fence}, {1ULL << 32}) == STATUS_INVALID_PARAMETER);
        CHECK(caller.wait({fence}, {1ULL << 32}, false, &event) == STATUS_INVALID_PARAMETER);
        CHECK(caller.signal({fence}, {1ULL << 32}) == STATUS_INVALID_PARAMETER);
        CHECK(caller.fence(fence).waiters.empty());
        CHECK(caller.value(fence) == 0);
      },
      support::managed_kernel(), narrow());
}

TEST_CASE("an old event of the thread ends a wait only where it is never cleared", "[calls]") {
  CHECK(wait_with_set_event(EventClear::kFirst) == STATUS_TIMEOUT);
}

TEST_CASE("an event that is never cleared ends the next wait of its thread", "[calls]") {
  CHECK(wait_with_set_event(EventClear::kNever) == STATUS_SUCCESS);
}

TEST_CASE("an event that is cleared late ends no wait by what was before", "[calls]") {
  CHECK(wait_with_set_event(EventClear::kLate) == STATUS_TIMEOUT);
}

TEST_CASE("an event is cleared late only for a wait that is not over", "[calls]") {
  KernelOptions options = support::managed_kernel();
  options.ordering.os.event_clear = EventClear::kLate;
  support::run_in_kernel(
      [](Kernel& kernel) {
        FenceCaller caller(kernel);
        CHECK(caller.wait({caller.native(0, 5)}, {5}) == STATUS_SUCCESS);
        CHECK(kernel.system.threads.current().event.is_set());
      },
      options);
}

TEST_CASE("a wait that gives up is taken back at the device", "[calls]") {
  constexpr Ddi kUpdate = Ddi::DxgkDdiUpdateMonitoredValues;
  KernelBench bench(support::managed_kernel(), support::small_platform(), &ScriptedDriver::entry);
  bench.run({[](Kernel& kernel) {
    FenceCaller caller(kernel);
    const D3DKMT_HANDLE native = caller.native();
    ScriptedDriver::calls.clear();
    CHECK(caller.wait({native}, {1}) == STATUS_TIMEOUT);
    CHECK(ScriptedDriver::count(kUpdate) == 2);
    std::vector<bool> news;
    kernel.system.monitored.on_waits_changed = [&](bool added) { news.push_back(added); };
    CHECK(caller.wait({caller.monitored()}, {1}) == STATUS_TIMEOUT);
    CHECK(news == std::vector<bool>{true, false});
    kernel.system.monitored.on_waits_changed = nullptr;
  }});
}

TEST_CASE("a wait for a monitored fence clears the event of its thread first", "[calls]") {
  support::run_in_kernel([](Kernel& kernel) {
    FenceCaller caller(kernel);
    kernel.system.threads.current().event.set();
    CHECK(caller.wait({caller.monitored()}, {1}) == STATUS_TIMEOUT);
  });
}

TEST_CASE("a signal stores values itself or has the driver store them", "[calls]") {
  constexpr Ddi kUpdate = Ddi::DxgkDdiUpdateCurrentValuesFromCpu;
  KernelBench bench(support::managed_kernel(), support::small_platform(), &ScriptedDriver::entry);
  bench.run({[&](Kernel& kernel) {
    FenceCaller caller(kernel);
    const D3DKMT_HANDLE monitored = caller.monitored();
    const D3DKMT_HANDLE native = caller.native();
    const D3DKMT_HANDLE shared = caller.native(FenceCaller::kCrossAdapter);
    ScriptedDriver::calls.clear();
    CHECK(caller.signal({monitored}, {3}) == STATUS_SUCCESS);
    CHECK(ScriptedDriver::count(kUpdate) == 0);
    CHECK(caller.signal({native}, {4}) == STATUS_SUCCESS);
    CHECK(ScriptedDriver::count(kUpdate) == 1);
    CHECK(caller.signal({shared}, {5}) == STATUS_SUCCESS);  // by the driver of this adapter
    CHECK(ScriptedDriver::count(kUpdate) == 2);
    CHECK(caller.value(monitored) == 3);
    CHECK(caller.value(native) == 4);
    CHECK(caller.value(shared) == 5);
    CHECK(bench.events.of<event::BatchBad>().empty());
    CallOptions options;
    options.bad_handle = 0;
    ScriptedDriver::answer<kUpdate>(STATUS_SUCCESS);
    const WithOptions scope(kernel.system.threads, options);
    CHECK(caller.signal({native}, {6}) == STATUS_SUCCESS);
    CHECK(bench.events.of<event::BatchBad>().size() == 1);
  }});
}

TEST_CASE("values from another adapter are stored and the driver is told if it is to be",
          "[calls]") {
  constexpr Ddi kUpdate = Ddi::DxgkDdiUpdateCurrentValuesFromCpu;
  KernelBench bench(support::managed_kernel(), support::small_platform(), &ScriptedDriver::entry);
  bench.run({[&](Kernel& kernel) {
    FenceCaller caller(kernel);
    const D3DKMT_HANDLE fence = caller.native();
    ScriptedDriver::calls.clear();
    const auto signal = [&](D3DKMT_HANDLE handle, UINT64 value, bool notify) {
      return kernel.waits.signal_from_elsewhere(caller.process, {handle}, {value}, notify);
    };
    CHECK(signal(fence, 2, false) == STATUS_SUCCESS);
    CHECK(ScriptedDriver::count(kUpdate) == 0);
    CHECK(caller.value(fence) == 2);
    CHECK(signal(fence, 3, true) == STATUS_SUCCESS);
    CHECK(ScriptedDriver::count(kUpdate) == 1);
    CHECK(caller.value(fence) == 3);
    CHECK(signal(fence + 1, 4, true) == STATUS_INVALID_HANDLE);
    CHECK(ScriptedDriver::count(kUpdate) == 1);
  }});
}

TEST_CASE("waits have numbers of their own", "[calls]") {
  support::run_in_kernel([](Kernel& kernel) {
    const std::uint32_t first = kernel.waits.next_number();
    CHECK(kernel.waits.next_number() == first + 1);
  });
}

}  // namespace fenceline::os::test_wait_calls
