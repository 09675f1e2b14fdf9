// Power states, displays and negotiated features of generated scenarios.
#include <catch2/catch.hpp>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "tb/generate/generate.h"
#include "tb/generate/negotiation.h"
#include "tb/generate/world.h"
#include "tb/reference/predict.h"
#include "tb/reference/program/negotiation.h"
#include "tb/scenario/effective.h"
#include "tb/scenario/loader.h"

namespace fenceline::generate::test_platforms {

namespace {

using Json = nlohmann::json;

constexpr std::uint64_t kSeeds = 60;

struct Generated {
  Generated(const std::string& features, std::uint64_t seed)
      : brief(generate(constraints_of("{\"features\": {" + features + "}}", "c.json"), seed)),
        scenario(scenario::load_text(brief.dump(), "g.json")),
        full(Json::parse(scenario::effective_document(scenario))) {}

  Json brief;
  scenario::Scenario scenario;
  Json full;
};

std::vector<Json> steps_of(const Json& program, const std::string& verb) {
  std::vector<Json> found;
  for (const Json& step : program.value("steps", Json::array()))
    if (step.contains(verb)) found.push_back(step.at(verb));
  return found;
}

bool has_step(const Json& scenario, const std::string& process, const std::string& verb) {
  for (const Json& program : scenario["programs"])
    if (program["process"] == process && !steps_of(program, verb).empty()) return true;
  return false;
}

const Json& adapter_of(const Json& scenario, const Json& process) {
  for (const Json& adapter : scenario["platform"]["adapters"])
    if (adapter["name"] == process["adapter"]) return adapter;
  throw std::runtime_error("no adapter");
}

/// Whether a wait or signal is refused, with a value that 32 bits cannot hold.
bool is_out_of_reach(const Json& call) {
  return call.value("status", "") == "STATUS_INVALID_PARAMETER" && call.contains("value") &&
         call["value"].is_number() && call["value"] >= 1ULL << 32U;
}

}  // namespace

TEST_CASE("Generated adapters enter D3 only where the OS knows their work", "[generate]") {
  std::uint64_t steps = 0;
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    const Json scenario = Generated(R"("power": 100, "doorbells": 50)", seed).full;
    for (const Json& sleeper : scenario["processes"]) {
      if (!has_step(scenario, sleeper["name"], "set_power")) continue;
      ++steps;
      for (const Json& other : scenario["processes"])
        for (const Json& queue : other["queues"])
          if (other["adapter"] == sleeper["adapter"]) {
            CHECK(queue["progress_fence"] == true);
            CHECK(adapter_of(scenario, other)["doorbells"] != 0);
          }
    }
  }
  CHECK(steps > kSeeds / 8);
}

TEST_CASE("One thread presents images of its own on a display", "[generate]") {
  std::uint64_t presents = 0;
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    const Json scenario = Generated(R"("display": 100)", seed).full;
    std::map<std::string, std::set<std::string>> threads;
    for (const Json& program : scenario["programs"])
      for (const Json& present : steps_of(program, "present")) {
        ++presents;
        for (const Json& process : scenario["processes"])
          if (process["name"] == program["process"])
            threads[process["adapter"]].insert(program["thread"]);
        CHECK(present["immediate"] == false);
      }
    for (const auto& [adapter, names] : threads) CHECK(names.size() == 1);
    const reference::Outcome outcome = reference::predict(scenario);
    if (outcome.silent.count("") == 0) CHECK(outcome.hangs != reference::Happens::kAlways);
  }
  CHECK(presents > kSeeds);
}

TEST_CASE("Where native fences are negotiated away there are none", "[generate]") {
  std::uint64_t left_out = 0;
  for (std::uint64_t seed = 1; seed <= 4 * kSeeds; ++seed) {
    const Generated it(R"("negotiation": 100)", seed);
    const Json& platform = it.full["platform"];
    for (std::size_t i = 0; i < it.scenario.processes.size(); ++i) {
      const top::GpuConfig& adapter = generate::adapter_of(it.scenario, i);
      const bool native = has_native_fences(it.scenario.platform, adapter);
      const Json& process = it.full["processes"][i];
      const Json& same = adapter_of(it.full, process);
      CHECK(native == reference::has_native_fences(platform, same));
      if (adapter.native_fences && !native) ++left_out;
      if (native) continue;
      CHECK(it.scenario.processes[i].queues.empty());
      for (const Json& fence : process["fences"])
        CHECK((fence.contains("open") || fence["monitored"] == true));
    }
    if (has_step(it.full, "p0", "create_cpu_event")) CHECK(have_cpu_events(it.scenario.platform));
  }
  CHECK(left_out > kSeeds);
}

