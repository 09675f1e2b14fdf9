// Monitored fences that several processes have open: opening by NT handle, and the close.
#include <catch2/catch.hpp>

#include "tb/os/calls/sync_object_calls.h"
#include "tb/test/support/os/fence_caller.h"
#include "tb/test/support/os/kernel_bench.h"
#include "tb/test/support/os/queue_request.h"

namespace fenceline::os::test_sync_object_sharing {

namespace {

using support::FenceCaller;
using support::KernelBench;
using Flags = FenceCaller::Flags;

constexpr UINT kShared = FenceCaller::kShared;

/// Two adapters; the second may be without native fences, with stores of 32 bits.
top::PlatformConfig two_adapters(bool second_plain = false, bool first_plain = false) {
  top::PlatformConfig platform = support::small_platform();
  platform.gpus.push_back(platform.gpus[0]);
  platform.gpus[1].name = "gpu1";
  if (second_plain) platform.gpus[1].atomics64 = platform.gpus[1].native_fences = false;
  if (first_plain) platform.gpus[0].atomics64 = platform.gpus[0].native_fences = false;
  return platform;
}

/// A process on each adapter.
struct Bench {
  Bench(Kernel& kernel, KernelBench& on) : first(kernel), second(kernel, 1), machine(on) {
    on.events.all.clear();
  }
  /// The second process opens what the first one has shared.
  NTSTATUS open(D3DKMT_HANDLE shared, UINT flags = 0) { return open(second, shared, flags); }
  NTSTATUS open(FenceCaller& by, D3DKMT_HANDLE shared, UINT flags = 0) {
    args = {};
    args.hNtHandle = first.process.nt_handle(shared);
    args.hDevice = by.process.device();
    args.Flags.Value = flags;
    return by.kernel.sync_objects.D3DKMTOpenSyncObjectFromNtHandle2(by.process, args);
  }
  template <typename Event>
  std::size_t count() const {
    return machine.events.of<Event>().size();
  }

