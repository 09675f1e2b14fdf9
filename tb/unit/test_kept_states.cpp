#include <catch2/catch.hpp>
#include <stdexcept>

#include "models/common/kept_states.h"

using fenceline::common::KeptStates;

TEST_CASE("two states with one hash are noticed", "[hash]") {
  KeptStates states;
  states.keep(5, 1, 2);
  CHECK_NOTHROW(states.keep(5, 1, 2));
  CHECK(states.kept() == 1);
  CHECK_THROWS_AS(states.keep(5, 1, 3), std::logic_error);
  CHECK_THROWS_AS(states.keep(5, 2, 2), std::logic_error);
}

TEST_CASE("the newest states are kept where there is no room", "[hash]") {
  KeptStates states;
  states.keep(5, 1, 2);
  states.keep(5 + KeptStates::kPlaces, 1, 3);
  CHECK(states.kept() == 1);
  CHECK_NOTHROW(states.keep(5, 9, 9));  // what stood behind it has gone
}
