#include <algorithm>
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "tb/generate/generate.h"
#include "tb/scenario/brief.h"
#include "tb/scenario/loader.h"

namespace fenceline::generate::test_generate {

namespace {

using scenario::Command;
using scenario::Scenario;

Scenario loaded(const Constraints& constraints, std::uint64_t seed) {
  const std::string name = "seed " + std::to_string(seed);
  return scenario::load_text(scenario::brief_text(generate(constraints, seed)), name);
}

/// Ordering switches that the seed sets.
nlohmann::json switches_of(const Constraints& constraints, std::uint64_t seed) {
  const nlohmann::json platform = generate(constraints, seed)["platform"];
  return platform.contains("ordering") ? platform["ordering"] : nlohmann::json::object();
}

bool is_weak(const Constraints& constraints, std::uint64_t seed) {
  const nlohmann::json platform = generate(constraints, seed)["platform"];
  return platform.contains("host") && platform["host"].value("memory_model", "") == "weak";
}

/// Counts of the parts of a scenario, with repeats unrolled.
struct Counted {
  explicit Counted(const Scenario& scenario) {
    for (const scenario::Program& program : scenario.programs) {
      if (program.queue) queues.insert(program.process + "/" + *program.queue);
      add(program.commands, 1);
      add(program.steps, program.process, 1);
    }
    for (const scenario::Process& process : scenario.processes)
      for (const scenario::Fence& fence : process.fences) fences += fence.open ? 0 : 1;
  }

  std::uint64_t commands = 0;
  std::uint64_t waits = 0;
  std::uint64_t fences = 0;
  std::set<std::string> queues;  ///< with work

 private:
  void add(const scenario::Commands& all, std::uint64_t rounds) {
    for (const Command& command : all) {
      if (const auto* repeat = std::get_if<scenario::RepeatCommands>(&command.what))
        add(repeat->body, rounds * repeat->count.constant());
      else
        commands += rounds;
    }
  }
  void add(const scenario::Steps& steps, const std::string& process, std::uint64_t rounds) {
    for (const scenario::Step& step : steps) {
      if (const auto* repeat = std::get_if<scenario::RepeatStep>(&step.what))
        add(repeat->body, process, rounds * repeat->count.constant());
      if (const auto* submit = std::get_if<scenario::SubmitStep>(&step.what)) {
        add(submit->commands, rounds);
        queues.insert(process + "/" + submit->context.value_or(submit->queue));
      }
      waits += std::holds_alternative<scenario::WaitStep>(step.what) ? rounds : 0;
    }
  }
};

}  // namespace

TEST_CASE("A seed gives one scenario and another seed another one", "[generate]") {
  const Constraints constraints;
  CHECK(generate(constraints, 3) == generate(constraints, 3));
  nlohmann::json other = generate(constraints, 4);
  for (const char* key : {"name", "seed"}) other[key] = generate(constraints, 3)[key];
  CHECK(generate(constraints, 3) != other);
}

TEST_CASE("The loader accepts what is generated in either switch mode", "[generate]") {
  Constraints constraints;
  for (const SwitchMode mode : {SwitchMode::kDefaults, SwitchMode::kSafe}) {
    constraints.switches = mode;
    for (std::uint64_t seed = 1; seed <= 150; ++seed) CHECK_NOTHROW(loaded(constraints, seed));
  }
}

TEST_CASE("At least half of the default scenarios have much in flight", "[generate]") {
  constexpr std::uint64_t kSeeds = 100;
  std::uint64_t rich = 0;
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    const Scenario scenario = loaded(Constraints(), seed);
    const Counted counted(scenario);
    rich += scenario.processes.size() >= 2 && counted.queues.size() >= 3 && counted.fences >= 3 &&
            counted.commands >= 40;
  }
  CHECK(rich >= kSeeds / 2);
}

TEST_CASE("The small scenarios are small", "[generate]") {
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    const Scenario scenario = loaded(preset("small"), seed);
    const Counted counted(scenario);
    INFO(seed);
    CHECK(scenario.platform.gpus.front().profile == "litmus");
    CHECK(counted.commands <= 8);  // an ordering signal or wait may come on top
    CHECK(counted.fences <= 2);
    CHECK(counted.waits <= 4);
  }
}

TEST_CASE("Sizes decide how much there is", "[generate]") {
  const Constraints constraints = constraints_of(
      R"({"sizes": {"processes": 4, "threads": 5, "fences": 6, "adapters": 3}})", "c.json");
  const Scenario scenario = loaded(constraints, 1);
  CHECK(scenario.processes.size() == 4);
  CHECK(scenario.platform.gpus.size() == 3);
  CHECK(Counted(scenario).fences == 6);
}

TEST_CASE("The switch mode safe changes one switch and the default none", "[generate]") {
  Constraints constraints;
  std::set<std::string> changed;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    constraints.switches = SwitchMode::kDefaults;
    if (is_weak(constraints, seed)) continue;
    CHECK(switches_of(constraints, seed).empty());
    constraints.switches = SwitchMode::kSafe;
    const nlohmann::json ordering = switches_of(constraints, seed);
    CHECK(ordering.size() == 1);
    changed.insert(ordering.begin().key());
  }
  CHECK(changed.size() > 10);
}

TEST_CASE("A weak host has the barrier of the ISR that it needs", "[generate]") {
  const Constraints constraints;
  unsigned weak = 0;
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    if (!is_weak(constraints, seed)) continue;
    ++weak;
    CHECK(switches_of(constraints, seed) == nlohmann::json({{"isr.load_barrier", true}}));
  }
  CHECK(weak > 0);
}

TEST_CASE("Expectations name the value of each fence at the end", "[generate]") {
  const Constraints constraints = constraints_of(R"({"expectations": true})", "c.json");
  const Scenario scenario = loaded(constraints, 5);
  CHECK(scenario.expect.fences.size() >= Counted(scenario).fences);
  CHECK(loaded(Constraints(), 5).expect.fences.empty());
}

}  // namespace fenceline::generate::test_generate
