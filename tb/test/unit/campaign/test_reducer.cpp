// How a document is made smaller; what fails is a plain function here.
#include <algorithm>
#include <catch2/catch.hpp>
#include <functional>
#include <string>
#include <vector>

#include "tb/campaign/moves.h"
#include "tb/campaign/reducer.h"

namespace fenceline::campaign_tests::test_reducer {

namespace {

using fenceline::campaign::body_of_round;
using fenceline::campaign::Candidates;
using fenceline::campaign::Document;
using fenceline::campaign::NamedThing;
using fenceline::campaign::quantity_of;
using fenceline::campaign::Reducer;
using fenceline::campaign::renamed;

/// Judges by a function, and stops after so many candidates.
class Toy : public Candidates {
 public:
  explicit Toy(std::function<bool(const Document&)> fails, std::size_t most = 100'000)
      : fails_(std::move(fails)), left_(most) {}
  std::optional<std::size_t> first_failing(std::vector<Document>& candidates) override {
    for (std::size_t i = 0; i < candidates.size() && left_ > 0; ++i, --left_)
      if (fails_(candidates[i])) return i;
    return std::nullopt;
  }
  bool stopped() const override { return left_ == 0; }

 private:
  std::function<bool(const Document&)> fails_;
  std::size_t left_;
};

Document reduced(const char* text, const std::function<bool(const Document&)>& fails) {
  Toy toy(fails);
  return Reducer(Document::parse(text), toy).run();
}

bool has(const Document& document, const std::string& text) {
  return document.dump().find(text) != std::string::npos;
}

}  // namespace

TEST_CASE("only the steps that fail together are left", "[campaign]") {
  const Document result = reduced(
      R"({"name": "n", "programs": [{"thread": "t", "steps": ["a", "b", "c", "d", "e", "f", "g"]},
                                    {"thread": "u", "steps": ["h"]}]})",
      [](const Document& it) { return has(it, "\"b\"") && has(it, "\"f\""); });
  CHECK(result == Document::parse(R"({"name": "n", "programs": [{"steps": ["b", "f"]}]})"));
}

TEST_CASE("keys go that nothing needs but version and name and seed stay", "[campaign]") {
  const Document result = reduced(
      R"({"schema_version": 1, "name": "n", "seed": 7, "title": "t",
          "platform": {"a": {"b": true, "c": 1}}, "expect": {}})",
      [](const Document& it) { return it.value("/platform/a/c"_json_pointer, 0) >= 1; });
  CHECK(result ==
        Document::parse(
            R"({"schema_version": 1, "name": "n", "seed": 7, "platform": {"a": {"c": 1}}})"));
}

TEST_CASE("numbers and texts with units become as small as they may be", "[campaign]") {
  const Document result =
      reduced(R"({"programs": [{"x": 1000, "y": "50us", "z": 3}]})", [](const Document& it) {
        if (!it.contains("programs") || it["programs"].size() != 1) return false;
        const Document& one = it["programs"][0];
        return one.contains("x") && one["x"] >= 37 && one.contains("y") && one["y"] != "0us" &&
               one.contains("z");
      });
  CHECK(result == Document::parse(R"({"programs": [{"x": 37, "y": "1us", "z": 0}]})"));
}

TEST_CASE("a loop becomes the round that fails", "[campaign]") {
  const Document result = reduced(
      R"({"programs": [{"steps": [{"repeat": {"count": 4, "counter": "i", "steps": [
           {"signal": {"fence": "F", "value": "${i}*2+1"}}]}}]}]})",
      [](const Document& it) {
        return has(it, "\"value\":7") || (has(it, "repeat") && has(it, "\"count\":4") &&
                                          has(it, "counter") && has(it, "${i}"));
      });
  CHECK(result == Document::parse(R"({"programs": [{"steps": [{"signal": {"value": 7}}]}]})"));
}

TEST_CASE("a counter of an outer loop stays in the body", "[campaign]") {
  const Document body = body_of_round(
      Document::parse(R"({"count": 2, "counter": "j", "commands": [{"value": "${i}+${j}*3"}]})"),
      2);
  CHECK(body == Document::parse(R"([{"value": "${i}+6"}])"));
}

TEST_CASE("long names become short ones wherever they are named", "[campaign]") {
  const Document scenario = Document::parse(
      R"({"name": "worker", "processes": [{"name": "worker", "fences": [{"name": "progress"}]}],
          "holds": [{"agent": "worker.lock", "op": "worker"}],
          "expect": {"fences": [{"fence": "worker/progress"}]}})");
  const Document result = renamed(scenario, NamedThing{"worker", "p0"});
  CHECK(result["name"] == "worker");
  CHECK(result["processes"][0]["name"] == "p0");
  CHECK(result["holds"][0]["agent"] == "p0.lock");
  CHECK(result["expect"]["fences"][0]["fence"] == "p0/progress");
  Toy with_fence(
      [](const Document& it) { return it.contains("/processes/0/fences/0/name"_json_pointer); });
  CHECK(has(Reducer(scenario, with_fence).run(), "\"F0\""));
}

TEST_CASE("numbers and texts with units are quantities", "[campaign]") {
  CHECK(quantity_of(7U)->with(3) == Document(3U));
  CHECK(quantity_of("2ns")->with(1) == Document("1ns"));
  CHECK(quantity_of("2ns")->number == 2);
  for (const char* text : {"compute0", "0x10/2", "12", ""}) CHECK(!quantity_of(text));
  CHECK(!quantity_of(true));
}

TEST_CASE("a number comes to its bound in few steps", "[campaign]") {
  constexpr std::uint64_t kBound = 508'000'000;
  Toy toy([](const Document& it) { return it.value("/x"_json_pointer, 0ULL) >= kBound; }, 500);
  const Document result = Reducer(Document::parse(R"({"x": 508762294})"), toy).run();
  CHECK(result == Document::parse(R"({"x": 508000000})"));
}

TEST_CASE("what is stopped keeps the smallest document so far", "[campaign]") {
  Toy toy([](const Document& it) { return has(it, "\"a\""); }, 3);
  const Document start =
      Document::parse(R"({"programs": ["a", "b", "c", "d", "e", "f", "g", "h"]})");
  const Document result = Reducer(start, toy).run();
  CHECK(has(result, "\"a\""));
  CHECK(toy.stopped());
  CHECK(result.dump().size() < start.dump().size());
}

}  // namespace fenceline::campaign_tests::test_reducer
