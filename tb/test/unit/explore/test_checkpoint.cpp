#include <catch2/catch.hpp>
#include <fstream>

#include "tb/explore/process/checkpoint.h"
#include "tb/explore/search/search_fields.h"
#include "tb/test/support/temp_folder.h"

namespace fenceline::explore_tests::test_checkpoint {

using fenceline::explore::Checkpoint;
using fenceline::explore::cyclic;
using fenceline::explore::Edge;
using fenceline::explore::Fork;
using fenceline::explore::from_bytes;
using fenceline::explore::Part;
using fenceline::explore::Path;
using fenceline::explore::SearchState;
using fenceline::explore::split;
using fenceline::explore::to_bytes;

namespace {
Checkpoint sample() { return {"{}", "", true, {"I1"}, std::string(100'000, 'x') + "the end"}; }

Fork fork(std::size_t length, std::vector<std::size_t> open) {
  Fork fork;
  fork.length = length;
  fork.open = std::move(open);
  fork.asleep.push_back({3, {{17, true}}});
  fork.set.set(200);
  fork.key = length * 1000;
  return fork;
}
}  // namespace

TEST_CASE("a checkpoint holds what was put into it", "[explore]") {
  const Checkpoint read = Checkpoint::of(sample().file());
  CHECK(read.scenario == "{}");
  CHECK(read.kmd.empty());
  CHECK(read.keep_holds);
  CHECK(read.about == std::vector<std::string>{"I1"});
  CHECK(read.state == sample().state);
}

TEST_CASE("a checkpoint that is cut short or damaged is refused", "[explore]") {
  const std::string file = sample().file();
  for (const std::size_t size :
       {std::size_t{0}, std::size_t{10}, std::size_t{30}, file.size() / 2, file.size() - 1})
    CHECK_THROWS_AS(Checkpoint::of(file.substr(0, size)), std::invalid_argument);
  CHECK_THROWS_AS(Checkpoint::of(file + "more"), std::invalid_argument);
  std::string damaged = file;
  damaged[damaged.size() - 6] ^= 1;
  CHECK_THROWS_AS(Checkpoint::of(damaged), std::invalid_argument);
  CHECK_THROWS_AS(Checkpoint::of("something else"), std::invalid_argument);
}

TEST_CASE("a checkpoint of another driver is refused", "[explore]") {
  const fenceline::support::TempFolder folder;
  const std::string driver = (folder / "driver.so").string();
  std::ofstream(driver) << "one";
  Checkpoint checkpoint = sample();
  checkpoint.kmd = driver;
  const std::string file = checkpoint.file();
  CHECK(Checkpoint::of(file).kmd == driver);
  std::ofstream(driver) << "two";
  CHECK_THROWS_WITH(Checkpoint::of(file), Catch::Contains("another driver"));
}

TEST_CASE("the state of a search is read as it was written", "[explore]") {
  SearchState state;
  state.report.executions = 12;
  state.report.own_fault = true;
  state.report.findings["I1"].trace = {{4, fenceline::common::Operation::kWrite}};
  state.cache[99] = {1, 2};
  state.edges.push_back({1, 2});
  state.paths.push_back({{{1, fenceline::common::Operation::kRead}}, {fork(1, {2, 0})}});
  state.fatal.push_back({{}, "CRASH", "SIGSEGV", true});
  state.begun = true;
  SearchState again;
  from_bytes(to_bytes(state), again);
  CHECK(again.report.executions == 12);
  CHECK(again.report.own_fault);
  CHECK(again.report.findings.at("I1").trace.size() == 1);
  CHECK(again.cache.at(99) == std::vector<fenceline::common::AgentId>{1, 2});
  CHECK(again.paths.at(0).forks.at(0).open == std::vector<std::size_t>{2, 0});
  CHECK(again.paths.at(0).forks.at(0).asleep.at(0).touched.at(0).location == 17);
  CHECK(again.paths.at(0).forks.at(0).set[200]);
  CHECK(again.fatal.at(0).why == "SIGSEGV");
  CHECK(to_bytes(again) == to_bytes(state));
}

TEST_CASE("a path that is split loses no way on and has none twice", "[explore]") {
  Path mine{{}, {fork(0, {4, 7}), fork(2, {}), fork(5, {1, 2, 3}), fork(9, {6})}};
  const Path other = split(mine);
  CHECK(mine.open() == 3);
  REQUIRE(other.forks.size() == 4);
  CHECK(other.forks[0].open == std::vector<std::size_t>{4});
  CHECK(mine.forks[0].open == std::vector<std::size_t>{7});
  // What is given away comes later, and may rely on what is kept.
  CHECK(other.forks[0].elsewhere == std::vector<std::size_t>{7});
  CHECK(mine.forks[0].elsewhere.empty());
  CHECK(other.forks[2].open == std::vector<std::size_t>{1, 2});
  CHECK(mine.forks[2].open == std::vector<std::size_t>{3});
  CHECK(other.forks[3].open.empty());
  CHECK(other.forks[3].elsewhere.empty());
  CHECK_FALSE(mine.forks[0].fresh);
  CHECK_FALSE(other.forks[0].fresh);
}

TEST_CASE("edges between states are cyclic if one can come back", "[explore]") {
  std::vector<Edge> edges{{1, 2}, {1, 3}, {2, 4}, {3, 4}, {4, 5}, {3, 4}};
  CHECK_FALSE(cyclic(edges));
  CHECK_FALSE(cyclic({}));
  edges.push_back({5, 3});
  CHECK(cyclic(edges));
  CHECK(cyclic({{7, 7}}));
}

TEST_CASE("of two lists of sleepers of one state the shorter is kept", "[explore]") {
  SearchState state;
  Part one;
  Part other;
  one.cache[5] = {1, 2};
  one.report.executions = 10;
  one.report.findings["I1"].execution = 3;
  other.cache[5] = {3};
  other.report.executions = 20;
  other.report.findings["I2"].execution = 4;
  one.footprints = other.footprints = SearchState().footprints.bytes();
  add(state, one);
  add(state, other);
  CHECK(state.cache.at(5) == std::vector<fenceline::common::AgentId>{3});
  CHECK(state.report.executions == 30);
  CHECK(state.report.findings.at("I1").execution == 3);
  CHECK(state.report.findings.at("I2").execution == 14);
}

TEST_CASE("the cause of a finding is what it says without names and numbers", "[explore]") {
  const auto cause = [](const std::string& invariant, const std::string& message) {
    fenceline::check::Violation violation;
    violation.invariant = invariant;
    violation.name = "NO_TEAR";
    violation.message = message;
    return fenceline::explore::cause_of(violation);
  };
  const std::string one = cause("I11", "agent 'T0' read 0x1ffffffff as CurrentValue of fence 'F'");
  CHECK(one == cause("I11", "agent 'core0.dpc' read 0xab as CurrentValue of fence 'G 2'"));
  CHECK(one != cause("I11", "MonitoredValue of fence 'F' was read as 0x1ffffffff"));
  CHECK(one != cause("I12", "agent 'T0' read 0x1ffffffff as CurrentValue of fence 'F'"));
}

}  // namespace fenceline::explore_tests::test_checkpoint
