// Allocations of the memory manager in generated scenarios.
#include <catch2/catch.hpp>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "tb/generate/generate.h"

namespace fenceline::generate::test_managed {

namespace {

using Json = nlohmann::json;

constexpr std::uint64_t kSeeds = 120;
constexpr const char* kAlways = R"({"features": {"memory": 100, "mistakes": 20}})";

Json generated(const std::string& constraints, std::uint64_t seed) {
  return generate(constraints_of(constraints, "c.json"), seed);
}

Json steps_of(const Json& program) { return program.value("steps", Json::array()); }

/// Calls `visit(verb, value, program)` for each step of the scenarios.
template <class Visit>
void visit_steps(const std::string& constraints, const Visit& visit) {
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    const Json scenario = generated(constraints, seed);
    for (const Json& program : scenario["programs"])
      for (const Json& step : steps_of(program))
        visit(step.begin().key(), step.begin().value(), seed, program);
  }
}

std::uint64_t bytes_of(const Json& allocation) {
  const std::string size = allocation.value("size", "4KiB");
  return std::stoull(size) * 1024;
}

/// Monitored fences of a scenario with one process, also those that steps create.
std::set<std::string> monitored_fences(const Json& scenario) {
  std::set<std::string> monitored;
  const auto add = [&](const Json& fence) {
    if (fence.value("monitored", false)) monitored.insert(fence["name"].get<std::string>());
  };
  for (const Json& fence : scenario["processes"][0]["fences"]) add(fence);
  for (const Json& program : scenario["programs"])
    for (const Json& step : steps_of(program))
      if (step.contains("create_fence")) add(step["create_fence"]);
  return monitored;
}

/// Bytes of allocations that have to be in VRAM, and the largest of them.
std::pair<std::uint64_t, std::uint64_t> vram_only(const Json& scenario) {
  std::uint64_t all = 0;
  std::uint64_t largest = 0;
  for (const Json& process : scenario["processes"])
    for (const Json& allocation : process.value("allocations", Json::array()))
      if (allocation.value("segments", Json()) == Json::array({"vram"})) {
        all += bytes_of(allocation);
        largest = std::max(largest, bytes_of(allocation));
      }
  return {all, largest};
}

}  // namespace

TEST_CASE("Each load and store is between a lock or map of its thread and the end of that",
          "[generate]") {
  std::set<std::string> locked;
  std::uint64_t accesses = 0;
  visit_steps(kAlways, [&](const std::string& verb, const Json& value, std::uint64_t seed,
                           const Json& program) {
    const Json allocation = verb == "unmap"     ? value
                            : value.is_object() ? value.value("allocation", Json())
                                                : Json();
    if (!allocation.is_string() || (value.is_object() && value.contains("status"))) return;
    const std::string lock = std::to_string(seed) + " " + program["thread"].get<std::string>() +
                             " " + allocation.get<std::string>();
    if (verb == "unmap") CHECK(locked.erase(lock) == 1);
    if (verb == "lock" || verb == "map") CHECK(locked.insert(lock).second);
    if (verb == "unlock") CHECK(locked.erase(lock) == 1);
    if (verb != "load" && verb != "store") return;
    CHECK(locked.count(lock) == 1);
    ++accesses;
  });
  CHECK(accesses > kSeeds);
}

TEST_CASE("Only maps for writing are stored through", "[generate]") {
  std::map<std::string, std::string> modes;
  std::set<std::string> seen;
  visit_steps(kAlways, [&](const std::string& verb, const Json& value, std::uint64_t seed,
                           const Json& program) {
    const std::string at = std::to_string(seed) + " " + program["thread"].get<std::string>() + " ";
    if (verb == "map") {
      const std::string mode = value.value("mode", "read_write");
      modes[at + value["allocation"].get<std::string>()] = mode;
      seen.insert(mode);
    }
    if (verb == "unmap") modes.erase(at + value.get<std::string>());
    if (verb != "store") return;
    const auto map = modes.find(at + value["allocation"].get<std::string>());
    CHECK((map == modes.end() || map->second != "read"));
  });
  CHECK(seen.size() == 5);
}

TEST_CASE("Allocations leave their places and come back", "[generate]") {
  std::map<std::string, std::uint64_t> verbs;
  visit_steps(kAlways, [&](const std::string& verb, const Json& value, std::uint64_t, const Json&) {
    if (!value.is_object() || !value.contains("status")) ++verbs[verb];
  });
  for (const char* verb : {"make_resident", "evict", "create_allocation", "destroy_allocation"}) {
    INFO(verb);
    CHECK(verbs[verb] > kSeeds / 10);
  }
}

TEST_CASE("Allocations that have to be in VRAM fit unless a call must fail", "[generate]") {
  std::uint64_t small = 0;
  std::uint64_t too_large = 0;
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    const Json scenario = generated(kAlways, seed);
    const Json os = scenario.value("platform", Json::object()).value("os", Json::object());
    if (!os.contains("video_memory")) continue;
    ++small;
    const std::uint64_t room = bytes_of({{"size", os["video_memory"]}});
    const auto [all, largest] = vram_only(scenario);
    CHECK((all <= room || (largest > room && all - largest <= room)));
    too_large += largest > room ? 1 : 0;
  }
  CHECK(small > kSeeds / 4);
  CHECK(too_large > kSeeds / 10);
}

TEST_CASE("Calls for memory that must fail have their status", "[generate]") {
  std::map<std::string, std::set<std::string>> statuses;
  visit_steps(kAlways, [&](const std::string& verb, const Json& value, std::uint64_t, const Json&) {
    if (value.is_object() && value.contains("status"))
      statuses[verb].insert(value["status"].get<std::string>());
  });
  CHECK(statuses["make_resident"] == std::set<std::string>{"STATUS_NO_MEMORY"});
  CHECK(statuses["lock"] == std::set<std::string>{"STATUS_INVALID_PARAMETER"});
}

TEST_CASE("No context waits in a buffer where memory moves", "[generate]") {
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    const Json scenario = generated(R"({"features": {"memory": 100}, "gpus": {"litmus": 100},
        "sizes": {"adapters": 1, "processes": 1, "contexts": 3}})",
                                    seed);
    const Json allocations = scenario["processes"][0].value("allocations", Json::array());
    const auto moves = [](const Json& it) { return it.contains("segments"); };
    if (std::none_of(allocations.begin(), allocations.end(), moves)) continue;
    const std::set<std::string> monitored = monitored_fences(scenario);
    for (const Json& program : scenario["programs"])
      for (const Json& step : steps_of(program)) {
        if (!step.contains("submit") || !step["submit"].contains("context")) continue;
        for (const Json& command : step["submit"]["commands"])
          if (command.contains("wait"))
            CHECK(monitored.count(command["wait"]["fence"].get<std::string>()) == 1);
      }
  }
}

TEST_CASE("Without its feature no allocation moves", "[generate]") {
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    const Json scenario = generated(R"({"features": {"memory": 0}})", seed);
    for (const Json& process : scenario["processes"])
      for (const Json& allocation : process.value("allocations", Json::array()))
        CHECK_FALSE(allocation.contains("segments"));
  }
}

}  // namespace fenceline::generate::test_managed