TEST_CASE("Handles are used as their flags allow", "[generate]") {
  std::uint64_t flags = 0;
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    const Generated it(R"("fence_flags": 100, "monitored_fences": 60, "mistakes": 0, "guests": 0)",
                       seed);
    for (const Json& process : it.full["processes"])
      for (const Json& fence : process["fences"])
        for (const Json& flag : fence.value("flags", Json::array()))
          flags += flag == "NoSignal" || flag == "NoWait" || flag == "NoGPUAccess" ? 1 : 0;
    const reference::Outcome outcome = reference::predict(it.full);
    for (const auto& [name, steps] : outcome.threads)
      for (const reference::StepOutcome& step : steps)
        CHECK(step.statuses.count("STATUS_ACCESS_DENIED") == 0);
  }
  CHECK(flags > kSeeds);
}

TEST_CASE("Rare values of a platform occur where their features are asked for", "[generate]") {
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    const Generated rare(R"("weak_hosts": 100, "early_checks": 100, "small_bars": 100,
                               "stale_caches": 100, "memory": 100)",
                         seed);
    CHECK(rare.full.dump().find(R"("cached":true)") == std::string::npos);
    CHECK_FALSE(rare.scenario.platform.host.io_coherent);
    const scenario::Platform& platform = rare.scenario.platform;
    CHECK(platform.host.memory_model == host::MemoryModel::kWeak);
    CHECK(platform.host.fence_fallback >= 2 * common::kMicrosecond);
    CHECK(platform.host.fence_fallback <= 60 * common::kMicrosecond);
    for (const top::GpuConfig& gpu : platform.gpus) {
      CHECK(gpu.vram_bar.bytes > 0);
      CHECK(gpu.vram_bar.bytes <= gpu.vram.size_bytes);
    }
    for (const scenario::Driver& driver : platform.drivers) CHECK(driver.caps.offers_host_aperture);
    const scenario::Platform usual = Generated("", seed).scenario.platform;
    CHECK(usual.host.fence_fallback > 60 * common::kMicrosecond);
    CHECK(usual.host.io_coherent);
  }
}

TEST_CASE("The CPU locks memory that has to be in VRAM only where windows show it", "[generate]") {
  const auto locks = [](const std::string& features) {
    std::uint64_t found = 0;
    for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
      const Json scenario = Generated(R"("memory": 100)" + features, seed).full;
      std::set<std::pair<Json, Json>> vram_only;
      for (const Json& process : scenario["processes"])
        for (const Json& allocation : process.value("allocations", Json::array()))
          if (allocation.value("segments", Json()) == Json::array({"vram"}))
            vram_only.emplace(process["name"], allocation["name"]);
      for (const Json& program : scenario["programs"])
        for (const Json& lock : steps_of(program, "lock"))
          if (lock.value("status", "STATUS_SUCCESS") == "STATUS_SUCCESS")
            found += vram_only.count({program["process"], lock["allocation"]});
    }
    return found;
  };
  CHECK(locks("") == 0);
  CHECK(locks(R"(, "small_bars": 100)") > kSeeds / 8);
}

TEST_CASE("Fences have 32 bits only on adapters without native fences", "[generate]") {
  std::uint64_t narrow = 0;
  std::uint64_t near = 0;
  std::uint64_t out_of_reach = 0;
  for (std::uint64_t seed = 1; seed <= 4 * kSeeds; ++seed) {
    const Generated it(R"("negotiation": 100, "mistakes": 60, "fences_of_32_bits": 100)", seed);
    const top::GpuConfig& gpu = it.scenario.platform.gpus.front();
    if (gpu.atomics64) continue;
    ++narrow;
    CHECK(it.scenario.platform.gpus.size() == 1);
    CHECK_FALSE(has_native_fences(it.scenario.platform, gpu));
    for (const scenario::Process& process : it.scenario.processes)
      for (const scenario::Fence& fence : process.fences)
        near += fence.initial_value + 20 >= 1ULL << 32U ? 1 : 0;
    for (const Json& program : it.full["programs"])
      for (const char* verb : {"wait", "signal"})
        for (const Json& call : steps_of(program, verb))
          out_of_reach += is_out_of_reach(call) ? 1 : 0;
  }
  CHECK(narrow > kSeeds / 8);
  CHECK(near > narrow);
  CHECK(out_of_reach > narrow / 8);
}

TEST_CASE("A generated run that does not end is stopped", "[generate]") {
  CHECK(Generated("", 1).scenario.limits.steps == 3'000'000);
}

}  // namespace fenceline::generate::test_platforms
