#include <algorithm>
#include <catch2/catch.hpp>
#include <functional>
#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "tb/generate/generate.h"
#include "tb/scenario/brief.h"
#include "tb/scenario/loader.h"
#include "tb/scenario/shapes/ordering_names.h"

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

/// Number of steps of default scenarios for which `is_edge` holds.
template <class What>
std::size_t count_steps(const std::function<bool(const What&)>& is_edge) {
  std::size_t found = 0;
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    const Scenario scenario = loaded(Constraints(), seed);
    for (const scenario::Program& program : scenario.programs)
      for (const scenario::Step& step : program.steps)
        if (const auto* what = std::get_if<What>(&step.what)) found += is_edge(*what) ? 1 : 0;
  }
  return found;
}

constexpr std::uint64_t kNever = 1ULL << 62U;

bool never_reached(const scenario::FencePoint& point) {
  return point.value.is_constant() && point.value.constant() == kNever;
}

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
  for (const SwitchMode mode : {SwitchMode::kDefaults, SwitchMode::kSafe, SwitchMode::kUnsafe}) {
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
    CHECK(counted.commands <= 9);  // ordering signals and waits may come on top
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

TEST_CASE("By default some scenarios have a switch at another value", "[generate]") {
  const Constraints constraints;
  std::uint64_t changed = 0;
  for (std::uint64_t seed = 1; seed <= 60; ++seed)
    if (!is_weak(constraints, seed) && !switches_of(constraints, seed).empty()) ++changed;
  CHECK(changed > 0);
  CHECK(changed < 30);
}

TEST_CASE("The switch mode unsafe changes one switch and expects what that may break",
          "[generate]") {
  Constraints constraints;
  constraints.switches = SwitchMode::kUnsafe;
  constraints.features.preemption = constraints.features.device_errors = 0;
  std::set<std::string> changed;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    if (is_weak(constraints, seed)) continue;
    const Scenario scenario = loaded(constraints, seed);
    const nlohmann::json ordering = switches_of(constraints, seed);
    REQUIRE(ordering.size() == 1);
    const std::string value = ordering.begin()->dump();
    changed.insert(ordering.begin().key());
    for (const scenario::SwitchInfo& info : scenario::switch_infos())
      for (const auto& known : info.values)
        if (info.name == ordering.begin().key() && known.json == value) {
          CHECK_FALSE(known.safe());
          CHECK(scenario.expect.may_violate == known.breaks);
        }
  }
  CHECK(changed.size() > 10);
}

TEST_CASE("A weak host has the barrier of the ISR that it needs", "[generate]") {
  Constraints constraints;
  constraints.switches = SwitchMode::kDefaults;
  unsigned weak = 0;
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    if (!is_weak(constraints, seed)) continue;
    ++weak;
    CHECK(switches_of(constraints, seed) == nlohmann::json({{"isr.load_barrier", true}}));
  }
  CHECK(weak > 0);
}

namespace {
/// Of an agent that is held.
std::string kind_of(const std::string& agent) {
  if (agent.rfind("core0.", 0) == 0) return agent;
  if (agent.find('.') == std::string::npos) return "thread";
  if (agent.find(".vram") != std::string::npos || agent.find(".host") != std::string::npos)
    return "lane";
  return agent.find(".cmp") != std::string::npos ? "cmp" : "engine";
}
}  // namespace

TEST_CASE("Holds end with threads that sleep on a core of their own", "[generate]") {
  const Constraints constraints = constraints_of(R"({"features": {"holds": 100}})", "c.json");
  std::set<std::string> held;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    const Scenario scenario = loaded(constraints, seed);
    CHECK_FALSE(scenario.holds.empty());
    const std::uint32_t last = scenario.platform.host.cores - 1;
    for (const scenario::Hold& hold : scenario.holds) {
      held.insert(kind_of(hold.operation.agent));
      for (const scenario::Program& program : scenario.programs) {
        if (program.queue) continue;
        const bool sleeps = program.name == hold.until.agent;
        if (sleeps) CHECK(program.steps.size() == 1);
        if (sleeps) CHECK(program.core == last);
        if (program.name.front() != 'h') CHECK(program.core < last);
      }
    }
  }
  for (const char* kind : {"engine", "lane", "cmp", "core0.isr", "core0.dpc", "thread"}) {
    CAPTURE(kind);
    CHECK(held.count(kind) == 1);
  }
}

TEST_CASE("Expectations name the value of each fence at the end", "[generate]") {
  const Constraints constraints = constraints_of(R"({"expectations": true})", "c.json");
  const Scenario scenario = loaded(constraints, 5);
  CHECK(scenario.expect.fences.size() >= Counted(scenario).fences);
  CHECK(loaded(Constraints(), 5).expect.fences.empty());
}

TEST_CASE("Some waits time out because no signal has their value", "[generate]") {
  CHECK(count_steps<scenario::WaitStep>([](const scenario::WaitStep& wait) {
          return wait.points.size() == 1 && never_reached(wait.points.front()) &&
                 wait.timeout.has_value();
        }) > 0);
}

TEST_CASE("Some waits for any of several fences can end with the first one only", "[generate]") {
  CHECK(count_steps<scenario::WaitStep>([](const scenario::WaitStep& wait) {
          return wait.any && wait.points.size() > 1 && !never_reached(wait.points.front()) &&
                 std::all_of(wait.points.begin() + 1, wait.points.end(), never_reached);
        }) > 0);
}

TEST_CASE("A wait without a timeout can end unless it is refused", "[generate]") {
  CHECK(count_steps<scenario::WaitStep>([](const scenario::WaitStep& wait) {
          const auto count = std::count_if(wait.points.begin(), wait.points.end(), never_reached);
          return !wait.timeout && !wait.event && !wait.status && count != 0 &&
                 (!wait.any || static_cast<std::size_t>(count) == wait.points.size());
        }) == 0);
}

TEST_CASE("Some waits with an event end because their fence is closed", "[generate]") {
  CHECK(count_steps<scenario::WaitStep>([](const scenario::WaitStep& wait) {
          return wait.event && never_reached(wait.points.front());
        }) > 0);
}

TEST_CASE("Some round trips write more packets than the smallest ring holds", "[generate]") {
  CHECK(count_steps<scenario::RepeatStep>([](const scenario::RepeatStep& repeat) {
          return repeat.count.constant() > 4096 / 112;
        }) > 0);
}

TEST_CASE("Some signals are the first ones above a low half that is the highest", "[generate]") {
  CHECK(count_steps<scenario::SignalStep>([](const scenario::SignalStep& signal) {
          return std::any_of(signal.points.begin(), signal.points.end(), [](const auto& point) {
            return point.value.is_constant() && point.value.constant() > UINT32_MAX &&
                   (point.value.constant() & UINT32_MAX) < 3;
          });
        }) > 0);
}

}  // namespace fenceline::generate::test_generate
