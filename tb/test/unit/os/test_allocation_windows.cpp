// Pages of the window to VRAM: which allocations have them, and which will need them.
#include "tb/os/allocations/allocation_windows.h"
#include "tb/test/support/os/memory_state_bench.h"

namespace fenceline::os::test_allocation_windows {

namespace {

constexpr std::uint64_t kBar = 1 << 20;
constexpr UINT kVramOnly = 1U << (kVramSegment - 1);
constexpr UINT kAnywhere = kVramOnly | 1U << (kApertureSegment - 1);

KernelOptions that_keeps_windows() {
  KernelOptions options = support::managed_kernel();
  options.adapter.system.unmaps_for_d3 = false;
  return options;
}

struct Bench : support::MemoryStateBench {
  explicit Bench(std::uint64_t bar_bytes = kBar,
                 const KernelOptions& options = support::managed_kernel())
      : MemoryStateBench(options, support::small_platform(bar_bytes)) {}

  template <typename Body>
  void with_windows(Body body) {
    with_state([&](VideoMemoryState& of) {
      AllocationWindows windows(of);
      body(windows);
    });
  }
  /// A locked allocation outside VRAM that has to use the window once it is there.
  Allocation& locked(std::uint64_t pages, UINT segments = kVramOnly) {
    Allocation& made = make(0, 0);
    made.pages = pages;
    made.segments = segments;
    made.locks = 1;
    return made;
  }
  std::size_t left() { return state->adapter.host_aperture()->free_pages(); }
  /// Pages of the window that are mapped and unmapped.
  std::size_t mapped(bool value) const {
    std::size_t count = 0;
    for (const auto& one : events.of<event::HostAperture>()) count += one.mapped == value ? 1 : 0;
    return count;
  }
};

}  // namespace

TEST_CASE("the window has room for an allocation that fits or that has pages", "[memory][window]") {
  Bench bench;
  bench.with_windows([&](AllocationWindows& windows) {
    CHECK(windows.has_room(bench.locked(bench.left())));
    Allocation& large = bench.locked(bench.left() + 1);
    CHECK_FALSE(windows.has_room(large));
    large.window = {1};
    CHECK(windows.has_room(large));
    large.window.clear();
    large.expects_window = true;
    CHECK(windows.has_room(large));
  });
}

TEST_CASE("a GPU whose VRAM is visible needs no window", "[memory][window]") {
  Bench bench(0);
  bench.with_windows([&](AllocationWindows& windows) {
    Allocation& it = bench.locked(1);
    CHECK_FALSE(windows.has_room(it));
    CHECK(windows.keep_room({&it}));
    CHECK_FALSE(it.expects_window);
    Allocation& there = bench.make_in_vram(1);
    CHECK_FALSE(windows.open(there));
    windows.close(there);
    CHECK(windows.bus_address(there, 0) ==
          bench.kernel().adapter(0).gpu().bars().vram + there.vram[0]);
    windows.hide_all();
    windows.show_all();
    CHECK(bench.events.of<event::HostAperture>().empty());
  });
}

TEST_CASE("pages of the window are kept for locked allocations that come to VRAM",
          "[memory][window]") {
  Bench bench;
  bench.with_windows([&](AllocationWindows& windows) {
    Allocation& it = bench.locked(10);
    CHECK(windows.keep_room({&it}));
    CHECK(it.expects_window);
    CHECK(windows.keep_room({&it}));  // once
    Allocation& rest = bench.locked(bench.left() - 10);
    CHECK(windows.has_room(rest));
    ++rest.pages;
    CHECK_FALSE(windows.has_room(rest));
    CHECK_FALSE(windows.keep_room({&rest}));
    CHECK_FALSE(rest.expects_window);
    windows.close(it);  // it is not needed any more
    CHECK_FALSE(it.expects_window);
    CHECK(windows.has_room(rest));
  });
}

TEST_CASE("no pages of the window are kept for allocations that the CPU can reach otherwise",
          "[memory][window]") {
  Bench bench;
  bench.with_windows([&](AllocationWindows& windows) {
    Allocation& moves = bench.locked(1, kAnywhere);
    Allocation& unlocked = bench.locked(1);
    unlocked.locks = 0;
    Allocation& there = bench.locked(1);
    there.placement = event::Placement::kVram;
    Allocation& large = bench.locked(bench.left() + 1, kAnywhere);
    CHECK(windows.keep_room({&moves, &unlocked, &there, &large}));
    for (const Allocation* one : {&moves, &unlocked, &there, &large})
      CHECK_FALSE(one->expects_window);
  });
}

TEST_CASE("no pages of the window are kept for a list with a pinned allocation",
          "[memory][window]") {
  Bench bench;
  bench.with_windows([&](AllocationWindows& windows) {
    Allocation& before = bench.locked(1);
    Allocation& first = bench.locked(1);
    Allocation& pinned = bench.locked(1);
    pinned.pinned = true;
    REQUIRE(windows.keep_room({&before}));
    CHECK_FALSE(windows.keep_room({&before, &first, &pinned}));
    CHECK(before.expects_window);  // from an earlier list
    CHECK_FALSE(first.expects_window);
    CHECK(windows.has_room(bench.locked(bench.left() - 1)));
  });
}

TEST_CASE("an allocation in VRAM is shown by pages of the window", "[memory][window]") {
  Bench bench;
  bench.with_windows([&](AllocationWindows& windows) {
    Allocation& it = bench.locked(2);
    REQUIRE(windows.keep_room({&it}));
    it.placement = event::Placement::kVram;
    for (int i = 0; i < 2; ++i)
      it.vram.push_back(bench.kernel().system.adapters[0].vram_pages->allocate(kPage));
    const std::size_t before = bench.left();
    CHECK(windows.open(it));
    CHECK_FALSE(it.expects_window);
    CHECK(it.window.size() == 2);
    CHECK(bench.left() == before - 2);
    CHECK(windows.open(it));  // it has them already
    CHECK(bench.left() == before - 2);
    CHECK(windows.bus_address(it, 1) ==
          bench.kernel().adapter(0).gpu().bars().vram + it.window[1] * kPage);
    CHECK(windows.has_room(bench.locked(bench.left())));
    windows.close(it);
    CHECK(it.window.empty());
    CHECK(bench.left() == before);
    CHECK(bench.mapped(false) == 2);
    windows.close(it);
    CHECK(bench.mapped(false) == 2);
    CHECK_FALSE(windows.has_room(bench.locked(bench.left() + 1)));
  });
}

TEST_CASE("an allocation that finds no pages of the window is not shown", "[memory][window]") {
  Bench bench;
  bench.with_windows([&](AllocationWindows& windows) {
    Allocation& it = bench.make_in_vram(bench.left() + 1);
    CHECK_FALSE(windows.open(it));
    CHECK(it.window.empty());
  });
}

TEST_CASE("an allocation outside VRAM is at its pages of system memory", "[memory][window]") {
  Bench bench;
  bench.with_windows([&](AllocationWindows& windows) {
    const Allocation& it = bench.make(2);
    CHECK(windows.bus_address(it, 1) == it.system[1]);
  });
}

TEST_CASE("the window shows nothing during D3 and the same afterwards", "[memory][window]") {
  Bench bench;
  bench.with_windows([&](AllocationWindows& windows) {
    Allocation& shown = bench.make_in_vram(2);
    Allocation& closed = bench.make_in_vram(1);
    Allocation& hidden = bench.make_in_vram(1);
    bench.state->allocations = {&shown, &closed, &hidden};
    REQUIRE((windows.open(shown) && windows.open(closed)));
    const std::size_t left = bench.left();
    const auto pages = shown.window;
    windows.hide_all();
    CHECK(bench.mapped(false) == 3);
    CHECK(bench.left() == left);  // they keep their pages
    bench.state->asleep = true;
    windows.close(closed);
    CHECK(bench.left() == left + 1);
    CHECK(bench.mapped(false) == 3);
    bench.state->asleep = false;
    bench.events.all.clear();
    windows.show_all();
    CHECK(bench.mapped(true) == 2);
    CHECK(shown.window == pages);
    windows.close(shown);
  });
}

TEST_CASE("the window stays as it is where the OS does not unmap it for D3", "[memory][window]") {
  Bench bench(kBar, that_keeps_windows());
  bench.with_windows([&](AllocationWindows& windows) {
    Allocation& it = bench.make_in_vram(1);
    bench.state->allocations = {&it};
    REQUIRE(windows.open(it));
    const std::size_t left = bench.left();
    bench.events.all.clear();
    windows.hide_all();
    windows.show_all();
    CHECK(bench.events.of<event::HostAperture>().empty());
    bench.state->asleep = true;
    windows.close(it);
    CHECK(it.window.empty());
    CHECK(bench.left() == left);  // the pages are lost
  });
}

}  // namespace fenceline::os::test_allocation_windows
