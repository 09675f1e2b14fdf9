// Scenarios of the corpus, without what they expect, are made small.
#include <atomic>
#include <catch2/catch.hpp>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>

#include "tb/campaign/shrink.h"
#include "tb/scenario/loader.h"
#include "tb/scenario/text/diagnostics.h"

namespace fenceline::campaign_tests::test_shrink {

namespace {

namespace reference = fenceline::reference;
namespace scenario = fenceline::scenario;
using fenceline::campaign::Document;
using fenceline::campaign::shrink;
using fenceline::campaign::ShrinkOptions;
using fenceline::campaign::Shrunk;

std::string shipped(const std::string& name) {
  return scenario::overridden_text(
      scenario::read_scenario_file(FENCELINE_SOURCE_DIR "/scenarios/" + name), name,
      {{"/expect={}"}, {}});
}

/// Steps and commands of all programs.
std::size_t operations(const Document& scenario) {
  std::size_t count = 0;
  for (const Document& program : scenario.at("programs"))
    for (const char* list : {"steps", "commands"})
      if (program.contains(list)) count += program[list].size();
  return count;
}

Shrunk shrunk(const std::string& name, const std::string& cause, unsigned jobs = 1) {
  ShrinkOptions options;
  options.jobs = jobs;
  fenceline::campaign::Failure wanted;
  wanted.cause = cause;
  const auto result = shrink(shipped(name), name, options, wanted);
  REQUIRE(result);
  CHECK(result->failure.cause == cause);
  CHECK(result->complete);
  return *result;
}

/// A wait for a value that no signal has, and a step that has nothing to do with it.
const char* const kHangs = R"({"schema_version": 1, "name": "hangs", "title": "t",
  "platform": {"host": {"cores": 3}, "adapters": [{"name": "gpu0", "profile": "litmus"}]},
  "processes": [{"name": "app", "fences": [{"name": "F"}]}],
  "programs": [{"thread": "t", "steps": [{"delay": "1us"}, {"wait": {"fence": "F", "value": 2}}]}],
  "expect": {}})";

/// Shrinks with predictions of the end of a run and of the value of F.
Shrunk shrunk_against(const std::function<reference::Outcome(const nlohmann::json&)>& predict,
                      const std::string& text = kHangs) {
  ShrinkOptions options;
  options.settings.predict = predict;
  const auto result = shrink(text, "hangs.json", options);
  REQUIRE(result);
  return *result;
}

}  // namespace

TEST_CASE("a hang of which the reference does not know is not made smaller", "[campaign][shrink]") {
  const Shrunk result = shrunk_against([](const nlohmann::json&) {
    reference::Outcome outcome;
    outcome.hangs = reference::Happens::kMaybe;
    return outcome;
  });
  CHECK(result.failure.cause == "hang");
  CHECK(operations(Document::parse(result.text)) == 2);
}

TEST_CASE("a hang that the reference rules out is wanted instead", "[campaign][shrink]") {
  const Shrunk result = shrunk_against([](const nlohmann::json& scenario) {
    reference::Outcome outcome;
    if (scenario.at("programs").at(0).at("steps").size() == 2)
      outcome.hangs = reference::Happens::kMaybe;
    return outcome;
  });
  CHECK(result.failure.cause == "difference hang");
  CHECK(operations(Document::parse(result.text)) == 1);
}

TEST_CASE("limits stay high enough for a scenario that ends", "[campaign][shrink]") {
  Document scenario = Document::parse(kHangs);
  scenario["limits"] = {{"steps", 3'000'000}};
  const Shrunk result =
      shrunk_against([](const nlohmann::json&) { return reference::Outcome(); }, scenario.dump());
  CHECK(Document::parse(result.text).at("limits").at("steps") == 300'000);
}

TEST_CASE("a difference keeps its shape while it is made smaller", "[campaign][shrink]") {
  const Shrunk result = shrunk_against([](const nlohmann::json&) {
    reference::Outcome outcome;
    outcome.hangs = reference::Happens::kMaybe;
    outcome.fences["app/F"] = {false, {9}};  // a scenario without F would differ in another way
    return outcome;
  });
  CHECK(result.failure.cause == "difference value");
  CHECK(result.failure.reason == "fence app/F is 0 at the end, and must be 9");
  CHECK_FALSE(result.failure.rule.empty());
}

TEST_CASE("a lost waiter of a litmus comes down to a signal and a wait", "[campaign][shrink]") {
  const Shrunk result = shrunk("litmus/P06_drop_both.json", "I1");
  const Document document = Document::parse(result.text);
  CHECK(operations(document) == 2);
  CHECK(document["platform"] ==
        Document::parse(R"({"ordering": {"cmp.recheck": false, "os.resample": "off"}})"));
  CHECK(result.failure.reason.find("thread 'T0'") != std::string::npos);
}

TEST_CASE("a bug of the past keeps its invariant", "[campaign][shrink]") {
  const Shrunk result = shrunk("history/HB01_interrupt_overtakes_store.json", "I7");
  CHECK(operations(Document::parse(result.text)) <= 2);
}

TEST_CASE("a shrunk scenario fails by itself and no step of it can go", "[campaign][shrink]") {
  const Shrunk once = shrunk("litmus/P16_cmp_clear_late.json", "I1");
  const auto again = shrink(once.text, "again.json", {});
  REQUIRE(again);
  CHECK(again->failure.cause == "I1");
  CHECK(again->text == once.text);
}

TEST_CASE("jobs change neither the scenario nor the number of runs", "[campaign][shrink]") {
  const Shrunk one = shrunk("litmus/P15_cv_tear.json", "I11", 1);
  const Shrunk three = shrunk("litmus/P15_cv_tear.json", "I11", 3);
  CHECK(one.text == three.text);
  CHECK(one.runs == three.runs);
}

TEST_CASE("a scenario that does not fail is not shrunk", "[campaign][shrink]") {
  CHECK_FALSE(shrink(shipped("litmus/P01_sb_full.json"), "fine.json", {}));
}

TEST_CASE("a scenario that is not valid is refused with its place", "[campaign][shrink]") {
  CHECK_THROWS_AS(shrink(R"({"schema_version": 1})", "bad.json", {}), scenario::ScenarioError);
}

TEST_CASE("an interrupt leaves the smallest scenario so far", "[campaign][shrink]") {
  std::atomic<bool> stop{false};
  ShrinkOptions options;
  options.interrupted = &stop;
  options.progress = [&](std::uint64_t runs) { stop = runs > 3; };
  const auto result = shrink(shipped("litmus/P06_drop_both.json"), "x.json", options);
  REQUIRE(result);
  CHECK_FALSE(result->complete);
  CHECK(result->failure.cause == "I1");
}

}  // namespace fenceline::campaign_tests::test_shrink
