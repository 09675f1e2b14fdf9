#include <catch2/catch.hpp>

#include "tb/os/allocations/allocation_moves.h"
#include "tb/test/support/os/kernel_bench.h"

namespace fenceline::os::test_allocation_moves {

namespace {

using event::Placement;
using support::Caller;

constexpr std::uint32_t kVram = Caller::kVram, kAperture = Caller::kAperture;
constexpr std::uint32_t kBoth = Caller::kBoth;
constexpr std::uint64_t kThird = 1 << 19;  ///< of the VRAM for allocations

template <typename Body>
void with_caller(Body body) {
  KernelOptions options = support::managed_kernel();
  options.adapter.system.video_memory = 3 * kThird;
  support::run_in_kernel(
      [&](Kernel& kernel) {
        Caller caller(kernel);
        body(caller);
      },
      options);
}

Allocation& make(Caller& caller, std::uint32_t segments = kBoth) {
  return caller.make(segments, abi::kUsedByCpu, kThird);
}
NTSTATUS bring(Caller& caller, Allocation& allocation) {
  return caller.make_resident(caller.handle_of(allocation));
}
NTSTATUS release(Caller& caller, Allocation& allocation) {
  return caller.evict(caller.handle_of(allocation), D3DDDI_EVICT_FLAGS::kEvictOnlyIfNecessary);
}

}  // namespace

TEST_CASE("the oldest resident allocation makes room in VRAM", "[memory][moves]") {
  with_caller([](Caller& caller) {
    Allocation* all[] = {&make(caller), &make(caller), &make(caller), &make(caller)};
    for (Allocation* one : {all[1], all[0], all[2], all[3]}) bring(caller, *one);
    CHECK(all[1]->placement == Placement::kAperture);
    CHECK(all[0]->placement == Placement::kVram);
    CHECK(all[2]->placement == Placement::kVram);
    CHECK(all[3]->placement == Placement::kVram);
  });
}

TEST_CASE("an allocation that is not wanted leaves VRAM before older ones", "[memory][moves]") {
  with_caller([](Caller& caller) {
    Allocation* all[] = {&make(caller), &make(caller), &make(caller), &make(caller)};
    for (int i = 0; i < 3; ++i) bring(caller, *all[i]);
    REQUIRE(release(caller, *all[2]) == STATUS_SUCCESS);
    CHECK(all[2]->placement == Placement::kVram);
    bring(caller, *all[3]);
    CHECK(all[2]->placement == Placement::kSystem);  // nobody needs it at the GPU
    CHECK(all[0]->placement == Placement::kVram);
  });
}

TEST_CASE("a resident allocation that can be in VRAM only stays there", "[memory][moves]") {
  with_caller([](Caller& caller) {
    Allocation& fixed = make(caller, kVram);
    Allocation& other = make(caller);
    for (Allocation* one : {&fixed, &other, &make(caller), &make(caller)}) bring(caller, *one);
    CHECK(fixed.placement == Placement::kVram);
    CHECK(other.placement == Placement::kAperture);
  });
}

TEST_CASE("an allocation goes to the aperture segment where VRAM has no room", "[memory][moves]") {
  with_caller([](Caller& caller) {
    for (int i = 0; i < 3; ++i) REQUIRE(bring(caller, make(caller, kVram)) == STATUS_SUCCESS);
    Allocation& late = make(caller);
    CHECK(bring(caller, late) == STATUS_SUCCESS);
    CHECK(late.placement == Placement::kAperture);
  });
}

TEST_CASE("an allocation that can be in VRAM only takes the place of others of its call",
          "[memory][moves]") {
  with_caller([](Caller& caller) {
    std::vector<Allocation*> all;
    for (int i = 0; i < 3; ++i) all.push_back(&make(caller));
    all.push_back(&make(caller, kVram));
    REQUIRE(bring(caller, *all[0]) == STATUS_SUCCESS);
    std::uint64_t value = 0;
    std::uint64_t to_trim = 0;
    REQUIRE(caller.memory().make_resident(caller.process, all, value, to_trim) == STATUS_PENDING);
    caller.kernel.cpu().compute(100 * common::kMillisecond);
    CHECK(all[3]->placement == Placement::kVram);
    CHECK(all[0]->placement == Placement::kAperture);
    CHECK(all[1]->placement == Placement::kVram);
  });
}

TEST_CASE("an allocation that cannot be in VRAM is mapped where it is", "[memory][moves]") {
  with_caller([](Caller& caller) {
    Allocation& it = make(caller, kAperture);
    CHECK(bring(caller, it) == STATUS_SUCCESS);
    CHECK(it.placement == Placement::kAperture);
    CHECK(it.vram.empty());
    CHECK(it.system.size() == it.pages);
  });
}

TEST_CASE("a locked allocation that the CPU would lose in VRAM stays outside", "[memory][moves]") {
  with_caller([](Caller& caller) {
    Allocation& seen = caller.make(kBoth, abi::kUsedByCpu);
    Allocation& cached = caller.make(kBoth, abi::kUsedByCpu | abi::kCachedByCpu);
    for (Allocation* one : {&seen, &cached}) {
      REQUIRE(caller.lock(caller.handle_of(*one)) == STATUS_SUCCESS);
      REQUIRE(bring(caller, *one) == STATUS_SUCCESS);
    }
    CHECK(seen.placement == Placement::kVram);
    CHECK(cached.placement == Placement::kAperture);
  });
}

TEST_CASE("a move keeps the content and gives the old pages back", "[memory][moves]") {
  with_caller([](Caller& caller) {
    Allocation& it = caller.make();
    const D3DKMT_HANDLE handle = caller.handle_of(it);
    std::uint64_t value = 42;
    AllocationLocks& locks = caller.memory().locks();
    REQUIRE(locks.lock(it, {}) == STATUS_SUCCESS);
    REQUIRE(locks.touch(it, 8, true, value) == STATUS_SUCCESS);
    REQUIRE(caller.make_resident(handle) == STATUS_SUCCESS);
    CHECK(it.placement == Placement::kVram);
    CHECK(it.system.empty());
    value = 0;
    REQUIRE(locks.touch(it, 8, false, value) == STATUS_SUCCESS);
    CHECK(value == 42);
    REQUIRE(locks.unlock(it) == STATUS_SUCCESS);
    REQUIRE(caller.evict(handle) == STATUS_SUCCESS);
    caller.kernel.cpu().compute(10 * common::kMillisecond);
    CHECK(it.placement == Placement::kSystem);
    CHECK(it.vram.empty());
    CHECK_FALSE(it.reached);
    CHECK_FALSE(it.busy);
    REQUIRE(locks.lock(it, {}) == STATUS_SUCCESS);
    value = 0;
    REQUIRE(locks.touch(it, 8, false, value) == STATUS_SUCCESS);
    CHECK(value == 42);
  });
}

TEST_CASE("queues of the process stand still during a move", "[memory][moves]") {
  with_caller([](Caller& caller) {
    std::vector<bool> seen;
    caller.memory().moves().on_hold = [&](const Process& process, bool stands) {
      CHECK(&process == &caller.process);
      seen.push_back(stands);
    };
    REQUIRE(bring(caller, caller.make()) == STATUS_SUCCESS);
    caller.memory().moves().on_hold = nullptr;
    CHECK(seen == std::vector<bool>{true, false});
  });
}

}  // namespace fenceline::os::test_allocation_moves
