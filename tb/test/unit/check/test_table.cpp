#include <catch2/catch.hpp>
#include <set>

#include "tb/check/core/invariants.h"
#include "tb/check/core/tables.h"
#include "tb/test/support/event_script.h"

namespace fenceline::check::test_table {

TEST_CASE("ids and names are unique and each has a count", "[check]") {
  std::set<std::string> seen;
  EventScript s;
  const auto exercised = s.checkers.exercised();
  REQUIRE(exercised.size() == kInvariantCount);
  for (std::size_t i = 0; i < kInvariantCount; ++i) {
    const InvariantInfo& about = all_invariants()[i];
    CHECK(seen.insert(about.id).second);
    CHECK(seen.insert(about.name).second);
    CHECK(exercised[i].invariant == about.id);
    CHECK(exercised[i].checked == 0);
  }
}

TEST_CASE("each fence is reported once and the rest is counted", "[check]") {
  EventScript s;
  for (int i = 0; i < 5; ++i) s.wait(1, 9, 1).done(1, 9, 1).wait(2, 9, 1).done(2, 9, 1);
  CHECK(s.broken() == std::vector<std::string>{"I4"});
  CHECK(s.checkers.violations().size() == 2);
  CHECK(s.checkers.exercised()[3].broken == 10);
  CHECK(s.checkers.violations()[0].time == 20);
  CHECK(s.checkers.violations()[0].event == 2);
}

TEST_CASE("a ring keeps absolute indices and its newest entries", "[check]") {
  Ring<int, 8> ring;
  for (int i = 0; i < 20; ++i) ring.push(i);
  CHECK(ring.first_index() == 12);
  CHECK(ring.end_index() == 20);
  for (std::uint64_t i = ring.first_index(); i != ring.end_index(); ++i)
    CHECK(ring[i] == static_cast<int>(i));
  ring.erase(14);
  CHECK(ring[13] == 13);
  CHECK(ring[14] == 15);
  CHECK(ring.back() == 19);
  ring.pop_front();
  CHECK(ring.front() == 13);
}

TEST_CASE("a number table finds a record that others have displaced", "[check]") {
  struct Record {
    std::uint64_t number = 0;
    int value = 0;
  };
  NumberTable<Record> table;
  table.open(1).value = 11;
  for (std::uint64_t n = 2; n < 10000; ++n) table.close(table.open(n));
  REQUIRE(table.find(1) != nullptr);
  CHECK(table.find(1)->value == 11);
  CHECK(table.find(257) == nullptr);
  CHECK(table.find(0) == nullptr);
  table.open(257).value = 22;
  CHECK(table.find(1)->value == 11);
  table.close(*table.find(1));
  CHECK(table.find(1) == nullptr);
  CHECK(table.find(257)->value == 22);
}

TEST_CASE("a signal that never ends does not disturb a long run", "[check]") {
  EventScript s;
  s.create().begin(1, 1, 1);
  for (std::uint64_t n = 2; n < 5000; ++n) s.signal(1, n, n, UINT64_MAX);
  s.issue(1, 1, 1).shadow_read(1, UINT64_MAX).decide(1, 1, 1, false).call(1, 0, 1).ret(1, 0, 1);
  s.visible(1, 1).end(1, 1, 1).stopped();
  CHECK(s.broken() == std::vector<std::string>{"I5"});
}

}  // namespace fenceline::check::test_table
