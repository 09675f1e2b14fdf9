#include <catch2/catch.hpp>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "tb/generate/generate.h"
#include "tb/scenario/brief.h"
#include "tb/scenario/loader.h"

namespace fenceline::generate::test_races {

namespace {

using scenario::FencePoint;

using Points = std::vector<FencePoint>;

/// In the order of the scenario.
struct All {
  Points waits;
  Points signals;
};

void add(Points& points, const Points& more) {
  points.insert(points.end(), more.begin(), more.end());
}

void add_commands(const scenario::Commands& commands, All& all) {
  for (const scenario::Command& command : commands) {
    if (const auto* wait = std::get_if<scenario::WaitCommand>(&command.what))
      all.waits.push_back(wait->point);
    if (const auto* signal = std::get_if<scenario::SignalCommand>(&command.what))
      all.signals.push_back(signal->point);
  }
}

All points_of(const nlohmann::json& document) {
  const scenario::Scenario scenario =
      scenario::load_text(scenario::brief_text(document), "generated");
  All all;
  for (const scenario::Program& program : scenario.programs) {
    add_commands(program.commands, all);
    for (const scenario::Step& step : program.steps) {
      if (const auto* wait = std::get_if<scenario::WaitStep>(&step.what))
        add(all.waits, wait->points);
      if (const auto* signal = std::get_if<scenario::SignalStep>(&step.what))
        add(all.signals, signal->points);
      if (const auto* submit = std::get_if<scenario::SubmitStep>(&step.what))
        add_commands(submit->commands, all);
    }
  }
  return all;
}

Constraints racy(std::uint32_t percent) {
  Constraints constraints;
  constraints.features.races = percent;
  return constraints;
}

}  // namespace

/// How values differ from those without races.
struct Changes {
  std::size_t all = 0;
  std::size_t lower = 0;
  std::size_t higher = 0;

  void count(const Points& ordered, const Points& raced) {
    REQUIRE(ordered.size() == raced.size());
    all += ordered.size();
    for (std::size_t i = 0; i < ordered.size(); ++i) {
      CHECK(raced[i].fence == ordered[i].fence);
      lower += raced[i].value.constant() < ordered[i].value.constant() ? 1 : 0;
      higher += raced[i].value.constant() > ordered[i].value.constant() ? 1 : 0;
    }
  }
};

TEST_CASE("Races are waits and signals of lower values and waits that never end", "[generate]") {
  Changes waits;
  Changes signals;
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    const All ordered = points_of(generate(racy(0), seed));
    const All raced = points_of(generate(racy(100), seed));
    waits.count(ordered.waits, raced.waits);
    signals.count(ordered.signals, raced.signals);
  }
  CHECK(waits.lower > waits.all / 20);
  CHECK(waits.lower < waits.all / 5);
  CHECK(waits.higher > 0);
  CHECK(waits.higher < waits.all / 20);
  CHECK(signals.lower > signals.all / 50);
  CHECK(signals.lower < signals.all / 10);
  CHECK(signals.higher == 0);
}

TEST_CASE("Strays are closes polls and waits that no plan has", "[generate]") {
  Constraints strays = racy(100);
  strays.features.strays = 100;
  std::map<std::string, int> more;
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    for (const auto& [constraints, sign] : {std::pair(strays, 1), std::pair(racy(100), -1)}) {
      const nlohmann::json scenario = generate(constraints, seed);
      for (const nlohmann::json& program : scenario.at("programs"))
        for (const nlohmann::json& step : program.value("steps", nlohmann::json::array())) {
          more[step.begin().key()] += sign;
          if (step.contains("submit"))
            more["commands"] += sign * static_cast<int>(step["submit"]["commands"].size());
        }
    }
  }
  for (const char* verb : {"destroy_fence", "poll", "commands"}) CHECK(more[verb] > 0);
  for (const char* verb : {"submit", "wait", "signal"}) CHECK(more[verb] == 0);
  strays.features.races = 0;
  CHECK(generate(strays, 1) == generate(racy(0), 1));
}

TEST_CASE("A scenario that races expects no values at the end", "[generate]") {
  Constraints constraints = racy(100);
  constraints.expectations = true;
  CHECK_FALSE(generate(constraints, 1).at("expect").contains("fences"));
  constraints.features.races = 0;
  CHECK(generate(constraints, 1).at("expect").contains("fences"));
}

}  // namespace fenceline::generate::test_races
