#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <valijson/adapters/nlohmann_json_adapter.hpp>
#include <valijson/schema.hpp>
#include <valijson/schema_parser.hpp>
#include <valijson/validator.hpp>
#include <vector>

#include "tb/scenario/loader.h"
#include "tb/scenario/shapes/schema.h"
#include "tb/scenario/text/json_tree.h"
#include "tb/test/unit/scenario/test_text.h"

namespace fenceline::scenario::test_schema {

namespace {

using Json = nlohmann::json;
namespace fs = std::filesystem;

const fs::path kRoot = FENCELINE_SOURCE_DIR;

std::string read(const fs::path& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

/// The schema of scenarios/schema in an independent validator.
class Schema {
 public:
  Schema() {
    valijson::SchemaParser parser;
    parser.populateSchema(valijson::adapters::NlohmannJsonAdapter(document_), schema_);
  }
  bool accepts(const Json& document) const {
    valijson::Validator validator;
    return validator.validate(schema_, valijson::adapters::NlohmannJsonAdapter(document), nullptr);
  }

 private:
  Json document_ = json_tree<Json>(schema_text());
  valijson::Schema schema_;
};

/// Names of the bad inputs of one kind: lexical, structural or semantic.
std::vector<std::string> bad_inputs(const std::string& kind) {
  std::ifstream table(kRoot / "tb/test/unit/scenario/bad_input/expected.tsv");
  std::vector<std::string> names;
  for (std::string line; std::getline(table, line);) {
    const std::size_t tab = line.find('\t');
    if (line.compare(tab + 1, kind.size() + 1, kind + "\t") == 0)
      names.push_back(line.substr(0, tab));
  }
  return names;
}

Json bad_input(const std::string& name) {
  return json_tree<Json>(read(kRoot / "tb/test/unit/scenario/bad_input" / (name + ".json")));
}

std::vector<fs::path> scenario_files() {
  std::vector<fs::path> files;
  for (const auto& entry : fs::recursive_directory_iterator(kRoot / "scenarios")) {
    const std::string folder = fs::relative(entry.path(), kRoot / "scenarios").begin()->string();
    const bool scenario = folder != "schema" && folder != "profiles";
    if (scenario && entry.path().extension() == ".json") files.push_back(entry.path());
  }
  return files;
}

}  // namespace

TEST_CASE("the schema file is the schema of the loader", "[scenario][schema]") {
  INFO("`fenceline schema > scenarios/schema/scenario.schema.json` brings it in line");
  const bool same = read(kRoot / "scenarios/schema/scenario.schema.json") == schema_text();
  CHECK(same);
}

TEST_CASE("the schema refuses every bad input whose structure is bad", "[scenario][schema]") {
  const Schema schema;
  const std::vector<std::string> names = bad_inputs("structural");
  REQUIRE(names.size() >= 50);
  for (const std::string& name : names) {
    CAPTURE(name);
    CHECK_FALSE(schema.accepts(bad_input(name)));
  }
}

TEST_CASE("the schema accepts bad inputs whose structure is good", "[scenario][schema]") {
  const Schema schema;
  const std::vector<std::string> names = bad_inputs("semantic");
  REQUIRE(names.size() >= 30);
  for (const std::string& name : names) {
    CAPTURE(name);
    CHECK(schema.accepts(bad_input(name)));
  }
}

TEST_CASE("schema and loader accept good scenarios their effective documents too",
          "[scenario][schema]") {
  const Schema schema;
  for (const char* text : {kSmallScenario, kFullScenario}) {
    CHECK(schema.accepts(json_tree<Json>(text)));
    CHECK(schema.accepts(json_tree<Json>(load_text(text, "good").effective_json)));
  }
}

TEST_CASE("schema and loader accept every scenario of the project", "[scenario][schema][slow]") {
  const Schema schema;
  for (const fs::path& file : scenario_files()) {
    CAPTURE(file.string());
    CHECK(schema.accepts(json_tree<Json>(read(file))));
    try {
      CHECK(schema.accepts(json_tree<Json>(load(file.string()).effective_json)));
    } catch (const ScenarioError& error) {
      FAIL_CHECK(error.what());
    }
  }
}

TEST_CASE("leaving out or renaming any key of a scenario finds both of one mind",
          "[scenario][schema][slow]") {
  const Schema schema;
  const Json good = json_tree<Json>(kFullScenario);
  const Json flat = good.flatten();
  for (const auto& [pointer, unused] : flat.items()) {
    const Json::json_pointer leaf(pointer);
    Json renamed = good;
    Json& parent = renamed[leaf.parent_pointer()];
    if (!parent.is_object()) continue;
    parent["no_such_key"] = parent[leaf.back()];
    parent.erase(leaf.back());
    CAPTURE(pointer);
    const bool named_by_user = pointer.rfind("/expect/counters/", 0) == 0;
    if (named_by_user) continue;
    CHECK_FALSE(schema.accepts(renamed));
    CHECK_THROWS_AS(load_text(renamed.dump(), "renamed"), ScenarioError);
  }
}

TEST_CASE("every property of the schema is described", "[scenario][schema]") {
  const Json schema = json_tree<Json>(schema_text());
  const auto check = [](const Json& object, const std::string& name) {
    if (!object.contains("properties")) return;
    for (const auto& [key, property] : object["properties"].items()) {
      CAPTURE(name, key);
      CHECK(property.value("description", "").size() > 3);
    }
  };
  check(schema, "scenario");
  for (const auto& [name, definition] : schema["definitions"].items()) check(definition, name);
}

}  // namespace fenceline::scenario::test_schema
