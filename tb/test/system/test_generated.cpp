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

}  // namespace fenceline::system_tests::test_generated
