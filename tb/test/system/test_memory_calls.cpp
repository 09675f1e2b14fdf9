// The D3DKMT calls of memory: arguments that are refused change nothing.
#include <catch2/catch.hpp>

#include "tb/check/checkers.h"
#include "tb/test/support/os/kernel_bench.h"

namespace fenceline::system_tests::test_memory_calls {

namespace {

namespace abi = fenceline::abi;
namespace os = fenceline::os;
namespace top = fenceline::top;
namespace user = fenceline::user;
using fenceline::check::Checkers;
using fenceline::support::Caller;

constexpr std::uint32_t kBoth = Caller::kBoth;

/// Runs `body` in a thread, and expects that no invariant breaks.
template <typename Body>
void run(Body body, std::uint64_t bar_bytes = 0) {
  top::PlatformConfig platform;
  platform.gpus[0].vram.size_bytes = 4ULL << 20;
  platform.gpus[0].vram_bar.bytes = bar_bytes;
  user::Machine machine(platform, DriverEntry, true);
  Checkers checkers(machine.simulation().events);
  machine.add_thread("t", machine.add_process("app"), [&] {
    Caller caller(machine.kernel());
    body(caller);
  });
  REQUIRE(machine.run());
  checkers.finish();
  for (const auto& violation : checkers.violations()) FAIL_CHECK(violation.message);
}

}  // namespace

TEST_CASE("allocations are made as the driver allows", "[memory][calls]") {
  run([](Caller& caller) {
    D3DKMT_HANDLE handle = 0;
    CHECK(caller.create(handle, 0) == STATUS_INVALID_PARAMETER);
    CHECK(caller.create(handle, kBoth, abi::kCachedByCpu) == STATUS_INVALID_PARAMETER);
    CHECK(caller.create(handle, kBoth, 0, 0) == STATUS_INVALID_PARAMETER);
    CHECK(handle == 0);
    D3DDDI_ALLOCATIONINFO2 info{};
    D3DKMT_CREATEALLOCATION args{os::kDeviceHandle, 0, 1, nullptr};
    const auto refused = [&] {
      return caller.kernel.memory.D3DKMTCreateAllocation2(caller.process, args) ==
             STATUS_INVALID_PARAMETER;
    };
    CHECK(refused());
    args.pAllocationInfo2 = &info;
    CHECK(refused());  // no private data
    args.NumAllocations = 2;
    CHECK(refused());
    args.NumAllocations = 1;
    args.hDevice = 1;
    CHECK(refused());
    args.hDevice = os::kDeviceHandle;
    args.hResource = 1;
    CHECK(refused());
    args.hResource = 0;
    info.Flags = 1;
    CHECK(refused());
    CHECK(caller.create(handle) == STATUS_SUCCESS);
    CHECK(caller.allocation(handle).pages == 2);
    CHECK(caller.allocation(handle).residency == 0);
  });
}

TEST_CASE("residency is counted and bad lists change none", "[memory][calls]") {
  run([](Caller& caller) {
    D3DKMT_HANDLE handle = 0;
    REQUIRE(caller.create(handle) == STATUS_SUCCESS);
    D3DDDI_MAKERESIDENT args{};
    D3DKMT_HANDLE list[] = {handle, handle};
    args.AllocationList = list;
    args.NumAllocations = 1;
    CHECK(caller.kernel.memory.D3DKMTMakeResident(caller.process, args) == STATUS_INVALID_HANDLE);
    REQUIRE(caller.make_resident(handle) == STATUS_SUCCESS);
    D3DKMT_CREATEPAGINGQUEUE queue{};
    CHECK(caller.kernel.memory.D3DKMTCreatePagingQueue(caller.process, queue) ==
          STATUS_INVALID_PARAMETER);
    queue.hDevice = os::kDeviceHandle;
    queue.Priority = 1;
    CHECK(caller.kernel.memory.D3DKMTCreatePagingQueue(caller.process, queue) ==
          STATUS_INVALID_PARAMETER);
    CHECK(queue.hPagingQueue == 0);
    args.hPagingQueue = os::kPagingQueueHandle;
    args.NumAllocations = 2;
    CHECK(caller.kernel.memory.D3DKMTMakeResident(caller.process, args) ==
          STATUS_INVALID_PARAMETER);
    list[1] = handle + 1;
    CHECK(caller.kernel.memory.D3DKMTMakeResident(caller.process, args) == STATUS_INVALID_HANDLE);
    args.NumAllocations = 0;
    CHECK(caller.kernel.memory.D3DKMTMakeResident(caller.process, args) ==
          STATUS_INVALID_PARAMETER);
    args.NumAllocations = 1;
    args.Flags.Value = 4;
    CHECK(caller.kernel.memory.D3DKMTMakeResident(caller.process, args) ==
          STATUS_INVALID_PARAMETER);
    CHECK(caller.allocation(handle).residency == 1);
    D3DKMT_EVICT evict{os::kDeviceHandle, 1, list, {8}, 0};
    CHECK(caller.kernel.memory.D3DKMTEvict(caller.process, evict) == STATUS_INVALID_PARAMETER);
    evict.Flags.Value = 0;
    evict.hDevice = 0;
    CHECK(caller.kernel.memory.D3DKMTEvict(caller.process, evict) == STATUS_INVALID_PARAMETER);
    CHECK(caller.allocation(handle).residency == 1);
    evict.hDevice = os::kDeviceHandle;
    CHECK(caller.kernel.memory.D3DKMTEvict(caller.process, evict) == STATUS_SUCCESS);
    CHECK(caller.kernel.memory.D3DKMTEvict(caller.process, evict) == STATUS_INVALID_PARAMETER);
  });
}

TEST_CASE("allocations that do not fit into VRAM together are refused with the excess",
          "[memory][calls]") {
  run([](Caller& caller) {
    D3DKMT_HANDLE first = 0;
    D3DKMT_HANDLE second = 0;
    REQUIRE(caller.create(first, 1, abi::kUsedByCpu, 2 << 20) == STATUS_SUCCESS);
    REQUIRE(caller.create(second, 1, abi::kUsedByCpu, 2 << 20) == STATUS_SUCCESS);
    REQUIRE(caller.make_resident(first) == STATUS_SUCCESS);
    UINT64 to_trim = 0;
    CHECK(caller.make_resident(second, &to_trim) == STATUS_NO_MEMORY);
    CHECK(to_trim > 0);
    CHECK(caller.allocation(second).residency == 0);
  });
}

TEST_CASE("locks are counted and what is refused locks nothing", "[memory][calls]") {
  run([](Caller& caller) {
    D3DKMT_HANDLE handle = 0;
    REQUIRE(caller.create(handle) == STATUS_SUCCESS);
    REQUIRE(caller.make_resident(handle) == STATUS_SUCCESS);
    PVOID data = nullptr;
    for (UINT bit = 0; bit < 32; ++bit)
      CHECK(caller.lock(handle, 1U << bit, &data) == STATUS_INVALID_PARAMETER);
    CHECK(data == nullptr);
    CHECK(caller.lock(handle + 1) == STATUS_INVALID_HANDLE);
    CHECK(caller.lock(0) == STATUS_INVALID_HANDLE);
    CHECK(caller.allocation(handle).locks == 0);
    CHECK(caller.unlock(handle) == STATUS_INVALID_PARAMETER);
    D3DKMT_LOCK older{};
    older.hDevice = os::kDeviceHandle;
    older.hAllocation = handle;
    older.NumPages = 1;
    CHECK(caller.kernel.memory.D3DKMTLock(caller.process, older) == STATUS_INVALID_PARAMETER);
    older.NumPages = 0;
    older.Flags.Value = 1U << 11;
    CHECK(caller.kernel.memory.D3DKMTLock(caller.process, older) == STATUS_INVALID_PARAMETER);
    CHECK(caller.allocation(handle).locks == 0);
    older.Flags.Value = D3DDDICB_LOCKFLAGS::kWriteOnly;
    CHECK(caller.kernel.memory.D3DKMTLock(caller.process, older) == STATUS_SUCCESS);
    CHECK(caller.lock(handle, 0, &data) == STATUS_SUCCESS);
    CHECK(data == older.pData);
    const D3DKMT_HANDLE twice[] = {handle, handle};
    CHECK(caller.kernel.memory.D3DKMTUnlock(caller.process, {os::kDeviceHandle, 2, twice}) ==
          STATUS_INVALID_PARAMETER);
    CHECK(caller.allocation(handle).locks == 2);
    CHECK(caller.kernel.memory.D3DKMTUnlock(caller.process, {os::kDeviceHandle, 1, twice}) ==
          STATUS_SUCCESS);
    CHECK(caller.unlock(handle) == STATUS_SUCCESS);
    std::uint64_t value = 1;
    CHECK(caller.kernel.user_access.touch_memory(caller.process,
                                                 reinterpret_cast<std::uint64_t>(data), true,
                                                 value) == STATUS_ACCESS_VIOLATION);
    CHECK(caller.kernel.user_access.touch_memory(caller.process, 0, true, value) ==
          STATUS_ACCESS_VIOLATION);
  });
}

TEST_CASE("an allocation has a maximum number of locks", "[memory][calls]") {
  run([](Caller& caller) {
    D3DKMT_HANDLE handle = 0;
    REQUIRE(caller.create(handle) == STATUS_SUCCESS);
    for (std::uint32_t i = 0; i < os::AllocationLocks::kMost; ++i)
      REQUIRE(caller.lock(handle) == STATUS_SUCCESS);
    CHECK(caller.lock(handle) == STATUS_GRAPHICS_TOO_MANY_REFERENCES);
    CHECK(caller.allocation(handle).locks == os::AllocationLocks::kMost);
  });
}

TEST_CASE("a destroyed allocation has no handle and its memory comes back", "[memory][calls]") {
  run([](Caller& caller) {
    D3DKMT_HANDLE handle = 0;
    REQUIRE(caller.create(handle, 1, 0, 1 << 20) == STATUS_SUCCESS);
    REQUIRE(caller.make_resident(handle) == STATUS_SUCCESS);
    CHECK(caller.destroy(handle, 4) == STATUS_INVALID_PARAMETER);
    CHECK(caller.destroy(handle, D3DDDICB_DESTROYALLOCATION2FLAGS::kSystemUseOnly) ==
          STATUS_INVALID_PARAMETER);
    CHECK(caller.kernel.memory.D3DKMTDestroyAllocation2(
              caller.process, {os::kDeviceHandle, 1, &handle, 1, {}}) == STATUS_INVALID_PARAMETER);
    CHECK(caller.process.allocation(handle) != nullptr);
    CHECK(caller.destroy(handle, D3DDDICB_DESTROYALLOCATION2FLAGS::kSynchronousDestroy) ==
          STATUS_SUCCESS);
    CHECK(caller.destroy(handle) == STATUS_INVALID_HANDLE);
    CHECK(caller.lock(handle) == STATUS_INVALID_HANDLE);
    // Three quarters of VRAM are for allocations: the next one needs what has come back.
    REQUIRE(caller.create(handle, 1, 0, 5 << 19) == STATUS_SUCCESS);
    CHECK(caller.make_resident(handle) == STATUS_SUCCESS);
  });
}

TEST_CASE("ranges of a cache are within the allocation", "[memory][calls]") {
  run([](Caller& caller) {
    D3DKMT_HANDLE handle = 0;
    REQUIRE(caller.create(handle, 2, abi::kUsedByCpu | abi::kCachedByCpu) == STATUS_SUCCESS);
    const auto invalidate = [&](SIZE_T offset, SIZE_T length) {
      return caller.kernel.memory.D3DKMTInvalidateCache(
          caller.process, {os::kDeviceHandle, handle, offset, length});
    };
    CHECK(invalidate(0, 8192) == STATUS_SUCCESS);
    CHECK(invalidate(0, 0) == STATUS_INVALID_PARAMETER);
    CHECK(invalidate(8192, 1) == STATUS_INVALID_PARAMETER);
    CHECK(invalidate(4096, 4097) == STATUS_INVALID_PARAMETER);
  });
}

TEST_CASE("page tables and locks share the CPU host aperture", "[memory][calls]") {
  run(
      [](Caller& caller) {
        D3DKMT_HANDLE handle = 0;
        REQUIRE(caller.create(handle, 1) == STATUS_SUCCESS);
        REQUIRE(caller.make_resident(handle) == STATUS_SUCCESS);
        os::HostAperture* const window = caller.kernel.adapter(0).host_aperture();
        REQUIRE(window != nullptr);
        const std::size_t free = window->free_pages();
        CHECK(free < (1U << 20) / 4096);  // page tables have some
        PVOID data = nullptr;
        REQUIRE(caller.lock(handle, 0, &data) == STATUS_SUCCESS);
        CHECK(window->free_pages() == free - 2);
        std::uint64_t value = 42;
        const auto address = reinterpret_cast<std::uint64_t>(data);
        CHECK(caller.kernel.user_access.touch_memory(caller.process, address, true, value) ==
              STATUS_SUCCESS);
        value = 0;
        CHECK(caller.kernel.user_access.touch_memory(caller.process, address, false, value) ==
              STATUS_SUCCESS);
        CHECK(value == 42);
        CHECK(caller.unlock(handle) == STATUS_SUCCESS);
        CHECK(window->free_pages() == free);
      },
      1 << 20);
}

}  // namespace fenceline::system_tests::test_memory_calls
