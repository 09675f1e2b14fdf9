#include <catch2/catch.hpp>
#include <set>
#include <string>
#include <vector>

#include "tb/app/cli/sweep_options.h"
#include "tb/app/sweep/design.h"
#include "tb/scenario/sweep_values.h"

namespace fenceline::sweep::test_design {

namespace {

using scenario::SweepDesign;
using scenario::SweepSettings;
using scenario::Variation;
using Words = std::vector<std::string>;

Variation vary(const std::string& text) { return cli::parse_variation(text); }

Words values(const std::string& text) {
  const scenario::VariedValues all(vary(text));
  Words words;
  for (std::uint64_t i = 0; i < all.count(); ++i) words.push_back(all.at(i));
  return words;
}

std::string problem(const SweepSettings& settings) {
  try {
    scenario::check_sweep_settings(settings);
  } catch (const scenario::SweepProblem& it) {
    return it.pointer + ": " + it.what();
  }
  return "none";
}

SweepSettings settings(SweepDesign design, const Words& variations) {
  SweepSettings result;
  result.design = design;
  for (const std::string& it : variations) result.vary.push_back(vary(it));
  return result;
}

}  // namespace

TEST_CASE("values of a list are JSON or words", "[sweep]") {
  CHECK(values("/a=1,x,\"y,z\",true,1us") == Words{"1", "\"x\"", "\"y,z\"", "true", "\"1us\""});
  CHECK(values("/a=[1,2],{\"b\":[3,4]}") == Words{"[1,2]", "{\"b\":[3,4]}"});
  CHECK(values("/a=b=c") == Words{"\"b=c\""});
}

TEST_CASE("ranges go up in steps or by a factor and keep their kind", "[sweep]") {
  CHECK(values("/a=1..4:1") == Words{"1", "2", "3", "4"});
  CHECK(values("/a=1..4:2") == Words{"1", "3"});
  CHECK(values("/a=1us..2us:500ns") == Words{"\"1us\"", "\"1500ns\"", "\"2us\""});
  CHECK(values("/a=0.5us..1us:0.5us") == Words{"\"500ns\"", "\"1us\""});
  CHECK(values("/a=4KiB..1MiB*16") == Words{"\"4KiB\"", "\"64KiB\"", "\"1MiB\""});
  CHECK(values("/a=1..9*3") == Words{"1", "3", "9"});
  CHECK(values("/a=1GB/s..2GB/s:500MB/s") == Words{"\"1GB/s\"", "\"1500MB/s\"", "\"2GB/s\""});
  CHECK(values("/a=7..7:1") == Words{"7"});
}

TEST_CASE("ranges near the largest number end", "[sweep]") {
  Variation variation;
  variation.pointer = "/a";
  variation.from = "18446744073709551614";
  variation.to = "18446744073709551615";
  variation.step = "1";
  CHECK(scenario::VariedValues(variation).count() == 2);
  variation.step.reset();
  variation.from = "4";
  variation.factor = 4;
  CHECK(scenario::VariedValues(variation).count() == 31);
  variation.from = "0";
  variation.factor.reset();
  CHECK(scenario::VariedValues(variation).count() == UINT64_MAX);
}

TEST_CASE("all combinations have the last variation change fastest", "[sweep]") {
  const Design design(settings(SweepDesign::kCartesian, {"/a=1,2", "/b=x,y,z"}));
  REQUIRE(design.points() == 6);
  CHECK(design.values(0) == Words{"1", "\"x\""});
  CHECK(design.values(1) == Words{"1", "\"y\""});
  CHECK(design.values(3) == Words{"2", "\"x\""});
  CHECK(design.assignments(5) == Words{"/a=2", "/b=\"z\""});
}

TEST_CASE("a list takes the nth value of each variation", "[sweep]") {
  const Design design(settings(SweepDesign::kList, {"/a=1,2,2", "/b=5..7:1"}));
  REQUIRE(design.points() == 3);
  CHECK(design.values(2) == Words{"2", "7"});
}

TEST_CASE("several seeds make several runs of each point", "[sweep]") {
  SweepSettings sweep = settings(SweepDesign::kCartesian, {"/a=1,2"});
  sweep.seeds = 3;
  const Design design(sweep);
  CHECK(design.runs() == 6);
  CHECK(design.point_of(4) == 1);
  CHECK(design.repetition_of(4) == 1);
  SweepSettings only_seeds;
  only_seeds.seeds = 5;
  CHECK(Design(only_seeds).runs() == 5);
  CHECK(Design(only_seeds).values(0).empty());
}

TEST_CASE("drawn points follow from the seed and cover their ranges evenly", "[sweep]") {
  SweepSettings sweep = settings(SweepDesign::kRandom, {"/a=0..9", "/b=x,y", "/c=1ns..2ns"});
  sweep.points = 2000;
  REQUIRE(problem(sweep) == "none");
  const Design design(sweep);
  std::vector<int> seen(10);
  int both = 0;
  std::set<std::string> times;
  for (std::uint64_t point = 0; point < design.points(); ++point) {
    const Words drawn = design.values(point);
    CHECK(drawn == Design(sweep).values(point));
    ++seen[std::stoul(drawn[0])];
    both += drawn[0] == "3" && drawn[1] == "\"x\"" ? 1 : 0;
    times.insert(drawn[2]);
  }
  for (const int count : seen) CHECK(std::abs(count - 200) < 70);  // five standard deviations
  CHECK(std::abs(both - 100) < 50);                                // the two draws are independent
  CHECK(times.size() > 800);
  CHECK(times.count("\"1ns\"") + times.count("\"1001ps\"") > 0);
  SweepSettings other = sweep;
  other.seed = 2;
  CHECK(Design(other).values(0) != design.values(0));
}

TEST_CASE("an impossible sweep is refused at its place", "[sweep]") {
  const auto cartesian = [](const Words& variations) {
    return problem(settings(SweepDesign::kCartesian, variations));
  };
  CHECK(cartesian({"/a=1,2"}) == "none");
  CHECK(cartesian({"/a=1,2", "/a=3"}) == "/vary/1/pointer: \"/a\" varies already");
  CHECK(cartesian({"/a/b=1", "/a=3"}) == "/vary/1/pointer: \"/a\" and \"/a/b\" vary each other");
  CHECK(cartesian({"/ab=1", "/a=3"}) == "none");
  CHECK(cartesian({"/seed=1"}) == "/vary/0/pointer: /seed cannot vary");
  CHECK(cartesian({"/sweep/seeds=1"}) == "/vary/0/pointer: /sweep cannot vary");
  CHECK(cartesian({"/a=1,2,1"}) == "/vary/0/values/2: the value 1 stands there twice");
  CHECK(cartesian({"/a=1..2"}).rfind("/vary/0: a range of this design needs", 0) == 0);
  CHECK(cartesian({"/a=2..1:1"}) == "/vary/0/to: 1 is less than 2");
  CHECK(cartesian({"/a=1..2us:1"}) == "/vary/0/to: \"2us\" is of another kind than 1");
  CHECK(cartesian({"/a=1us..2us:1"}) == "/vary/0/step: 1 is of another kind than \"1us\"");
  CHECK(cartesian({"/a=1..2:0"}) == "/vary/0/step: a step of nothing leads nowhere");
  CHECK(cartesian({"/a=0..2*2"}) == "/vary/0/from: 0 stays 0 with every factor");
  CHECK(cartesian({"/a=1fs..2fs:1fs"}) == "/vary/0/from: found \"1fs\"");
  CHECK(cartesian({"/a=1..2000000:1"}).rfind("/vary/0/step: the range has", 0) == 0);
  CHECK(cartesian({"/a=1..2000:1", "/b=1..2000:1"}) == ": the sweep has too many runs");
  CHECK(problem(settings(SweepDesign::kList, {"/a=1,2", "/b=1,2,3"})) ==
        "/vary/1: there are 3 values");
  CHECK(problem(settings(SweepDesign::kRandom, {"/a=1,2"})).rfind(": a random design", 0) == 0);
  SweepSettings points = settings(SweepDesign::kList, {"/a=1,2"});
  points.points = 3;
  CHECK(problem(points).rfind("/points: only a random design", 0) == 0);
}

TEST_CASE("variations of the command line that cannot be read are refused", "[sweep]") {
  CHECK_THROWS_AS(vary("a=1"), cli::UsageError);
  CHECK_THROWS_AS(vary("/a"), cli::UsageError);
  CHECK_THROWS_AS(vary("/a~2=1"), cli::UsageError);
  CHECK_THROWS_AS(vary("/a=1,,2"), cli::UsageError);
  CHECK_THROWS_AS(vary("/a="), cli::UsageError);
  CHECK_THROWS_AS(vary("/a=1..4*x"), cli::UsageError);
  CHECK_THROWS_AS(vary("/a=1..4*1"), cli::UsageError);
}

}  // namespace fenceline::sweep::test_design
