// Pages of memory as the memory manager hands them out.
#include <catch2/catch.hpp>
#include <stdexcept>
#include <string>

#include "tb/os/allocations/page_set.h"
#include "tb/os/vidmm/memory_pool.h"

namespace fenceline::os::test_page_set {

namespace {

using Pages = std::vector<std::uint64_t>;
constexpr std::uint64_t kFirst = kPage;

std::uint64_t page(std::uint64_t number) { return kFirst + number * kPage; }

/// Pages of a pool, of which so many may be out.
struct Bench {
  PagePool pool;
  PageSet set;
  explicit Bench(std::uint64_t limit, std::uint64_t pages = 8) : pool(kFirst, page(pages)) {
    set.set_up(pool, limit);
  }
  Pages take(std::uint64_t count, bool contiguous = false) {
    const auto taken = set.take(count, contiguous);
    return taken ? *taken : Pages{};
  }
};

}  // namespace

TEST_CASE("a pool hands out whole pages from its start upwards", "[os]") {
  PagePool pool(kFirst, page(8));
  CHECK(pool.allocate(1) == page(0));
  CHECK(pool.allocate(kPage) == page(1));
  CHECK(pool.allocate(kPage + 1) == page(2));
  CHECK(pool.allocate(1) == page(4));
  CHECK(pool.left() == 3 * kPage);
  CHECK(pool.allocate(0) == page(5));
  CHECK(pool.left() == 3 * kPage);
}

TEST_CASE("a pool that is used up says what was asked for and what is left", "[os]") {
  PagePool pool(kFirst, page(2), "VRAM");
  pool.allocate(kPage);
  CHECK_THROWS_WITH(pool.allocate(kPage + 1),
                    "VRAM is used up: 4097 bytes are asked for, 4096 are left; make it larger, or "
                    "what is in it smaller");
  CHECK(pool.allocate(kPage) == page(1));
  CHECK_THROWS_AS(pool.allocate(1), std::invalid_argument);
}

TEST_CASE("a page that came back is taken before a fresh one", "[os]") {
  PagePool pool(kFirst, page(2));
  CHECK(pool.take_page() == page(0));
  pool.give_back(page(0));
  CHECK(pool.take_page() == page(0));
  CHECK(pool.take_page() == page(1));
}

TEST_CASE("no more pages are out than the limit allows", "[os]") {
  Bench bench(3);
  CHECK(bench.set.limit() == 3);
  CHECK_FALSE(bench.set.take(4, false).has_value());
  CHECK(bench.take(2) == Pages{page(0), page(1)});
  CHECK(bench.set.free() == 1);
  CHECK_FALSE(bench.set.take(2, false).has_value());
  CHECK(bench.take(1) == Pages{page(2)});
  CHECK(bench.set.free() == 0);
  bench.set.give({page(1)});
  CHECK(bench.set.free() == 1);
}

TEST_CASE("a set without a pool has no pages", "[os]") {
  CHECK(PageSet().limit() == 0);
  CHECK(PageSet().free() == 0);
}

TEST_CASE("pages given back are taken again lowest first and then fresh ones", "[os]") {
  Bench bench(8);
  bench.take(3);
  bench.set.give({page(2), page(0)});
  CHECK(bench.take(3) == Pages{page(0), page(2), page(3)});
  bench.set.give({page(2)});
  CHECK(bench.take(1) == Pages{page(2)});
}

TEST_CASE("a run of pages is taken from those given back if there is one", "[os]") {
  Bench bench(8);
  bench.take(6);
  bench.set.give({page(0), page(2), page(3), page(5)});
  CHECK(bench.take(2, true) == Pages{page(2), page(3)});
  CHECK(bench.take(2, true) == Pages{page(6), page(7)});
  CHECK(bench.take(1, true) == Pages{page(0)});  // one page is always a run
  CHECK(bench.take(1, false) == Pages{page(5)});
}

TEST_CASE("a run may be as long as all that was given back", "[os]") {
  Bench bench(8);
  bench.take(8);
  bench.set.give({page(1), page(3), page(4), page(5)});
  CHECK(bench.set.has_room(3, true));
  CHECK_FALSE(bench.set.has_room(4, true));
  CHECK(bench.take(3, true) == Pages{page(3), page(4), page(5)});
}

TEST_CASE("there is room for single pages if fresh and returned ones suffice", "[os]") {
  Bench bench(8, 4);
  bench.take(2);
  bench.set.give({page(0)});
  CHECK(bench.set.has_room(3, false));
  CHECK_FALSE(bench.set.has_room(4, false));
}

TEST_CASE("there is room for a run if fresh pages suffice or a run was given back", "[os]") {
  Bench bench(8, 4);
  bench.take(2);
  CHECK(bench.set.has_room(2, true));
  CHECK_FALSE(bench.set.has_room(3, true));
  bench.take(2);
  CHECK_FALSE(bench.set.has_room(1, true));
  bench.set.give({page(1), page(3)});
  CHECK(bench.set.has_room(1, true));
  CHECK_FALSE(bench.set.has_room(2, true));
  bench.set.give({page(2)});
  CHECK(bench.set.has_room(3, true));
}

TEST_CASE("the limit counts before what the pool has", "[os]") {
  Bench bench(2);
  CHECK(bench.set.has_room(2, false));
  CHECK_FALSE(bench.set.has_room(3, false));
  CHECK_FALSE(bench.set.has_room(3, true));
}

}  // namespace fenceline::os::test_page_set
