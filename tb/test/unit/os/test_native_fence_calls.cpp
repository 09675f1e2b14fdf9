// Native fences of processes: creation, opening, and the order of the close.
#include <catch2/catch.hpp>
#include <cstring>

#include "tb/os/calls/native_fence_calls.h"
#include "tb/test/support/fence_caller.h"
#include "tb/test/support/kernel_bench.h"
#include "tb/test/support/queue_request.h"
#include "tb/test/support/scripted_driver.h"

namespace fenceline::os::test_native_fence_calls {

namespace {

using common::Home;
using support::FenceCaller;
using support::KernelBench;
using support::ScriptedDriver;
using Flags = FenceCaller::Flags;

constexpr UINT kShared = FenceCaller::kShared;
constexpr Ddi kCreate = Ddi::DxgkDdiCreateNativeFence;
constexpr Ddi kOpen = Ddi::DxgkDdiOpenNativeFence;
constexpr Ddi kClose = Ddi::DxgkDdiCloseNativeFence;
constexpr Ddi kDestroy = Ddi::DxgkDdiDestroyNativeFence;

/// Two processes on the first of two adapters, one on the second.
struct Bench {
  Bench(Kernel& kernel, KernelBench& on)
      : first(kernel), second(kernel), elsewhere(kernel, 1), machine(on) {
    on.events.all.clear();
    ScriptedDriver::calls.clear();
  }
  NTSTATUS open(FenceCaller& by, HANDLE nt_handle) {
    args = {};
    args.hNtHandle = nt_handle;
    args.hDevice = by.process.device();
    return by.kernel.native_fences.D3DKMTOpenNativeFenceFromNtHandle(by.process, args);
  }
  /// NT handle of a fence that the first process has made.
  HANDLE handle_of(D3DKMT_HANDLE shared) { return first.process.nt_handle(shared); }
  std::shared_ptr<NativeFence> native_of(D3DKMT_HANDLE fence) {
    return first.process.fence(fence)->fence;
  }
  template <typename Event>
  std::size_t count() const {
    return machine.events.of<Event>().size();
  }
  FenceList& known() { return first.kernel.system.fences; }

