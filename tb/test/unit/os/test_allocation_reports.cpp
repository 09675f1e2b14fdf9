// Reports of an allocation: facts for the rules of locks, its words, and its content.
#include "models/common/hash.h"
#include "tb/os/allocations/allocation_reports.h"
#include "tb/test/support/os/memory_state_bench.h"

namespace fenceline::os::test_allocation_reports {

namespace {

using event::Placement;
using Flags = Allocation::Flags;

constexpr std::uint64_t kBar = 1 << 20;  ///< of a window

top::PlatformConfig combining(std::uint64_t bar_bytes = 0) {
  top::PlatformConfig platform = support::small_platform(bar_bytes);
  platform.host.write_combining.buffers = 4;
  return platform;
}

struct Bench : support::MemoryStateBench {
  explicit Bench(const top::PlatformConfig& config = support::small_platform(),
                 const KernelOptions& options = support::managed_kernel())
      : MemoryStateBench(options, config) {}

  template <typename Body>
  void with_reports(Body body, bool snoops = true) {
    with_state(
        [&](VideoMemoryState& of) {
          windows = std::make_unique<AllocationWindows>(of);
          const AllocationReports reports(of, *windows);
          body(reports);
        },
        snoops);
  }
  /// The content that is reported of an allocation.
  std::uint64_t content(const AllocationReports& reports, const Allocation& allocation) {
    events.all.clear();
    reports.report_place(allocation);
    const auto placed = events.of<event::AllocationPlaced>();
    REQUIRE(placed.size() == 1);
    CHECK(placed[0].allocation == allocation.object);
    CHECK(placed[0].placement == allocation.placement);
    CHECK(placed[0].facts == reports.facts(allocation));
    return placed[0].content;
  }
  std::uint64_t bar(std::uint64_t offset) { return kernel().adapter(0).gpu().bars().vram + offset; }
  void store_and_wait(std::uint64_t bus, std::uint64_t value) {
    store(bus, value, false);
    kernel().cpu().drain_stores();
    kernel().cpu().sleep(common::kMillisecond);
  }