  FenceCaller first;
  FenceCaller second;
  KernelBench& machine;
  D3DKMT_OPENSYNCOBJECTFROMNTHANDLE2 args{};
};

void with_bench(const top::PlatformConfig& platform, const std::function<void(Bench&)>& body) {
  KernelBench machine(support::managed_kernel(), platform);
  machine.run({[&](Kernel& kernel) {
    Bench bench(kernel, machine);
    body(bench);
  }});
}

}  // namespace

TEST_CASE("another process opens a monitored fence of its adapter", "[calls]") {
  with_bench(two_adapters(), [](Bench& it) {
    FenceCaller other(it.first.kernel);
    const D3DKMT_HANDLE shared = it.first.monitored(kShared);
    CHECK(it.open(other, shared, Flags::kNoWait) == STATUS_SUCCESS);
    const SyncObject* const opened = other.process.sync_object(it.args.hSyncObject);
    REQUIRE(opened != nullptr);
    CHECK(opened->fence.get() == &it.first.fence(shared));
    CHECK(opened->fence->opens == 2);
    CHECK(opened->flags == Flags::kNoWait);
    CHECK(it.args.MonitoredFence.FenceValueCPUVirtualAddress == opened->cpu_address);
    CHECK(it.args.MonitoredFence.FenceValueGPUVirtualAddress == opened->gpu_address);
    CHECK(opened->gpu_address != 0);
  });
}

TEST_CASE("a fence without access by the GPU is opened without it", "[calls]") {
  with_bench(two_adapters(), [](Bench& it) {
    FenceCaller other(it.first.kernel);
    const D3DKMT_HANDLE shared = it.first.monitored(kShared | Flags::kNoGPUAccess);
    CHECK(it.open(other, shared) == STATUS_SUCCESS);
    CHECK(other.process.sync_object(it.args.hSyncObject)->flags == Flags::kNoGPUAccess);
    CHECK(it.args.MonitoredFence.FenceValueGPUVirtualAddress == 0);
  });
}

TEST_CASE("an object is opened by a device that is not in error and by its NT handle", "[calls]") {
  with_bench(two_adapters(), [](Bench& it) {
    FenceCaller other(it.first.kernel);
    const D3DKMT_HANDLE shared = it.first.monitored(kShared);
    other.process.in_error = true;
    CHECK(it.open(other, shared) == STATUS_DEVICE_REMOVED);
    other.process.has_device = false;
    CHECK(it.open(other, shared) == STATUS_INVALID_PARAMETER);
    other.process.has_device = true;
    other.process.in_error = false;
    CHECK(it.open(other, it.first.monitored()) == STATUS_INVALID_HANDLE);  // not shared
    it.args.hNtHandle = it.first.process.nt_handle(shared);
    ++it.args.hDevice;
    CHECK(other.kernel.sync_objects.D3DKMTOpenSyncObjectFromNtHandle2(other.process, it.args) ==
          STATUS_INVALID_PARAMETER);
    CHECK(it.open(other, it.first.native(kShared)) == STATUS_OBJECT_TYPE_MISMATCH);
    CHECK(other.process.sync_objects.empty());
    CHECK(it.first.fence(shared).opens == 1);
  });
}

TEST_CASE("a monitored fence is a native one on another adapter that has these", "[calls]") {
  with_bench(two_adapters(), [](Bench& it) {
    const D3DKMT_HANDLE shared = it.first.monitored(kShared);
    CHECK(it.open(shared) == STATUS_SUCCESS);
    const LocalFence* const local = it.second.process.fence(it.args.hSyncObject);
    REQUIRE(local != nullptr);
    CHECK(local->fence->origin.get() == &it.first.fence(shared));
    CHECK(it.args.MonitoredFence.FenceValueCPUVirtualAddress == local->mapping.CurrentValueCpuVa);
    CHECK(it.args.MonitoredFence.FenceValueGPUVirtualAddress == local->mapping.CurrentValueGpuVa);
  });
}

TEST_CASE("a native fence that adapters share is opened as a native one", "[calls]") {
  with_bench(two_adapters(), [](Bench& it) {
    FenceCaller other(it.first.kernel);
    const D3DKMT_HANDLE shared = it.first.native(FenceCaller::kCrossAdapter);
    const Fence& fence = it.first.fence(shared);
    const auto open = [&](FenceCaller& by) {
      D3DKMT_OPENSYNCOBJECTFROMNTHANDLE2 args{};
      args.hNtHandle = fence.os_handle();
      args.hDevice = by.process.device();
      CHECK(by.kernel.sync_objects.D3DKMTOpenSyncObjectFromNtHandle2(by.process, args) ==
            STATUS_SUCCESS);
      return by.process.fence(args.hSyncObject) != nullptr;
    };
    CHECK(open(other));
    CHECK(open(it.second));
  });
}

TEST_CASE("a fence of 64 bits is closed to engines that split them", "[calls]") {
  with_bench(two_adapters(true), [](Bench& it) {
    CHECK(it.open(it.first.monitored(kShared)) == STATUS_NOT_SUPPORTED);
    CHECK(it.open(it.first.monitored(kShared), Flags::kNoGPUAccess) == STATUS_SUCCESS);
    CHECK(it.second.process.sync_objects.size() == 1);
  });
}

TEST_CASE("a fence of 32 bits is closed to an adapter with native fences", "[calls]") {
  with_bench(two_adapters(false, true), [](Bench& it) {
    const D3DKMT_HANDLE shared = it.first.monitored(kShared);
    CHECK(it.open(shared) == STATUS_NOT_SUPPORTED);
    CHECK(it.first.fence(shared).opens == 1);
  });
}

TEST_CASE("a fence of 32 bits is open to other engines that split 64", "[calls]") {
  with_bench(two_adapters(true, true),
             [](Bench& it) { CHECK(it.open(it.first.monitored(kShared)) == STATUS_SUCCESS); });
}

TEST_CASE("the last close ends a fence and an earlier one keeps it in mind", "[calls]") {
  with_bench(two_adapters(), [](Bench& it) {
    FenceCaller other(it.first.kernel);
    const D3DKMT_HANDLE shared = it.first.monitored(kShared);
    REQUIRE(it.open(other, shared) == STATUS_SUCCESS);
    const D3DKMT_HANDLE opened = it.args.hSyncObject;
    const std::shared_ptr<MonitoredFence> fence = it.first.process.sync_object(shared)->fence;
    CHECK(it.first.destroy(shared) == STATUS_SUCCESS);
    CHECK(fence->usable);
    CHECK(fence->opens == 1);
    CHECK(it.count<event::FenceClose>() == 1);
    CHECK(it.count<event::FenceDestroy>() == 0);
    CHECK(it.first.process.closed_fences.at(fence->object).fence.lock() == fence);
    CHECK(other.destroy(opened) == STATUS_SUCCESS);
    CHECK_FALSE(fence->usable);
    CHECK(it.count<event::FenceDestroy>() == 1);
    CHECK(other.process.closed_fences.empty());
  });
}

TEST_CASE("a closed fence that the device may not signal is not kept in mind", "[calls]") {
  with_bench(two_adapters(), [](Bench& it) {
    FenceCaller other(it.first.kernel);
    const D3DKMT_HANDLE shared = it.first.monitored(kShared);
    REQUIRE(it.open(other, shared, Flags::kNoSignal) == STATUS_SUCCESS);
    CHECK(other.destroy(it.args.hSyncObject) == STATUS_SUCCESS);
    CHECK(other.process.closed_fences.empty());
  });
}

TEST_CASE("a close ends waits through its handle and says whether queues are left", "[calls]") {
  with_bench(two_adapters(), [](Bench& it) {
    KernelEvent event(it.first.kernel.simulation().steps);
    const D3DKMT_HANDLE fence = it.first.monitored();
    const D3DKMT_HANDLE other = it.first.monitored();
    REQUIRE(it.first.wait({fence}, {1}, false, &event) == STATUS_SUCCESS);
    CHECK(it.first.destroy(fence) == STATUS_SUCCESS);
    CHECK(event.is_set());
    CHECK_FALSE(it.machine.events.of<event::FenceClose>().at(0).has_queues);
    support::QueueRequest request(it.first.kernel, it.first.process);
    REQUIRE(request.create() == STATUS_SUCCESS);
    CHECK(it.first.destroy(other) == STATUS_SUCCESS);
    CHECK(it.machine.events.of<event::FenceClose>().at(1).has_queues);
  });
}

}  // namespace fenceline::os::test_sync_object_sharing
