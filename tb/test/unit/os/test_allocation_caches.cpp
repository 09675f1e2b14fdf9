// Cache maintenance for GPUs whose accesses the caches do not see.
#include "tb/os/allocations/allocation_caches.h"
#include "tb/test/support/os/memory_state_bench.h"

namespace fenceline::os::test_allocation_caches {

namespace {

using event::CacheCall;

constexpr std::uint64_t kLine = 64;

KernelOptions options_without(bool SystemOptions::*option) {
  KernelOptions options = support::managed_kernel();
  options.adapter.system.*option = false;
  return options;
}

struct Bench : support::MemoryStateBench {
  explicit Bench(const KernelOptions& options = support::managed_kernel())
      : MemoryStateBench(options, unsnooped()) {}

  template <typename Body>
  void with_caches(Body body, bool snoops = false) {
    with_state(
        [&](VideoMemoryState& of) {
          AllocationCaches caches(of);
          body(caches);
        },
        snoops);
  }
  /// Makes the line at the offset dirty.
  void spoil(const Allocation& allocation, std::uint64_t offset) {
    store(address(allocation, offset), 42);
  }
  std::vector<event::CacheMaintained> maintained() const {
    return events.of<event::CacheMaintained>();
  }
  /// Maintenance of the caches for an allocation that two buffers list, when one begins or ends.
  std::vector<event::CacheMaintained> follow(AllocationCaches& caches, Allocation& allocation,
                                             ListedWork work) {
    events.all.clear();
    allocation.listed = 2;
    caches.follow_lists({&allocation}, work);
    CHECK(allocation.listed == (work == ListedWork::kBegins ? 2 : 1));
    for (const auto& one : maintained()) CHECK(one.offset == 0);
    return maintained();
  }
};

}  // namespace

TEST_CASE("an invalidated range leaves the caches line by line", "[memory][caches]") {
  Bench bench;
  bench.with_caches([&](AllocationCaches& caches) {
    Allocation& it = bench.make(2);
    const std::uint64_t lines[] = {kPage - 2 * kLine, kPage - kLine, kPage, kPage + kLine};
    for (const std::uint64_t offset : lines) bench.spoil(it, offset);
    bench.state->work.clear();
    caches.invalidate(it, kPage - kLine, 2 * kLine);
    CHECK(bench.dirty(it, lines[0]));
    CHECK_FALSE(bench.dirty(it, lines[1]));
    CHECK_FALSE(bench.dirty(it, lines[2]));
    CHECK(bench.dirty(it, lines[3]));
    CHECK(bench.word(it, lines[1]) == 42);
    CHECK(bench.word(it, lines[2]) == 42);
    CHECK(it.accessors == 0);
    CHECK(bench.state->work.is_set());
    REQUIRE(bench.maintained().size() == 1);
    CHECK(bench.maintained()[0].allocation == it.object);
    CHECK(bench.maintained()[0].offset == kPage - kLine);
    CHECK(bench.maintained()[0].bytes == 2 * kLine);
    CHECK(bench.maintained()[0].call == CacheCall::kUserMode);
  });
}

TEST_CASE("the end of an invalidation is no news while others access the allocation",
          "[memory][caches]") {
  Bench bench;
  bench.with_caches([&](AllocationCaches& caches) {
    Allocation& it = bench.make(1);
    it.accessors = 1;
    bench.state->work.clear();
    caches.invalidate(it, 0, kLine);
    CHECK(it.accessors == 1);
    CHECK_FALSE(bench.state->work.is_set());
  });
}

TEST_CASE("an invalidation waits while the allocation is moved", "[memory][caches]") {
  Bench bench;
  Allocation it(bench.simulation().steps);
  it.busy = true;
  bool moved = false;
  bench.run({[&](Kernel& kernel) {
               VideoMemoryState state(kernel.cpu(), kernel.adapter(0), *kernel.system.contexts,
                                      kernel.system.monitored, kernel.platform().system_memory(),
                                      kernel.platform().caches(), false);
               AllocationCaches(state).invalidate(it, 0, kLine);
               CHECK(moved);
             },
             [&](Kernel& kernel) {
               kernel.cpu().sleep(common::kMillisecond);
               it.changed.set();  // a change that is not the end of the move
               kernel.cpu().sleep(common::kMillisecond);
               moved = true;
               it.busy = false;
               it.changed.set();
             }});
}

TEST_CASE("caches that see the accesses of the GPU need no maintenance", "[memory][caches]") {
  Bench bench;
  bench.with_caches(
      [&](AllocationCaches& caches) {
        Allocation& it = bench.make(1);
        bench.spoil(it, 0);
        caches.invalidate(it, 0, kPage);
        CHECK(bench.dirty(it, 0));
        CHECK(bench.maintained().empty());
      },
      true);
}

TEST_CASE("an allocation that is not cached needs no maintenance", "[memory][caches]") {
  Bench bench;
  bench.with_caches([&](AllocationCaches& caches) {
    Allocation& it = bench.make(1, Allocation::Flags::kCpuVisible);
    caches.invalidate(it, 0, kPage);
    CHECK(bench.maintained().empty());
  });
}

TEST_CASE("maintenance ends where the allocation has no pages any more", "[memory][caches]") {
  Bench bench;
  bench.with_caches([&](AllocationCaches& caches) {
    Allocation& it = bench.make(1);
    it.pages = 2;
    bench.spoil(it, 0);
    caches.invalidate(it, 0, 2 * kPage);
    CHECK_FALSE(bench.dirty(it, 0));
    CHECK(bench.maintained().empty());
  });
}

TEST_CASE("an allocation that leaves system memory leaves the caches", "[memory][caches]") {
  Bench bench;
  bench.with_caches([&](AllocationCaches& caches) {
    Allocation& it = bench.make(2);
    bench.spoil(it, 0);
    bench.spoil(it, 2 * kPage - kLine);
    caches.leave(it);
    CHECK_FALSE(bench.dirty(it, 0));
    CHECK_FALSE(bench.dirty(it, 2 * kPage - kLine));
    REQUIRE(bench.maintained().size() == 1);
    CHECK(bench.maintained()[0].offset == 0);
    CHECK(bench.maintained()[0].bytes == 2 * kPage);
    CHECK(bench.maintained()[0].call == CacheCall::kMove);
  });
}

TEST_CASE("an allocation stays in the caches where moves do not flush them", "[memory][caches]") {
  Bench bench(options_without(&SystemOptions::flushes_moves));
  bench.with_caches([&](AllocationCaches& caches) {
    Allocation& it = bench.make(1);
    bench.spoil(it, 0);
    caches.leave(it);
    CHECK(bench.dirty(it, 0));
  });
}

TEST_CASE("a listed allocation is written back when its work begins", "[memory][caches]") {
  Bench bench;
  bench.with_caches([&](AllocationCaches& caches) {
    Allocation& it = bench.make(2);
    bench.spoil(it, kPage);
    const auto maintained = bench.follow(caches, it, ListedWork::kBegins);
    REQUIRE(maintained.size() == 1);
    CHECK(maintained[0].call == CacheCall::kBeforeListed);
    CHECK(maintained[0].bytes == 2 * kPage);
    CHECK_FALSE(bench.dirty(it, kPage));
    CHECK(bench.word(it, kPage) == 42);
  });
}

TEST_CASE("a listed allocation leaves the caches when its work ends", "[memory][caches]") {
  Bench bench;
  bench.with_caches([&](AllocationCaches& caches) {
    Allocation& it = bench.make(2);
    const auto maintained = bench.follow(caches, it, ListedWork::kEnds);
    REQUIRE(maintained.size() == 1);
    CHECK(maintained[0].call == CacheCall::kAfterListed);
    CHECK(maintained[0].bytes == 2 * kPage);
    CHECK(bench.follow(caches, it, ListedWork::kDropped).empty());
  });
}

TEST_CASE("the caches may be left alone when listed work begins", "[memory][caches]") {
  Bench bench(options_without(&SystemOptions::flushes_listed));
  bench.with_caches([&](AllocationCaches& caches) {
    Allocation& it = bench.make(1);
    CHECK(bench.follow(caches, it, ListedWork::kBegins).empty());
    CHECK(bench.follow(caches, it, ListedWork::kEnds).size() == 1);
  });
}

TEST_CASE("the caches may be left alone when listed work ends", "[memory][caches]") {
  Bench bench(options_without(&SystemOptions::invalidates_listed));
  bench.with_caches([&](AllocationCaches& caches) {
    Allocation& it = bench.make(1);
    CHECK(bench.follow(caches, it, ListedWork::kBegins).size() == 1);
    CHECK(bench.follow(caches, it, ListedWork::kEnds).empty());
  });
}

TEST_CASE("an allocation is unlisted with the end of the last work that lists it",
          "[memory][caches]") {
  Bench bench;
  bench.with_caches([&](AllocationCaches& caches) {
    Allocation& first = bench.make(1);
    Allocation& second = bench.make(1);
    first.listed = 2;
    second.listed = 1;
    caches.follow_lists({&first, &second}, ListedWork::kEnds);
    CHECK_FALSE(first.unlisted.is_set());
    CHECK(second.unlisted.is_set());
    caches.follow_lists({&first}, ListedWork::kDropped);
    CHECK(first.unlisted.is_set());
  });
}

TEST_CASE("a load tells whether a line hides what memory has", "[memory][caches]") {
  Bench bench;
  bench.with_caches([&](AllocationCaches& caches) {
    Allocation& it = bench.make(1);
    Allocation& uncached = bench.make(1, 0);
    const std::uint64_t at = Bench::address(it, 8);
    CHECK(caches.load_flags(it, at, 0) == event::kLoadNotSnooped);
    CHECK(caches.load_flags(it, at, 42) == (event::kLoadNotSnooped | event::kLoadHidesMemory));
    CHECK(caches.load_flags(uncached, Bench::address(uncached, 0), 42) == 0);
    const std::uint64_t end = bench.platform().system_memory().config().size_bytes;
    CHECK(caches.load_flags(it, end, 0) == event::kLoadUncached);
    CHECK(caches.load_flags(it, end - 8, 0) == event::kLoadNotSnooped);
  });
}

TEST_CASE("a load through caches that see the GPU hides nothing", "[memory][caches]") {
  Bench bench;
  bench.with_caches(
      [&](AllocationCaches& caches) {
        Allocation& it = bench.make(1);
        CHECK(caches.load_flags(it, Bench::address(it, 0), 42) == 0);
      },
      true);
}

}  // namespace fenceline::os::test_allocation_caches