  std::unique_ptr<AllocationWindows> windows;
};

/// The facts without the placement.
std::uint64_t facts(const AllocationReports& reports, const Allocation& allocation) {
  return reports.facts(allocation) & ((1U << event::kFactPlacementShift) - 1);
}

/// Part of a word in the content.
std::uint64_t part(std::uint64_t offset, std::uint64_t value) {
  return common::Hasher().add(offset / 8).add(value).value();
}

}  // namespace

TEST_CASE("facts tell how an allocation was created and where it may be", "[memory][reports]") {
  Bench bench;
  bench.with_reports([&](const AllocationReports& reports) {
    Allocation& it = bench.make(1, 0);
    CHECK(facts(reports, it) == event::kFactSegmentVisible);
    it.flags = Flags::kCpuVisible;
    CHECK(facts(reports, it) == (event::kFactSegmentVisible | event::kFactCpuVisible));
    it.flags = Flags::kCached;
    CHECK(facts(reports, it) == (event::kFactSegmentVisible | event::kFactCached));
    it.flags = 0;
    it.segments = 1U << (kApertureSegment - 1);
    CHECK(facts(reports, it) == (event::kFactSegmentVisible | event::kFactAperture));
    it.segments = 1U << (kVramSegment - 1);
    CHECK(facts(reports, it) == event::kFactSegmentVisible);
  });
}

TEST_CASE("facts tell the state of an allocation", "[memory][reports]") {
  Bench bench;
  bench.with_reports([&](const AllocationReports& reports) {
    Allocation& it = bench.make(1, 0);
    it.locks = 2;
    CHECK(facts(reports, it) == (event::kFactSegmentVisible | event::kFactLocked));
    it.locks = 0;
    it.pinned = true;
    CHECK(facts(reports, it) == (event::kFactSegmentVisible | event::kFactPinned));
    it.pinned = false;
    it.lost = true;
    CHECK(facts(reports, it) == (event::kFactSegmentVisible | event::kFactLost));
    it.lost = false;
    it.placement = Placement::kVram;
    CHECK(reports.facts(it) >> event::kFactPlacementShift ==
          static_cast<std::uint64_t>(Placement::kVram));
  });
}

TEST_CASE("facts tell whether the window has room for an allocation", "[memory][reports]") {
  Bench bench(support::small_platform(kBar));
  bench.with_reports([&](const AllocationReports& reports) {
    Allocation& it = bench.make(1, 0);
    CHECK(facts(reports, it) == (event::kFactHostAperture | event::kFactRoom));
    it.pages = bench.state->adapter.host_aperture()->free_pages() + 1;
    CHECK(facts(reports, it) == event::kFactHostAperture);
  });
}

TEST_CASE("a word of an allocation is at its place", "[memory][reports]") {
  Bench bench;
  bench.with_reports([&](const AllocationReports& reports) {
    Allocation& system = bench.make(3, 0);
    Allocation& vram = bench.make_in_vram(2);
    bench.store_and_wait(Bench::address(system, kPage + 8), 42);
    bench.store_and_wait(bench.bar(vram.vram[1] + 16), 43);
    CHECK(reports.word(system, kPage + 8) == 42);
    CHECK(reports.word(system, 8) == 0);
    CHECK(reports.word(vram, kPage + 16) == 43);
    CHECK(reports.word(vram, kPage + 8) == 0);
    bench.store_and_wait(Bench::address(system, 2 * kPage), 44);
    CHECK(reports.word(system, 2 * kPage) == 44);
    system.system.pop_back();
    CHECK(reports.word(system, 2 * kPage) == 0);  // behind its pages
    vram.vram.clear();
    CHECK(reports.word(vram, 0) == 0);
  });
}

TEST_CASE("the content of an allocation covers each word and its offset", "[memory][reports]") {
  Bench bench;
  bench.with_reports([&](const AllocationReports& reports) {
    Allocation& system = bench.make(2, 0);
    Allocation& vram = bench.make_in_vram(2);
    CHECK(bench.content(reports, system) == 0);
    bench.store_and_wait(Bench::address(system, 0), 41);
    bench.store_and_wait(Bench::address(system, 2 * kPage - 8), 42);
    bench.store_and_wait(bench.bar(vram.vram[1]), 43);
    CHECK(bench.content(reports, system) == part(0, 41) + part(2 * kPage - 8, 42));
    CHECK(bench.content(reports, vram) == part(kPage, 43));
  });
}

TEST_CASE("what a dirty line has counts as content", "[memory][reports]") {
  Bench bench(support::MemoryStateBench::unsnooped());
  bench.with_reports(
      [&](const AllocationReports& reports) {
        Allocation& it = bench.make(1);
        bench.store(Bench::address(it, 8), 42);
        REQUIRE(bench.word(it, 8) == 0);
        CHECK(reports.word(it, 8) == 42);
        CHECK(bench.content(reports, it) == part(8, 42));
      },
      false);
}

TEST_CASE("what a buffer for combined stores has counts as content", "[memory][reports]") {
  Bench bench(combining());
  bench.with_reports([&](const AllocationReports& reports) {
    Allocation& system = bench.make(1, 0);
    Allocation& vram = bench.make_in_vram(1);
    bench.store(Bench::address(system, 8), 42, false);
    bench.store(bench.bar(vram.vram[0] + 16), 43, false);
    REQUIRE(bench.word(system, 8) == 0);
    CHECK(reports.word(system, 8) == 42);
    CHECK(reports.word(system, 16) == 0);
    CHECK(bench.content(reports, system) == part(8, 42));
    CHECK(bench.content(reports, vram) == part(16, 43));
  });
}

TEST_CASE("what another core has combined counts as content", "[memory][reports]") {
  Bench bench(combining());
  Allocation& it = bench.make(1, 0);
  std::uint32_t core = 0;
  bench.run({[&](Kernel& kernel) {
               core = kernel.cpu().core().number();
               kernel.cpu().sleep(10 * common::kMicrosecond);
               VideoMemoryState state(kernel.cpu(), kernel.adapter(0), *kernel.system.contexts,
                                      kernel.system.monitored, kernel.platform().system_memory(),
                                      kernel.platform().caches(), true);
               const AllocationWindows windows(state);
               CHECK(bench.word(it, 8) == 0);
               CHECK(AllocationReports(state, windows).word(it, 8) == 42);
             },
             [&](Kernel& kernel) {
               CHECK(kernel.cpu().core().number() != core);
               bench.store(Bench::address(it, 8), 42, false);
               kernel.cpu().compute(common::kMillisecond);
             }});
}

TEST_CASE("combined stores through the window count for what the window shows",
          "[memory][reports]") {
  Bench bench(combining(kBar));
  bench.with_reports([&](const AllocationReports& reports) {
    Allocation& shown = bench.make_in_vram(1);
    Allocation& hidden = bench.make_in_vram(1);
    REQUIRE(bench.windows->open(shown));
    // An address of the BAR that would be that of the hidden one without the window.
    bench.store(bench.bar(hidden.vram[0]), 42, false);
    bench.store(bench.bar(shown.window[0] * kPage + 8), 43, false);
    CHECK(reports.word(shown, 8) == 43);
    CHECK(reports.word(hidden, 0) == 0);
    bench.kernel().cpu().drain_stores();
    bench.windows->close(shown);
  });
}

TEST_CASE("at the end the content of allocations that are not being moved is reported",
          "[memory][reports]") {
  Bench bench;
  bench.with_reports([&](const AllocationReports& reports) {
    Allocation& it = bench.make(1, 0);
    Allocation& busy = bench.make(1, 0);
    Allocation& state = bench.make(1, 0);
    busy.busy = true;
    state.of_context = true;
    bench.state->allocations = {&busy, &it, &state};
    reports.report_content();
    const auto placed = bench.events.of<event::AllocationPlaced>();
    REQUIRE(placed.size() == 1);
    CHECK(placed[0].allocation == it.object);
  });
}

}  // namespace fenceline::os::test_allocation_reports
