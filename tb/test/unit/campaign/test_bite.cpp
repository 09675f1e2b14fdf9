// Bites: campaigns on a design with a known fault.
#include <atomic>
#include <catch2/catch.hpp>
#include <cstdlib>
#include <fmt/format.h>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "tb/campaign/bite.h"
#include "tb/reference/predict.h"

namespace fenceline::campaign::test_bite {

namespace {

using Json = nlohmann::ordered_json;

/// A signal of 1 and a wait for `awaited`, which hangs if that is more.
std::string signal_and_wait(std::uint64_t seed, std::uint64_t awaited) {
  return fmt::format(
      R"({{"schema_version": 1, "name": "generated", "title": "t", "seed": {},
          "platform": {{"host": {{"cores": 3}}, "adapters": [{{"name": "gpu0", "profile": "litmus"}}]}},
          "processes": [{{"name": "app", "fences": [{{"name": "F"}}],
                         "queues": [{{"name": "q", "engine": "compute0"}}]}}],
          "programs": [{{"queue": "q", "commands": [{{"signal": {{"fence": "F", "value": 1}}}}]}},
                       {{"thread": "t", "steps": [{{"wait": {{"fence": "F", "value": {}}}}}]}}],
          "expect": {{}}}})",
      seed, awaited);
}

/// Two manners; runs of the second one fail from seed `failing` on.
BiteOptions options_with(std::uint64_t failing) {
  BiteOptions options;
  options.manners = {{"first", scenario::PolicyKind::kTiming,
                      [](std::uint64_t seed) { return signal_and_wait(seed, 1); }},
                     {"second", scenario::PolicyKind::kRandom, [failing](std::uint64_t seed) {
                        return signal_and_wait(seed, seed < failing ? 1 : 2);
                      }}};
  options.runs = 40;
  return options;
}

Target target() {
  Target result;
  result.name = "a=b";
  result.kind = "switch";
  result.what = "is wrong";
  return result;
}

/// The bite of one target. None after an interrupt.
std::optional<Bite> bite_alone(const Target& target, const BiteOptions& options) {
  std::optional<Bite> result;
  const bool whole = bite({target}, options, [&](std::size_t, const Bite& it) { result = it; });
  CHECK(whole == result.has_value());
  return result;
}

/// A reference whose prediction for the fence is changed.
Target wrong_reference(const std::string& name,
                       const std::function<void(reference::Allowed&)>& change) {
  Target wrong = target();
  wrong.name = name;
  wrong.predict = [change](const nlohmann::json& scenario) {
    auto outcome = fenceline::reference::predict(scenario);
    change(outcome.fences["app/F"]);
    return outcome;
  };
  return wrong;
}

}  // namespace

TEST_CASE("a bite stops at the first run that fails and makes its scenario small", "[campaign]") {
  const auto bite = bite_alone(target(), options_with(3));
  REQUIRE(bite);
  REQUIRE(bite->found);
  CHECK(bite->runs == 5);
  CHECK(bite->found->run == 6);
  CHECK(bite->found->seed == 3);
  CHECK(bite->found->preset == "second");
  CHECK(bite->found->policy == "random");
  CHECK(bite->found->cause == "hang");
  CHECK(bite->found->operations == 1);  // the wait alone hangs
  CHECK(bite->found->smallest);
}

TEST_CASE("a bite searches all orders once in many turns", "[campaign]") {
  BiteOptions options = options_with(100);
  options.manners.push_back(
      {"third", scenario::PolicyKind::kTiming,
       [](std::uint64_t seed) { return signal_and_wait(seed, seed < 2 ? 1 : 2); }, SearchBounds{}});
  options.runs = 4 * kSearchTurns + 2;
  const auto bite = bite_alone(target(), options);
  REQUIRE(bite);
  REQUIRE(bite->found);
  CHECK(bite->found->run == 2 * (2 * kSearchTurns + 1));
  CHECK(bite->found->seed == 2);
  CHECK(bite->found->policy == "search");
  CHECK(bite->found->operations == 1);
}

TEST_CASE("a bite with more jobs finds the same", "[campaign]") {
  BiteOptions options = options_with(8);
  const auto alone = bite_alone(target(), options);
  options.jobs = 3;
  const auto together = bite_alone(target(), options);
  REQUIRE(alone);
  REQUIRE(together);
  CHECK(bite_json(target(), *alone) == bite_json(target(), *together));
}

