#include <catch2/catch.hpp>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "tb/scenario/loader.h"
#include "tb/scenario/shapes/ordering_names.h"
#include "tb/scenario/shapes/schema.h"
#include "tb/scenario/text/json_tree.h"
#include "tb/test/unit/scenario/test_text.h"

namespace fenceline::scenario::test_docs {

namespace {

std::string document() {
  std::ostringstream text;
  text << std::ifstream(FENCELINE_SOURCE_DIR "/docs/reference/scenario.md").rdbuf();
  return text.str();
}

/// `text` without // comments; strings hold none in our examples.
std::string without_comments(const std::string& text) {
  std::istringstream lines(text);
  std::string result;
  for (std::string line; std::getline(lines, line);)
    result += line.substr(0, line.find(" //")) + "\n";
  return result;
}

/// Code blocks that the document says load.
std::vector<std::string> examples() {
  const std::string text = document();
  const std::string start = "<!-- loads -->\n```jsonc\n";
  std::vector<std::string> blocks;
  for (std::size_t at = text.find(start); at != std::string::npos; at = text.find(start, at + 1)) {
    const std::size_t first = at + start.size();
    blocks.push_back(text.substr(first, text.find("```", first) - first));
  }
  return blocks;
}

/// The rows of tables whose first cell names `name` in backticks.
std::vector<std::string> rows_of(const std::string& name) {
  std::istringstream lines(document());
  std::vector<std::string> rows;
  for (std::string line; std::getline(lines, line);) {
    const std::size_t at = line.find("`" + name + "`");
    if (line.rfind("| ", 0) == 0 && at < line.find('|', 1)) rows.push_back(line);
  }
  return rows;
}

std::string last_cell(std::string row) {
  row.erase(row.find_last_of('|'));
  row.erase(0, row.find_last_of('|') + 1);
  std::string cell;
  for (const char c : row) {
    if (c != '`' && c != ' ') cell += c;
  }
  return cell;
}

}  // namespace

TEST_CASE("the examples of the documentation load", "[scenario][docs]") {
  REQUIRE(examples().size() == 2);
  for (const std::string& example : examples()) {
    CAPTURE(example);
    CHECK_NOTHROW(load_text(without_comments(example), "docs/reference/scenario.md"));
  }
}

TEST_CASE("the documentation shows a mistyped switch as the program does", "[scenario][docs]") {
  const std::string count = "(" + std::to_string(ordering_names().size()) + " in all)";
  CHECK(document().find("\"cmp.clear_first\", ... " + count) != std::string::npos);
}

TEST_CASE("the documentation gives each ordering switch its real default", "[scenario][docs]") {
  const Json effective = json_tree<Json>(load_text(kSmallScenario, "small").effective_json);
  for (const std::string& name : ordering_names()) {
    CAPTURE(name);
    const std::vector<std::string> rows = rows_of(name);
    REQUIRE(rows.size() == 1);
    const Json value = effective["platform"]["ordering"][name];
    CHECK(last_cell(rows[0]) == (value.is_string() ? value.get<std::string>() : value.dump()));
  }
}

TEST_CASE("the documentation names every key of the schema", "[scenario][docs]") {
  const std::string text = document();
  const auto check = [&](const Json& definition) {
    const Json properties = definition.value("properties", Json::object());
    for (const auto& [key, unused] : properties.items()) {
      CAPTURE(key);
      const bool named = text.find("`" + key + "`") != std::string::npos ||
                         text.find("\"" + key + "\"") != std::string::npos;
      CHECK(named);
    }
  };
  const Json schema = json_tree<Json>(schema_text());
  check(schema);
  for (const auto& [name, definition] : schema["definitions"].items()) check(definition);
}

}  // namespace fenceline::scenario::test_docs