  FenceCaller first, second, elsewhere;
  KernelBench& machine;
  D3DKMT_OPENNATIVEFENCEFROMNTHANDLE args{};
};

void with_bench(const std::function<void(Bench&)>& body,
                const KernelOptions& options = support::managed_kernel()) {
  top::PlatformConfig platform = support::small_platform();
  platform.gpus.push_back(platform.gpus[0]);
  platform.gpus[1].name = "gpu1";
  KernelBench machine(options, platform, &ScriptedDriver::entry);
  machine.run({[&](Kernel& kernel) {
    Bench bench(kernel, machine);
    body(bench);
  }});
}

std::ptrdiff_t calls(Ddi ddi) { return ScriptedDriver::count(ddi); }

}  // namespace

TEST_CASE("an adapter without native fences makes and opens none", "[calls]") {
  top::PlatformConfig platform = support::small_platform();
  platform.gpus[0].native_fences = false;
  support::run_in_kernel(
      [](Kernel& kernel) {
        FenceCaller caller(kernel);
        D3DKMT_HANDLE handle = 0;
        CHECK(caller.create_native(handle) == STATUS_NOT_SUPPORTED);
        D3DKMT_OPENNATIVEFENCEFROMNTHANDLE args{};
        args.hNtHandle = caller.process.nt_handle(caller.monitored(kShared));
        args.hDevice = caller.process.device();
        CHECK(kernel.native_fences.D3DKMTOpenNativeFenceFromNtHandle(caller.process, args) ==
              STATUS_NOT_SUPPORTED);
      },
      support::managed_kernel(), platform);
}

TEST_CASE("a native fence needs a device and the one type that there is and no flag", "[calls]") {
  with_bench([](Bench& it) {
    Process& process = it.first.process;
    D3DKMT_CREATENATIVEFENCE args{};
    args.hDevice = process.device();
    const auto create = [&] {
      return it.first.kernel.native_fences.D3DKMTCreateNativeFence(process, args);
    };
    args.Info.Type = D3DDDI_NATIVEFENCE_TYPE_INTRA_GPU;
    CHECK(create() == STATUS_INVALID_PARAMETER);
    args.Info.Type = D3DDDI_NATIVEFENCE_TYPE_DEFAULT;
    args.Flags.Value = 1;
    CHECK(create() == STATUS_INVALID_PARAMETER);
    args.Flags.Value = 0;
    ++args.hDevice;
    CHECK(create() == STATUS_INVALID_PARAMETER);
    --args.hDevice;
    process.in_error = true;
    CHECK(create() == STATUS_DEVICE_REMOVED);
    process.has_device = false;
    CHECK(create() == STATUS_INVALID_PARAMETER);
    CHECK(ScriptedDriver::calls.empty());
    process.has_device = true;
    process.in_error = false;
    CHECK(create() == STATUS_SUCCESS);
    CHECK(process.fences.size() == 1);
    CHECK(args.Info.NativeFenceMapping.CurrentValueGpuVa ==
          process.fence(args.hSyncObject)->mapping.CurrentValueGpuVa);
  });
}

TEST_CASE("a native fence has what its creator wants of it", "[calls]") {
  with_bench([](Bench& it) {
    const D3DKMT_HANDLE handle =
        it.first.native(kShared | Flags::kUnwaitCpuWaitersOnlyOnDestroy, 9);
    const NativeFence& fence = *it.native_of(handle);
    CHECK(fence.shared);
    CHECK(fence.unwaits_late);
    CHECK(fence.initial_value == 9);
    CHECK(it.first.value(handle) == 9);
    CHECK(fence.adapter == &it.first.kernel.adapter(0));
    CHECK(fence.opens == 1);
    CHECK(it.known().back().get() == &fence);
    CHECK(it.first.kernel.system.adapters[0].scheduler->fences().back().get() == &fence);
    CHECK_FALSE(it.native_of(it.first.native())->shared);
  });
}

TEST_CASE("values of a native fence are where the call or the settings put them", "[calls]") {
  KernelOptions options = support::managed_kernel();
  options.ordering.mem.cv_home = Home::kSysmem;
  options.ordering.mem.mv_home = Home::kVram;
  with_bench(
      [](Bench& it) {
        const NativeFence& usual = *it.native_of(it.first.native());
        CHECK_FALSE(usual.current.vram);
        CHECK(usual.monitored.vram);
        CallOptions wanted;
        wanted.current_value_home = Home::kVram;
        wanted.monitored_value_home = Home::kSysmem;
        const WithOptions scope(it.first.kernel.system.threads, wanted);
        const NativeFence& other = *it.native_of(it.first.native());
        CHECK(other.current.vram);
        CHECK_FALSE(other.monitored.vram);
      },
      options);
}

TEST_CASE("a native fence that the driver refuses leaves nothing behind", "[calls]") {
  with_bench([](Bench& it) {
    D3DKMT_HANDLE handle = 0;
    ScriptedDriver::answer<kCreate>(STATUS_NO_MEMORY);
    CHECK(it.first.create_native(handle) == STATUS_NO_MEMORY);
    CHECK(calls(kOpen) == 0);
    CHECK(calls(kDestroy) == 0);
    ScriptedDriver::replace<kCreate>(nullptr);
    ScriptedDriver::answer<kOpen>(STATUS_NO_MEMORY);
    CHECK(it.first.create_native(handle) == STATUS_NO_MEMORY);
    CHECK(calls(kDestroy) == 1);
    CHECK(handle == 0);
    CHECK(it.first.process.fences.empty());
    CHECK(it.known().empty());
    CHECK(it.first.kernel.system.adapters[0].scheduler->fences().empty());
  });
}

TEST_CASE("memory of fences that have ended or that the driver refuses is used again", "[calls]") {
  with_bench([](Bench& it) {
    constexpr int kMany = 140;  // memory is taken back from several fences together
    D3DKMT_HANDLE handle = 0;
    for (int i = 0; i < kMany; ++i) it.first.destroy(it.first.native());
    CHECK(it.count<event::FenceStorageFree>() != 0);
    it.machine.events.all.clear();
    ScriptedDriver::answer<kOpen>(STATUS_NO_MEMORY);
    for (int i = 0; i < kMany; ++i) it.first.create_native(handle);
    CHECK(it.count<event::FenceStorageFree>() != 0);
    it.machine.events.all.clear();
    ScriptedDriver::answer<kCreate>(STATUS_NO_MEMORY);
    for (int i = 0; i < kMany; ++i) it.first.create_native(handle);
    CHECK(it.count<event::FenceStorageFree>() != 0);
  });
}

TEST_CASE("a native fence for several adapters has a common part", "[calls]") {
  with_bench([](Bench& it) {
    D3DKMT_HANDLE handle = 0;
    CHECK(it.first.create_native(handle, Flags::kCrossAdapter) == STATUS_INVALID_PARAMETER);
    CHECK(it.first.process.fences.empty());
    CHECK(it.first.create_native(handle, FenceCaller::kCrossAdapter, 4) == STATUS_SUCCESS);
    const NativeFence& fence = *it.native_of(handle);
    REQUIRE(fence.origin != nullptr);
    CHECK(fence.origin->native);
    CHECK(fence.origin->initial_value == 4);
  });
}

TEST_CASE("a native fence that comes while its device fails counts as signalled", "[calls]") {
  with_bench([](Bench& it) {
    ScriptedDriver::replace<kOpen>([&](HANDLE adapter, auto* args) {
      it.first.process.in_error = true;
      return ScriptedDriver::stub<kOpen>()(adapter, args);
    });
    const D3DKMT_HANDLE handle = it.first.native();
    CHECK(it.native_of(handle)->always_signaled);
  });
}

TEST_CASE("a native fence is opened on its adapter with the data of its creation", "[calls]") {
  with_bench([](Bench& it) {
    ScriptedDriver::replace<kCreate>([](HANDLE adapter, auto* args) {
      const NTSTATUS status = ScriptedDriver::stub<kCreate>()(adapter, args);
      args->pPrivateDriverData[5] = 77;
      return status;
    });
    const D3DKMT_HANDLE shared = it.first.native(kShared);
    CHECK(it.open(it.second, it.handle_of(shared)) == STATUS_SUCCESS);
    CHECK(it.args.PrivateDriverData[5] == 77);
    const LocalFence* const local = it.second.process.fence(it.args.hSyncObject);
    REQUIRE(local != nullptr);
    CHECK(local->fence == it.native_of(shared));
    CHECK(local->fence->opens == 2);
    CHECK(it.args.NativeFenceMapping.CurrentValueGpuVa == local->mapping.CurrentValueGpuVa);
    CHECK(it.open(it.elsewhere, it.handle_of(shared)) == STATUS_NOT_SUPPORTED);
    ScriptedDriver::answer<kOpen>(STATUS_NO_MEMORY);
    CHECK(it.open(it.second, it.handle_of(shared)) == STATUS_NO_MEMORY);
    CHECK(local->fence->opens == 2);
    CHECK(it.second.process.fences.size() == 1);
  });
}

TEST_CASE("a monitored fence is opened as a native one on another adapter only", "[calls]") {
  with_bench([](Bench& it) {
    const HANDLE monitored = it.handle_of(it.first.monitored(kShared));
    const HANDLE common = it.handle_of(it.first.native(FenceCaller::kCrossAdapter));
    CHECK(it.open(it.second, monitored) == STATUS_NOT_SUPPORTED);
    CHECK(it.open(it.elsewhere, monitored) == STATUS_SUCCESS);
    CHECK(it.open(it.second, common) == STATUS_SUCCESS);
    CHECK(it.open(it.elsewhere, common) == STATUS_SUCCESS);
  });
}

TEST_CASE("a native fence is opened by a device that is not in error and by its NT handle",
          "[calls]") {
  with_bench([](Bench& it) {
    const HANDLE shared = it.handle_of(it.first.native(kShared));
    CHECK(it.open(it.second, nullptr) == STATUS_INVALID_HANDLE);
    it.second.process.in_error = true;
    CHECK(it.open(it.second, shared) == STATUS_DEVICE_REMOVED);
    it.second.process.has_device = false;
    CHECK(it.open(it.second, shared) == STATUS_INVALID_PARAMETER);
    CHECK(it.second.process.fences.empty());
  });
}

TEST_CASE("a close takes the handle and the waits before the driver closes the fence", "[calls]") {
  with_bench([](Bench& it) {
    KernelEvent event(it.first.kernel.simulation().steps);
    const D3DKMT_HANDLE handle = it.first.native();
    const std::shared_ptr<NativeFence> fence = it.native_of(handle);
    REQUIRE(it.first.wait({handle}, {1}, false, &event) == STATUS_SUCCESS);
    ScriptedDriver::replace<kClose>([&](HANDLE adapter, auto* args) {
      CHECK(it.first.process.fence(handle) == nullptr);
      CHECK(event.is_set());
      CHECK(fence->alive);
      return ScriptedDriver::stub<kClose>()(adapter, args);
    });
    ScriptedDriver::replace<kDestroy>([&](auto* args) {
      CHECK(fence->alive);
      CHECK(fence->devices.empty());
      return ScriptedDriver::stub<kDestroy>()(args);
    });
    ScriptedDriver::calls.clear();
    CHECK(it.first.destroy(handle) == STATUS_SUCCESS);
    CHECK(calls(kClose) == 1);
    CHECK(calls(kDestroy) == 1);
    CHECK_FALSE(fence->alive);
    CHECK(it.known().empty());
    CHECK(it.count<event::FenceDestroy>() == 1);
  });
}

TEST_CASE("the driver destroys a native fence after its last close", "[calls]") {
  with_bench([](Bench& it) {
    const D3DKMT_HANDLE shared = it.first.native(kShared);
    const std::shared_ptr<NativeFence> fence = it.native_of(shared);
    REQUIRE(it.open(it.second, it.handle_of(shared)) == STATUS_SUCCESS);
    CHECK(it.first.destroy(shared) == STATUS_SUCCESS);
    CHECK(calls(kClose) == 1);
    CHECK(calls(kDestroy) == 0);
    CHECK(fence->alive);
    CHECK(fence->devices == std::vector<const Process*>{&it.second.process});
    CHECK(it.first.process.closed_natives.at(fence->object).fence.lock() == fence);
    CHECK(it.known().size() == 1);
    CHECK(it.second.destroy(it.args.hSyncObject) == STATUS_SUCCESS);
    CHECK(calls(kDestroy) == 1);
    CHECK(it.second.process.closed_natives.empty());
    CHECK(it.count<event::FenceClose>() == 2);
    CHECK(it.count<event::FenceDestroy>() == 1);
  });
}

TEST_CASE("an OS that does not count openings destroys a fence at the first close", "[calls]") {
  KernelOptions options = support::managed_kernel();
  options.ordering.os.refcount = false;
  with_bench(
      [](Bench& it) {
        const D3DKMT_HANDLE shared = it.first.native(kShared);
        REQUIRE(it.open(it.second, it.handle_of(shared)) == STATUS_SUCCESS);
        CHECK(it.first.destroy(shared) == STATUS_SUCCESS);
        CHECK(calls(kDestroy) == 1);
      },
      options);
}

TEST_CASE("a fence that adapters share ends with its last close on any of them", "[calls]") {
  with_bench([](Bench& it) {
    const D3DKMT_HANDLE shared = it.first.native(FenceCaller::kCrossAdapter);
    const std::shared_ptr<NativeFence> here = it.native_of(shared);
    const std::shared_ptr<MonitoredFence> origin = here->origin;
    REQUIRE(it.open(it.elsewhere, it.handle_of(shared)) == STATUS_SUCCESS);
    CHECK(origin->natives.size() == 2);
    CHECK(it.first.destroy(shared) == STATUS_SUCCESS);
    CHECK_FALSE(here->alive);
    CHECK(origin->usable);
    CHECK(origin->natives.size() == 1);
    CHECK(calls(kDestroy) == 1);
    CHECK(it.count<event::FenceDestroy>() == 0);
    CHECK(it.first.process.closed_fences.at(origin->object).fence.lock() == origin);
    CHECK(it.first.process.closed_natives.empty());
    CHECK(it.elsewhere.destroy(it.args.hSyncObject) == STATUS_SUCCESS);
    CHECK_FALSE(origin->usable);
    CHECK(it.elsewhere.process.closed_fences.empty());
    CHECK(it.count<event::FenceDestroy>() == 1);
    CHECK(calls(kDestroy) == 2);
  });
}

TEST_CASE("a close says whether the process has hardware queues", "[calls]") {
  with_bench([](Bench& it) {
    const D3DKMT_HANDLE before = it.first.native();
    const D3DKMT_HANDLE after = it.first.native();
    it.first.destroy(before);
    support::QueueRequest request(it.first.kernel, it.first.process);
    REQUIRE(request.create() == STATUS_SUCCESS);
    it.first.destroy(after);
    const auto closes = it.machine.events.of<event::FenceClose>();
    REQUIRE(closes.size() == 2);
    CHECK_FALSE(closes[0].has_queues);
    CHECK(closes[1].has_queues);
  });
}

TEST_CASE("a fence leaves a list that has it", "[calls]") {
  FenceList list{std::make_shared<NativeFence>(), std::make_shared<NativeFence>()};
  const std::shared_ptr<NativeFence> kept = list[1];
  const std::shared_ptr<NativeFence> gone = list[0];
  remove(list, *gone);
  CHECK(list == FenceList{kept});
  remove(list, *gone);
  CHECK(list == FenceList{kept});
}

}  // namespace fenceline::os::test_native_fence_calls
