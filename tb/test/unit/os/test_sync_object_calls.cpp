// Monitored fences and CPU events: creation, opening and the call that destroys objects of all
// kinds.
#include <catch2/catch.hpp>

#include "tb/os/calls/sync_object_calls.h"
#include "tb/test/support/os/fence_caller.h"
#include "tb/test/support/os/kernel_bench.h"
#include "tb/test/support/os/scripted_driver.h"

namespace fenceline::os::test_sync_object_calls {

namespace {

using support::FenceCaller;
using support::KernelBench;
using support::ScriptedDriver;
using Flags = FenceCaller::Flags;

constexpr UINT kShared = FenceCaller::kShared;

/// Runs `body` in a thread with a process on the first adapter.
void with_caller(const std::function<void(FenceCaller&, KernelBench&)>& body,
                 const top::PlatformConfig& platform = support::small_platform(),
                 const KernelOptions& options = support::managed_kernel()) {
  KernelBench bench(options, platform, &ScriptedDriver::entry);
  bench.run({[&](Kernel& kernel) {
    FenceCaller caller(kernel);
    bench.events.all.clear();
    body(caller, bench);
  }});
}

/// A machine whose engines store 32 bits.
top::PlatformConfig narrow() {
  top::PlatformConfig platform = support::small_platform();
  platform.gpus[0].atomics64 = platform.gpus[0].native_fences = false;
  return platform;
}

/// A machine whose caches do not see the device.
top::PlatformConfig without_snoops() {
  top::PlatformConfig platform = support::small_platform();
  platform.host.io_coherent = false;
  return platform;
}

struct FlagCase {
  UINT flags;
  NTSTATUS status;
};

const FlagCase kFlagCases[] = {
    {0, STATUS_SUCCESS},
    {kShared, STATUS_SUCCESS},
    {Flags::kShared, STATUS_INVALID_PARAMETER},
    {Flags::kNtSecuritySharing, STATUS_INVALID_PARAMETER},
    {kShared | Flags::kCrossAdapter, STATUS_SUCCESS},
    {Flags::kCrossAdapter, STATUS_INVALID_PARAMETER},
    {Flags::kNoSignal, STATUS_SUCCESS},
    {Flags::kNoWait, STATUS_SUCCESS},
    {Flags::kNoSignal | Flags::kNoWait, STATUS_INVALID_PARAMETER},
    {Flags::kTopOfPipeline, STATUS_NOT_SUPPORTED},
    {Flags::kTopOfPipeline | Flags::kShared, STATUS_INVALID_PARAMETER},
    {Flags::kNoSignalMaxValueOnTdr | Flags::kUnwaitCpuWaitersOnlyOnDestroy, STATUS_SUCCESS},
    {Flags::kNoGPUAccess, STATUS_SUCCESS},
    {Flags::kSignalByKmd, STATUS_INVALID_PARAMETER},
    {1U << 9, STATUS_INVALID_PARAMETER},
    {1U << 31, STATUS_INVALID_PARAMETER},
};

D3DKMT_CREATESYNCHRONIZATIONOBJECT2 object_of(const FenceCaller& caller,
                                              D3DDDI_SYNCHRONIZATIONOBJECT_TYPE type) {
  D3DKMT_CREATESYNCHRONIZATIONOBJECT2 args{};
  args.hDevice = caller.process.device();
  args.Info.Type = type;
  return args;
}

NTSTATUS create(FenceCaller& caller, D3DKMT_CREATESYNCHRONIZATIONOBJECT2& args) {
  return caller.kernel.sync_objects.D3DKMTCreateSynchronizationObject2(caller.process, args);
}

/// @param always the OS caches without a look at the host
void check_cached(FenceCaller& caller, const KernelBench& bench, bool always) {
  const D3DKMT_HANDLE handle = caller.monitored();
  const bool snoops = caller.kernel.system.snoops(caller.process);
  const std::uint64_t page = caller.fence(handle).current_bus() / kPage;
  CHECK((caller.process.cached_pages.count(page) != 0) == (snoops || always));
  const std::uint64_t mapping = bench.events.of<event::FenceMapped>().at(0).mapping;
  CHECK(((mapping & event::kMapCpuCached) != 0) == (snoops || always));
  CHECK(((mapping & event::kMapHostCoherent) != 0) == snoops);
}

}  // namespace

TEST_CASE("flags of a monitored fence go together or not", "[calls]") {
  with_caller([](FenceCaller& caller, KernelBench&) {
    for (const FlagCase& it : kFlagCases) {
      INFO(it.flags);
      D3DKMT_HANDLE handle = 0;
      CHECK(caller.create_monitored(handle, it.flags) == it.status);
      CHECK((handle != 0) == (it.status == STATUS_SUCCESS));
    }
  });
}

TEST_CASE("a synchronisation object needs a device that is not in error", "[calls]") {
  with_caller([](FenceCaller& caller, KernelBench&) {
    auto args = object_of(caller, D3DDDI_MONITORED_FENCE);
    ++args.hDevice;
    CHECK(create(caller, args) == STATUS_INVALID_PARAMETER);
    --args.hDevice;
    caller.process.in_error = true;
    CHECK(create(caller, args) == STATUS_DEVICE_REMOVED);
    caller.process.has_device = false;
    CHECK(create(caller, args) == STATUS_INVALID_PARAMETER);
    caller.process.has_device = true;
    caller.process.in_error = false;
    CHECK(create(caller, args) == STATUS_SUCCESS);
    CHECK(caller.process.sync_objects.size() == 1);
    const SyncObject& made = *caller.process.sync_object(args.hSyncObject);
    CHECK(args.Info.MonitoredFence.FenceValueCPUVirtualAddress == made.cpu_address);
    CHECK(args.Info.MonitoredFence.FenceValueGPUVirtualAddress == made.gpu_address);
  });
}

TEST_CASE("there are monitored fences and CPU events and no older objects", "[calls]") {
  with_caller([](FenceCaller& caller, KernelBench&) {
    auto args = object_of(caller, D3DDDI_FENCE);
    CHECK(create(caller, args) == STATUS_NOT_SUPPORTED);
    args = object_of(caller, D3DDDI_CPU_NOTIFICATION);
    args.Info.Flags.Value = Flags::kSignalByKmd;
    CHECK(create(caller, args) == STATUS_INVALID_HANDLE);  // no such event
    CHECK(args.hSyncObject == 0);
    KernelEvent event(caller.kernel.simulation().steps);
    args.Info.CPUNotification.Event = caller.process.add_event(event);
    CHECK(create(caller, args) == STATUS_SUCCESS);
    const SyncObject* const made = caller.process.sync_object(args.hSyncObject);
    REQUIRE(made != nullptr);
    CHECK(made->fence == nullptr);
    CHECK(made->cpu_event->event == &event);
    CHECK(made->object->process == caller.process.object);
  });
}

TEST_CASE("a monitored fence begins with its value and is reported", "[calls]") {
  with_caller([](FenceCaller& caller, KernelBench& bench) {
    constexpr std::uint64_t kWide = (1ULL << 40) + 6;
    const D3DKMT_HANDLE handle = caller.monitored(Flags::kUnwaitCpuWaitersOnlyOnDestroy, kWide);
    const Fence& fence = caller.fence(handle);
    CHECK(caller.value(handle) == kWide);
    CHECK(fence.opens == 1);
    CHECK(fence.users == std::vector<Process*>{&caller.process});
    const auto created = bench.events.of<event::FenceCreate>();
    REQUIRE(created.size() == 1);
    CHECK(created[0].initial == kWide);
    CHECK(created[0].flags == (event::kFenceMonitored | event::kFenceKeepsWaiters));
    CHECK(bench.events.of<event::FenceKind>().at(0).bits == 64);
    CHECK_FALSE(bench.events.of<event::FenceOpen>().at(0).no_signal);
    caller.monitored(Flags::kNoSignal);
    CHECK(bench.events.of<event::FenceOpen>().at(1).no_signal);
  });
}

TEST_CASE("a monitored fence has 32 bits where engines that store it split 64", "[calls]") {
  with_caller(
      [](FenceCaller& caller, KernelBench& bench) {
        constexpr std::uint64_t kWide = (1ULL << 40) + 6;
        const D3DKMT_HANDLE handle = caller.monitored(0, kWide);
        CHECK(caller.value(handle) == 6);
        CHECK(bench.events.of<event::FenceKind>().at(0).bits == 32);
        const D3DKMT_HANDLE other = caller.monitored(Flags::kNoGPUAccess, kWide);
        CHECK(caller.value(other) == kWide);
        CHECK(bench.events.of<event::FenceKind>().at(1).bits == 64);
      },
      narrow());
}

TEST_CASE("a monitored fence has an address for the CPU and one for the GPU", "[calls]") {
  with_caller([](FenceCaller& caller, KernelBench& bench) {
    const SyncObject object = *caller.process.sync_object(caller.monitored());
    CHECK(object.cpu_address == to_kernel_address(object.fence->current_bus()));
    CHECK(object.gpu_address != 0);
    CHECK(object.gpu_address == object.mapped);
    const SyncObject cpu_only = *caller.process.sync_object(caller.monitored(Flags::kNoGPUAccess));
    CHECK(cpu_only.gpu_address == 0);
    CHECK(cpu_only.mapped == 0);
    const auto mapped = bench.events.of<event::FenceMapped>();
    REQUIRE(mapped.size() == 2);
    const std::uint64_t both =
        event::kMapGpu | event::kMapNoGpuAccess | event::kMapIommu | event::kMapCpuWritable;
    CHECK((mapped[0].mapping & both) == event::kMapGpu);
    CHECK((mapped[1].mapping & both) == event::kMapNoGpuAccess);
  });
}

TEST_CASE("with an IOMMU the GPU uses the address of the CPU", "[calls]") {
  top::PlatformConfig platform = support::small_platform();
  platform.gpus[0].iommu = true;
  with_caller(
      [](FenceCaller& caller, KernelBench& bench) {
        const D3DKMT_HANDLE handle = caller.monitored();
        const SyncObject object = *caller.process.sync_object(handle);
        CHECK(object.gpu_address == 0);
        CHECK(object.mapped != 0);
        CHECK(reinterpret_cast<std::uint64_t>(object.cpu_address) == object.mapped);
        CHECK(caller.process.shared_addresses.at(object.mapped) == object.fence->current_bus());
        const SyncObject cpu_only =
            *caller.process.sync_object(caller.monitored(Flags::kNoGPUAccess));
        CHECK(cpu_only.cpu_address == to_kernel_address(cpu_only.fence->current_bus()));
        const auto mapped = bench.events.of<event::FenceMapped>();
        const std::uint64_t bits = event::kMapIommu | event::kMapCpuWritable | event::kMapGpu;
        CHECK((mapped.at(0).mapping & bits) == (event::kMapIommu | event::kMapCpuWritable));
        CHECK((mapped.at(1).mapping & bits) == event::kMapIommu);
        CHECK(caller.destroy(handle) == STATUS_SUCCESS);
        CHECK(caller.process.shared_addresses.empty());
      },
      platform);
}

TEST_CASE("a fence is cached where caches see the device", "[calls]") {
  with_caller([](FenceCaller& caller, KernelBench& bench) { check_cached(caller, bench, false); });
}

TEST_CASE("an OS that errs caches a fence everywhere", "[calls]") {
  KernelOptions options = support::managed_kernel();
  options.ordering.os.fence_cache = FenceCache::kWriteBack;
  with_caller([](FenceCaller& caller, KernelBench& bench) { check_cached(caller, bench, true); },
              support::small_platform(), options);
}

TEST_CASE("a fence is not cached where caches do not see the device", "[calls]") {
  with_caller([](FenceCaller& caller, KernelBench& bench) { check_cached(caller, bench, false); },
              without_snoops());
}

TEST_CASE("an OS that errs caches a fence where caches do not see the device", "[calls]") {
  KernelOptions options = support::managed_kernel();
  options.ordering.os.fence_cache = FenceCache::kWriteBack;
  with_caller([](FenceCaller& caller, KernelBench& bench) { check_cached(caller, bench, true); },
              without_snoops(), options);
}

TEST_CASE("mappings of closed fences are taken back", "[calls]") {
  with_caller([](FenceCaller& caller, KernelBench&) {
    constexpr std::ptrdiff_t kMany = 200;  // they are taken back from several fences together
    const auto updates = [&](UINT flags) {
      ScriptedDriver::calls.clear();
      for (std::ptrdiff_t i = 0; i < kMany; ++i) caller.destroy(caller.monitored(flags));
      return ScriptedDriver::count(Ddi::DxgkDdiBuildPagingBuffer);
    };
    CHECK(updates(Flags::kNoGPUAccess) == 0);
    CHECK(updates(0) > kMany + kMany / 4);
  });
}

TEST_CASE("a fence that is mapped through a window wakes the adapter", "[calls]") {
  with_caller(
      [](FenceCaller& caller, KernelBench&) {
        AdapterPower& power = *caller.kernel.system.adapters[0].power;
        REQUIRE(power.set(false) == STATUS_SUCCESS);
        caller.monitored();
        CHECK(power.on());
      },
      support::small_platform(1 << 20));
}

TEST_CASE("a fence that needs no window lets the adapter sleep", "[calls]") {
  with_caller([](FenceCaller& caller, KernelBench&) {
    AdapterPower& power = *caller.kernel.system.adapters[0].power;
    REQUIRE(power.set(false) == STATUS_SUCCESS);
    caller.monitored();
    CHECK_FALSE(power.on());
  });
}

TEST_CASE("a fence that comes while its device fails counts as signalled", "[calls]") {
  with_caller([](FenceCaller& caller, KernelBench&) {
    ScriptedDriver::replace<Ddi::DxgkDdiBuildPagingBuffer>([&](HANDLE adapter, auto* args) {
      caller.process.in_error = true;
      return ScriptedDriver::stub<Ddi::DxgkDdiBuildPagingBuffer>()(adapter, args);
    });
    const D3DKMT_HANDLE handle = caller.monitored();
    CHECK(caller.fence(handle).always_signaled);
    CHECK(caller.value(handle) == UINT64_MAX);
  });
}

TEST_CASE("an object is destroyed once and not that of a queue", "[calls]") {
  with_caller([](FenceCaller& caller, KernelBench&) {
    KernelEvent event(caller.kernel.simulation().steps);
    const D3DKMT_HANDLE all[] = {caller.monitored(), caller.native(), caller.cpu_event(event)};
    const auto of_queue = [&](D3DKMT_HANDLE handle) -> bool& {
      SyncObject* const object = caller.process.sync_object(handle);
      return object != nullptr ? object->of_queue : caller.process.fence(handle)->of_queue;
    };
    for (const D3DKMT_HANDLE handle : all) {
      of_queue(handle) = true;
      CHECK(caller.destroy(handle) == STATUS_INVALID_PARAMETER);
      of_queue(handle) = false;
      CHECK(caller.destroy(handle) == STATUS_SUCCESS);
      CHECK(caller.destroy(handle) == STATUS_INVALID_HANDLE);
    }
    CHECK(caller.process.fences.empty());
    CHECK(caller.process.sync_objects.empty());
  });
}

TEST_CASE("a CPU event is gone whatever the driver says about it", "[calls]") {
  with_caller([](FenceCaller& caller, KernelBench&) {
    KernelEvent event(caller.kernel.simulation().steps);
    const D3DKMT_HANDLE handle = caller.cpu_event(event);
    ScriptedDriver::answer<Ddi::DxgkDdiDestroyCpuEvent>(STATUS_NO_MEMORY);
    CHECK(caller.destroy(handle) == STATUS_NO_MEMORY);
    CHECK(caller.process.sync_object(handle) == nullptr);
  });
}

}  // namespace fenceline::os::test_sync_object_calls
