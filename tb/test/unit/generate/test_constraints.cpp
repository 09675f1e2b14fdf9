#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <string>

#include "tb/generate/constraints.h"
#include "tb/generate/rules.h"
#include "tb/scenario/text/diagnostics.h"
#include "tb/scenario/text/json_tree.h"

namespace fenceline::generate::test_constraints {

namespace {

std::string error_of(const std::string& text) {
  try {
    constraints_of(text, "c.json");
  } catch (const scenario::ScenarioError& error) {
    return error.what();
  }
  return "accepted";
}

}  // namespace

TEST_CASE("Constraints that a file does not name keep their defaults", "[generate][constraints]") {
  const Constraints constraints =
      constraints_of(R"({"sizes": {"steps": {"min": 5, "max": 9}}, "steps": {"poll": 0}})", "c");
  const Constraints defaults;
  CHECK(constraints.sizes.steps.min == 5);
  CHECK(constraints.sizes.steps.max == 9);
  CHECK(constraints.sizes.commands.max == defaults.sizes.commands.max);
  CHECK(constraints.steps.at("poll") == 0);
  CHECK(constraints.steps.at("wait") == defaults.steps.at("wait"));
}

TEST_CASE("Errors in constraints say where and what is expected", "[generate][constraints]") {
  CHECK(error_of(R"({"sizes": {"proceses": 2}})").find("did you mean \"processes\"") !=
        std::string::npos);
  CHECK(
      error_of(R"({"sizes": {"steps": {"min": 5, "max": 4}}})").find("c.json:1:21: /sizes/steps") !=
      std::string::npos);
  CHECK(error_of(R"({"sizes": {"processes": 65}})").find("64") != std::string::npos);
  CHECK(error_of(R"({"steps": {"wait": 101}})").find("100") != std::string::npos);
  CHECK(error_of(R"({"steps": {"resume_context": 1}})").find("unknown key") != std::string::npos);
  CHECK(error_of(R"({"switches": "some"})").find("\"defaults\"") != std::string::npos);
  CHECK(error_of(R"({"gpus": {"voodoo": 1}})").find("unknown key") != std::string::npos);
}

TEST_CASE("The schema of constraints has each word that is drawn", "[generate][constraints]") {
  const auto schema = scenario::json_tree<nlohmann::json>(constraints_schema());
  for (const auto& [verb, weight] : step_weights())
    CHECK(schema["properties"]["steps"]["properties"].contains(verb));
  for (const auto& [verb, reason] : words_left_out()) {
    CHECK_FALSE(schema["properties"]["steps"]["properties"].contains(verb));
    CHECK_FALSE(reason.empty());
  }
}

TEST_CASE("A constraint file that is not there is an error", "[generate][constraints]") {
  CHECK_THROWS_AS(load_constraints("no/such/file.json"), scenario::ScenarioError);
}

}  // namespace fenceline::generate::test_constraints
