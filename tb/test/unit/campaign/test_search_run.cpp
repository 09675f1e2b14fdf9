// Complete searches as the runs of a campaign.
#include <algorithm>
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <string>

#include "tb/campaign/results.h"
#include "tb/campaign/search_run.h"
#include "tb/campaign/shrink.h"
#include "tb/scenario/loader.h"
#include "tb/test/support/temp_folder.h"

namespace fenceline::campaign::test_search_run {

namespace {

namespace support = fenceline::support;

/// A queue signals, a thread waits. @param switches members of /platform/ordering
std::string signal_and_wait(const std::string& switches) {
  return R"({"schema_version": 1, "name": "race", "title": "t",
    "platform": {"host": {"cores": 3}, "adapters": [{"name": "gpu0", "profile": "litmus"}],
                 "ordering": {)" +
         switches + R"(}},
    "processes": [{"name": "app", "fences": [{"name": "F"}],
                   "queues": [{"name": "q", "engine": "compute0"}]}],
    "programs": [{"queue": "q", "commands": [{"signal": {"fence": "F", "value": 1}}]},
                 {"thread": "t", "steps": [{"wait": {"fence": "F", "value": 1}}]}],
    "expect": {}})";
}

const char* const kLost = R"("cmp.mv_barrier": "none")";

Evaluation searched(const std::string& text, const Predict& predict = {},
                    SearchBounds bounds = {}) {
  RunSettings settings;
  settings.search = bounds;
  settings.predict = predict;
  return evaluate(scenario::load_text(text, "race.json"), settings, nullptr);
}

bool fails_by(const Evaluation& evaluation, const std::string& cause) {
  return std::any_of(evaluation.failures.begin(), evaluation.failures.end(),
                     [&](const Failure& failure) { return failure.cause == cause; });
}

/// Knows the end of the run and the value of F.
Predict value_of_f(std::uint64_t value) {
  return [value](const nlohmann::json& /*scenario*/) {
    reference::Outcome outcome;
    outcome.fences["app/F"] = {false, {value}};
    return outcome;
  };
}

}  // namespace

TEST_CASE("a search finds what the cycle timeline hides", "[campaign][search]") {
  const std::string text = signal_and_wait(kLost);
  CHECK(evaluate(scenario::load_text(text, "race.json"), {}, nullptr).failures.empty());
  const Evaluation found = searched(text);
  REQUIRE(found.searched);
  CHECK(found.searched->complete);
  CHECK(fails_by(found, "I1"));
}

TEST_CASE("a search without a failure is complete and has its size", "[campaign][search]") {
  const Evaluation found = searched(signal_and_wait(""));
  CHECK(found.failures.empty());
  REQUIRE(found.searched);
  CHECK(found.searched->complete);
  CHECK(found.searched->states > 100);
  CHECK(found.searched->executions > found.searched->states);
  CHECK(found.searched->races > 0);
}

TEST_CASE("a search that gives up is incomplete and no failure", "[campaign][search]") {
  SearchBounds bounds;
  bounds.executions = 20;
  bounds.fallback = 2;
  const Evaluation found = searched(signal_and_wait(""), {}, bounds);
  CHECK(found.failures.empty());
  REQUIRE(found.searched);
  CHECK_FALSE(found.searched->complete);
}

TEST_CASE("each order of a search is compared with the reference", "[campaign][search]") {
  const std::string text = R"({"schema_version": 1, "name": "race", "title": "t",
    "platform": {"host": {"cores": 3}, "adapters": [{"name": "gpu0", "profile": "litmus"}]},
    "processes": [{"name": "app", "allocations": [{"name": "A", "size": "4KiB"}],
                   "queues": [{"name": "q", "engine": "compute0"},
                              {"name": "p", "engine": "compute1"}]}],
    "programs": [
      {"queue": "q", "commands": [{"write": {"allocation": "A", "value": 1}}]},
      {"queue": "p", "commands": [{"write": {"allocation": "A", "value": 2}}]}],
    "expect": {}})";
  std::uint64_t differences = 0;
  for (const std::uint64_t only : {1U, 2U}) {
    const Predict predict = [only](const nlohmann::json& /*scenario*/) {
      reference::Outcome outcome;
      outcome.contents["app/A"][0] = {false, {only}};
      return outcome;
    };
    differences += fails_by(searched(text, predict), "difference bytes") ? 1 : 0;
  }
  CHECK(differences == 2);  // each value is the last one in some order
  const Predict both = [](const nlohmann::json& /*scenario*/) {
    reference::Outcome outcome;
    outcome.contents["app/A"][0] = {false, {1, 2}};
    return outcome;
  };
  CHECK(searched(text, both).failures.empty());
}

