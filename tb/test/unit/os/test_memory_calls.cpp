// Calls about memory that VidMm manages: what is refused, and what a refusal leaves as it was.
#include <catch2/catch.hpp>

#include "tb/os/calls/memory_calls.h"
#include "tb/test/support/os/kernel_bench.h"
#include "tb/test/support/os/scripted_driver.h"

namespace fenceline::os::test_memory_calls {

namespace {

using support::Caller;
using support::KernelBench;
using support::ScriptedDriver;

struct Bench : Caller {
  Bench(Kernel& of, KernelBench& on) : Caller(of), machine(on) {}

  MemoryCalls& calls() const { return kernel.memory; }
  /// A new allocation, by its handle.
  D3DKMT_HANDLE one() { return handle_of(make()); }
  D3DKMT_CREATEPAGINGQUEUE paging_queue() {
    D3DKMT_CREATEPAGINGQUEUE args{};
    args.hDevice = process.device();
    REQUIRE(calls().D3DKMTCreatePagingQueue(process, args) == STATUS_SUCCESS);
    return args;
  }

  KernelBench& machine;
};

void with_bench(const std::function<void(Bench&)>& body,
                const KernelOptions& options = support::managed_kernel()) {
  KernelBench machine(options, support::small_platform(), &ScriptedDriver::entry);
  machine.run({[&](Kernel& kernel) {
    Bench bench(kernel, machine);
    body(bench);
  }});
}

/// Creation arguments that no call refuses.
struct Creation {
  explicit Creation(Bench& of) : it(of), args{of.process.device(), 0, 1, &info} {
    info.pPrivateDriverData = &data;
    info.PrivateDriverDataSize = sizeof data;
  }
  NTSTATUS create() { return it.calls().D3DKMTCreateAllocation2(it.process, args); }
  bool refused() { return create() == STATUS_INVALID_PARAMETER; }

