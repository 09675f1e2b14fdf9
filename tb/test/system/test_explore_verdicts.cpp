// What a search says of itself: nothing to prove, nothing exercised, nothing to compare with.
#include <algorithm>
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "tb/explore/story/exploration_json.h"
#include "tb/test/support/can_explore.h"
#include "tb/test/support/litmus.h"

namespace fenceline::system_tests::test_explore_verdicts {

namespace explore = fenceline::explore;
namespace scenario = fenceline::scenario;
using explore::Exploration;
using explore::ExploreOptions;
using explore::Verdict;
using fenceline::support::litmus;

TEST_CASE("bounds that leave no program prove nothing", "[explore]") {
  if (!fenceline::support::can_explore()) return;
  ExploreOptions options;
  options.explain = false;
  const scenario::Scenario nothing = litmus("P01_sb_full", {"/explore/bounds/signals=0"});
  const Exploration none = explore::explore(nothing, options);
  CHECK(none.verdict == Verdict::kVacuous);
  CHECK(judge(nothing, none).exit_code == 5);
  CHECK(exploration_text(nothing, none, judge(nothing, none)).find("VACUOUS") == 0);
  const scenario::Scenario expected =
      litmus("P01_sb_full", {"/explore/bounds/signals=0", "/expect/verdict=VACUOUS"});
  CHECK(judge(expected, none).exit_code == 0);
}

TEST_CASE("a search counts the ways that it was offered and those that it took", "[explore]") {
  if (!fenceline::support::can_explore()) return;
  const scenario::Scenario scenario = litmus("P01_sb_full");
  const Exploration exploration = explore::explore(scenario, {});
  const explore::SearchReport& search = exploration.search;
  std::uint64_t taken = 0;
  for (const explore::Coverage::Ways& it : search.coverage.ways) {
    CHECK(it.taken <= it.offered);
    taken += it.taken;
  }
  // Each execution takes one way, but for the first of all and the first of each new beginning.
  CHECK(taken == search.executions - 1 - search.restarts);
  const auto of = [&](fenceline::common::Operation it) {
    return search.coverage.ways[static_cast<std::size_t>(it)];
  };
  CHECK(of(fenceline::common::Operation::kReadShadow).taken > 0);
  CHECK(of(fenceline::common::Operation::kPark).offered == 0);
  const std::string text = exploration_text(scenario, exploration, judge(scenario, exploration));
  CHECK(text.find(" steps offered at choices were taken (issue ") != std::string::npos);
  ExploreOptions random;
  random.limits.strategy = explore::Strategy::kRandom;
  random.limits.executions = 3;
  const auto dice = explore::explore(scenario, random).search.coverage.ways;
  CHECK(std::any_of(dice.begin(), dice.end(), [](const auto& it) { return it.taken > 0; }));
}

TEST_CASE("the matrix prints its bounds and what no run has exercised", "[explore]") {
  if (!fenceline::support::can_explore()) return;
  const explore::Load load = [](const std::vector<std::string>& overrides) {
    return litmus("P06_drop_both", overrides);
  };
  // No queue has a log, and the recheck is what keeps the waiter.
  const explore::Matrix matrix =
      explore::explore_matrix({"gpu.log_barrier", "cmp.recheck"}, load, {}, 2);
  CHECK(matrix.not_exercised == 1);
  CHECK(matrix.bounds.text() == explore::bounds_of(litmus("P06_drop_both")).text());
  const std::string text = matrix_text(matrix);
  CHECK(text.find("for signals<=1 waiters<=1") != std::string::npos);
  CHECK(text.find("not exercised (every search is the same with them and without):\n"
                  "  gpu.log_barrier\n") != std::string::npos);
  CHECK(text.find("cmp.recheck\n  none") == std::string::npos);
}

TEST_CASE("a matrix keeps the counterexample of each subset that breaks", "[explore]") {
  if (!fenceline::support::can_explore()) return;
  const explore::Load load = [](const std::vector<std::string>& overrides) {
    return litmus("P06_drop_both", overrides);
  };
  const explore::Matrix matrix = explore::explore_matrix({"cmp.recheck"}, load, {}, 1);
  const auto& found = matrix.rows[0].counterexample;
  REQUIRE(found);
  CHECK(found->violation.invariant == "I1");
  CHECK_FALSE(found->trace.empty());
  CHECK_FALSE(found->story.empty());
  CHECK_FALSE(found->timed);  // brief: the cycle timeline was not tried
  CHECK(found->inevitable == 0);
  CHECK_FALSE(matrix.rows[1].counterexample);
  const std::string json = explore::counterexamples_json(matrix, 2);
  CHECK(json.rfind("[{\"invariant\":\"I1\"", 0) == 0);
  CHECK(json.substr(json.size() - 6) == ",null]");
}

TEST_CASE("a matrix tells the story of each subset that breaks as long as there is room",
          "[explore]") {
  if (!fenceline::support::can_explore()) return;
  const explore::Load load = [](const std::vector<std::string>& overrides) {
    return litmus("P06_drop_both", overrides);
  };
  const explore::Matrix matrix =
      explore::explore_matrix({"cmp.recheck", "gpu.signal_barrier"}, load, {}, 2);
  std::size_t broken = 0;
  for (const explore::MatrixRow& row : matrix.rows) {
    if (row.verdict != Verdict::kViolated) continue;
    ++broken;
    REQUIRE(row.counterexample);
    CHECK_FALSE(row.counterexample->story.empty());
  }
  CHECK(broken > matrix.backups.size());  // also where more is missing than need be
  const auto stories = [&](std::size_t most) {
    const auto all = nlohmann::json::parse(explore::counterexamples_json(matrix, most));
    return std::count_if(all.begin(), all.end(),
                         [](const auto& it) { return it.is_object() && !it["story"].empty(); });
  };
  CHECK(stories(100) == static_cast<std::ptrdiff_t>(broken));
  CHECK(stories(2) == 2);
  CHECK(stories(0) == 0);
}

TEST_CASE("a matrix that is not explained keeps the violations alone", "[explore]") {
  if (!fenceline::support::can_explore()) return;
  const explore::Load load = [](const std::vector<std::string>& overrides) {
    return litmus("P06_drop_both", overrides);
  };
  ExploreOptions options;
  options.explain = false;
  const explore::Matrix matrix = explore::explore_matrix({"cmp.recheck"}, load, options, 1);
  REQUIRE(matrix.rows[0].counterexample);
  CHECK(matrix.rows[0].counterexample->story.empty());
}

TEST_CASE("a matrix fails only where something crashes", "[explore]") {
  explore::Matrix matrix;
  matrix.rows.resize(2);
  matrix.rows[0].broken = {"I1"};
  CHECK(explore::judge(matrix).exit_code == 0);
  matrix.rows[0].broken = {"I1", explore::kCrash};
  CHECK(explore::judge(matrix).exit_code == 1);
  matrix.rows[1].broken = {explore::kEndlessLoop};
  matrix.rows[1].own_fault = true;
  CHECK(explore::judge(matrix).exit_code == 4);
  CHECK_FALSE(explore::judge(matrix).as_expected);
}

TEST_CASE("a check of a search names what it could not compare", "[explore]") {
  if (!fenceline::support::can_explore()) return;
  ExploreOptions options;
  options.explain = false;
  options.limits.fallback = 10;
  const scenario::Scenario scenario = litmus("P01_sb_full");
  options.limits.executions = 100;
  const Exploration cut = explore::explore(scenario, options);
  const explore::Comparison compared = explore::compare_unreduced(scenario, options, cut);
  CHECK(compared.differs.empty());
  REQUIRE(compared.uncompared.size() == 3);
  CHECK(compared.uncompared[0].find("10 runs in random orders") != std::string::npos);
  CHECK(compared.uncompared[1].find("with all orders remembered gave up") != std::string::npos);
  CHECK(compared.uncompared[2].find("without reductions gave up") != std::string::npos);
}

TEST_CASE("every execution is counted by its end", "[explore]") {
  if (!fenceline::support::can_explore()) return;
  explore::ExploreOptions options;
  options.explain = false;
  const auto check = [&](const char* name) {
    INFO(name);
    explore::SearchReport search = explore::explore(litmus(name), options).search;
    std::uint64_t sum = 0;
    for (const explore::ExecutionEnd& it : explore::kExecutionEnds) sum += search.*it.count;
    CHECK(sum == search.executions);
    return search;
  };
  CHECK(check("P01_sb_full").at_choice > 0);
  check("P03_sb_no_signal_barrier");
  options.limits.strategy = explore::Strategy::kRandom;
  options.limits.executions = 50;
  CHECK(check("P01_sb_full").finished == 50);
}

}  // namespace fenceline::system_tests::test_explore_verdicts
