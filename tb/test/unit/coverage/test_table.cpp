// Coverage of many runs.
#include <algorithm>
#include <catch2/catch.hpp>
#include <string>

#include "tb/campaign/steering.h"
#include "tb/coverage/reasons.h"
#include "tb/coverage/table.h"

namespace fenceline::coverage::test_table {

namespace {

namespace generate = fenceline::generate;

Point point(Group group, const std::string& name) {
  const auto found = Space::all().find(group, name);
  REQUIRE(found);
  return *found;
}

Table table_with(const std::vector<Point>& points) {
  Hits hits;
  for (const Point it : points) hits.add(it);
  Table table;
  table.add(hits);
  return table;
}

bool is_hole(const Table& table, Point point) {
  const std::vector<Point> holes = table.holes();
  return std::find(holes.begin(), holes.end(), point) != holes.end();
}

const char* const kIsrFirst = "adapter: isr_end before dpc_begin";
const char* const kDpcFirst = "adapter: dpc_begin before isr_end";

}  // namespace

TEST_CASE("tables add up to the same sum in each order", "[coverage]") {
  const Point wait = point(Group::kStep, "wait");
  const Table one = table_with({wait, point(Group::kCommand, "copy")});
  const Table two = table_with({wait});
  Table first = one;
  first.add(two);
  Table second = two;
  second.add(one);
  CHECK(table_json(first) == table_json(second));
  CHECK(first.runs() == 2);
  CHECK(first.runs_of(wait) == 2);
}

TEST_CASE("a table survives as a file and another file is refused", "[coverage]") {
  const Table table = table_with({point(Group::kEvent, "doorbell")});
  const std::string json = table_json(table);
  CHECK(table_json(Table::of(json)) == json);
  CHECK_THROWS(Table::of("{}"));
  CHECK_THROWS(Table::of("nothing"));
  std::string unknown = json;
  unknown.replace(unknown.find("doorbell"), 8, "doorbull");
  CHECK_THROWS_WITH(Table::of(unknown), "this program has no event \"doorbull\"");
}

TEST_CASE("what no run has hit is a hole", "[coverage]") {
  const Point copy = point(Group::kCommand, "copy");
  CHECK(is_hole(Table(), copy));
  const Table table = table_with({copy});
  CHECK_FALSE(is_hole(table, copy));
  CHECK(table.share(Group::kCommand).hit == 1);
  CHECK(holes_text(table).find("command: copy:") == std::string::npos);
  CHECK(holes_text(table).find("command: signal: no reason is known\n") != std::string::npos);
}

TEST_CASE("a point that is declared impossible is no hole but a mistake when it is hit",
          "[coverage]") {
  const Point ringless = point(Group::kEventInState, "doorbell, queue context_packet");
  CHECK(is_impossible(ringless));
  CHECK_FALSE(is_hole(Table(), ringless));
  CHECK(Table().mistakes().empty());
  const Table table = table_with({ringless});
  CHECK(table.mistakes() == std::vector<Point>{ringless});
  CHECK(table_text(table).find("declared impossible, and hit: doorbell, queue context_packet\n") !=
        std::string::npos);
  CHECK_FALSE(is_impossible(point(Group::kEventInState, "doorbell, queue parked")));
}

TEST_CASE("a pair has its reason whichever word comes first", "[coverage]") {
  const std::string call = "update_monitored_call of a monitored fence";
  CHECK(is_impossible(point(Group::kPair, call + " + step wait")));
  CHECK(is_impossible(point(Group::kPair, "update_monitored_call of a native fence + " + call)));
}

TEST_CASE("an event that shows a broken rule has that reason in each state", "[coverage]") {
  const Reason* const reason =
      reason_of(point(Group::kEventInState, "handle_violation, fence wait_add"));
  REQUIRE(reason != nullptr);
  CHECK(reason == reason_of(point(Group::kEvent, "bug_check")));
  CHECK_FALSE(reason->impossible);
}

TEST_CASE("reasons are given for words that there are", "[coverage]") {
  for (const std::string& word : unknown_words()) FAIL_CHECK(word);
}

TEST_CASE("an order is a hole once the opposite order has come", "[coverage]") {
  CHECK_FALSE(is_hole(Table(), point(Group::kOrder, kDpcFirst)));
  const Table table = table_with({point(Group::kOrder, kIsrFirst)});
  CHECK(is_hole(table, point(Group::kOrder, kDpcFirst)));
  CHECK(table.share(Group::kOrder).all == 2);
  CHECK(table.share(Group::kOrder).hit == 1);
}

TEST_CASE("steps in holes get more weight than steps without", "[coverage][campaign]") {
  const Space& space = Space::all();
  generate::Constraints base;
  base.steps["poll"] = base.steps["wait"] = 80;
  base.steps["mark"] = 0;
  std::vector<Point> met;
  const auto& features = space.features();
  const auto wait = static_cast<std::size_t>(
      std::find(features.begin(), features.end(), "step wait") - features.begin());
  for (std::size_t other = 0; other < features.size(); ++other)
    met.push_back(space.pair(wait, other));
  const generate::Constraints steered = fenceline::campaign::steered(base, table_with(met));
  CHECK(steered.steps.at("wait") == 20);
  CHECK(steered.steps.at("poll") > 70);
  CHECK(steered.steps.at("mark") == 0);
  CHECK(steered.features.monitored_fences > base.features.monitored_fences);
}

TEST_CASE("without coverage nothing is steered", "[coverage][campaign]") {
  const generate::Constraints base;
  CHECK(fenceline::campaign::steered(base, {}).steps == base.steps);
}

}  // namespace fenceline::coverage::test_table