TEST_CASE("a search is judged as random orders are", "[campaign][search]") {
  std::string policy;
  const Predict predict = [&policy](const nlohmann::json& scenario) {
    policy = scenario.at("policy");
    return reference::Outcome();
  };
  searched(signal_and_wait(""), predict);
  CHECK(policy == "random");
  RunSettings timed;
  timed.predict = predict;
  evaluate(scenario::load_text(signal_and_wait(""), "race.json"), timed, nullptr);
  CHECK(policy == "timing");
  // The reference without a fault, beside one that has a fault, is given the same.
  timed.predict = value_of_f(1);
  timed.full = predict;
  timed.search = SearchBounds{};
  evaluate(scenario::load_text(signal_and_wait(""), "race.json"), timed, nullptr);
  CHECK(policy == "random");
}

TEST_CASE("the result of a search survives the way between processes", "[campaign][search]") {
  Evaluation evaluation;
  evaluation.searched = {true, 10, 20, 3};
  const Evaluation read = evaluation_of(to_bytes(evaluation));
  REQUIRE(read.searched);
  CHECK(read.searched->complete);
  CHECK(read.searched->states == 10);
  CHECK(read.searched->executions == 20);
  CHECK(read.searched->races == 3);
  CHECK_FALSE(evaluation_of(to_bytes({})).searched);
  CHECK_FALSE(evaluation_of(to_bytes({})).coverage);
}

TEST_CASE("a campaign of searches counts those that are complete and large", "[campaign][search]") {
  Results results;
  results.options.settings.search.emplace();
  results.totals.searches = {{true, 5, 9, 1}, {true, 1000, 2000, 4}, {false, 3000, 8000, 0}};
  CHECK(results_text(results).find("3 searches: 2 complete, 1 incomplete; 2 have 1000 states or "
                                   "more (1 of them complete); in 2 two steps raced; medians 1000 "
                                   "states, 2000 executions") != std::string::npos);
  CHECK(results_text(results).find("policy search") != std::string::npos);
}

TEST_CASE("a campaign of searches goes on from its journal and groups by cause",
          "[campaign][search]") {
  const support::TempFolder folder;
  CampaignOptions options;
  options.generate = [](std::uint64_t seed) { return signal_and_wait(seed == 2 ? kLost : ""); };
  options.settings.search.emplace();
  options.runs = 2;
  options.journals = folder.path();
  CHECK(run_campaign(options).searches.size() == 2);
  options.generate = [](std::uint64_t /*seed*/) -> std::string { return signal_and_wait(kLost); };
  const Totals again = run_campaign(options);
  CHECK(again.searches.size() == 2);
  CHECK(again.failed == 1);
  REQUIRE(again.groups.size() == 1);
  CHECK(again.groups.begin()->second.failure.cause == "I1");
}

TEST_CASE("a failure of a search is shrunk by searches and explained", "[campaign][search]") {
  ShrinkOptions options;
  options.settings.search.emplace();
  const auto shrunk = shrink(signal_and_wait(kLost), "race.json", options);
  REQUIRE(shrunk);
  CHECK(shrunk->failure.cause == "I1");
  const std::string text =
      counterexamples(scenario::load_text(shrunk->text, "small.json"), options.settings);
  CHECK(text.find("I1 NO_LOST_WAITER") != std::string::npos);
  CHECK(text.find("hold: ") != std::string::npos);
}

TEST_CASE("a counterexample against the reference is explained by its holds",
          "[campaign][search]") {
  RunSettings settings;
  settings.search.emplace();
  settings.predict = value_of_f(2);
  const std::string text =
      counterexamples(scenario::load_text(signal_and_wait(""), "race.json"), settings);
  CHECK(text.find("difference value") != std::string::npos);
  CHECK(text.find("fence app/F is 1 at the end, and must be 2") != std::string::npos);
}

}  // namespace fenceline::campaign::test_search_run
