#include <algorithm>
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <rapidcheck.h>
#include <string>

#include "tb/scenario/loader.h"
#include "tb/scenario/shapes/ordering_names.h"
#include "tb/scenario/shapes/schema.h"
#include "tb/scenario/text/json_tree.h"
#include "tb/scenario/text/units.h"
#include "tb/test/unit/scenario/test_text.h"

namespace fenceline::scenario::test_effective {

namespace {

using Json = nlohmann::json;

std::uint64_t number(std::uint64_t least, std::uint64_t most) {
  return *rc::gen::inRange<std::uint64_t>(least, most + 1);
}

/// Makes documents that a schema allows, at random.
class Maker {
 public:
  explicit Maker(const Json& schema) : definitions_(schema["definitions"]) {}

  Json make(const Json& schema) const {
    if (schema.contains("$ref")) {
      const std::string reference = schema["$ref"];
      return make(definitions_.at(reference.substr(std::string("#/definitions/").size())));
    }
    if (schema.contains("enum")) return schema["enum"][number(0, schema["enum"].size() - 1)];
    const std::string type = schema["type"];
    if (type == "boolean") return number(0, 1) == 1;
    if (type == "integer") return number(schema["minimum"], schema["maximum"]);
    if (type == "string") return text(schema["pattern"]);
    RC_ASSERT(type == "object");
    Json object = Json::object();
    for (const auto& [key, property] : schema["properties"].items()) {
      const Json required = schema.value("required", Json::array());
      const bool must = std::find(required.begin(), required.end(), key) != required.end();
      if (property.value("type", "") == "array") continue;  // their elements depend on each other
      if (must || number(0, 1) == 1) object[key] = make(property);
    }
    return object;
  }

 private:
  static std::string text(const std::string& pattern) {
    if (pattern == kDurationPattern) return format_duration(number(1, 5'000'000));
    if (pattern == kSizePattern) return format_size(std::uint64_t{1} << number(7, 12));
    if (pattern == kRatePattern) return format_rate(number(1, 1'000'000));
    if (pattern == kFrequencyPattern) return format_frequency(number(1'000, 1'000'000'000));
    return std::string("n") + std::to_string(number(0, 99));
  }

  const Json& definitions_;
};

Scenario loaded(const Json& document) { return load_text(document.dump(), "random"); }

}  // namespace

TEST_CASE("the effective document of a scenario loads to an equal one", "[scenario][effective]") {
  for (const char* text : {kSmallScenario, kFullScenario}) {
    const Scenario scenario = load_text(text, "first");
    const Scenario again = load_text(scenario.effective_json, "second");
    CHECK(again.effective_json == scenario.effective_json);
  }
}

TEST_CASE("the effective document is formatted with sorted keys", "[scenario][effective]") {
  const std::string text = load_text(kSmallScenario, "small").effective_json;
  CHECK(text == json_tree<Json>(text).dump(2) + "\n");
}

TEST_CASE("the effective document holds what was given", "[scenario][effective]") {
  Json given = json_tree<Json>(kFullScenario);
  const Json effective = json_tree<Json>(load_text(kFullScenario, "full").effective_json);
  given.erase("$schema");
  given["seed"] = "max";
  given["end_time"] = "1500us";
  // What is left must be there as it was written; other spellings are compared by hand.
  for (const std::string key : {"name", "title", "covers", "negative_for", "policy", "seed",
                                "end_time", "schema_version"}) {
    CHECK(effective[key] == given[key]);
  }
  for (const auto& [name, value] : given["platform"]["ordering"].items()) {
    CHECK(effective["platform"]["ordering"][name] == value);
  }
  CHECK(effective["programs"][0]["steps"][1] == given["programs"][0]["steps"][1]);
  CHECK(effective["programs"][0]["steps"][2] == given["programs"][0]["steps"][2]);
  CHECK(effective["programs"][1]["queue"] == "g");
  Json opened = given["processes"][1]["fences"][0];
  opened["flags"] = Json::array();
  CHECK(effective["processes"][1]["fences"][0] == opened);
  CHECK(effective["holds"][0]["until"]["nth"] == 1);
  CHECK(effective["expect"]["counters"] == given["expect"]["counters"]);
  CHECK(effective["expect"]["latencies"] == given["expect"]["latencies"]);
}

TEST_CASE("the effective document fills in every default", "[scenario][effective]") {
  const Json effective = json_tree<Json>(load_text(kSmallScenario, "small").effective_json);
  CHECK(effective["seed"] == 1);
  CHECK(effective["platform"]["host"]["c_states"].size() == 4);
  CHECK(effective["platform"]["adapters"][0]["engines"].size() == 4);
  CHECK(effective["platform"]["ordering"].size() == ordering_names().size());
  CHECK(effective["processes"][0]["adapter"] == "gpu0");
  CHECK(effective["programs"][0]["process"] == "app");
}

TEST_CASE("any platform that the schema allows survives the way out and back",
          "[scenario][effective][slow]") {
  const Json schema = json_tree<Json>(schema_text());
  const Maker maker(schema);
  const bool holds = rc::check("platforms", [&] {
    Json document = json_tree<Json>(kSmallScenario);
    document["platform"] = maker.make(schema["properties"]["platform"]);
    Json adapter = maker.make(schema["definitions"]["adapter"]);
    adapter.erase("native_fences");  // the small scenario has native fences
    adapter["profile"] = "discrete";
    document["platform"]["adapters"] = Json::array({adapter});
    Scenario scenario;
    try {
      scenario = loaded(document);
    } catch (const ScenarioError& error) {
      RC_LOG() << error.what();
      // Quantities may be out of range: that the schema cannot say.
      RC_ASSERT(error.message().find("is out of range") != std::string::npos ||
                error.message().find("no multiple of") != std::string::npos);
      RC_DISCARD("out of range");
    }
    RC_ASSERT(load_text(scenario.effective_json, "again").effective_json ==
              scenario.effective_json);
    const Json effective = json_tree<Json>(scenario.effective_json);
    const Json ordering = document["platform"].value("ordering", Json::object());
    for (const auto& [name, value] : ordering.items()) {
      RC_ASSERT(effective["platform"]["ordering"][name] == value);
    }
  });
  CHECK(holds);
}

}  // namespace fenceline::scenario::test_effective
