// VidMm: creation of allocations, and which of them may be resident together.
#include "tb/test/unit/os/test_video_memory.h"

namespace fenceline::os::test_video_memory {

namespace {

constexpr std::uint64_t kBar = 1 << 20;  ///< of a window

/// The driver keeps the window to kernel mode.
KernelOptions without_window(bool lock_rules = true) {
  KernelOptions options = small_memory();
  options.driver_caps.emplace_back();
  options.driver_caps[0].offers_host_aperture = false;
  options.adapter.system.lock_rules = lock_rules;
  return options;
}
/// The status of an allocation that can be in VRAM only and that the CPU accesses.
NTSTATUS create_visible(const KernelOptions& options, std::uint64_t bar_bytes) {
  Bench bench(options, support::small_platform(bar_bytes));
  NTSTATUS status = STATUS_PENDING;
  bench.with_caller([&](Caller& caller) {
    D3DKMT_HANDLE handle = 0;
    status = caller.create(handle, kVram);
    CHECK(bench.destroyed == (NT_SUCCESS(status) ? 0 : 1));
  });
  return status;
}

}  // namespace

TEST_CASE("an allocation that the CPU could never access is refused", "[memory][vidmm]") {
  CHECK(create_visible(without_window(), kBar) == STATUS_INVALID_PARAMETER);
}

TEST_CASE("an allocation that the CPU accesses through a window may be in VRAM only",
          "[memory][vidmm]") {
  CHECK(create_visible(small_memory(), kBar) == STATUS_SUCCESS);
}

TEST_CASE("an allocation that the CPU sees may be in VRAM only", "[memory][vidmm]") {
  CHECK(create_visible(without_window(), 0) == STATUS_SUCCESS);
}

TEST_CASE("an allocation that the CPU could never access is created without lock rules",
          "[memory][vidmm]") {
  CHECK(create_visible(without_window(false), kBar) == STATUS_SUCCESS);
}

TEST_CASE("an allocation is lawful in the aperture segment or without access of the CPU",
          "[memory][vidmm]") {
  Bench bench(without_window(), support::small_platform(kBar));
  bench.with_caller([&](Caller& caller) {
    D3DKMT_HANDLE handle = 0;
    CHECK(caller.create(handle, kBoth) == STATUS_SUCCESS);
    CHECK(caller.create(handle, kVram, 0) == STATUS_SUCCESS);
    CHECK(bench.destroyed == 0);
  });
}

TEST_CASE("an allocation that the driver cannot open is destroyed at the driver",
          "[memory][vidmm]") {
  Bench bench;
  bench.with_caller([&](Caller& caller) {
    bench.open_status = STATUS_NO_MEMORY;
    D3DKMT_HANDLE handle = 0;
    CHECK(caller.create(handle) == STATUS_NO_MEMORY);
    CHECK(bench.destroyed == 1);
    CHECK(bench.events.of<event::AllocationCreated>().empty());
  });
}

TEST_CASE("each allocation has addresses of its own", "[memory][vidmm]") {
  Bench bench;
  bench.with_caller([&](Caller& caller) {
    const Allocation& first = Bench::make(caller, 2);
    const Allocation& second = Bench::make(caller, 1);
    CHECK(second.gpu_address == first.gpu_address + 2 * kPage);
    CHECK(second.user_address == first.user_address + 3 * kPage);  // an unused page between them
    const auto made = bench.events.of<event::AllocationCreated>();
    REQUIRE(made.size() == 2);
    CHECK(made[0].allocation == first.object);
    CHECK(made[0].address == first.gpu_address);
    CHECK(made[0].bytes == 2 * kPage);
    CHECK(made[0].root == caller.process.space->root());
  });
}

TEST_CASE("allocations that can be in VRAM only have to fit there together", "[memory][vidmm]") {
  Bench bench;
  bench.with_caller([&](Caller& caller) {
    Allocation& large = Bench::make(caller, 3);
    Allocation& other = Bench::make(caller, 2);
    Allocation& small = Bench::make(caller, 1);
    Allocation& flexible = Bench::make(caller, 3, kBoth);
    UINT64 to_trim = 0;
    CHECK(Bench::bring(caller, large) == STATUS_SUCCESS);
    CHECK(Bench::bring(caller, other, &to_trim) == STATUS_NO_MEMORY);
    CHECK(to_trim == kPage);
    CHECK(other.residency == 0);
    CHECK(Bench::bring(caller, flexible) == STATUS_SUCCESS);
    CHECK(Bench::bring(caller, small, &to_trim) == STATUS_SUCCESS);  // the last page
    CHECK(to_trim == 0);
    CHECK(small.placement == Placement::kVram);
    CHECK(Bench::evict(caller, large) == STATUS_SUCCESS);
    CHECK(Bench::bring(caller, other) == STATUS_SUCCESS);
    CHECK(other.placement == Placement::kVram);
  });
}

TEST_CASE("an allocation that is destroyed need not fit", "[memory][vidmm]") {
  Bench bench;
  bench.with_caller([&](Caller& caller) {
    Allocation& large = Bench::make(caller, 3);
    Allocation& other = Bench::make(caller, 2);
    REQUIRE(Bench::bring(caller, large) == STATUS_SUCCESS);
    ContextQueue& work = bench.add_work(caller, 1);
    CHECK(Bench::destroy(caller, large) == STATUS_SUCCESS);
    CHECK(bench.ask_for(caller, other) == STATUS_PENDING);
    bench.settle();
    CHECK(other.placement == Placement::kSystem);  // the work still has the pages
    bench.complete(work, 1);
    CHECK(other.placement == Placement::kVram);
  });
}

TEST_CASE("an allocation that is locked outside VRAM does not become resident", "[memory][vidmm]") {
  Bench bench;
  bench.with_caller([&](Caller& caller) {
    Allocation& it = Bench::make(caller, 1);
    REQUIRE(caller.lock(caller.handle_of(it)) == STATUS_SUCCESS);
    CHECK(Bench::bring(caller, it) == STATUS_GRAPHICS_CANT_RENDER_LOCKED_ALLOCATION);
    CHECK(it.residency == 0);
    REQUIRE(caller.unlock(caller.handle_of(it)) == STATUS_SUCCESS);
    CHECK(Bench::bring(caller, it) == STATUS_SUCCESS);
  });
}

TEST_CASE("a locked allocation becomes resident without lock rules", "[memory][vidmm]") {
  Bench bench(memory_without(&SystemOptions::lock_rules));
  bench.with_caller([&](Caller& caller) {
    Allocation& it = Bench::make(caller, 1);
    REQUIRE(caller.lock(caller.handle_of(it)) == STATUS_SUCCESS);
    CHECK(Bench::bring(caller, it) == STATUS_SUCCESS);
    CHECK(it.placement == Placement::kVram);
  });
}

TEST_CASE("the state of VidMm tells its allocations apart", "[memory][vidmm]") {
  Bench bench;
  bench.with_caller([&](Caller& caller) {
    Allocation& it = Bench::make(caller, 1);
    std::set<std::uint64_t> seen;
    const auto note = [&] { seen.insert(bench.memory().state_hash()); };
    note();
    it.locks = 1, note();
    it.locks = 0, it.residency = 1, note();
    it.residency = 0, it.busy = true, note();
    it.busy = false, it.alive = false, note();
    it.alive = true, it.listed = 1, note();
    it.listed = 0, it.placement = Placement::kAperture, note();
    it.placement = Placement::kSystem, it.vram = {kPage}, note();
    it.vram.clear(), it.system = {2 * kPage}, note();
    it.system.clear(), it.window = {3}, note();
    it.shown = true, note();
    it.shown = false, it.window.clear(), bench.memory().sleep(), note();
    CHECK(seen.size() == 12);
    bench.memory().wake_up();
    note();
    CHECK(seen.size() == 12);
  });
}

TEST_CASE("the state of VidMm has what it is asked for", "[memory][vidmm]") {
  Bench bench;
  bench.with_caller([&](Caller& caller) {
    Allocation& large = Bench::make(caller, 3);
    REQUIRE(Bench::bring(caller, large) == STATUS_SUCCESS);
    ContextQueue& work = bench.add_work(caller, 1);
    const std::uint64_t before = bench.memory().state_hash();
    CHECK(Bench::evict(caller, large, D3DDDI_EVICT_FLAGS::kEvictOnlyIfNecessary) == STATUS_SUCCESS);
    large.residency = 1;
    bench.settle();
    CHECK(bench.memory().state_hash() != before);
    bench.complete(work, 1);
    CHECK(bench.memory().state_hash() == before);
  });
}

}  // namespace fenceline::os::test_video_memory
