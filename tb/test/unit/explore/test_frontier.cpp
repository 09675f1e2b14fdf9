// What a search still has to do, and the share of it that is estimated.
#include <catch2/catch.hpp>

#include "tb/explore/search/search_state.h"

namespace fenceline::explore_tests::test_frontier {

using fenceline::explore::Fork;
using fenceline::explore::Frontier;
using fenceline::explore::Path;

namespace {

Fork fork(std::size_t ways, std::vector<std::size_t> open) {
  Fork made;
  made.ways = ways;
  made.open = std::move(open);
  return made;
}

}  // namespace

TEST_CASE("frontier: a search that has not begun is left as a whole", "[explore][frontier]") {
  const Frontier frontier = Path().frontier();
  CHECK(frontier.open == 0);
  CHECK(frontier.left == 1);
}

TEST_CASE("frontier: ways count by the choices above them", "[explore][frontier]") {
  Path path;
  path.forks = {fork(2, {1}), fork(5, {}), fork(10, {3, 4})};
  const Frontier frontier = path.frontier();
  CHECK(frontier.open == 3);
  CHECK(frontier.left == Approx(0.5 + 2.0 / 100));
}

TEST_CASE("frontier: shares of a search add up to the whole", "[explore][frontier]") {
  Path path;
  path.forks = {fork(4, {0, 1, 2}), fork(3, {1}), fork(6, {0, 1, 2, 3})};
  const Frontier whole = path.frontier();
  const Frontier other = split(path).frontier();
  const Frontier mine = path.frontier();
  CHECK(mine.open + other.open == whole.open);
  CHECK(mine.left + other.left == Approx(whole.left));
}

}  // namespace fenceline::explore_tests::test_frontier
