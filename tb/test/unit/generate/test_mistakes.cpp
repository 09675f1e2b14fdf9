// Calls that must fail, closed fences and faults in generated scenarios.
#include <catch2/catch.hpp>
#include <map>
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

/// By verb.
std::map<std::string, Calls> calls_of(const std::string& constraints, std::uint64_t seeds) {
  std::map<std::string, Calls> calls;
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    const Json scenario = generate(constraints_of(constraints, "c.json"), seed);
    for (const Json& program : scenario["programs"])
      for (const Json& step : program.value("steps", Json::array())) {
        const auto verb = step.begin();
        const bool fails = verb->is_object() && verb->contains("status");
        if (fails) calls[verb.key()].statuses.insert((*verb)["status"].get<std::string>());
        calls[verb.key()].good += fails ? 0 : 1;
      }
  }
  return calls;
}

}  // namespace

TEST_CASE("Mistakes have the status that the call must return", "[generate]") {
  std::map<std::string, Calls> calls = calls_of(R"({"features": {"mistakes": 30}})", 8 * kSeeds);
  std::set<std::string> statuses{"STATUS_INVALID_HANDLE", "STATUS_INVALID_PARAMETER"};
  CHECK(calls["destroy_fence"].statuses == statuses);
  statuses.insert("STATUS_ACCESS_DENIED");
  CHECK(calls["wait"].statuses == statuses);
  CHECK(calls["signal"].statuses == statuses);
  CHECK(calls["gpu_wait"].statuses == std::set<std::string>{"STATUS_INVALID_PARAMETER"});
}

TEST_CASE("Without mistakes no call has a status to fail with", "[generate]") {
  std::map<std::string, Calls> calls = calls_of(R"({"features": {"mistakes": 0}})", kSeeds);
  for (const char* verb : {"wait", "signal", "destroy_fence", "gpu_wait"}) {
    CHECK(calls[verb].statuses.empty());
    CHECK(calls[verb].good > 0);
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
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    const Json scenario = generate(
        constraints_of(R"({"features": {"faults": 100, "device_errors": 0}})", "c.json"), seed);
    for (const Json& fault : scenario["faults"]) kinds.insert(fault["fault"].get<std::string>());
  }
  CHECK(kinds == std::set<std::string>{"link_replay", "message_late", "message_twice"});
}

}  // namespace fenceline::generate::test_mistakes
