#include <algorithm>
#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "tb/compare/timeline_differences.h"

namespace fenceline::compare::test_timeline_differences {

namespace {

Item span(const std::string& name, std::uint64_t begin, std::uint64_t lasts,
          std::uint64_t value = 0) {
  return {name, value, begin, lasts, true, false, 0};
}

std::vector<Row> row(std::vector<Item> items, const std::string& name = "gfx") {
  return {{"Queues", name, std::move(items)}};
}

/// Each difference as change, name and time.
struct Seen {
  Change change;
  std::string name;
  std::uint64_t time;
  bool operator==(const Seen& other) const {
    return change == other.change && name == other.name && time == other.time;
  }
};
std::vector<Seen> seen(const std::vector<Row>& a, const std::vector<Row>& b) {
  std::vector<Seen> list;
  for (const TimelineDifference& it : compare_timelines(a, b))
    list.push_back({it.change, it.change == Change::kNew ? it.b.name : it.a.name, time_of(it)});
  return list;
}

}  // namespace

TEST_CASE("equal timelines have no difference", "[compare]") {
  const auto a = row({span("copy", 1, 5), span("copy", 7, 5), span("signal", 12, 1, 4)});
  CHECK(compare_timelines(a, a).empty());
}

TEST_CASE("an item of one run alone is missing or new", "[compare]") {
  const auto a = row({span("copy", 1, 5), span("dispatch", 7, 5)}), b = row({span("copy", 1, 5)});
  CHECK(seen(a, b) == std::vector<Seen>{{Change::kMissing, "dispatch", 7}});
  CHECK(seen(b, a) == std::vector<Seen>{{Change::kNew, "dispatch", 7}});
}

TEST_CASE("items with another value or of another sort are not the same", "[compare]") {
  const auto four = row({span("signal", 1, 5, 4)}), five = row({span("signal", 1, 5, 5)});
  CHECK(seen(four, five) ==
        std::vector<Seen>{{Change::kMissing, "signal", 1}, {Change::kNew, "signal", 1}});
  const auto mark = row({{"signal", 4, 1, 5, false, false, 0}});
  CHECK(seen(four, mark).size() == 2);
}

TEST_CASE("the nth item of a name is compared with the nth one", "[compare]") {
  const auto a = row({span("copy", 0, 5), span("copy", 10, 5), span("copy", 20, 5)});
  const auto b = row({span("copy", 0, 5), span("copy", 10, 6), span("copy", 20, 4)});
  CHECK(seen(a, b) ==
        std::vector<Seen>{{Change::kLonger, "copy", 10}, {Change::kShorter, "copy", 20}});
}

TEST_CASE("the fewest items are called out of order", "[compare]") {
  const auto a = row({span("a", 0, 1), span("b", 1, 1), span("c", 2, 1), span("d", 3, 1)});
  const auto b = row({span("b", 0, 1), span("c", 1, 1), span("a", 2, 1), span("d", 3, 1)});
  const std::vector<Seen> expected{
      {Change::kMoved, "a", 0}, {Change::kShifted, "b", 1}, {Change::kShifted, "c", 2}};
  CHECK(seen(a, b) == expected);
}

TEST_CASE("a missing item does not shift the partners of those behind it", "[compare]") {
  const auto a = row({span("signal", 0, 1), span("copy", 1, 5), span("copy", 10, 6),
                      span("signal", 20, 1), span("copy", 30, 7)});
  const auto b =
      row({span("signal", 0, 1), span("copy", 10, 6), span("signal", 20, 1), span("copy", 30, 7)});
  const auto found = seen(a, b);
  REQUIRE(found.size() <= 2);
  CHECK(std::count_if(found.begin(), found.end(),
                      [](const Seen& it) { return it.change == Change::kMissing; }) == 1);
  CHECK(found.back().time <= 10);
}

TEST_CASE("an item with another time or another end is shifted", "[compare]") {
  const auto a = row({span("copy", 1, 5)});
  CHECK(seen(a, row({span("copy", 2, 5)})) == std::vector<Seen>{{Change::kShifted, "copy", 1}});
  auto open = a;
  open[0].items[0].open = true;
  CHECK(seen(a, open) == std::vector<Seen>{{Change::kShifted, "copy", 1}});
}

TEST_CASE("rows are compared by name and a row of one run alone is missing or new", "[compare]") {
  const auto a = row({span("copy", 1, 5)}), b = row({span("copy", 1, 5)}, "dma");
  const auto found = compare_timelines(a, b);
  REQUIRE(found.size() == 2);
  CHECK(found[0].change == Change::kMissing);
  CHECK(found[0].row == "gfx");
  CHECK(found[1].change == Change::kNew);
  CHECK(found[1].row == "dma");
  auto other_group = a;
  other_group[0].group = "Engines";
  CHECK(compare_timelines(a, other_group).size() == 2);
}

}  // namespace fenceline::compare::test_timeline_differences
