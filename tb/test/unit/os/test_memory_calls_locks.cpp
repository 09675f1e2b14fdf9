// Calls that evict, lock and unlock memory, and that maintain its caches.
#include <catch2/catch.hpp>

#include "tb/os/calls/memory_calls.h"
#include "tb/test/support/os/kernel_bench.h"

namespace fenceline::os::test_memory_calls_locks {

namespace {

using support::Caller;
using support::KernelBench;
using LockFlags = D3DDDICB_LOCKFLAGS;

void with_caller(const std::function<void(Caller&)>& body,
                 const KernelOptions& options = support::managed_kernel()) {
  support::run_in_kernel(
      [&](Kernel& kernel) {
        Caller caller(kernel);
        body(caller);
      },
      options);
}

/// The older lock of an allocation.
struct Lock {
  Lock(Caller& of, Allocation& target) : caller(of) {
    args.hDevice = of.process.device();
    args.hAllocation = of.handle_of(target);
  }
  NTSTATUS lock(UINT flags = 0) {
    args.Flags.Value = flags;
    return caller.kernel.memory.D3DKMTLock(caller.process, args);
  }
  Caller& caller;
  D3DKMT_LOCK args{};
};

NTSTATUS unlock(Caller& caller, const std::vector<D3DKMT_HANDLE>& handles) {
  return caller.kernel.memory.D3DKMTUnlock(
      caller.process, {caller.process.device(), static_cast<UINT>(handles.size()), handles.data()});
}

NTSTATUS invalidate(Caller& caller, D3DKMT_HANDLE handle, SIZE_T offset, SIZE_T length) {
  return caller.kernel.memory.D3DKMTInvalidateCache(
      caller.process, {caller.process.device(), handle, offset, length});
}

/// Ranges of caches that user mode has maintained, on a host that is coherent with devices or not.
std::size_t maintained(bool coherent) {
  top::PlatformConfig platform = support::small_platform();
  platform.host.io_coherent = coherent;
  KernelBench machine(support::managed_kernel(), platform);
  machine.run({[&](Kernel& kernel) {
    Caller caller(kernel);
    Allocation& cached =
        caller.make(Caller::kAperture | Caller::kVram, abi::kUsedByCpu | abi::kCachedByCpu);
    const D3DKMT_HANDLE handle = caller.handle_of(cached);
    REQUIRE(caller.lock(handle) == STATUS_SUCCESS);
    std::uint64_t value = 1;
    kernel.user_access.touch_memory(caller.process, cached.user_address, true, value);
    machine.events.all.clear();
    CHECK(invalidate(caller, handle, 0, 64) == STATUS_SUCCESS);
  }});
  return machine.events.of<event::CacheMaintained>().size();
}

}  // namespace

TEST_CASE("memory that is resident is evicted now or when it has to be", "[calls]") {
  using Flags = D3DDDI_EVICT_FLAGS;
  with_caller([](Caller& caller) {
    Allocation& it = caller.make(Caller::kVram);
    const D3DKMT_HANDLE handle = caller.handle_of(it);
    CHECK(caller.evict(handle) == STATUS_INVALID_PARAMETER);
    REQUIRE(caller.make_resident(handle) == STATUS_SUCCESS);
    CHECK(caller.evict(handle, 8) == STATUS_INVALID_PARAMETER);
    CHECK(it.residency == 1);
    CHECK(caller.evict(handle, Flags::kEvictOnlyIfNecessary) == STATUS_SUCCESS);
    caller.kernel.cpu().sleep(common::kMillisecond);
    CHECK(it.residency == 0);
    CHECK(it.placement == event::Placement::kVram);
    REQUIRE(caller.make_resident(handle) == STATUS_SUCCESS);
    CHECK(caller.evict(handle, Flags::kNotWrittenTo) == STATUS_SUCCESS);
    caller.kernel.cpu().sleep(common::kMillisecond);
    CHECK(it.placement == event::Placement::kSystem);
  });
}

TEST_CASE("a list with one allocation that is not resident evicts none", "[calls]") {
  with_caller([](Caller& caller) {
    const D3DKMT_HANDLE list[] = {caller.handle_of(caller.make()), caller.handle_of(caller.make())};
    REQUIRE(caller.make_resident(list[0]) == STATUS_SUCCESS);
    D3DKMT_EVICT args{caller.process.device(), 2, list, {0}, 9};
    CHECK(caller.kernel.memory.D3DKMTEvict(caller.process, args) == STATUS_INVALID_PARAMETER);
    CHECK(caller.allocation(list[0]).residency == 1);
    args.NumAllocations = 1;
    CHECK(caller.kernel.memory.D3DKMTEvict(caller.process, args) == STATUS_SUCCESS);
    CHECK(args.NumBytesToTrim == 0);
  });
}

TEST_CASE("a lock gives the address of an allocation and takes no flag", "[calls]") {
  with_caller([](Caller& caller) {
    Allocation& it = caller.make();
    const D3DKMT_HANDLE handle = caller.handle_of(it);
    PVOID data = nullptr;
    CHECK(caller.lock(handle, 1, &data) == STATUS_INVALID_PARAMETER);
    caller.process.in_error = true;
    CHECK(caller.lock(handle, 0, &data) == STATUS_DEVICE_REMOVED);
    caller.process.in_error = false;
    CHECK(caller.lock(handle + 1, 0, &data) == STATUS_INVALID_HANDLE);
    it.locks = AllocationLocks::kMost;
    CHECK(caller.lock(handle, 0, &data) == STATUS_GRAPHICS_TOO_MANY_REFERENCES);
    it.locks = 0;
    CHECK(data == nullptr);
    CHECK(caller.lock(handle, 0, &data) == STATUS_SUCCESS);
    CHECK(reinterpret_cast<std::uint64_t>(data) == it.user_address);
    CHECK(it.locks == 1);
    CHECK(caller.unlock(handle + 1) == STATUS_INVALID_HANDLE);
    CHECK(caller.unlock(handle) == STATUS_SUCCESS);
    CHECK(it.locks == 0);
    CHECK(caller.unlock(handle) == STATUS_INVALID_PARAMETER);
  });
}

TEST_CASE("the older lock refuses what it does not know and contradictions", "[calls]") {
  with_caller([](Caller& caller) {
    Allocation& it = caller.make();
    Lock older(caller, it);
    for (const UINT bad : {LockFlags::kReadOnly | LockFlags::kWriteOnly,
                           LockFlags::kAcquireAperture + 0, LockFlags::kDiscard + 0,
                           LockFlags::kNoExistingReference + 0, LockFlags::kUseAlternateVA + 0})
      CHECK(older.lock(bad) == STATUS_INVALID_PARAMETER);
    older.args.NumPages = 1;
    CHECK(older.lock() == STATUS_INVALID_PARAMETER);
    older.args.NumPages = 0;
    const UINT page = 0;
    older.args.pPages = &page;
    CHECK(older.lock() == STATUS_INVALID_PARAMETER);
    older.args.pPages = nullptr;
    caller.process.in_error = true;
    CHECK(older.lock() == STATUS_DEVICE_REMOVED);
    caller.process.in_error = false;
    ++older.args.hAllocation;
    CHECK(older.lock() == STATUS_INVALID_HANDLE);
    CHECK(it.locks == 0);
  });
}

TEST_CASE("the older lock gives the addresses for CPU and GPU", "[calls]") {
  with_caller([](Caller& caller) {
    Allocation& it = caller.make();
    Lock older(caller, it);
    CHECK(older.lock(LockFlags::kReadOnly | LockFlags::kLockEntire) == STATUS_SUCCESS);
    CHECK(older.lock(LockFlags::kWriteOnly | LockFlags::kIgnoreReadSync) == STATUS_SUCCESS);
    CHECK(reinterpret_cast<std::uint64_t>(older.args.pData) == it.user_address);
    CHECK(older.args.GpuVirtualAddress == it.gpu_address);
    CHECK(it.locks == 2);
  });
}

TEST_CASE("the older lock may say that the allocation must not move", "[calls]") {
  with_caller([](Caller& caller) {
    Allocation& it = caller.make(Caller::kBoth, 0);
    REQUIRE(caller.make_resident(caller.handle_of(it)) == STATUS_SUCCESS);
    REQUIRE(it.placement == event::Placement::kVram);
    Lock older(caller, it);
    CHECK(older.lock(LockFlags::kDonotEvict) == STATUS_GRAPHICS_CANT_EVICT_PINNED_ALLOCATION);
    CHECK(older.args.pData == nullptr);
    CHECK(older.lock() == STATUS_SUCCESS);
    CHECK(it.placement == event::Placement::kAperture);
  });
}

TEST_CASE("the older lock may say that it does not wait or looks at no work", "[calls]") {
  KernelOptions options = support::managed_kernel();
  options.adapter.system.allocation_lists = true;
  with_caller(
      [](Caller& caller) {
        Allocation& it = caller.make();
        it.listed = 1;
        it.unlisted.clear();
        Lock older(caller, it);
        CHECK(older.lock(LockFlags::kDonotWait) == STATUS_GRAPHICS_ALLOCATION_BUSY);
        CHECK(older.lock(LockFlags::kDonotWait | LockFlags::kIgnoreSync) == STATUS_SUCCESS);
        it.listed = 0;
      },
      options);
}

TEST_CASE("the older lock waits for work unless it says that it does not", "[calls]") {
  KernelOptions options = support::managed_kernel();
  options.adapter.system.allocation_lists = true;
  KernelBench machine(options);
  std::unique_ptr<Caller> caller;
  Allocation* it = nullptr;
  machine.run({[&](Kernel& kernel) {
                 caller = std::make_unique<Caller>(kernel);
                 Allocation& made = caller->make();
                 made.listed = 1;
                 made.unlisted.clear();
                 it = &made;
                 CHECK(Lock(*caller, made).lock() == STATUS_SUCCESS);
                 CHECK(made.listed == 0);
               },
               [&](Kernel& kernel) {
                 while (it == nullptr) kernel.cpu().sleep(common::kMicrosecond);
                 kernel.cpu().sleep(common::kMillisecond);
                 CHECK(it->locks == 0);
                 it->listed = 0;
                 it->unlisted.set();
               }});
}

TEST_CASE("the older unlock is for all allocations of a list or for none", "[calls]") {
  with_caller([](Caller& caller) {
    Allocation& locked = caller.make();
    Allocation& other = caller.make();
    REQUIRE(caller.lock(caller.handle_of(locked)) == STATUS_SUCCESS);
    const std::vector<D3DKMT_HANDLE> both{caller.handle_of(locked), caller.handle_of(other)};
    CHECK(unlock(caller, both) == STATUS_INVALID_PARAMETER);
    CHECK(locked.locks == 1);
    CHECK(unlock(caller, {both[0], both[1] + 1}) == STATUS_INVALID_HANDLE);
    REQUIRE(caller.lock(both[1]) == STATUS_SUCCESS);
    CHECK(unlock(caller, both) == STATUS_SUCCESS);
    CHECK(locked.locks == 0);
    CHECK(other.locks == 0);
  });
}

TEST_CASE("caches are maintained for a range within the allocation", "[calls]") {
  with_caller([](Caller& caller) {
    constexpr SIZE_T kBytes = 8192;
    const D3DKMT_HANDLE handle = caller.handle_of(caller.make());
    CHECK(invalidate(caller, handle + 1, 0, kBytes) == STATUS_INVALID_HANDLE);
    CHECK(invalidate(caller, handle, 0, 0) == STATUS_INVALID_PARAMETER);
    CHECK(invalidate(caller, handle, 0, kBytes + 1) == STATUS_INVALID_PARAMETER);
    CHECK(invalidate(caller, handle, kBytes + 1, 1) == STATUS_INVALID_PARAMETER);
    CHECK(invalidate(caller, handle, kBytes, 1) == STATUS_INVALID_PARAMETER);
    CHECK(invalidate(caller, handle, 1, SIZE_MAX) == STATUS_INVALID_PARAMETER);
    CHECK(invalidate(caller, handle, 0, kBytes) == STATUS_SUCCESS);
    CHECK(invalidate(caller, handle, kBytes - 1, 1) == STATUS_SUCCESS);
  });
}

TEST_CASE("caches that see the device are maintained without a wait for a move", "[calls]") {
  with_caller([](Caller& caller) {
    REQUIRE(caller.kernel.system.snoops(caller.process));
    Allocation& it = caller.make();
    it.busy = true;
    CHECK(invalidate(caller, caller.handle_of(it), 0, 64) == STATUS_SUCCESS);
    it.busy = false;
  });
}

TEST_CASE("caches that see the device need no maintenance", "[calls]") {
  CHECK(maintained(true) == 0);
}

TEST_CASE("caches that do not see the device are maintained", "[calls]") {
  CHECK(maintained(false) == 1);
}

}  // namespace fenceline::os::test_memory_calls_locks
