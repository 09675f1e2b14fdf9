#include <catch2/catch.hpp>
#include <stdexcept>

#include "models/common/hash.h"
#include "models/common/kept_states.h"

namespace fenceline::models_tests::test_kept_states {

using fenceline::common::Hasher;
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

TEST_CASE("the hash of a word stands for no word", "[hash]") {
  const std::uint64_t part = Hasher().add(7).value();
  CHECK(Hasher().add(part).value() != Hasher().add(7).add(0).value());
  CHECK(Hasher().add(1).add(Hasher().add(1).value()).value() !=
        Hasher().add(2).add(Hasher().add(2).value()).value());
}

}  // namespace fenceline::models_tests::test_kept_states
