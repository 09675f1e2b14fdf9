#include <catch2/catch.hpp>
#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "tb/generate/constraints.h"
#include "tb/generate/generate.h"
#include "tb/scenario/loader.h"

namespace fenceline::generate::test_presets {

namespace {

constexpr std::uint64_t kSeeds = 40;
using Json = nlohmann::json;

/// Number of places with this key in the scenarios of a preset.
std::size_t uses(const char* name, const std::string& key) {
  std::size_t found = 0;
  const std::string written = "\"" + key + "\":";
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    const std::string text = generate(preset(name), seed).dump();
    for (std::size_t at = text.find(written); at != std::string::npos;
         at = text.find(written, at + 1))
      ++found;
  }
  return found;
}

}  // namespace

TEST_CASE("The loader accepts the scenarios of all presets", "[generate][presets]") {
  for (const std::string& name : preset_names())
    for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
      INFO(name << ", seed " << seed);
      CHECK_NOTHROW(scenario::load_text(generate(preset(name), seed).dump(), "g.json"));
    }
}

TEST_CASE("The queues of the preset logs have short logs", "[generate][presets]") {
  std::size_t queues = 0;
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    const Json scenario = generate(preset("logs"), seed);
    for (const Json& process : scenario["processes"])
      for (const Json& queue : process.value("queues", Json::array())) {
        ++queues;
        CHECK(queue.value("log_entries", 1024) <= 8);
      }
  }
  CHECK(queues >= kSeeds);
}

TEST_CASE("Submissions of the preset careless leave out commands", "[generate][presets]") {
  std::map<std::string, std::size_t> statuses;
  for (std::uint64_t seed = 1; seed <= 10 * kSeeds; ++seed) {
    const Json scenario = generate(preset("careless"), seed);
    for (const Json& program : scenario["programs"])
      for (const Json& step : program.value("steps", Json::array()))
        if (step.contains("submit") && step["submit"].contains("status"))
          ++statuses[step["submit"]["status"].get<std::string>()];
  }
  CHECK(statuses["STATUS_INVALID_HANDLE"] > 0);
  CHECK(statuses["STATUS_ACCESS_DENIED"] > 0);
  CHECK(statuses.size() == 2);
}

TEST_CASE("A preset of a few kinds of work has no others", "[generate][presets]") {
  CHECK(uses("logs", "signal") > 10 * kSeeds);
  CHECK(uses("logs", "lock") == 0);
  CHECK(uses("logs", "copy") == 0);
  CHECK(uses("resets", "reset_engine") > 0);
  CHECK(uses("resets", "set_power") == 0);
  CHECK(uses("memory", "set_power") > kSeeds / 4);
  CHECK(uses("memory", "lock") > kSeeds / 2);
  CHECK(uses("memory", "reset_engine") == 0);
  CHECK(uses("events", "create_cpu_event") > kSeeds / 2);
  CHECK(uses("events", "lock") == 0);
}

}  // namespace fenceline::generate::test_presets