  Bench& it;
  abi::AllocationPrivateData data{8192, Caller::kBoth, 0, 0, 0};
  D3DDDI_ALLOCATIONINFO2 info{};
  D3DKMT_CREATEALLOCATION args;
};

}  // namespace

TEST_CASE("a call about memory names the device and a list of allocations", "[calls]") {
  with_bench([](Bench& it) {
    const D3DKMT_HANDLE list[] = {it.one(), it.one()};
    for (const D3DKMT_HANDLE one : list) REQUIRE(it.make_resident(one) == STATUS_SUCCESS);
    const auto evict = [&](D3DKMT_HANDLE device, UINT count, const D3DKMT_HANDLE* handles) {
      D3DKMT_EVICT args{device, count, handles, {0}, 0};
      return it.calls().D3DKMTEvict(it.process, args);
    };
    const D3DKMT_HANDLE device = it.process.device();
    CHECK(evict(device + 1, 2, list) == STATUS_INVALID_PARAMETER);
    CHECK(evict(device, 0, list) == STATUS_INVALID_PARAMETER);
    CHECK(evict(device, 2, nullptr) == STATUS_INVALID_PARAMETER);
    const D3DKMT_HANDLE bad[] = {list[0], list[1] + 1};
    CHECK(evict(device, 2, bad) == STATUS_INVALID_HANDLE);
    const D3DKMT_HANDLE twice[] = {list[0], list[0]};
    CHECK(evict(device, 2, twice) == STATUS_INVALID_PARAMETER);
    it.process.has_device = false;
    CHECK(evict(device, 2, list) == STATUS_INVALID_PARAMETER);
    it.process.has_device = true;
    for (const D3DKMT_HANDLE one : list) CHECK(it.allocation(one).residency == 1);
    CHECK(evict(device, 2, list) == STATUS_SUCCESS);
    for (const D3DKMT_HANDLE one : list) CHECK(it.allocation(one).residency == 0);
  });
}

TEST_CASE("an OS without managed memory supports no call about it", "[calls]") {
  KernelOptions options;
  options.contexts = true;
  with_bench(
      [](Bench& it) {
        Creation creation(it);
        CHECK(creation.create() == STATUS_NOT_SUPPORTED);
        CHECK(it.evict(1) == STATUS_NOT_SUPPORTED);
        CHECK(it.lock(1) == STATUS_NOT_SUPPORTED);
        D3DKMT_CREATEPAGINGQUEUE queue{};
        queue.hDevice = it.process.device();
        CHECK(it.calls().D3DKMTCreatePagingQueue(it.process, queue) == STATUS_NOT_SUPPORTED);
        it.calls().report_content();
        CHECK(it.process.sync_objects.empty());
      },
      options);
}

TEST_CASE("one allocation is created at a time for no resource and without flags", "[calls]") {
  with_bench([](Bench& it) {
    Creation creation(it);
    ++creation.args.hDevice;
    CHECK(creation.refused());
    --creation.args.hDevice;
    creation.args.hResource = 1;
    CHECK(creation.refused());
    creation.args.hResource = 0;
    creation.args.NumAllocations = 2;
    CHECK(creation.refused());
    creation.args.NumAllocations = 1;
    creation.args.pAllocationInfo2 = nullptr;
    CHECK(creation.refused());
    creation.args.pAllocationInfo2 = &creation.info;
    creation.info.pSystemMem = &creation;
    CHECK(creation.refused());
    creation.info.pSystemMem = nullptr;
    creation.info.Flags = 1;
    CHECK(creation.refused());
    creation.info.Flags = 0;
    it.process.has_device = false;
    CHECK(creation.refused());
    it.process.has_device = true;
    it.process.in_error = true;
    CHECK(creation.create() == STATUS_DEVICE_REMOVED);
    it.process.in_error = false;
    CHECK(it.process.managed.empty());
    CHECK(ScriptedDriver::count(Ddi::DxgkDdiCreateAllocation) == 0);
    CHECK(creation.create() == STATUS_SUCCESS);
    CHECK(it.process.allocation(creation.info.hAllocation) == it.process.managed.at(0).get());
  });
}

TEST_CASE("an allocation wakes the adapter", "[calls]") {
  with_bench([](Bench& it) {
    AdapterPower& power = *it.kernel.system.adapters[0].power;
    REQUIRE(power.set(false) == STATUS_SUCCESS);
    it.one();
    CHECK(power.on());
  });
}

TEST_CASE("an allocation that the driver refuses has no handle", "[calls]") {
  with_bench([](Bench& it) {
    Creation creation(it);
    ScriptedDriver::answer<Ddi::DxgkDdiCreateAllocation>(STATUS_NO_MEMORY);
    CHECK(creation.create() == STATUS_NO_MEMORY);
    CHECK(ScriptedDriver::count(Ddi::DxgkDdiDestroyAllocation) == 0);
    ScriptedDriver::replace<Ddi::DxgkDdiCreateAllocation>(nullptr);
    ScriptedDriver::answer<Ddi::DxgkDdiOpenAllocation>(STATUS_NO_MEMORY);
    CHECK(creation.create() == STATUS_NO_MEMORY);
    CHECK(ScriptedDriver::count(Ddi::DxgkDdiDestroyAllocation) == 1);  // what it had created
    CHECK(creation.info.hAllocation == 0);
    CHECK(it.process.allocation(it.process.own(kAllocationHandle, 1)) == nullptr);
    ScriptedDriver::replace<Ddi::DxgkDdiOpenAllocation>(nullptr);
    CHECK(creation.create() == STATUS_SUCCESS);
    CHECK(creation.info.hAllocation == it.process.own(kAllocationHandle, 3));
  });
}

TEST_CASE("the content of all allocations is reported", "[calls]") {
  with_bench([](Bench& it) {
    it.one();
    it.one();
    it.machine.events.all.clear();
    it.calls().report_content();
    CHECK(it.machine.events.of<event::AllocationPlaced>().size() == 2);
  });
}

TEST_CASE("a destroyed allocation has no handle and its flags are known ones", "[calls]") {
  using Flags = D3DDDICB_DESTROYALLOCATION2FLAGS;
  with_bench([](Bench& it) {
    const D3DKMT_HANDLE handle = it.one();
    const D3DKMT_HANDLE device = it.process.device();
    CHECK(it.destroy(handle, Flags::kSystemUseOnly) == STATUS_INVALID_PARAMETER);
    CHECK(it.calls().D3DKMTDestroyAllocation2(it.process, {device, 1, &handle, 1, {0}}) ==
          STATUS_INVALID_PARAMETER);
    CHECK(it.process.allocation(handle) != nullptr);
    CHECK(it.destroy(handle, Flags::kAssumeNotInUse | Flags::kSynchronousDestroy) ==
          STATUS_SUCCESS);
    CHECK(it.process.allocation(handle) == nullptr);
    CHECK_FALSE(it.process.managed.at(0)->exists);
    CHECK(it.destroy(handle) == STATUS_INVALID_HANDLE);
  });
}

TEST_CASE("memory is free when earlier work is done or at once if it is not in use", "[calls]") {
  using Flags = D3DDDICB_DESTROYALLOCATION2FLAGS;
  with_bench([](Bench& it) {
    const D3DKMT_HANDLE used = it.one();
    const D3DKMT_HANDLE unused = it.one();
    D3DKMT_CREATECONTEXTVIRTUAL context{};
    context.hDevice = it.process.device();
    REQUIRE(it.kernel.contexts.D3DKMTCreateContextVirtual(it.process, context) == STATUS_SUCCESS);
    ContextQueue& queue = *it.process.contexts[0];
    queue.submitted = 1;  // it is never complete
    CHECK(it.destroy(used) == STATUS_SUCCESS);
    CHECK(it.destroy(unused, Flags::kAssumeNotInUse) == STATUS_SUCCESS);
    it.kernel.cpu().sleep(common::kMillisecond);
    CHECK(it.process.managed[0]->exists);
    CHECK_FALSE(it.process.managed[1]->exists);
    queue.submitted = 0;
  });
}

TEST_CASE("a process has one paging queue with a fence that ends with it", "[calls]") {
  with_bench([](Bench& it) {
    D3DKMT_CREATEPAGINGQUEUE args{};
    const auto create = [&] { return it.calls().D3DKMTCreatePagingQueue(it.process, args); };
    CHECK(create() == STATUS_INVALID_PARAMETER);
    args.hDevice = it.process.device();
    args.PhysicalAdapterIndex = 1;
    CHECK(create() == STATUS_INVALID_PARAMETER);
    args.PhysicalAdapterIndex = 0;
    args.Priority = 1;
    CHECK(create() == STATUS_INVALID_PARAMETER);
    args.Priority = 0;
    it.process.has_device = false;
    CHECK(create() == STATUS_INVALID_PARAMETER);
    it.process.has_device = true;
    it.process.in_error = true;
    CHECK(create() == STATUS_DEVICE_REMOVED);
    it.process.in_error = false;
    CHECK(it.process.paging_fence == 0);
    CHECK(create() == STATUS_SUCCESS);
    const SyncObject* const fence = it.process.sync_object(args.hSyncObject);
    REQUIRE(fence != nullptr);
    CHECK(fence->of_queue);
    CHECK(fence->flags == D3DDDI_SYNCHRONIZATIONOBJECT_FLAGS::kNoGPUAccess);
    CHECK(fence->fence->name == "app.paging");
    CHECK(args.FenceValueCPUVirtualAddress == fence->cpu_address);
    CHECK(args.hPagingQueue == it.process.own(kPagingQueueHandle, 0));
    const D3DKMT_HANDLE first = args.hSyncObject;
    CHECK(create() == STATUS_SUCCESS);
    CHECK(args.hSyncObject == first);
    it.process.has_device = false;
    CHECK(create() == STATUS_INVALID_PARAMETER);
    CHECK(it.process.sync_objects.size() == 1);
  });
}

TEST_CASE("two threads that create the paging queue at a time get the same", "[calls]") {
  KernelBench machine;
  std::unique_ptr<Caller> caller;
  D3DKMT_CREATEPAGINGQUEUE made[2]{};
  const auto create = [&](Kernel& kernel, std::size_t number) {
    made[number].hDevice = caller->process.device();
    CHECK(kernel.memory.D3DKMTCreatePagingQueue(caller->process, made[number]) == STATUS_SUCCESS);
  };
  machine.run({[&](Kernel& kernel) {
                 caller = std::make_unique<Caller>(kernel);
                 create(kernel, 0);
               },
               [&](Kernel& kernel) {
                 while (caller == nullptr) kernel.simulation().steps.elapse(common::kNanosecond);
                 create(kernel, 1);
               }});
  CHECK(made[0].hSyncObject != 0);
  CHECK(made[0].hSyncObject == made[1].hSyncObject);
  CHECK(caller->process.sync_objects.size() == 1);
}

TEST_CASE("memory comes through the paging queue that hands out rising values", "[calls]") {
  with_bench([](Bench& it) {
    const D3DKMT_HANDLE handle = it.one();
    D3DDDI_MAKERESIDENT args{};
    args.NumAllocations = 1;
    args.AllocationList = &handle;
    args.hPagingQueue = it.process.own(kPagingQueueHandle, 0);
    const auto make = [&] { return it.calls().D3DKMTMakeResident(it.process, args); };
    CHECK(make() == STATUS_INVALID_HANDLE);  // there is no paging queue yet
    const D3DKMT_CREATEPAGINGQUEUE queue = it.paging_queue();
    ++args.hPagingQueue;
    CHECK(make() == STATUS_INVALID_HANDLE);
    --args.hPagingQueue;
    args.NumAllocations = 0;
    CHECK(make() == STATUS_INVALID_PARAMETER);
    args.NumAllocations = 1;
    args.Flags.Value = 4;
    CHECK(make() == STATUS_INVALID_PARAMETER);
    args.Flags.Value =
        D3DDDI_MAKERESIDENT_FLAGS::kCantTrimFurther | D3DDDI_MAKERESIDENT_FLAGS::kMustSucceed;
    it.process.in_error = true;
    CHECK(make() == STATUS_DEVICE_REMOVED);
    it.process.in_error = false;
    CHECK(it.allocation(handle).residency == 0);
    args.NumBytesToTrim = 9;
    CHECK(make() == STATUS_PENDING);
    CHECK(args.PagingFenceValue == 1);
    CHECK(args.NumBytesToTrim == 0);
    CHECK(it.wait(queue.hSyncObject, 1) == STATUS_SUCCESS);
    CHECK(it.allocation(handle).residency == 1);
    CHECK(make() == STATUS_PENDING);
    CHECK(args.PagingFenceValue == 2);
    CHECK(it.process.paging_value == 2);
  });
}

TEST_CASE("the paging buffers of each adapter have a fence of that adapter", "[calls]") {
  top::PlatformConfig platform = support::small_platform();
  platform.gpus.push_back(platform.gpus[0]);
  platform.gpus[1].name = "gpu1";
  support::run_in_kernel(
      [](Kernel& kernel) {
        const auto& fences = kernel.system.monitored.all();
        REQUIRE(fences.size() == 2);
        CHECK(fences[0]->name == "gpu0.paging");
        CHECK(fences[0]->adapter == &kernel.adapter(0));
        CHECK(fences[1]->name == "gpu1.paging");
        CHECK(fences[1]->adapter == &kernel.adapter(1));
      },
      support::managed_kernel(), platform);
}

TEST_CASE("memory that never fits gets no value of the paging queue", "[calls]") {
  with_bench([](Bench& it) {
    const D3DKMT_HANDLE handle = it.handle_of(it.make(Caller::kVram, abi::kUsedByCpu, 4ULL << 20));
    it.paging_queue();
    D3DDDI_MAKERESIDENT args{};
    args.NumAllocations = 1;
    args.AllocationList = &handle;
    args.hPagingQueue = it.process.own(kPagingQueueHandle, 0);
    CHECK(it.calls().D3DKMTMakeResident(it.process, args) == STATUS_NO_MEMORY);
    CHECK(args.NumBytesToTrim != 0);
    CHECK(args.PagingFenceValue == 0);
    CHECK(it.process.paging_value == 0);
    CHECK(it.allocation(handle).residency == 0);
  });
}

}  // namespace fenceline::os::test_memory_calls
