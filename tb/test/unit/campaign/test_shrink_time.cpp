// Time in which failures are shrunk.
#include <catch2/catch.hpp>

#include "tb/campaign/shrink_time.h"

namespace fenceline::campaign::test_shrink_time {

using namespace std::chrono_literals;

TEST_CASE("failures share the time for shrinking", "[campaign]") {
  const ShrinkTime::Clock::time_point start;
  ShrinkTime time(30s, 3, start);
  CHECK(time.next(start) == 10s);
  CHECK(time.next(start + 2s) == 14s);  // the first was small soon
  CHECK(time.next(start + 25s) == 5s);  // all that is left
  CHECK(time.next(start + 40s) == 0s);
}

TEST_CASE("without a limit each failure is shrunk to its end", "[campaign]") {
  const ShrinkTime::Clock::time_point start;
  ShrinkTime time(std::nullopt, 3, start);
  CHECK(time.next(start + 1000s) == std::nullopt);
}

}  // namespace fenceline::campaign::test_shrink_time
