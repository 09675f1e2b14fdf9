// Devices in error, in generated scenarios.
#include <algorithm>
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "tb/generate/generate.h"
#include "tb/generate/plan.h"
#include "tb/reference/predict.h"
#include "tb/scenario/effective.h"
#include "tb/scenario/loader.h"

namespace fenceline::generate::test_errors {

namespace {

using Json = nlohmann::json;

constexpr std::uint64_t kSeeds = 150;

/// A submission to a context with a packet that no engine executes.
bool is_faulty(const Json& step) {
  if (!step.contains("submit") || !step["submit"].contains("context")) return false;
  for (const Json& command : step["submit"]["commands"])
    if (command.contains("bad_packet")) return true;
  return false;
}

bool is_error(const Json& step) {
  return step.contains("fail_device") || step.contains("reset_engine") || is_faulty(step);
}

/// Faults of engines of this kind.
std::uint64_t faults_of(const Json& scenario, const char* kind) {
  const Json faults = scenario.value("faults", Json::array());
  return static_cast<std::uint64_t>(std::count_if(
      faults.begin(), faults.end(), [kind](const Json& fault) { return fault["fault"] == kind; }));
}

bool waits_in_vain(const Json& step) {
  if (!step.contains("submit")) return false;
  const Json& last = step["submit"]["commands"].back();
  return last.contains("wait") && last["wait"]["value"] == "0x4000000000000000";
}

/// Counts the work of threads around the steps that put a device in error.
struct Aftermath {
  std::uint64_t of_failed = 0;       ///< submissions by the process that has failed
  std::uint64_t of_others = 0;       ///< submissions behind the reset of an engine
  std::uint64_t between_errors = 0;  ///< signals
  std::uint64_t errors_again = 0;
  std::uint64_t behind_packets = 0;
  std::uint64_t lost_polls = 0;  ///< threads that do nothing but poll for a large value
  std::uint64_t lost_waits = 0;  ///< of queues

  void add(const Json& steps) {
    if (steps.size() == 1 && steps[0].contains("poll") && steps[0]["poll"]["value"] > UINT32_MAX)
      ++lost_polls;
    std::string error;
    bool waits = false;
    for (const Json& step : steps) {
      const std::string verb = step.items().begin().key();
      if (is_faulty(step) && !step["submit"]["commands"].back().contains("bad_packet"))
        ++behind_packets;
      if (!error.empty() && verb == "submit") ++(error == "fail_device" ? of_failed : of_others);
      if (error == "reset_engine" && verb == "signal") ++between_errors;
      const bool waited = std::exchange(waits, waits_in_vain(step));
      if (verb != "fail_device" && verb != "reset_engine") continue;
      lost_waits += waited ? 1 : 0;
      errors_again += error.empty() ? 0 : 1;
      error = verb;
    }
  }
};

reference::Outcome predicted(const Json& scenario) {
  const scenario::Scenario loaded = scenario::load_text(scenario.dump(), "g.json");
  return reference::predict(Json::parse(scenario::effective_document(loaded)));
}

bool may_break(const Json& scenario, const char* invariant) {
  const Json expect = scenario.value("expect", Json::object());
  const Json allowed = expect.value("may_violate", Json::array());
  return std::find(allowed.begin(), allowed.end(), invariant) != allowed.end();
}

}  // namespace

TEST_CASE("Calls may fail where a preemption may time out", "[generate]") {
  const Constraints constraints = constraints_of(R"({"features": {"preemption": 100}})", "c.json");
  std::uint64_t detected = 0;
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    const Json scenario = generate(constraints, seed);
    const Json& preemption = scenario["platform"]["os"]["preemption"];
    const bool detects = preemption.value("detects_timeouts", true);
    CHECK(may_break(scenario, "CALL") == detects);
    detected += detects ? 1 : 0;
  }
  CHECK(detected > 0);
  CHECK(detected < kSeeds / 2);
}

