#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tb/scenario/brief.h"
#include "tb/scenario/loader.h"
#include "tb/test/unit/scenario/test_text.h"

namespace fenceline::scenario::test_brief {

namespace {

using Json = nlohmann::json;

Json brief_of(const std::string& text) { return brief_document(load_text(text, "s.json")); }

const std::string kScenarios = FENCELINE_SOURCE_DIR "/scenarios";
const std::string kBegin = R"({"schema_version": 1, "name": "s", )";

}  // namespace

TEST_CASE("A brief document leaves out what equals its default", "[scenario][brief]") {
  const Json written = brief_of(kBegin + R"("seed": 1, "platform": {"host": {"profile": "desktop"}},
    "processes": [{"name": "p", "fences": [{"name": "F", "shared": false, "initial_value": 3}]}],
    "programs": [{"thread": "t", "steps": [{"wait": {"fence": "F", "value": 3}}]}], "expect": {}})");
  CHECK(written["processes"][0]["fences"] == Json::parse(R"([{"name": "F", "initial_value": 3}])"));
  CHECK(written["programs"][0]["steps"] ==
        Json::parse(R"([{"wait": {"fence": "F", "value": 3}}])"));
  CHECK_FALSE(written.contains("platform"));
  CHECK_FALSE(written.contains("seed"));
  CHECK(written["expect"] == Json::object());
}

TEST_CASE("A brief document compares an adapter with its own profile", "[scenario][brief]") {
  const Json written = brief_of(kBegin + R"("platform": {"adapters": [{"name": "g",
    "profile": "litmus", "fabric": {"write_banks": 1, "fifo_depth": 4}}]},
    "processes": [{"name": "p"}], "programs": [{"thread": "t", "steps": [{"delay": "1us"}]}],
    "expect": {}})");
  CHECK(written["platform"] == Json::parse(R"({"adapters": [{"name": "g", "profile": "litmus",
    "fabric": {"write_banks": 1}}]})"));
}

TEST_CASE("A brief document of every shipped scenario loads as the same scenario",
          "[scenario][brief]") {
  std::size_t count = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(kScenarios)) {
    if (entry.path().extension() != ".json") continue;
    const std::string path = entry.path().string();
    if (path.find("profiles") != std::string::npos || path.find("schema") != std::string::npos)
      continue;
    const Scenario loaded = load(path);
    const bool bounded = loaded.effective_json.find("\"bounds\": {}") == std::string::npos;
    if (bounded) continue;  // the loader has cut its programs
    INFO(path);
    CHECK(load_text(brief_text(brief_document(loaded)), path).effective_json ==
          loaded.effective_json);
    ++count;
  }
  CHECK(count > 100);
}

TEST_CASE("A brief text breaks only values that do not fit a line", "[scenario][brief]") {
  Json document{{"a", {1, 2}}, {"b", Json::array()}};
  CHECK(brief_text(document) == "{\"a\": [1, 2], \"b\": []}\n");
  document["c"] = std::string(90, 'x');
  CHECK(brief_text(document) ==
        "{\n  \"a\": [1, 2],\n  \"b\": [],\n  \"c\": \"" + std::string(90, 'x') + "\"\n}\n");
}

TEST_CASE("Defaults are given of each setting that differs from its own", "[scenario][brief]") {
  const auto changed = [](const std::string& platform) {
    const std::string text = kBegin + R"("title": "T", "end_time": "1ms", "platform": )" +
                             platform +
                             R"(, "processes": [{"name": "p", "fences": [{"name": "F",
      "initial_value": 3}]}], "programs": [{"thread": "t", "steps": [{"wait": {"fence": "F",
      "value": 3, "timeout": "1us"}}]}], "expect": {"outcome": "hang", "counters":
      {"waits.released": 1}, "fences": [{"fence": "F", "current_value": 3}]}})";
    return changed_defaults(load_text(text, "s.json").effective_json);
  };
  Json rest{{"/end_time", nullptr}, {"/processes/0/fences/0/initial_value", 0}};
  CHECK(Json(changed("{}")) == rest);
  Json own = rest;
  own["/platform/adapters/0/profile"] = "discrete";
  own["/platform/adapters/0/fabric/write_banks"] = 2;
  own["/platform/ordering/gpu.signal_barrier"] = "before_check";
  // The profile "litmus" sets fifo_depth to 4.
  CHECK(Json(changed(R"({"ordering": {"gpu.signal_barrier": "off"}, "adapters": [{"name": "g",
    "profile": "litmus", "fabric": {"write_banks": 1, "fifo_depth": 4}}]})")) == own);
  CHECK(Json(changed(R"({"adapters": [{"name": "a"}, {"name": "b"}]})"))
            .at("/platform/adapters")
            .size() == 1);
  CHECK(changed(R"({"adapters": [{"name": "a", "engines": [{"name": "e", "kind": "copy"}]}]})")
            .contains("/platform/adapters/0/engines"));
}

}  // namespace fenceline::scenario::test_brief