TEST_CASE("a bite gives up after its last run", "[campaign]") {
  const auto bite = bite_alone(target(), options_with(100));
  REQUIRE(bite);
  CHECK_FALSE(bite->found);
  CHECK(bite->runs == 40);
  CHECK(bite_text(target(), *bite) == "a=b: not found in 40 runs\n");
}

TEST_CASE("a bite gives up when its time is over", "[campaign]") {
  BiteOptions options = options_with(100);
  options.runs = 1'000'000;
  options.time = std::chrono::milliseconds(0);
  const auto bite = bite_alone(target(), options);
  REQUIRE(bite);
  CHECK(bite->runs == 16);
}

TEST_CASE("an interrupted bite has no result", "[campaign]") {
  BiteOptions options = options_with(3);
  const std::atomic<bool> stop{true};
  options.interrupted = &stop;
  CHECK_FALSE(bite_alone(target(), options));
}

TEST_CASE("values of a target hold in every scenario of a bite", "[campaign]") {
  Target wrong = target();
  wrong.overrides = {"/programs/1/steps/0/wait/value=2"};
  const auto bite = bite_alone(wrong, options_with(100));
  REQUIRE(bite);
  REQUIRE(bite->found);
  CHECK(bite->found->run == 1);
}

TEST_CASE("a wrong reference is found by its differences or because it says less", "[campaign]") {
  BiteOptions options = options_with(100);
  options.predict = fenceline::reference::predict;
  CHECK_FALSE(bite_alone(target(), options)->found);
  const auto cause = [&](const std::function<void(reference::Allowed&)>& change) {
    const auto bite = bite_alone(wrong_reference("wrong", change), options);
    REQUIRE(bite);
    REQUIRE(bite->found);
    CHECK(bite->found->run == 1);
    return bite->found->cause;
  };
  CHECK(cause([](reference::Allowed& it) { it.values.insert(2); }) == "says less");
  CHECK(cause([](reference::Allowed& it) { it.values = {2}; }) == "difference value");
}

TEST_CASE("wrong references that share their scenarios find the same as each alone", "[campaign]") {
  BiteOptions options = options_with(3);  // from seed 3 on the scenarios of one manner hang
  options.predict = fenceline::reference::predict;
  const std::vector<Target> all{
      wrong_reference("less", [](reference::Allowed& it) { it.values.insert(2); }),
      wrong_reference("same", [](reference::Allowed& it) { it.values.insert(1); }),
      wrong_reference("crash", [](reference::Allowed&) { std::abort(); }),
      wrong_reference("other", [](reference::Allowed& it) { it.values = {2}; })};
  std::map<std::size_t, Bite> together;
  CHECK(bite(all, options, [&](std::size_t i, const Bite& it) { together[i] = it; }));
  REQUIRE(together.size() == all.size());
  for (std::size_t i = 0; i < all.size(); ++i) {
    INFO(all[i].name);
    const auto alone = bite_alone(all[i], options);
    REQUIRE(alone);
    CHECK(bite_json(all[i], together[i]) == bite_json(all[i], *alone));
  }
  CHECK(together[0].found->cause == "says less");
  CHECK_FALSE(together[1].found);
  CHECK(together[1].runs == 40);
  CHECK(together[2].found->cause.rfind("crash", 0) == 0);
  CHECK(together[3].found->cause == "difference value");
}

TEST_CASE("operations of a scenario are its steps and commands at any depth", "[campaign]") {
  const Json scenario = Json::parse(
      R"({"programs": [{"thread": "t", "steps": [{"repeat": {"steps": [{}, {"submit":
          {"queue": "q", "commands": [{}, {}]}}]}}]}, {"queue": "r", "commands": [{}]}]})");
  CHECK(operations_of(scenario) == 6);
}

TEST_CASE("a result of a bite comes back from its document", "[campaign]") {
  Bite bite;
  bite.runs = 7;
  CHECK(bite_json(target(), bite_of(bite_json(target(), bite))) == bite_json(target(), bite));
  bite.found = FirstFailure{8, 2, "small", "timing", "I1", "a waiter is lost", "{}\n", 3, false};
  const Json json = bite_json(target(), bite);
  CHECK(json.at("target") == "a=b");
  CHECK(json.count("reached") == 0);  // no line makes the fault
  CHECK(bite_json(target(), bite_of(json)) == json);
  CHECK(bite_text(target(), bite) ==
        "a=b: found in run 8 (seed 2, small, timing): I1, at most 3 operations\n");
}

}  // namespace fenceline::campaign::test_bite
