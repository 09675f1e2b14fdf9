// Calls that must fail, closed fences and faults in generated scenarios.
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "tb/generate/generate.h"

namespace fenceline::generate::test_mistakes {

namespace {

using Json = nlohmann::json;

constexpr std::uint64_t kSeeds = 80;

/// Steps of a verb with and without a status that is an error.
struct Calls {
  std::uint64_t good = 0;
  std::set<std::string> statuses;
};

Calls calls_of(const std::string& constraints, const std::string& verb) {
  Calls calls;
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed)
    for (const Json& program : generate(constraints_of(constraints, "c.json"), seed)["programs"])
      for (const Json& step : program.value("steps", Json::array())) {
        if (!step.contains(verb)) continue;
        const bool fails = step[verb].is_object() && step[verb].contains("status");
        if (fails) calls.statuses.insert(step[verb]["status"].get<std::string>());
        calls.good += fails ? 0 : 1;
      }
  return calls;
}

}  // namespace

TEST_CASE("Mistakes have the status that the call must return", "[generate]") {
  const std::string often = R"({"features": {"mistakes": 30}})";
  CHECK(calls_of(often, "wait").statuses == std::set<std::string>{"STATUS_INVALID_HANDLE"});
  CHECK(calls_of(often, "signal").statuses == std::set<std::string>{"STATUS_INVALID_HANDLE"});
  CHECK(calls_of(often, "destroy_fence").statuses ==
        std::set<std::string>{"STATUS_INVALID_HANDLE", "STATUS_INVALID_PARAMETER"});
  CHECK(calls_of(often, "gpu_wait").statuses == std::set<std::string>{"STATUS_INVALID_PARAMETER"});
}

TEST_CASE("Without mistakes no call has a status to fail with", "[generate]") {
  const std::string never = R"({"features": {"mistakes": 0}})";
  for (const char* verb : {"wait", "signal", "destroy_fence", "gpu_wait"}) {
    const Calls calls = calls_of(never, verb);
    CHECK(calls.statuses.empty());
    CHECK(calls.good > 0);
  }
}

TEST_CASE("Fences that others have open are closed and names are used again", "[generate]") {
  std::uint64_t shared = 0;
  std::uint64_t again = 0;
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    const Json scenario = generate(Constraints(), seed);
    std::set<std::string> opened;
    for (const Json& process : scenario["processes"])
      for (const Json& fence : process.value("fences", Json::array()))
        if (fence.contains("open")) opened.insert(fence["name"].get<std::string>());
    std::set<std::string> closed;
    for (const Json& program : scenario["programs"])
      for (const Json& step : program.value("steps", Json::array())) {
        if (step.contains("destroy_fence") && step["destroy_fence"].is_string())
          closed.insert(step["destroy_fence"].get<std::string>());
        if (step.contains("create_fence"))
          again += closed.count(step["create_fence"]["name"].get<std::string>());
      }
    for (const std::string& name : closed) shared += opened.count(name);
  }
  CHECK(shared > 0);
  CHECK(again > 0);
}

TEST_CASE("Faults of generated scenarios lose nothing", "[generate]") {
  std::set<std::string> kinds;
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed)
    for (const Json& fault :
         generate(constraints_of(R"({"features": {"faults": 100}})", "c.json"), seed)["faults"])
      kinds.insert(fault["fault"].get<std::string>());
  CHECK(kinds == std::set<std::string>{"link_replay", "message_late", "message_twice"});
}

}  // namespace fenceline::generate::test_mistakes
