// Events that the driver sets, in generated scenarios.
#include <catch2/catch.hpp>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "tb/generate/generate.h"

namespace fenceline::generate::test_events {

namespace {

using Json = nlohmann::json;

constexpr std::uint64_t kSeeds = 200;

/// Calls `visit(verb, value, seed)` for each step of the scenarios.
template <class Visit>
void visit_steps(const std::string& constraints, const Visit& visit) {
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    const Json scenario = generate(constraints_of(constraints, "c.json"), seed);
    for (const Json& program : scenario["programs"])
      for (const Json& step : program.value("steps", Json::array()))
        visit(step.begin().key(), step.begin().value(), seed);
  }
}

}  // namespace

TEST_CASE("The driver signals CPU events at once and for buffers and never", "[generate]") {
  std::map<std::string, std::uint64_t> uses;
  std::map<std::string, std::uint64_t> verbs;
  visit_steps(R"({"features": {"cpu_events": 100}})",
              [&](const std::string& verb, const Json& value, std::uint64_t) {
                ++verbs[verb];
                if (verb != "use_cpu_event") return;
                ++uses[value["use"].get<std::string>()];
                CHECK(value.contains("engine") == (value["use"] == "buffer_completed"));
              });
  CHECK(uses.size() == 3);
  for (const auto& [use, count] : uses) CHECK(count > 5);
  CHECK(verbs["pass_handle"] > kSeeds / 10);
}

TEST_CASE("Each event that is waited for is set by one step or by one wait after another",
          "[generate]") {
  std::map<std::string, std::multiset<std::string>> verbs;  // by event
  visit_steps(R"({"features": {"cpu_events": 100}})",
              [&](const std::string& verb, const Json& value, std::uint64_t seed) {
                if (!value.is_object() || !value.contains("event")) return;
                verbs[std::to_string(seed) + " " + value["event"].get<std::string>()].insert(verb);
              });
  std::size_t waited = 0;
  std::size_t again = 0;
  for (const auto& [event, all] : verbs) {
    const std::size_t ends = all.count("wait_event");
    const std::size_t sets = all.size() - ends;
    waited += ends == 0 ? 0 : 1;
    again += sets > 1 ? 1 : 0;
    if (sets == 1) continue;
    CHECK(all.count("wait") == sets);
    CHECK(ends + 1 >= sets);
  }
  CHECK(waited > kSeeds / 2);
  CHECK(again > 0);
}

TEST_CASE("Without its feature the driver signals no event", "[generate]") {
  visit_steps(R"({"features": {"cpu_events": 0}})",
              [](const std::string& verb, const Json&, std::uint64_t) {
                CHECK(verb != "create_cpu_event");
                CHECK(verb != "pass_handle");
              });
}

TEST_CASE("Guests pass handles in vain", "[generate]") {
  std::map<std::string, std::uint64_t> statuses;
  visit_steps(R"({"features": {"cpu_events": 100, "guests": 100}})",
              [&](const std::string& verb, const Json& value, std::uint64_t) {
                if (verb == "pass_handle") ++statuses[value.value("status", "none")];
              });
  CHECK(statuses.size() == 2);
  CHECK(statuses["STATUS_INVALID_HANDLE"] > 0);
  CHECK(statuses["STATUS_ACCESS_DENIED"] > 0);
}

TEST_CASE("A CPU event in place of a fence is refused", "[generate]") {
  std::uint64_t refused = 0;
  visit_steps(R"({"features": {"cpu_events": 100, "mistakes": 30}})",
              [&](const std::string& verb, const Json& value, std::uint64_t) {
                if (verb == "signal" && value.contains("status"))
                  refused += value["status"] == "STATUS_INVALID_PARAMETER" ? 1 : 0;
              });
  CHECK(refused > 0);
}

}  // namespace fenceline::generate::test_events
