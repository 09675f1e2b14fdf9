// What a search still has to do, estimated from what it has done.
#include <catch2/catch.hpp>

#include "tb/explore/search/search_fields.h"

namespace fenceline::explore_tests::test_frontier {

using fenceline::explore::Fork;
using fenceline::explore::Frontier;
using fenceline::explore::frontier_of;
using fenceline::explore::Path;
using fenceline::explore::WayRatios;
using fenceline::explore::WaySizes;

namespace {

/// A choice with `open` ways left. @param first executions of the way that was taken first, 0: it
/// is under way @param now those of the way under way
Fork fork(std::size_t open, std::uint64_t first, std::uint64_t now) {
  Fork made;
  made.open.resize(open);
  made.sizes.first = first;
  made.sizes.now = now;
  return made;
}

/// Of choices whose first way took `first` executions and each later one `later`.
WayRatios learnt(std::uint64_t first, std::uint64_t later) {
  WaySizes sizes;
  sizes.first = first;
  sizes.later = 2 * later;
  sizes.later_ways = 2;
  WayRatios ratios;
  ratios.learn(sizes);
  return ratios;
}

Frontier frontier(const Path& path, const WayRatios& ratios) {
  return frontier_of(path.forks, path.forks.size(), ratios);
}

}  // namespace

TEST_CASE("frontier: a search that has not begun has no ways", "[explore][frontier]") {
  CHECK(frontier({}, {}).open == 0);
  CHECK(frontier({}, {}).left == 0);
}

TEST_CASE("frontier: the executions of a choice are those of all its ways", "[explore][frontier]") {
  WaySizes sizes;
  sizes.begin();
  sizes.now += 9;
  sizes.begin();
  CHECK(sizes.first == 10);
  sizes.begin();
  CHECK(sizes.later == 1);
  CHECK(sizes.end() == 12);
  CHECK(sizes.later_ways == 2);
}

TEST_CASE("frontier: open ways are as large as later ways were so far", "[explore][frontier]") {
  const WayRatios ratios = learnt(100, 20);
  CHECK(ratios.later(100) == Approx(20));
  CHECK(ratios.later(1000) == Approx(200));
  Path path;
  path.forks = {fork(3, 100, 5)};
  CHECK(frontier(path, ratios).open == 3);
  CHECK(frontier(path, ratios).left == Approx(3 * 20));
}

TEST_CASE("frontier: a first way under way counts with what is left of it", "[explore][frontier]") {
  Path path;
  path.forks = {fork(1, 0, 10), fork(2, 0, 40)};
  // The deeper choice comes to 40 + 2 * 8, so that the first way above it comes to 66.
  CHECK(frontier(path, learnt(40, 8)).left == Approx(2 * 8 + 66 / 5.0));
}

TEST_CASE("frontier: ratios are learnt by the size of the first way", "[explore][frontier]") {
  WayRatios ratios = learnt(2, 2);
  ratios.add(learnt(1000, 10));
  CHECK(ratios.later(2) == Approx(2));
  CHECK(ratios.later(1000) == Approx(10));
  CHECK(ratios.later(100) == Approx(100));
  CHECK(ratios.later(1'000'000) == Approx(10'000));
}

TEST_CASE("frontier: what is known survives a transfer between processes", "[explore][frontier]") {
  Path path;
  path.forks = {fork(3, 100, 5)};
  Path read;
  WayRatios ratios;
  fenceline::explore::from_bytes(fenceline::explore::to_bytes(path, learnt(100, 20)), read, ratios);
  CHECK(frontier(read, ratios).left == Approx(60));
}

TEST_CASE("frontier: shares of a search have its open ways", "[explore][frontier]") {
  Path path;
  path.forks = {fork(3, 9, 1), fork(1, 5, 2), fork(4, 3, 1)};
  const std::size_t whole = path.open();
  const Path other = split(path);
  CHECK(path.open() + other.open() == whole);
  CHECK(other.forks[0].sizes.first == 9);
  CHECK(other.forks[0].sizes.now == 0);
}

}  // namespace fenceline::explore_tests::test_frontier
