// Campaigns over scenarios that a function makes.
#include <atomic>
#include <catch2/catch.hpp>
#include <csignal>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <string>
#include <unistd.h>

#include "tb/campaign/campaign.h"
#include "tb/campaign/shapes.h"
#include "tb/test/support/temp_folder.h"

namespace fenceline::campaign::test_campaign {

namespace {

namespace support = fenceline::support;

/// A signal and a wait for one more, which hangs, with every fifth seed.
std::string generated(std::uint64_t seed) {
  return fmt::format(
      R"({{"schema_version": 1, "name": "generated", "title": "t",
          "platform": {{"host": {{"cores": 3}}, "adapters": [{{"name": "gpu0", "profile": "litmus"}}]}},
          "processes": [{{"name": "app", "fences": [{{"name": "F{0}"}}],
                         "queues": [{{"name": "q", "engine": "compute0"}}]}}],
          "programs": [{{"queue": "q", "commands": [{{"signal": {{"fence": "F{0}", "value": 1}}}}]}},
                       {{"thread": "t", "steps": [{{"wait": {{"fence": "F{0}", "value": {1}}}}}]}}],
          "expect": {{}}}})",
      seed, seed % 5 == 0 ? 2 : 1);
}

CampaignOptions options_in(const support::TempFolder& folder) {
  CampaignOptions options;
  options.generate = generated;
  options.runs = 20;
  options.jobs = 2;
  options.journals = folder.path();
  return options;
}

}  // namespace

TEST_CASE("failures of one cause and shape are one group", "[campaign]") {
  const support::TempFolder folder;
  const Totals totals = run_campaign(options_in(folder));
  CHECK(totals.complete);
  CHECK(totals.runs == 20);
  CHECK(totals.failed == 4);
  REQUIRE(totals.groups.size() == 1);
  const Group& group = totals.groups.begin()->second;
  CHECK(group.failure.cause == "hang");
  CHECK(group.count == 4);
  CHECK(group.seeds == std::vector<std::uint64_t>{5, 10, 15, 20});
}

TEST_CASE("a campaign goes on where it was interrupted", "[campaign]") {
  const support::TempFolder folder;
  CampaignOptions options = options_in(folder);
  std::atomic<bool> stop{false};
  options.interrupted = &stop;
  options.progress = [&](std::uint64_t runs) { stop = runs >= 5; };
  const Totals half = run_campaign(options);
  CHECK_FALSE(half.complete);
  CHECK(half.runs >= 5);
  CHECK(half.runs < 20);
  stop = false;
  std::uint64_t last = 0;
  options.progress = [&](std::uint64_t runs) { last = runs; };
  std::uint64_t earlier = 0;
  std::uint64_t made = 0;
  std::uint64_t failed = 0;
  options.evaluated = [&](const Evaluation& evaluation, bool now) {
    ++(now ? made : earlier);
    failed += evaluation.failures.empty() ? 0 : 1;
  };
  const Totals whole = run_campaign(options);
  CHECK(earlier == half.runs);
  CHECK(made == 20 - half.runs);
  CHECK(failed == 4);  // those of the first command included
  REQUIRE(whole.figures.size() == 20);
  CHECK(whole.figures[4].seed == 5);
  CHECK(whole.figures[4].cause == "hang");
  CHECK(whole.figures[0].events > 0);
  CHECK(whole.complete);
  CHECK(whole.failed == 4);
  CHECK(last == 20);
}

TEST_CASE("a run that kills its process is one failure", "[campaign]") {
  const support::TempFolder folder;
  CampaignOptions options = options_in(folder);
  options.settings.predict = [](const nlohmann::json& scenario) {
    if (scenario.at("seed") == 7) ::raise(SIGSEGV);
    return reference::Outcome();
  };
  const Totals totals = run_campaign(options);
  CHECK(totals.runs == 20);
  std::uint64_t crashes = 0;
  for (const auto& [key, group] : totals.groups)
    if (group.failure.cause.rfind("crash", 0) == 0) crashes += group.count;
  CHECK(crashes == 1);
}

TEST_CASE("a difference from the prediction is a failure and statements are counted",
          "[campaign]") {
  const support::TempFolder folder;
  CampaignOptions options = options_in(folder);
  options.runs = 4;
  options.settings.predict = [](const nlohmann::json& scenario) {
    reference::Outcome outcome;
    const auto seed = scenario.at("seed").get<std::uint64_t>();
    outcome.fences[fmt::format("app/F{}", seed)] = {false, {seed == 2 ? 3U : 1U}};
    return outcome;
  };
  const Totals totals = run_campaign(options);
  CHECK(totals.failed == 1);
  REQUIRE(totals.groups.size() == 1);
  CHECK(totals.groups.begin()->second.failure.cause == "difference value");
  CHECK(totals.groups.begin()->second.seeds == std::vector<std::uint64_t>{2});
  CHECK_FALSE(totals.groups.begin()->second.failure.rule.empty());
  CHECK(totals.statements[DifferenceKind::kValue].fixed == 4);
  CHECK(totals.statements[DifferenceKind::kHang].fixed == 4);
}

TEST_CASE("runs without a prediction are counted by reason and a hang of theirs fails",
          "[campaign]") {
  const support::TempFolder folder;
  CampaignOptions options = options_in(folder);
  options.settings.predict = [](const nlohmann::json& scenario) {
    reference::Outcome outcome;
    outcome.hangs = outcome.bug_check = reference::Happens::kMaybe;
    outcome.silent[""] = scenario.at("seed") < 6 ? "low seed" : "high seed";
    return outcome;
  };
  const Totals totals = run_campaign(options);
  CHECK(totals.silent == std::map<std::string, std::uint64_t>{{"low seed", 5}, {"high seed", 15}});
  REQUIRE(totals.groups.size() == 1);
  CHECK(totals.groups.begin()->second.failure.cause == "hang");
}

TEST_CASE("a scenario that does not load is a failure of its own", "[campaign]") {
  const support::TempFolder folder;
  CampaignOptions options = options_in(folder);
  options.runs = 2;
  options.generate = [](std::uint64_t seed) {
    return seed == 1 ? generated(1) : std::string(R"({"schema_version": 1, "name": "x"})");
  };
  const Totals totals = run_campaign(options);
  REQUIRE(totals.groups.size() == 1);
  CHECK(totals.groups.begin()->second.failure.cause == "invalid scenario");
}

TEST_CASE("a shape has neither names nor numbers and begins with the step", "[campaign]") {
  const nlohmann::json scenario = nlohmann::json::parse(
      R"({"processes": [{"name": "app", "fences": [{"name": "F"}]}],
          "programs": [{"thread": "worker", "steps": [{"wait": {"fence": "F"}}]}]})");
  const Shapes shapes(scenario);
  CHECK(shapes.of("/programs/0/steps/0", "thread worker3 waits for app/F >= 12 at 3.5 us") ==
        "wait: thread * waits for */* >= # at #.# us");
  CHECK(shapes.of("/programs/0/steps/0", "worker did not end /programs/0/steps/0 of 0") ==
        "wait: * did not end * of 0");
  CHECK(shapes.of("/no/such/place", "the end") == "the end");
}

}  // namespace fenceline::campaign::test_campaign
