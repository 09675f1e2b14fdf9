// Native fences of processes: creation and opening.
#include <catch2/catch.hpp>

#include "tb/os/calls/native_fence_calls.h"
#include "tb/test/support/os/native_fence_bench.h"

namespace fenceline::os::test_native_fence_calls {

namespace {

using common::Home;
using support::FenceCaller;
using support::KernelBench;
using support::ScriptedDriver;
using Bench = support::NativeFenceBench;
using Flags = FenceCaller::Flags;

constexpr UINT kShared = FenceCaller::kShared;
constexpr Ddi kCreate = Ddi::DxgkDdiCreateNativeFence;
constexpr Ddi kOpen = Ddi::DxgkDdiOpenNativeFence;
constexpr Ddi kDestroy = Ddi::DxgkDdiDestroyNativeFence;

std::ptrdiff_t calls(Ddi ddi) { return ScriptedDriver::count(ddi); }

}  // namespace

TEST_CASE("an adapter without native fences makes and opens none", "[calls]") {
  top::PlatformConfig platform = support::small_platform();
  platform.gpus[0].native_fences = false;
  KernelBench machine(support::managed_kernel(), platform, &ScriptedDriver::entry);
  machine.run({[](Kernel& kernel) {
    FenceCaller caller(kernel);
    D3DKMT_HANDLE handle = 0;
    CHECK(caller.create_native(handle) == STATUS_NOT_SUPPORTED);
    D3DKMT_OPENNATIVEFENCEFROMNTHANDLE args{};
    args.hNtHandle = caller.process.nt_handle(caller.monitored(kShared));
    args.hDevice = caller.process.device();
    CHECK(kernel.native_fences.D3DKMTOpenNativeFenceFromNtHandle(caller.process, args) ==
          STATUS_NOT_SUPPORTED);
    CHECK(calls(kCreate) == 0);
    CHECK(calls(kOpen) == 0);
  }});
}

TEST_CASE("a native fence needs a device and the one type that there is and no flag", "[calls]") {
  support::with_native_fences([](Bench& it) {
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
  support::with_native_fences([](Bench& it) {
    const D3DKMT_HANDLE handle =
        it.first.native(kShared | Flags::kUnwaitCpuWaitersOnlyOnDestroy, 9);
    const NativeFence& fence = *it.native_of(handle);
    CHECK(fence.shared);
    CHECK(fence.unwaits_late);
    CHECK(fence.initial_value == 9);
    CHECK(fence.name ==
          it.machine.simulation().events.name(common::ObjectKind::kFence, fence.object));
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
  support::with_native_fences(
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
  support::with_native_fences([](Bench& it) {
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
  support::with_native_fences([](Bench& it) {
    constexpr std::size_t kMany = 200;  // memory is taken back from several fences together
    D3DKMT_HANDLE handle = 0;
    for (std::size_t i = 0; i < kMany; ++i) it.first.destroy(it.first.native());
    CHECK(it.count<event::FenceStorageFree>() > kMany);
    it.machine.events.all.clear();
    ScriptedDriver::answer<kOpen>(STATUS_NO_MEMORY);
    for (std::size_t i = 0; i < kMany; ++i) it.first.create_native(handle);
    CHECK(it.count<event::FenceStorageFree>() > kMany);
    it.machine.events.all.clear();
    ScriptedDriver::answer<kCreate>(STATUS_NO_MEMORY);
    for (std::size_t i = 0; i < kMany; ++i) it.first.create_native(handle);
    CHECK(it.count<event::FenceStorageFree>() > kMany);
  });
}

TEST_CASE("a native fence for several adapters has a common part", "[calls]") {
  support::with_native_fences([](Bench& it) {
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
  support::with_native_fences([](Bench& it) {
    ScriptedDriver::replace<kOpen>([&](HANDLE adapter, auto* args) {
      it.first.process.in_error = true;
      return ScriptedDriver::stub<kOpen>()(adapter, args);
    });
    const D3DKMT_HANDLE handle = it.first.native();
    CHECK(it.native_of(handle)->always_signaled);
  });
}

TEST_CASE("a native fence is opened on its adapter with the data of its creation", "[calls]") {
  support::with_native_fences([](Bench& it) {
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
  support::with_native_fences([](Bench& it) {
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
  support::with_native_fences([](Bench& it) {
    const HANDLE shared = it.handle_of(it.first.native(kShared));
    CHECK(it.open(it.second, nullptr) == STATUS_INVALID_HANDLE);
    it.second.process.in_error = true;
    CHECK(it.open(it.second, shared) == STATUS_DEVICE_REMOVED);
    it.second.process.has_device = false;
    CHECK(it.open(it.second, shared) == STATUS_INVALID_PARAMETER);
    it.second.process.has_device = true;
    it.second.process.in_error = false;
    ++it.args.hDevice;
    CHECK(it.second.kernel.native_fences.D3DKMTOpenNativeFenceFromNtHandle(
              it.second.process, it.args) == STATUS_INVALID_PARAMETER);
    CHECK(it.second.process.fences.empty());
  });
}

}  // namespace fenceline::os::test_native_fence_calls
