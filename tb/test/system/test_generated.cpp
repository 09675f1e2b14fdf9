// Generated scenarios, run by the program.
#include <catch2/catch.hpp>
#include <fstream>
#include <string>

#include "tb/test/support/program.h"
#include "tb/test/support/temp_folder.h"

namespace fenceline::system_tests::test_generated {

using fenceline::support::Result;

namespace {

/// Generates scenarios that expect the values of their fences, and runs them.
Result run_generated(const std::string& constraints, const std::string& count) {
  const fenceline::support::TempFolder folder;
  const std::string base = folder.path().string();
  std::ofstream(base + "/constraints.json") << constraints;
  Result generated =
      fenceline::support::run("generate --constraints " + base + "/constraints.json --count " +
                              count + " --out " + base + "/made");
  if (generated.exit_code != 0) return generated;
  return fenceline::support::run("run --quiet " + base + "/made");
}

}  // namespace

TEST_CASE("generated scenarios end with the values that their plans give", "[generated]") {
  const Result result = run_generated(R"({"sizes": {"adapters": 1}, "expectations": true})", "60");
  INFO(result.output);
  CHECK(result.exit_code == 0);
}

TEST_CASE("generated scenarios end with a switch at another safe value", "[generated]") {
  const Result result = run_generated(
      R"({"sizes": {"adapters": 1}, "expectations": true, "switches": "safe"})", "60");
  INFO(result.output);
  CHECK(result.exit_code == 0);
}

/// A timeout may come first in a random order: no other step may need the end of such a wait.
TEST_CASE("generated scenarios are as the reference says in random orders", "[generated]") {
  const fenceline::support::TempFolder folder;
  const std::string file = (folder.path() / "constraints.json").string();
  std::ofstream(file) << R"({"sizes": {"adapters": 1, "steps": {"min": 30, "max": 40}},
                             "steps": {"poll": 0, "access": 0}})";
  const std::string out = (folder.path() / "out").string();
  const Result result = fenceline::support::run(
      "campaign --no-progress --policy random --runs 300 --constraints " + file + " --out " + out);
  INFO(result.output);
  CHECK(result.exit_code == 0);
  // Nothing that is declared impossible has happened.
  const Result coverage = fenceline::support::run("coverage " + out);
  INFO(coverage.output);
  CHECK(coverage.output.find("impossible") == std::string::npos);
}

TEST_CASE("a difference from the reference is a failure that shrinks", "[generated]") {
  const fenceline::support::TempFolder folder;
  const std::string file = (folder.path() / "s.json").string();
  std::ofstream(file) << R"({"schema_version": 1, "name": "s", "title": "t",
    "processes": [{"name": "app", "fences": [{"name": "F"}]}],
    "programs": [{"thread": "t", "steps": [{"delay": "1us"},
                                           {"signal": {"fence": "F", "value": 1}}]},
                 {"thread": "u", "steps": [{"wait": {"fence": "F", "value": 2}}]}],
    "expect": {}})";
  const Result hang = fenceline::support::run("shrink " + file);
  CHECK(hang.exit_code == 0);
  const Result predicted = fenceline::support::run("shrink --reference " + file);
  INFO(predicted.output);
  CHECK(predicted.output.find("does not fail") != std::string::npos);
}

}  // namespace fenceline::system_tests::test_generated
