// A timeline that is too large for a page: what stays of it.
#include <algorithm>
#include <catch2/catch.hpp>
#include <utility>
#include <vector>

#include "tb/report/record/thinning.h"

namespace fenceline::report::test_thinning {

namespace {

/// A slice of a queue's lane.
Slice span(std::uint64_t begin, std::uint64_t lasts, std::uint32_t object, bool open = false) {
  return {begin, begin + lasts, 0, object, 1, 0, 0, Lane::kQueue, SliceKind::kGpuWait, open};
}

Instant event(std::uint64_t time, std::uint32_t object, InstantKind kind = InstantKind::kReleased) {
  return {time, 0, object, 1, Lane::kQueue, kind};
}

std::vector<std::uint64_t> begins(const Timeline& timeline) {
  std::vector<std::uint64_t> list;
  for (const Slice& it : timeline.slices) list.push_back(it.begin);
  return list;
}

}  // namespace

TEST_CASE("a timeline that fits stays whole", "[report]") {
  Timeline timeline;
  timeline.slices = {span(0, 5, 1), span(10, 5, 1)};
  CHECK_FALSE(thinned(timeline, 2));
}

TEST_CASE("a thinned timeline keeps the longest spans in their order", "[report]") {
  Timeline timeline;
  timeline.slices = {span(0, 5, 1), span(10, 50, 2), span(70, 5, 1), span(80, 60, 1)};
  timeline.end_time = 200;
  const auto result = thinned(timeline, 3);
  REQUIRE(result);
  CHECK(begins(result->timeline) == std::vector<std::uint64_t>{0, 10, 80});
  CHECK(result->left_out == 1);
  CHECK(result->timeline.end_time == 200);
}

TEST_CASE("a thinned series keeps its lowest and highest values", "[report]") {
  Timeline timeline;
  timeline.slices = {span(0, 5, 1)};
  timeline.series = {{"F", "Fence values", "", {}}, {"q", "Queue depth", "commands", {{5, 1}}}};
  for (std::uint64_t i = 0; i < 99; ++i) timeline.series[0].points.emplace_back(10 * i, i % 3);
  timeline.series[0].points[40].second = 700;
  CHECK_FALSE(thinned(timeline, 100));
  const auto result = thinned(timeline, 20);
  REQUIRE(result);
  CHECK(result->left_out == 0);
  const auto& points = result->timeline.series[0].points;
  CHECK(points.size() <= 20);
  CHECK(result->values_left_out == 100 - points.size() - 1);
  CHECK(std::count(points.begin(), points.end(),
                   std::pair<std::uint64_t, std::uint64_t>{400, 700}) == 1);
  CHECK(std::is_sorted(points.begin(), points.end()));
  CHECK(result->timeline.series[1].points.size() == 1);
  CHECK(begins(result->timeline) == begins(timeline));
}

TEST_CASE("lanes with a fault keep every span and event", "[report]") {
  Timeline timeline;
  timeline.slices = {span(0, 1, 1), span(10, 2, 2), span(20, 90, 3), span(30, 1, 1, true),
                     span(40, 1, 2)};
  timeline.instants = {event(5, 2), event(6, 3), event(7, 2, InstantKind::kHang), event(8, 3)};
  const auto result = thinned(timeline, 2);
  REQUIRE(result);
  // Lane 1 has a wait without an end, lane 2 a suspicious event.
  CHECK(begins(result->timeline) == std::vector<std::uint64_t>{0, 10, 30, 40});
  REQUIRE(result->timeline.instants.size() == 2);
  CHECK(result->timeline.instants[1].kind == InstantKind::kHang);
  CHECK(result->left_out == 3);
}

TEST_CASE("a core that sleeps at the end is no fault", "[report]") {
  Timeline timeline;
  Slice idle = span(0, 1, 1, true);
  idle.kind = SliceKind::kIdle;
  timeline.slices = {idle, span(10, 20, 2)};
  const auto result = thinned(timeline, 1);
  REQUIRE(result);
  CHECK(begins(result->timeline) == std::vector<std::uint64_t>{10});
}

TEST_CASE("flows of a thinned timeline lead to what is left", "[report]") {
  Timeline timeline;
  timeline.slices = {span(0, 1, 1), span(10, 50, 1), span(20, 60, 2), span(30, 2, 1)};
  timeline.instants = {event(25, 1), event(80, 2)};
  timeline.flows = {{0, 2, 0}, {1, 2, 1}};
  const auto result = thinned(timeline, 2);
  REQUIRE(result);
  REQUIRE(result->timeline.flows.size() == 1);
  const Flow& flow = result->timeline.flows[0];
  CHECK(result->timeline.slices[flow.signal].begin == 10);
  CHECK(result->timeline.slices[flow.wait].begin == 20);
  CHECK(result->timeline.instants[flow.release].time == 80);
}

TEST_CASE("events of a thinned timeline are spread over the run", "[report]") {
  Timeline timeline;
  for (std::uint64_t i = 0; i < 64; ++i) timeline.instants.push_back(event(i, 1));
  const auto result = thinned(timeline, 8);
  REQUIRE(result);
  REQUIRE(result->timeline.instants.size() == 8);
  for (std::size_t i = 0; i < 8; ++i) CHECK(result->timeline.instants[i].time == 8 * i);
}

}  // namespace fenceline::report::test_thinning
