#include <catch2/catch.hpp>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <vector>

#include "tb/explore/matrix.h"

namespace fenceline::explore::test_matrix {

namespace {

/// A scenario without overrides, for the bounds; with overrides `fail` is called.
Load failing(void (*fail)()) {
  return [fail](const std::vector<std::string>& overrides) {
    if (!overrides.empty()) fail();
    return scenario::Scenario();
  };
}

}  // namespace

TEST_CASE("a matrix tells why a row cannot be explored", "[explore][matrix]") {
  const Load load = failing([] { throw std::invalid_argument("this row is refused"); });
  CHECK_THROWS_WITH(explore_matrix({"cmp.recheck"}, load, {}, 2), "this row is refused");
}

TEST_CASE("a matrix tells that the process of a row has died", "[explore][matrix]") {
  const Load load = failing([] { std::_Exit(0); });
  CHECK_THROWS_WITH(explore_matrix({"cmp.recheck"}, load, {}, 2),
                    "a process that explored a part of the matrix died");
}

}  // namespace fenceline::explore::test_matrix
