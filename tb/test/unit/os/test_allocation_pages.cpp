// Pages of allocations: how many there are, and what is in them.
#include "tb/os/allocations/allocation_pages.h"
#include "tb/test/support/os/memory_state_bench.h"

namespace fenceline::os::test_allocation_pages {

namespace {

KernelOptions options_with(std::uint64_t video_memory) {
  KernelOptions options = support::managed_kernel();
  options.adapter.system.video_memory = video_memory;
  return options;
}

struct Bench : support::MemoryStateBench {
  using MemoryStateBench::MemoryStateBench;

  template <typename Body>
  void with_pages(Body body) {
    with_state([&](VideoMemoryState& of) {
      AllocationPages pages(of);
      pages.start(*kernel().system.adapters[0].vram_pages, kernel().system.pages);
      body(pages);
    });
  }
  Allocation& make_without_pages(std::uint64_t pages, UINT flags = 0) {
    Allocation& made = make(0, flags);
    made.pages = pages;
    return made;
  }
};

/// VRAM for allocations [bytes]; and the size of its segment.
std::pair<std::uint64_t, std::uint64_t> limit_of(std::uint64_t video_memory) {
  Bench bench(options_with(video_memory));
  std::pair<std::uint64_t, std::uint64_t> result;
  bench.with_pages([&](AllocationPages& pages) {
    result = {pages.vram().limit() * kPage, bench.state->adapter.vram_segment().CommitLimit};
  });
  return result;
}

}  // namespace

TEST_CASE("allocations have three quarters of VRAM unless the scenario says otherwise",
          "[memory][pages]") {
  const auto [limit, segment] = limit_of(0);
  CHECK(limit == (segment - segment / 4) / kPage * kPage);
}

TEST_CASE("allocations have the VRAM that the scenario gives them", "[memory][pages]") {
  CHECK(limit_of(16 * kPage).first == 16 * kPage);
}

TEST_CASE("allocations have no more VRAM than there is", "[memory][pages]") {
  const auto [limit, segment] = limit_of(1ULL << 40);
  CHECK(limit == segment / kPage * kPage);
}

TEST_CASE("pages of system memory are zero unless VRAM will overwrite them", "[memory][pages]") {
  Bench bench;
  bench.with_pages([&](AllocationPages& pages) {
    Allocation& it = bench.make_without_pages(2);
    const auto spoil_and_return = [&] {
      bench.store(Bench::address(it, kPage + 8), 42, false);
      bench.kernel().cpu().drain_stores();
      pages.take_system(it);
      CHECK(it.system.empty());
    };
    pages.give_system(it);
    CHECK(it.system.size() == 2);
    spoil_and_return();
    pages.give_system(it);
    bench.kernel().cpu().drain_stores();
    CHECK(bench.word(it, kPage + 8) == 0);
    spoil_and_return();
    pages.give_vram(it);
    pages.give_system(it);
    bench.kernel().cpu().drain_stores();
    CHECK(bench.word(it, kPage + 8) == 42);
  });
}

TEST_CASE("an allocation with pages of system memory keeps them", "[memory][pages]") {
  Bench bench;
  bench.with_pages([&](AllocationPages& pages) {
    Allocation& it = bench.make(2);
    const auto before = it.system;
    pages.give_system(it);
    CHECK(it.system == before);
  });
}

TEST_CASE("VRAM is contiguous for allocations that engines access physically", "[memory][pages]") {
  Bench bench;
  bench.with_pages([&](AllocationPages& pages) {
    Allocation* ones[] = {&bench.make_without_pages(1), &bench.make_without_pages(1),
                          &bench.make_without_pages(1)};
    for (Allocation* one : ones) pages.give_vram(*one);
    const std::uint64_t free = pages.vram().free();
    const std::uint64_t lowest = ones[0]->vram[0];
    for (Allocation* one : {ones[0], ones[2]}) pages.take_vram(*one);
    CHECK(ones[0]->vram.empty());
    CHECK(pages.vram().free() == free + 2);
    Allocation& scattered = bench.make_without_pages(2);
    pages.give_vram(scattered);
    CHECK(scattered.vram == std::vector<std::uint64_t>{lowest, lowest + 2 * kPage});
    pages.take_vram(scattered);
    Allocation& whole = bench.make_without_pages(2, Allocation::Flags::kAccessedPhysically);
    pages.give_vram(whole);
    CHECK(whole.vram == std::vector<std::uint64_t>{lowest + 3 * kPage, lowest + 4 * kPage});
  });
}

}  // namespace fenceline::os::test_allocation_pages
