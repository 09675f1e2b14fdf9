#include <catch2/catch.hpp>

#include "tb/os/allocations/allocation_locks.h"
#include "tb/test/support/os/kernel_bench.h"

namespace fenceline::os::test_allocation_locks {

namespace {

using event::Placement;
using support::Caller;
using Rules = AllocationLocks::Rules;

constexpr std::uint32_t kVram = Caller::kVram, kBoth = Caller::kBoth;
constexpr std::uint32_t kCached = abi::kUsedByCpu | abi::kCachedByCpu;
constexpr std::uint64_t kBar = 1 << 20;  ///< of a window

template <typename Body>
void with_locks(Body body, std::uint64_t bar_bytes = 0,
                const KernelOptions& options = support::managed_kernel()) {
  support::run_in_kernel(
      [&](Kernel& kernel) {
        Caller caller(kernel);
        body(caller, caller.memory().locks());
      },
      options, support::small_platform(bar_bytes));
}

/// An allocation in VRAM.
Allocation& resident(Caller& caller, std::uint32_t segments, std::uint32_t flags) {
  Allocation& made = caller.make(segments, flags);
  REQUIRE(caller.make_resident(caller.handle_of(made)) == STATUS_SUCCESS);
  REQUIRE(made.placement == Placement::kVram);
  return made;
}

Rules stays() {
  Rules rules;
  rules.may_move = false;
  return rules;
}

}  // namespace

TEST_CASE("an allocation that the CPU sees in VRAM is locked there", "[memory][locks]") {
  with_locks([](Caller& caller, AllocationLocks& locks) {
    Allocation& it = resident(caller, kVram, abi::kUsedByCpu);
    CHECK(locks.lock(it, stays()) == STATUS_SUCCESS);
    CHECK(it.placement == Placement::kVram);
    CHECK(it.locks == 1);
    CHECK(it.window.empty());
    CHECK_FALSE(it.pinned);
  });
}

TEST_CASE("an allocation that the CPU does not see leaves VRAM for a lock", "[memory][locks]") {
  with_locks([](Caller& caller, AllocationLocks& locks) {
    Allocation& it = resident(caller, kBoth, 0);
    CHECK(locks.lock(it, stays()) == STATUS_GRAPHICS_CANT_EVICT_PINNED_ALLOCATION);
    CHECK(it.placement == Placement::kVram);
    CHECK(it.locks == 0);
    CHECK(locks.lock(it, {}) == STATUS_SUCCESS);
    CHECK(it.placement == Placement::kAperture);
    CHECK(it.locks == 1);
  });
}

TEST_CASE("an allocation that must stay in VRAM unseen cannot be locked", "[memory][locks]") {
  with_locks([](Caller& caller, AllocationLocks& locks) {
    Allocation& it = resident(caller, kVram, 0);
    CHECK(locks.lock(it, {}) == STATUS_INVALID_PARAMETER);
    CHECK(it.locks == 0);
    CHECK_FALSE(it.busy);
    // Evicted only if necessary, it is still in VRAM and may leave.
    REQUIRE(caller.evict(caller.handle_of(it), D3DDDI_EVICT_FLAGS::kEvictOnlyIfNecessary) ==
            STATUS_SUCCESS);
    CHECK(locks.lock(it, {}) == STATUS_SUCCESS);
    CHECK(it.placement == Placement::kSystem);
    CHECK(it.pinned);
    CHECK(locks.unlock(it) == STATUS_SUCCESS);
    CHECK_FALSE(it.pinned);
  });
}

TEST_CASE("a cached allocation in VRAM is locked only when it is no longer resident",
          "[memory][locks]") {
  with_locks([](Caller& caller, AllocationLocks& locks) {
    Allocation& it = resident(caller, kBoth, kCached);
    CHECK(locks.lock(it, {}) == STATUS_INVALID_PARAMETER);
    REQUIRE(caller.evict(caller.handle_of(it), D3DDDI_EVICT_FLAGS::kEvictOnlyIfNecessary) ==
            STATUS_SUCCESS);
    CHECK(locks.lock(it, {}) == STATUS_SUCCESS);
    CHECK(it.placement == Placement::kSystem);
    CHECK_FALSE(it.pinned);  // it may still come to the aperture segment
  });
}

TEST_CASE("a lock behind a small BAR takes pages of the window", "[memory][locks]") {
  with_locks(
      [](Caller& caller, AllocationLocks& locks) {
        Allocation& it = resident(caller, kVram, abi::kUsedByCpu);
        CHECK(locks.lock(it, {}) == STATUS_SUCCESS);
        CHECK(it.window.size() == it.pages);
        CHECK(locks.lock(it, {}) == STATUS_SUCCESS);
        CHECK(locks.unlock(it) == STATUS_SUCCESS);
        CHECK(it.window.size() == it.pages);  // the second lock holds
        CHECK(locks.unlock(it) == STATUS_SUCCESS);
        CHECK(it.window.empty());
      },
      kBar);
}

TEST_CASE("a lock that finds no room in the window moves the allocation if it may",
          "[memory][locks]") {
  with_locks(
      [](Caller& caller, AllocationLocks& locks) {
        HostAperture& window = *caller.kernel.adapter(0).host_aperture();
        Allocation& fixed = resident(caller, kVram, abi::kUsedByCpu);
        Allocation& moves = resident(caller, kBoth, abi::kUsedByCpu);
        std::vector<std::uint64_t> all(window.free_pages());
        for (std::size_t i = 0; i < all.size(); ++i) all[i] = (2ULL << 20) + i * kPage;
        const auto taken = window.map(nullptr, all);
        REQUIRE(taken);
        CHECK(locks.lock(fixed, {}) == STATUS_NO_MEMORY);
        CHECK(fixed.locks == 0);
        CHECK(locks.lock(moves, {}) == STATUS_SUCCESS);
        CHECK(moves.placement == Placement::kAperture);
        window.unmap(*taken);
        CHECK(locks.lock(fixed, {}) == STATUS_SUCCESS);
      },
      kBar);
}

TEST_CASE("an allocation has at most 1024 locks", "[memory][locks]") {
  with_locks([](Caller& caller, AllocationLocks& locks) {
    Allocation& it = caller.make();
    REQUIRE(locks.lock(it, {}) == STATUS_SUCCESS);
    it.locks = AllocationLocks::kMost - 1;
    CHECK(locks.lock(it, {}) == STATUS_SUCCESS);
    CHECK(locks.lock(it, {}) == STATUS_GRAPHICS_TOO_MANY_REFERENCES);
    CHECK(it.locks == AllocationLocks::kMost);
  });
}

TEST_CASE("an allocation without a lock cannot be unlocked", "[memory][locks]") {
  with_locks([](Caller& caller, AllocationLocks& locks) {
    Allocation& it = caller.make();
    CHECK(locks.unlock(it) == STATUS_INVALID_PARAMETER);
    CHECK(it.locks == 0);
    CHECK_FALSE(it.busy);
  });
}

TEST_CASE("a locked allocation outside VRAM is pinned if it can be in VRAM only",
          "[memory][locks]") {
  with_locks([](Caller& caller, AllocationLocks& locks) {
    Allocation& fixed = caller.make(kVram);
    Allocation& moves = caller.make(kBoth);
    CHECK(locks.lock(fixed, {}) == STATUS_SUCCESS);
    CHECK(locks.lock(moves, {}) == STATUS_SUCCESS);
    CHECK(fixed.pinned);
    CHECK_FALSE(moves.pinned);
    CHECK(fixed.system.size() == fixed.pages);
  });
}

TEST_CASE("MakeResident waits for the unlock of an allocation that was locked outside meanwhile",
          "[memory][locks]") {
  with_locks([](Caller& caller, AllocationLocks& locks) {
    Allocation& it = caller.make(kVram);
    std::uint64_t value = 0;
    std::uint64_t to_trim = 0;
    REQUIRE(caller.memory().make_resident(caller.process, {&it}, value, to_trim) == STATUS_PENDING);
    REQUIRE(locks.lock(it, {}) == STATUS_SUCCESS);
    CHECK(it.pinned);
    caller.kernel.cpu().sleep(100 * common::kMicrosecond);
    CHECK(it.placement == Placement::kSystem);
    REQUIRE(locks.unlock(it) == STATUS_SUCCESS);
    CHECK(caller.make_resident(caller.handle_of(it)) == STATUS_SUCCESS);
    CHECK(it.placement == Placement::kVram);
  });
}

TEST_CASE("the CPU reaches an allocation only while it is locked", "[memory][locks]") {
  with_locks([](Caller& caller, AllocationLocks& locks) {
    Allocation& it = resident(caller, kVram, abi::kUsedByCpu);
    std::uint64_t value = 42;
    CHECK(locks.touch(it, 4096 + 8, true, value) == STATUS_ACCESS_VIOLATION);
    REQUIRE(locks.lock(it, {}) == STATUS_SUCCESS);
    CHECK(locks.touch(it, 4096 + 8, true, value) == STATUS_SUCCESS);
    CHECK(it.accessors == 0);
    value = 0;
    CHECK(locks.touch(it, 4096 + 8, false, value) == STATUS_SUCCESS);
    CHECK(value == 42);
    CHECK(locks.touch(it, 8, false, value) == STATUS_SUCCESS);
    CHECK(value == 0);
    REQUIRE(locks.unlock(it) == STATUS_SUCCESS);
    CHECK(locks.touch(it, 8, false, value) == STATUS_ACCESS_VIOLATION);
  });
}

TEST_CASE("a lock that may not wait is refused while work lists the allocation",
          "[memory][locks]") {
  KernelOptions options = support::managed_kernel();
  options.adapter.system.allocation_lists = true;
  with_locks(
      [](Caller& caller, AllocationLocks& locks) {
        Allocation& it = caller.make();
        Rules rules;
        rules.may_wait = false;
        it.listed = 1;
        it.unlisted.clear();
        CHECK(locks.lock(it, rules) == STATUS_GRAPHICS_ALLOCATION_BUSY);
        CHECK(it.locks == 0);
        rules.synchronizes = false;
        CHECK(locks.lock(it, rules) == STATUS_SUCCESS);
        rules.synchronizes = true;
        it.listed = 0;
        CHECK(locks.lock(it, rules) == STATUS_SUCCESS);
      },
      0, options);
}

TEST_CASE("work without allocation lists makes no lock busy", "[memory][locks]") {
  with_locks([](Caller& caller, AllocationLocks& locks) {
    Allocation& it = caller.make();
    Rules rules;
    rules.may_wait = false;
    it.listed = 1;
    CHECK(locks.lock(it, rules) == STATUS_SUCCESS);
  });
}

TEST_CASE("without the rules of locks an allocation is locked where it is", "[memory][locks]") {
  KernelOptions options = support::managed_kernel();
  options.adapter.system.lock_rules = false;
  with_locks(
      [](Caller& caller, AllocationLocks& locks) {
        Allocation& it = resident(caller, kBoth, 0);
        CHECK(locks.lock(it, {}) == STATUS_SUCCESS);
        CHECK(it.placement == Placement::kVram);
        CHECK(it.frozen.size() == it.pages);
        CHECK(locks.unlock(it) == STATUS_SUCCESS);
        CHECK(it.frozen.empty());
      },
      0, options);
}

}  // namespace fenceline::os::test_allocation_locks