TEST_CASE("One step or fault puts devices in error and work may be lost", "[generate]") {
  const Constraints constraints = constraints_of(
      R"({"features": {"device_errors": 100, "cpu_events": 0, "context_scheduling": 60},
          "sizes": {"adapters": 1}})",
      "c.json");
  std::uint64_t failures = 0;
  std::uint64_t resets = 0;
  std::uint64_t faulty = 0;
  std::uint64_t hangs = 0;
  std::uint64_t hung_contexts = 0;
  std::uint64_t faults = 0;
  std::uint64_t lost = 0;
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    const Json scenario = generate(constraints, seed);
    std::uint64_t errors = faults_of(scenario, "engine_hang") + faults_of(scenario, "engine_fault");
    hangs += faults_of(scenario, "engine_hang");
    hung_contexts += may_break(scenario, "HANG") ? 1 : 0;
    faults += faults_of(scenario, "engine_fault");
    for (const Json& program : scenario["programs"])
      for (const Json& step : program.value("steps", Json::array())) {
        errors += is_error(step) ? 1 : 0;
        failures += step.contains("fail_device") ? 1 : 0;
        resets += step.contains("reset_engine") ? 1 : 0;
        faulty += is_faulty(step) ? 1 : 0;
      }
    CHECK(errors <= 1);
    const reference::Outcome outcome = predicted(scenario);
    if (outcome.silent.count("") != 0) continue;
    CHECK(outcome.hangs != reference::Happens::kAlways);
    for (const auto& [queue, commands] : outcome.commands)
      for (const reference::CommandOutcome& command : commands)
        lost += command.done == reference::Happens::kMaybe ? 1 : 0;
  }
  CHECK(failures > kSeeds / 10);
  CHECK(resets > 0);
  CHECK(faulty > 0);
  CHECK(hangs > hung_contexts);
  CHECK(hung_contexts > 0);
  CHECK(faults > 0);
  CHECK(lost > kSeeds);
}

TEST_CASE("With the preset for errors there is work behind them", "[generate]") {
  Constraints constraints = preset("errors");
  constraints.features.races = 0;  // they may hang
  Aftermath found;
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    const Json scenario = generate(constraints, seed);
    const std::uint64_t polls = found.lost_polls;
    for (const Json& program : scenario["programs"])
      found.add(program.value("steps", Json::array()));
    // The run would have no steps left when the hang is found.
    if (faults_of(scenario, "engine_hang") != 0) CHECK(found.lost_polls == polls);
    CHECK(predicted(scenario).hangs != reference::Happens::kAlways);
  }
  CHECK(found.of_failed > 0);
  CHECK(found.of_others > 0);
  CHECK(found.errors_again > 0);
  CHECK(found.between_errors > 0);
  CHECK(found.behind_packets > 0);
  CHECK(found.lost_polls > 0);
  CHECK(found.lost_waits > 0);
}

TEST_CASE("A fence that a failing process has closed tells nothing either", "[generate]") {
  const Constraints constraints;
  Draw draw(1);
  scenario::Scenario scenario;
  Plan plan(constraints, draw, scenario);
  constexpr std::size_t kFails = 1;
  FencePlan both;
  both.names = {{0, {"F", false}}, {kFails, {"F", false}}};
  FencePlan other;
  other.names = {{0, {"G", false}}};
  const std::size_t shared = plan.add_fence(both);
  const std::size_t own = plan.add_fence(other);
  plan.errors().processes = {kFails};
  plan.errors().planned = true;
  CHECK(plan.is_given_up(shared));
  plan.fences()[shared].names.erase(kFails);
  CHECK(plan.is_given_up(shared));
  CHECK_FALSE(plan.is_given_up(own));
}

TEST_CASE("Without its feature no device is in error", "[generate]") {
  const Constraints constraints = constraints_of(R"({"features": {"device_errors": 0}})", "c.json");
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed)
    for (const Json& program : generate(constraints, seed)["programs"])
      for (const Json& step : program.value("steps", Json::array())) CHECK(!is_error(step));
}

}  // namespace fenceline::generate::test_errors
