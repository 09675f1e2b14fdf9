#include <catch2/catch.hpp>

#include "models/common/steps/trigger.h"

namespace fenceline::models_tests::test_trigger {

using fenceline::common::Occurrence;
using fenceline::common::Trigger;

namespace {

/// Numbers of those among twelve things, at 10, 20 ... 120 ps, that are meant.
std::vector<int> meant(const Trigger& trigger, int mark_before = 0) {
  Occurrence occurrence(trigger);
  std::vector<int> result;
  for (int i = 1; i <= 12; ++i) {
    if (i == mark_before) occurrence.reach("here");
    if (occurrence.next(static_cast<fenceline::common::Time>(i) * 10)) result.push_back(i);
  }
  return result;
}

}  // namespace

TEST_CASE("a trigger means the thing of a number", "[trigger]") {
  Trigger trigger;
  trigger.nth = 5;
  CHECK(meant(trigger) == std::vector<int>{5});
}

TEST_CASE("a trigger means each multiple", "[trigger]") {
  Trigger trigger;
  trigger.every = 4;
  CHECK(meant(trigger) == std::vector<int>{4, 8, 12});
}

TEST_CASE("a trigger means the first thing from a time on", "[trigger]") {
  Trigger trigger;
  trigger.at = 35;
  CHECK(meant(trigger) == std::vector<int>{4});
  trigger.at = 0;
  CHECK(meant(trigger) == std::vector<int>{1});
  trigger.at = 500;
  CHECK(meant(trigger).empty());
}

TEST_CASE("a trigger means the first thing after its own mark", "[trigger]") {
  Trigger trigger;
  trigger.after = "here";
  CHECK(meant(trigger, 7) == std::vector<int>{7});
  CHECK(meant(trigger).empty());
  trigger.after = "there";
  CHECK(meant(trigger, 7).empty());
}

TEST_CASE("the hash of a trigger tells what is still to come", "[trigger]") {
  Trigger trigger;
  trigger.nth = 2;
  Occurrence occurrence(trigger);
  const auto fresh = occurrence.hash();
  occurrence.next(1);
  CHECK(occurrence.hash() != fresh);
  occurrence.next(2);
  const auto over = occurrence.hash();
  occurrence.next(3);
  CHECK(occurrence.hash() == over);

  trigger = {};
  trigger.every = 3;
  Occurrence periodic(trigger);
  const auto start = periodic.hash();
  for (int i = 0; i < 3; ++i) periodic.next(1);
  CHECK(periodic.hash() == start);
}

}  // namespace fenceline::models_tests::test_trigger
