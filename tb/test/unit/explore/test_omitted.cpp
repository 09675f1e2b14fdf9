// What a story leaves out, and the race that decides a violation.
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "models/common/steps/operations.h"
#include "tb/explore/story/exploration_json.h"
#include "tb/explore/story/story.h"
#include "tb/scenario/text/json_tree.h"

namespace fenceline::explore_tests::test_omitted {

using explore::decisive_race;
using explore::OrderedSteps;
using explore::ReplayedStep;

namespace {

ReplayedStep step(common::AgentId agent, std::uint64_t place, std::size_t possible) {
  ReplayedStep made;
  made.instance.agent = agent;
  made.touched = {common::Footprint::access(common::Place::kRegister, place, true)};
  made.possible = possible;
  return made;
}

}  // namespace

TEST_CASE("a story counts the steps that it leaves out and names their agents",
          "[explore][story]") {
  explore::Counterexample found;
  found.trace = {"a", "b", "a", "c", "d", "d"};
  found.steps = 5;
  found.story = {{4, "c", "lock", "c takes a lock", false}};
  CHECK(explore::omitted_text(found.omitted_before(0)) == "3 steps of a, b");
  CHECK(explore::omitted_text(found.omitted_before(1)) == "1 step of d");
  found.story.push_back({4, "c", "lock", "c has it", false});
  CHECK(found.omitted_before(1).count == 0);
}

TEST_CASE("the result has the steps that a story leaves out", "[explore][story]") {
  explore::Exploration exploration;
  explore::Counterexample& found = exploration.counterexamples.emplace_back();
  found.trace = {"a", "b", "c", "d", "d"};
  found.told = {"a reads", "b reads", "c reads", "d reads", "d ends"};
  found.steps = 4;
  found.story = {{2, "b", "read", "b reads", false}, {2, "b", "read", "twice", false}};
  const scenario::Scenario scenario;
  const auto json = scenario::json_tree<nlohmann::json>(
      exploration_json(scenario, exploration, explore::Judgement{}));
  const auto& omitted = json.at("violations").at(0).at("omitted_steps");
  REQUIRE(omitted.size() == 3);
  CHECK(omitted.at(0) == nlohmann::json{{"step", 1}, {"agent", "a"}, {"text", "a reads"}});
  CHECK(omitted.at(2).at("text") == "d reads");
}

TEST_CASE("the race that decides is with the next step that could have come first",
          "[explore][story]") {
  // The second step decides. The third touches something else, the fourth was not possible before,
  // the fifth is of the same agent.
  const std::vector<ReplayedStep> trace = {step(1, 7, 0), step(2, 7, 0), step(3, 8, 0),
                                           step(4, 7, 2), step(2, 7, 0), step(5, 7, 1)};
  const OrderedSteps race = decisive_race(trace, 2, {});
  CHECK(race.first == 2);
  CHECK(race.second == 6);
}

TEST_CASE("without such a step the race is that of a hold", "[explore][story]") {
  const std::vector<ReplayedStep> trace = {step(1, 7, 0), step(2, 8, 0)};
  CHECK(decisive_race(trace, 2, {}).first == 0);
  CHECK(decisive_race(trace, 2, {{1, 2}, {2, 5}}).second == 5);
  CHECK(decisive_race(trace, 0, {{2, 5}}).first == 0);
}

}  // namespace fenceline::explore_tests::test_omitted
