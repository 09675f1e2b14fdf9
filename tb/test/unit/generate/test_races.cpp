#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <vector>

#include "tb/generate/generate.h"
#include "tb/scenario/brief.h"
#include "tb/scenario/loader.h"

namespace fenceline::generate::test_races {

namespace {

using scenario::FencePoint;

/// Points of waits, in the order of the scenario.
std::vector<FencePoint> points_of(const scenario::Commands& commands) {
  std::vector<FencePoint> points;
  for (const scenario::Command& command : commands)
    if (const auto* wait = std::get_if<scenario::WaitCommand>(&command.what))
      points.push_back(wait->point);
  return points;
}

std::vector<FencePoint> points_of(const nlohmann::json& document) {
  const scenario::Scenario scenario =
      scenario::load_text(scenario::brief_text(document), "generated");
  std::vector<FencePoint> points;
  const auto add = [&points](const std::vector<FencePoint>& more) {
    points.insert(points.end(), more.begin(), more.end());
  };
  for (const scenario::Program& program : scenario.programs) {
    add(points_of(program.commands));
    for (const scenario::Step& step : program.steps) {
      if (const auto* wait = std::get_if<scenario::WaitStep>(&step.what)) add(wait->points);
      if (const auto* submit = std::get_if<scenario::SubmitStep>(&step.what))
        add(points_of(submit->commands));
    }
  }
  return points;
}

Constraints racy(std::uint32_t percent) {
  Constraints constraints;
  constraints.features.races = percent;
  return constraints;
}

}  // namespace

TEST_CASE("Races are waits for lower values than without them", "[generate]") {
  std::size_t lower = 0;
  std::size_t all = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const std::vector<FencePoint> ordered = points_of(generate(racy(0), seed));
    const std::vector<FencePoint> raced = points_of(generate(racy(100), seed));
    REQUIRE(ordered.size() == raced.size());
    all += ordered.size();
    for (std::size_t i = 0; i < ordered.size(); ++i) {
      CHECK(raced[i].fence == ordered[i].fence);
      CHECK(raced[i].value.constant() <= ordered[i].value.constant());
      lower += raced[i].value.constant() < ordered[i].value.constant() ? 1 : 0;
    }
  }
  CHECK(lower > all / 20);
  CHECK(lower < all / 5);
}

TEST_CASE("A scenario that races expects no values at the end", "[generate]") {
  Constraints constraints = racy(100);
  constraints.expectations = true;
  CHECK_FALSE(generate(constraints, 1).at("expect").contains("fences"));
  constraints.features.races = 0;
  CHECK(generate(constraints, 1).at("expect").contains("fences"));
}

}  // namespace fenceline::generate::test_races
